// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What CometBFT's validators have signed, checked as its light client does: the hash of a header,
// the votes for it, and whether they are more than two thirds of validators that are known
// beforehand. Source: CometBFT 0.38, "Core Data Structures" and "Encoding" of its specification.
//
// Signatures are checked by OpenSSL as RFC 8032 says. CometBFT also takes some (ZIP-215) that only
// who has the key can make, and only on purpose; here they are none.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include <types/bytes.hpp>
#include <types/hash.hpp>

namespace heddle::consensus_adapter::cometbft {

/// Since 1970.
struct CometTime {
    std::int64_t seconds = 0;
    std::int32_t nanos = 0;
    friend bool operator==(const CometTime&, const CometTime&) = default;
};

/// Hashes have 32 bytes, or none where there is nothing to hash.
struct CometBlockId {
    Bytes hash;
    std::uint32_t parts = 0;
    Bytes parts_hash;
    friend bool operator==(const CometBlockId&, const CometBlockId&) = default;
};

struct CometHeader {
    std::uint64_t block_version = 0;
    std::uint64_t app_version = 0;
    std::string chain_id;
    std::int64_t height = 0;
    CometTime time;
    CometBlockId last_block;
    Bytes last_commit_hash;
    Bytes data_hash;
    Bytes validators_hash;
    Bytes next_validators_hash;
    Bytes consensus_hash;
    Bytes app_hash;
    Bytes last_results_hash;
    Bytes evidence_hash;
    Bytes proposer_address;
};

struct CommitVote {
    bool is_for_block = false;  // else for nothing, or there is none
    Bytes address;              // of the validator: first 20 bytes of the SHA-256 of its key
    CometTime time;
    Bytes signature;
};

/// A header with the commit that came with it (`/commit`).
struct SignedHeader {
    CometHeader header;
    std::int64_t height = 0;  // of the votes
    std::int32_t round = 0;
    CometBlockId block;
    std::vector<CommitVote> votes;
};

/// Validators of a network, as they are for some heights of it.
struct TrustedValidators {
    struct Validator {
        std::array<std::uint8_t, 32> public_key{};  // Ed25519
        std::uint64_t power = 0;
    };
    std::string chain_id;
    std::vector<Validator> validators;
};

/// CometBFT's bounds.
inline constexpr std::size_t kMostValidators = 10'000;
inline constexpr std::uint64_t kMostPower = (std::uint64_t{1} << 63) / 8;

[[nodiscard]] Hash hash_of(const CometHeader& header);
/// Of a set of validators, as headers have it.
[[nodiscard]] Hash validators_hash(const TrustedValidators& validators);
/// Of the items of a block, as headers have it.
[[nodiscard]] Hash data_hash(std::span<const BytesView> items);
/// What a validator signs with its vote for a block.
[[nodiscard]] Bytes sign_bytes(const SignedHeader& signed_header, const CommitVote& vote);

/// Of these validators the power of those who have signed a header, each counted once, and of all.
/// At most kMostPower: three times as much is a number, too.
struct SignedPower {
    std::uint64_t has_signed = 0;
    std::uint64_t total = 0;
};
/// Votes for something else than the header are not looked for: that is check_commit()'s business.
[[nodiscard]] SignedPower signed_power(const TrustedValidators& validators,
                                       const SignedHeader& signed_header);

/// Whether more than two thirds of the power of these validators have signed this header, and it
/// names them as its validators. Who is to sign the next height it says itself
/// (next_validators_hash), which is as good as signed then. Errors: one sentence.
[[nodiscard]] std::expected<void, std::string> check_commit(const TrustedValidators& trusted,
                                                            const SignedHeader& signed_header);

}  // namespace heddle::consensus_adapter::cometbft
