// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/cometbft/signed_header.hpp>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <string_view>

#include <fmt/format.h>
#include <openssl/evp.h>

#include <types/assert.hpp>

namespace heddle::consensus_adapter::cometbft {
namespace {

constexpr std::uint8_t kPrecommit = 2;
constexpr std::size_t kAddressBytes = 20;

// Kinds of fields on the wire of protocol buffers.
constexpr unsigned kVarint = 0;
constexpr unsigned kFixed64 = 1;
constexpr unsigned kLengthDelimited = 2;

Hash sha256(BytesView bytes) {
    Hash hash;
    const bool is_hashed = EVP_Digest(bytes.data(), bytes.size(), hash.bytes.data(), nullptr,
                                      EVP_sha256(), nullptr) == 1;
    HEDDLE_ASSERT(is_hashed);  // it needs nothing but the library
    return hash;
}

void put_varint(std::uint64_t value, Bytes& out) {
    for (; value >= 0x80; value >>= 7)
        out.push_back(static_cast<std::uint8_t>(value | 0x80));
    out.push_back(static_cast<std::uint8_t>(value));
}
void put_tag(unsigned field, unsigned kind, Bytes& out) {
    put_varint(field << 3 | kind, out);
}

// Fields that have their default are left out, messages that are always there are not.

void put_number(unsigned field, std::uint64_t value, Bytes& out) {
    if (value == 0) return;
    put_tag(field, kVarint, out);
    put_varint(value, out);
}
void put_fixed(unsigned field, std::int64_t value, Bytes& out) {
    if (value == 0) return;
    put_tag(field, kFixed64, out);
    for (unsigned shift = 0; shift < 64; shift += 8)
        out.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> shift));
}
void put_message(unsigned field, BytesView message, Bytes& out) {
    put_tag(field, kLengthDelimited, out);
    put_varint(message.size(), out);
    out.insert(out.end(), message.begin(), message.end());
}
void put_bytes(unsigned field, BytesView bytes, Bytes& out) {
    if (!bytes.empty()) put_message(field, bytes, out);
}
void put_text(unsigned field, std::string_view text, Bytes& out) {
    put_bytes(field, Bytes(text.begin(), text.end()), out);
}

Bytes encode(const CometTime& time) {
    Bytes out;
    put_number(1, static_cast<std::uint64_t>(time.seconds), out);
    put_number(2, static_cast<std::uint64_t>(std::int64_t{time.nanos}), out);
    return out;
}
Bytes encode(const CometBlockId& id) {
    Bytes parts;
    put_number(1, id.parts, parts);
    put_bytes(2, id.parts_hash, parts);
    Bytes out;
    put_bytes(1, id.hash, out);
    put_message(2, parts, out);
    return out;
}
/// As a message with this field only.
Bytes wrap(BytesView bytes) {
    Bytes out;
    put_bytes(1, bytes, out);
    return out;
}

Hash leaf_hash(BytesView leaf) {
    Bytes bytes{0};
    bytes.insert(bytes.end(), leaf.begin(), leaf.end());
    return sha256(bytes);
}
Hash inner_hash(const Hash& left, const Hash& right) {
    Bytes bytes{1};
    bytes.insert(bytes.end(), left.bytes.begin(), left.bytes.end());
    bytes.insert(bytes.end(), right.bytes.begin(), right.bytes.end());
    return sha256(bytes);
}

/// RFC 6962: the left half is the largest power of two below the number of leaves. Depth: the
/// logarithm of it.
Hash merkle_root(std::span<const Bytes> leaves) {
    if (leaves.empty()) return sha256({});
    if (leaves.size() == 1) return leaf_hash(leaves.front());
    const std::size_t half = std::bit_floor(leaves.size() - 1);
    return inner_hash(merkle_root(leaves.first(half)), merkle_root(leaves.subspan(half)));
}

Bytes address_of(const TrustedValidators::Validator& validator) {
    const Hash hash = sha256(validator.public_key);
    return {hash.bytes.begin(), hash.bytes.begin() + kAddressBytes};
}

bool has_signed(const std::array<std::uint8_t, 32>& public_key, BytesView message,
                BytesView signature) {
    constexpr std::size_t kSignatureBytes = 64;
    if (signature.size() != kSignatureBytes) return false;
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{
        EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, public_key.data(),
                                    public_key.size()),
        &EVP_PKEY_free};
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                          &EVP_MD_CTX_free};
    if (key == nullptr || context == nullptr) return false;
    return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
           EVP_DigestVerify(context.get(), signature.data(), signature.size(), message.data(),
                            message.size()) == 1;
}

}  // namespace

Hash hash_of(const CometHeader& header) {
    Bytes version;
    put_number(1, header.block_version, version);
    put_number(2, header.app_version, version);
    Bytes chain_id;
    put_text(1, header.chain_id, chain_id);
    Bytes height;
    put_number(1, static_cast<std::uint64_t>(header.height), height);
    const std::array<Bytes, 14> leaves{version,
                                       chain_id,
                                       height,
                                       encode(header.time),
                                       encode(header.last_block),
                                       wrap(header.last_commit_hash),
                                       wrap(header.data_hash),
                                       wrap(header.validators_hash),
                                       wrap(header.next_validators_hash),
                                       wrap(header.consensus_hash),
                                       wrap(header.app_hash),
                                       wrap(header.last_results_hash),
                                       wrap(header.evidence_hash),
                                       wrap(header.proposer_address)};
    return merkle_root(leaves);
}

Hash validators_hash(const TrustedValidators& trusted) {
    struct Ranked {
        std::uint64_t power = 0;
        Bytes address;
        Bytes encoded;
    };
    std::vector<Ranked> ranked;
    ranked.reserve(trusted.validators.size());
    for (const TrustedValidators::Validator& validator : trusted.validators) {
        Bytes encoded;
        put_message(1, wrap(validator.public_key), encoded);
        put_number(2, validator.power, encoded);
        ranked.push_back({validator.power, address_of(validator), std::move(encoded)});
    }
    std::ranges::sort(ranked, [](const Ranked& a, const Ranked& b) {
        return a.power != b.power ? a.power > b.power : a.address < b.address;
    });
    std::vector<Bytes> leaves;
    leaves.reserve(ranked.size());
    for (Ranked& one : ranked)
        leaves.push_back(std::move(one.encoded));
    return merkle_root(leaves);
}

Hash data_hash(std::span<const BytesView> items) {
    std::vector<Bytes> leaves;
    leaves.reserve(items.size());
    for (const BytesView item : items) {
        const Hash hash = sha256(item);
        leaves.emplace_back(hash.bytes.begin(), hash.bytes.end());
    }
    return merkle_root(leaves);
}

Bytes sign_bytes(const SignedHeader& signed_header, const CommitVote& vote) {
    Bytes message;
    put_number(1, kPrecommit, message);
    put_fixed(2, signed_header.height, message);
    put_fixed(3, signed_header.round, message);
    put_message(4, encode(signed_header.block), message);
    put_message(5, encode(vote.time), message);
    put_text(6, signed_header.header.chain_id, message);
    Bytes out;
    put_varint(message.size(), out);
    out.insert(out.end(), message.begin(), message.end());
    return out;
}

SignedPower signed_power(const TrustedValidators& validators, const SignedHeader& signed_header) {
    std::map<Bytes, const TrustedValidators::Validator*> left;
    SignedPower power;
    for (const TrustedValidators::Validator& validator : validators.validators) {
        left.emplace(address_of(validator), &validator);
        power.total += validator.power;
    }
    for (const CommitVote& vote : signed_header.votes) {
        if (!vote.is_for_block) continue;
        const auto found = left.find(vote.address);
        if (found == left.end()) continue;
        if (!has_signed(found->second->public_key, sign_bytes(signed_header, vote), vote.signature))
            continue;
        power.has_signed += found->second->power;
        left.erase(found);
    }
    return power;
}

std::expected<void, std::string> check_commit(const TrustedValidators& trusted,
                                              const SignedHeader& signed_header) {
    const CometHeader& header = signed_header.header;
    if (header.chain_id != trusted.chain_id)
        return std::unexpected(
            fmt::format("the header is of another network, not of {}", trusted.chain_id));
    const Hash hash = hash_of(header);
    if (signed_header.height != header.height || !equal(signed_header.block.hash, hash.view()))
        return std::unexpected("the votes are for another header");
    const Hash expected = validators_hash(trusted);
    if (!equal(header.validators_hash, expected.view()))
        return std::unexpected("the header names other validators than those that are known");
    if (signed_header.votes.size() > kMostValidators)
        return std::unexpected("there are more votes than validators can be");
    const SignedPower power = signed_power(trusted, signed_header);
    if (3 * power.has_signed > 2 * power.total) return {};
    return std::unexpected(fmt::format(
        "validators with {} of a power of {} have signed it, and more than two thirds must",
        power.has_signed, power.total));
}

}  // namespace heddle::consensus_adapter::cometbft
