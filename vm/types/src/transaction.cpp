// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/transaction.hpp>

#include <types/expected.hpp>

namespace heddle {

namespace {

// Order of the secp256k1 group (YP App. F, eq. 310).
constexpr Uint256 kCurveOrder{0xbfd25e8cd0364141, 0xbaaedce6af48a03b, 0xfffffffffffffffe,
                              0xffffffffffffffff};

// Lets HEDDLE_TRY carry errors of the reader and of this file alike; where in the bytes the reader
// stopped is known to the caller by its own reader.
struct Failure {
    TransactionDecodeError code;
    Failure(TransactionDecodeError c) noexcept : code(c) {}                     // NOLINT: see above
    Failure(const rlp::Error&) noexcept : code(TransactionDecodeError::rlp) {}  // NOLINT: see above
};
using Status = std::expected<void, Failure>;

Status decode_recipient(rlp::Reader& reader, Transaction& tx) {
    HEDDLE_TRY(const BytesView bytes, reader.read_string());
    if (bytes.empty()) return {};
    Address address;
    if (bytes.size() != address.bytes.size()) return std::unexpected(TransactionDecodeError::rlp);
    std::memcpy(address.bytes.data(), bytes.data(), bytes.size());
    tx.to = address;
    return {};
}

Status decode_data(rlp::Reader& reader, Transaction& tx) {
    HEDDLE_TRY(const BytesView bytes, reader.read_string());
    tx.data.assign(bytes.begin(), bytes.end());
    return {};
}

Status decode_access_list(rlp::Reader& reader, AccessList& access_list) {
    HEDDLE_TRY(rlp::Reader entries, reader.read_list());
    while (!entries.at_end()) {
        HEDDLE_TRY(rlp::Reader fields, entries.read_list());
        AccessListEntry& entry = access_list.emplace_back();
        HEDDLE_TRY(entry.address, fields.read_address());
        HEDDLE_TRY(rlp::Reader keys, fields.read_list());
        while (!keys.at_end()) {
            HEDDLE_TRY(const Hash key, keys.read_hash());
            entry.storage_keys.push_back(key);
        }
        HEDDLE_CHECK(fields.expect_end());
    }
    return {};
}

Status decode_blob_hashes(rlp::Reader& reader, std::vector<Hash>& hashes) {
    HEDDLE_TRY(rlp::Reader items, reader.read_list());
    while (!items.at_end()) {
        HEDDLE_TRY(const Hash hash, items.read_hash());
        hashes.push_back(hash);
    }
    return {};
}

Status decode_authorization_list(rlp::Reader& reader, std::vector<Authorization>& authorizations) {
    HEDDLE_TRY(rlp::Reader items, reader.read_list());
    while (!items.at_end()) {
        HEDDLE_TRY(rlp::Reader fields, items.read_list());
        Authorization& authorization = authorizations.emplace_back();
        HEDDLE_TRY(authorization.chain_id, fields.read_uint256());
        HEDDLE_TRY(authorization.address, fields.read_address());
        HEDDLE_TRY(authorization.nonce, fields.read_uint64());
        HEDDLE_TRY(authorization.y_parity, fields.read_uint256());
        // EIP-7702 bounds y_parity by 2^8; anything else is no well-formed authorization.
        if (authorization.y_parity > Uint256{255})
            return std::unexpected(TransactionDecodeError::rlp);
        HEDDLE_TRY(authorization.r, fields.read_uint256());
        HEDDLE_TRY(authorization.s, fields.read_uint256());
        HEDDLE_CHECK(fields.expect_end());
    }
    return {};
}

Status decode_signature_values(rlp::Reader& reader, Transaction& tx) {
    HEDDLE_TRY(tx.r, reader.read_uint256());
    HEDDLE_TRY(tx.s, reader.read_uint256());
    HEDDLE_CHECK(reader.expect_end());
    if (tx.r.is_zero() || tx.s.is_zero() || tx.r >= kCurveOrder || tx.s >= kCurveOrder)
        return std::unexpected(TransactionDecodeError::invalid_signature);
    return {};
}

// v carries the parity and, from EIP-155 on, the chain id: 27 + y, or 35 + 2 * chain_id + y.
Status apply_legacy_v(const Uint256& v, Transaction& tx) {
    if (v == Uint256{27} || v == Uint256{28}) {
        tx.y_parity = static_cast<std::uint8_t>(v.low64() - 27);
        return {};
    }
    if (v < Uint256{35}) return std::unexpected(TransactionDecodeError::invalid_chain_id);
    const Uint256 rest = v - Uint256{35};
    const Uint256 chain_id = rest >> 1;
    if (!chain_id.fits_uint64()) return std::unexpected(TransactionDecodeError::invalid_chain_id);
    tx.chain_id = chain_id.low64();
    tx.y_parity = static_cast<std::uint8_t>(rest.low64() & 1);
    return {};
}

Status decode_legacy(rlp::Reader& fields, Transaction& tx) {
    HEDDLE_TRY(tx.nonce, fields.read_uint64());
    HEDDLE_TRY(tx.max_fee_per_gas, fields.read_uint256());
    tx.max_priority_fee_per_gas = tx.max_fee_per_gas;
    HEDDLE_TRY(tx.gas_limit, fields.read_uint64());
    HEDDLE_CHECK(decode_recipient(fields, tx));
    HEDDLE_TRY(tx.value, fields.read_uint256());
    HEDDLE_CHECK(decode_data(fields, tx));
    HEDDLE_TRY(const Uint256 v, fields.read_uint256());
    HEDDLE_CHECK(decode_signature_values(fields, tx));
    return apply_legacy_v(v, tx);
}

Status decode_chain_id(rlp::Reader& fields, Transaction& tx) {
    HEDDLE_TRY(const Uint256 chain_id, fields.read_uint256());
    if (!chain_id.fits_uint64()) return std::unexpected(TransactionDecodeError::invalid_chain_id);
    tx.chain_id = chain_id.low64();
    return {};
}

Status decode_typed_fields(rlp::Reader& fields, Transaction& tx) {
    HEDDLE_CHECK(decode_chain_id(fields, tx));
    HEDDLE_TRY(tx.nonce, fields.read_uint64());
    HEDDLE_TRY(tx.max_priority_fee_per_gas, fields.read_uint256());
    if (tx.type == TransactionType::access_list) {
        tx.max_fee_per_gas = tx.max_priority_fee_per_gas;
    } else {
        HEDDLE_TRY(tx.max_fee_per_gas, fields.read_uint256());
    }
    HEDDLE_TRY(tx.gas_limit, fields.read_uint64());
    HEDDLE_CHECK(decode_recipient(fields, tx));
    HEDDLE_TRY(tx.value, fields.read_uint256());
    HEDDLE_CHECK(decode_data(fields, tx));
    HEDDLE_CHECK(decode_access_list(fields, tx.access_list));
    if (tx.type == TransactionType::blob) {
        HEDDLE_TRY(tx.max_fee_per_blob_gas, fields.read_uint256());
        HEDDLE_CHECK(decode_blob_hashes(fields, tx.blob_versioned_hashes));
    }
    if (tx.type == TransactionType::set_code)
        HEDDLE_CHECK(decode_authorization_list(fields, tx.authorization_list));
    HEDDLE_TRY(const Uint256 y_parity, fields.read_uint256());
    HEDDLE_CHECK(decode_signature_values(fields, tx));
    if (y_parity > Uint256{1}) return std::unexpected(TransactionDecodeError::invalid_y_parity);
    tx.y_parity = static_cast<std::uint8_t>(y_parity.low64());
    const bool needs_recipient =
        tx.type == TransactionType::blob || tx.type == TransactionType::set_code;
    if (needs_recipient && tx.is_creation())
        return std::unexpected(TransactionDecodeError::creation_forbidden);
    return {};
}

// `reader` stands at the type byte and covers nothing but the transaction.
Status decode_typed(BytesView bytes, std::size_t offset, Transaction& tx) {
    if (bytes[0] == 0 || bytes[0] > static_cast<std::uint8_t>(TransactionType::set_code))
        return std::unexpected(TransactionDecodeError::unknown_type);
    tx.type = static_cast<TransactionType>(bytes[0]);
    rlp::Reader reader(bytes.subspan(1), offset + 1);
    HEDDLE_TRY(rlp::Reader fields, reader.read_list());
    HEDDLE_CHECK(reader.expect_end());
    // EIP-4844's network form wraps the consensus form in one more list.
    if (tx.type == TransactionType::blob && fields.next_is_list())
        return std::unexpected(TransactionDecodeError::with_blobs);
    return decode_typed_fields(fields, tx);
}

Status decode_canonical(BytesView bytes, Transaction& tx) {
    if (bytes.empty()) return std::unexpected(TransactionDecodeError::rlp);
    if (bytes[0] < 0x80) return decode_typed(bytes, 0, tx);
    rlp::Reader reader(bytes);
    HEDDLE_TRY(rlp::Reader fields, reader.read_list());
    HEDDLE_CHECK(reader.expect_end());
    return decode_legacy(fields, tx);
}

Status decode_item(rlp::Reader& reader, Transaction& tx) {
    if (reader.next_is_list()) {
        HEDDLE_TRY(rlp::Reader fields, reader.read_list());
        return decode_legacy(fields, tx);
    }
    HEDDLE_TRY(const BytesView bytes, reader.read_string());
    // A legacy transaction must not hide inside a string (EIP-2718): its first byte is no type.
    if (bytes.empty() || bytes[0] >= 0x80) return std::unexpected(TransactionDecodeError::rlp);
    return decode_typed(bytes, reader.offset() - bytes.size(), tx);
}

void encode_recipient(const Transaction& tx, Bytes& out) {
    if (tx.to.has_value())
        rlp::encode_address(*tx.to, out);
    else
        rlp::encode_string({}, out);
}

void encode_access_list(const AccessList& access_list, Bytes& out) {
    const std::size_t begin = out.size();
    for (const AccessListEntry& entry : access_list) {
        const std::size_t entry_begin = out.size();
        rlp::encode_address(entry.address, out);
        const std::size_t keys_begin = out.size();
        for (const Hash& key : entry.storage_keys)
            rlp::encode_hash(key, out);
        rlp::wrap_list(keys_begin, out);
        rlp::wrap_list(entry_begin, out);
    }
    rlp::wrap_list(begin, out);
}

void encode_blob_hashes(const std::vector<Hash>& hashes, Bytes& out) {
    const std::size_t begin = out.size();
    for (const Hash& hash : hashes)
        rlp::encode_hash(hash, out);
    rlp::wrap_list(begin, out);
}

void encode_authorization_list(const std::vector<Authorization>& authorizations, Bytes& out) {
    const std::size_t begin = out.size();
    for (const Authorization& authorization : authorizations) {
        const std::size_t item_begin = out.size();
        rlp::encode_uint256(authorization.chain_id, out);
        rlp::encode_address(authorization.address, out);
        rlp::encode_uint64(authorization.nonce, out);
        rlp::encode_uint256(authorization.y_parity, out);
        rlp::encode_uint256(authorization.r, out);
        rlp::encode_uint256(authorization.s, out);
        rlp::wrap_list(item_begin, out);
    }
    rlp::wrap_list(begin, out);
}

// All fields but the signature, without the surrounding list.
void encode_unsigned_fields(const Transaction& tx, Bytes& out) {
    const bool is_legacy = tx.type == TransactionType::legacy;
    const bool has_gas_price = is_legacy || tx.type == TransactionType::access_list;
    if (!is_legacy) rlp::encode_uint64(tx.chain_id.value_or(0), out);
    rlp::encode_uint64(tx.nonce, out);
    if (!has_gas_price) rlp::encode_uint256(tx.max_priority_fee_per_gas, out);
    rlp::encode_uint256(tx.max_fee_per_gas, out);
    rlp::encode_uint64(tx.gas_limit, out);
    encode_recipient(tx, out);
    rlp::encode_uint256(tx.value, out);
    rlp::encode_string(tx.data, out);
    if (!is_legacy) encode_access_list(tx.access_list, out);
    if (tx.type == TransactionType::blob) {
        rlp::encode_uint256(tx.max_fee_per_blob_gas, out);
        encode_blob_hashes(tx.blob_versioned_hashes, out);
    }
    if (tx.type == TransactionType::set_code) encode_authorization_list(tx.authorization_list, out);
}

// Enough for the encoding of nearly all transactions, so that the buffer is allocated once.
std::size_t usual_size(const Transaction& tx) noexcept {
    return 256 + tx.data.size() + 128 * tx.access_list.size();
}

Uint256 signature_v(const Transaction& tx) noexcept {
    if (tx.type != TransactionType::legacy) return Uint256{tx.y_parity};
    if (!tx.chain_id.has_value()) return Uint256{27} + Uint256{tx.y_parity};
    return (Uint256{*tx.chain_id} << 1) + Uint256{35} + Uint256{tx.y_parity};
}

}  // namespace

std::string_view to_string(TransactionDecodeError error) noexcept {
    switch (error) {
        case TransactionDecodeError::rlp:
            return "malformed transaction";
        case TransactionDecodeError::unknown_type:
            return "unknown transaction type";
        case TransactionDecodeError::invalid_chain_id:
            return "invalid chain id";
        case TransactionDecodeError::invalid_y_parity:
            return "invalid y parity";
        case TransactionDecodeError::invalid_signature:
            return "invalid signature";
        case TransactionDecodeError::malleable_signature:
            return "signature's s in the upper half";
        case TransactionDecodeError::creation_forbidden:
            return "transaction needs a recipient";
        case TransactionDecodeError::with_blobs:
            return "blob transaction in network form";
    }
    return "unknown transaction decoding error";
}

std::expected<Transaction, TransactionDecodeError> decode_transaction(BytesView bytes) {
    Transaction tx;
    if (const Status status = decode_canonical(bytes, tx); !status.has_value())
        return std::unexpected(status.error().code);
    return tx;
}

std::expected<Transaction, TransactionDecodeError> decode_transaction_item(rlp::Reader& reader) {
    Transaction tx;
    if (const Status status = decode_item(reader, tx); !status.has_value())
        return std::unexpected(status.error().code);
    return tx;
}

void encode_transaction(const Transaction& tx, Bytes& out) {
    if (tx.type != TransactionType::legacy) out.push_back(static_cast<std::uint8_t>(tx.type));
    const std::size_t begin = out.size();
    encode_unsigned_fields(tx, out);
    rlp::encode_uint256(signature_v(tx), out);
    rlp::encode_uint256(tx.r, out);
    rlp::encode_uint256(tx.s, out);
    rlp::wrap_list(begin, out);
}

void encode_transaction_item(const Transaction& tx, Bytes& out) {
    if (tx.type == TransactionType::legacy) return encode_transaction(tx, out);
    const std::size_t begin = out.size();
    encode_transaction(tx, out);
    rlp::wrap_string(begin, out);
}

Hash transaction_hash(const Transaction& tx) {
    if (tx.hash.value.has_value()) return *tx.hash.value;
    Bytes encoded;
    encoded.reserve(usual_size(tx));
    encode_transaction(tx, encoded);
    return keccak256(encoded);
}

void remember_hash(Transaction& tx) {
    tx.hash.value = transaction_hash(tx);
}

Hash signing_hash(const Transaction& tx) {
    Bytes encoded;
    encoded.reserve(usual_size(tx));
    if (tx.type != TransactionType::legacy) encoded.push_back(static_cast<std::uint8_t>(tx.type));
    const std::size_t begin = encoded.size();
    encode_unsigned_fields(tx, encoded);
    if (tx.type == TransactionType::legacy && tx.chain_id.has_value()) {
        rlp::encode_uint64(*tx.chain_id, encoded);  // EIP-155
        rlp::encode_uint64(0, encoded);
        rlp::encode_uint64(0, encoded);
    }
    rlp::wrap_list(begin, encoded);
    return keccak256(encoded);
}

bool has_low_s(const Uint256& s) noexcept {
    constexpr Uint256 kHalfCurveOrder = kCurveOrder >> 1;
    return s <= kHalfCurveOrder;
}

}  // namespace heddle
