// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Ethereum transactions of all types (YP 4.2): values, wire format, signing hash, sender.
// What makes a transaction valid at its place in a block is vm/validate.hpp's business.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <vector>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/rlp.hpp>
#include <types/uint256.hpp>

namespace heddle {

enum class TransactionType : std::uint8_t {
    legacy = 0,
    access_list = 1,  // EIP-2930
    dynamic_fee = 2,  // EIP-1559
    blob = 3,         // EIP-4844
    set_code = 4,     // EIP-7702
};

/// EIP-2930.
struct AccessListEntry {
    Address address;
    std::vector<Hash> storage_keys;
    friend bool operator==(const AccessListEntry&, const AccessListEntry&) = default;
};
using AccessList = std::vector<AccessListEntry>;

/// Who has signed an authorization, where somebody has found out (sender_recovery.hpp). It follows
/// from the rest, so that it makes no difference between two of them.
struct RememberedAuthority {
    bool is_known = false;
    std::optional<Address> value;
    friend constexpr bool operator==(const RememberedAuthority&,
                                     const RememberedAuthority&) noexcept {
        return true;
    }
};

/// EIP-7702: a signed wish to delegate `authority`'s code to `address`.
struct Authorization {
    Uint256 chain_id;
    Address address;
    std::uint64_t nonce = 0;
    Uint256 y_parity;  // 0 or 1 when valid; wider values are well-formed and simply do not recover
    Uint256 r;
    Uint256 s;
    /// Not part of the wire format. Nothing is changed after it was filled in.
    RememberedAuthority authority = {};
    friend bool operator==(const Authorization&, const Authorization&) = default;
};

/// A hash that somebody has computed. It follows from the rest of a transaction, so that it makes
/// no difference between two of them.
struct RememberedHash {
    std::optional<Hash> value;
    friend constexpr bool operator==(const RememberedHash&, const RememberedHash&) noexcept {
        return true;
    }
};

struct Transaction {
    TransactionType type = TransactionType::legacy;
    /// Absent only in legacy transactions signed without replay protection (EIP-155).
    std::optional<std::uint64_t> chain_id;
    std::uint64_t nonce = 0;
    /// Legacy and type 1: the gas price. Later types: max_fee_per_gas. In wei.
    Uint256 max_fee_per_gas;
    /// Legacy and type 1: equal to max_fee_per_gas. In wei.
    Uint256 max_priority_fee_per_gas;
    std::uint64_t gas_limit = 0;
    std::optional<Address> to;  // nullopt: contract creation
    Uint256 value;              // wei
    Bytes data;
    AccessList access_list;
    Uint256 max_fee_per_blob_gas;  // wei
    std::vector<Hash> blob_versioned_hashes;
    std::vector<Authorization> authorization_list;
    /// Legacy: 27/28 reduced to 0/1 as well as EIP-155's v; typed: y_parity.
    std::uint8_t y_parity = 0;
    Uint256 r;
    Uint256 s;
    /// Cache of recover_sender(); not part of the wire format. Filled by whoever recovered it.
    std::optional<Address> sender;
    /// Cache of transaction_hash(), which gives it where it is filled; not part of the wire format.
    /// Filled by remember_hash(), or by whoever has hashed the bytes; nothing is changed after
    /// that.
    RememberedHash hash;

    [[nodiscard]] bool is_creation() const noexcept { return !to.has_value(); }
    friend bool operator==(const Transaction&, const Transaction&) = default;
};

/// Why bytes are no transaction. Everything that needs no state, block or fork to decide.
enum class TransactionDecodeError : std::uint8_t {
    rlp,                  // not canonical RLP, or wrong number or size of fields
    unknown_type,         // type byte above 0x04 or in the reserved range
    invalid_chain_id,     // legacy v that is neither 27, 28 nor EIP-155; chain id beyond 64 bits
    invalid_y_parity,     // typed transaction with y_parity above 1
    invalid_signature,    // r or s zero or not below the curve order, or no key recovers
    malleable_signature,  // s in the upper half (EIP-2, from Homestead on)
    creation_forbidden,   // type 3 or 4 without a recipient
    with_blobs,           // network form with sidecar where the consensus form is required
};
[[nodiscard]] std::string_view to_string(TransactionDecodeError error) noexcept;

/// Decodes the canonical form: RLP list for legacy, `type || payload` for the others (EIP-2718).
/// Trailing bytes are an error.
[[nodiscard]] std::expected<Transaction, TransactionDecodeError> decode_transaction(
    BytesView bytes);

/// Decodes a transaction as an element of a block body: legacy as a list, typed as a byte string.
/// Advances `reader` past it.
[[nodiscard]] std::expected<Transaction, TransactionDecodeError> decode_transaction_item(
    rlp::Reader& reader);

/// Appends the canonical form (EIP-2718).
void encode_transaction(const Transaction& tx, Bytes& out);
/// Appends the form used inside a block body.
void encode_transaction_item(const Transaction& tx, Bytes& out);

/// KEC of the canonical form.
[[nodiscard]] Hash transaction_hash(const Transaction& tx);
/// Fills in `tx.hash`.
void remember_hash(Transaction& tx);
/// What the sender signed (YP App. F, EIP-155, EIP-2718).
[[nodiscard]] Hash signing_hash(const Transaction& tx);

/// Recovers the sender (YP App. F). Ignores and does not fill `tx.sender`. Does not apply EIP-2's
/// low-s rule, which depends on the fork: see has_low_s().
/// Thread safety: pure.
[[nodiscard]] std::optional<Address> recover_sender(const Transaction& tx);
/// EIP-2: s is at most half the curve order.
[[nodiscard]] bool has_low_s(const Uint256& s) noexcept;
/// The signer of `message_hash`; nullopt when r, s or y_parity are out of range or nothing
/// recovers.
[[nodiscard]] std::optional<Address> recover_signer(const Hash& message_hash, std::uint8_t y_parity,
                                                    const Uint256& r, const Uint256& s);

}  // namespace heddle
