// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the bytes in the database mean. docs/storage.md describes every table for people; a change
// here is a change of kFormatVersion. Encoders append; decoders trust nothing and say `nullopt` to
// what no encoder wrote.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <types/block.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/receipt.hpp>
#include <types/uint256.hpp>

#include "durable/block_changes.hpp"

namespace heddle::ledger::schema {

inline constexpr std::uint32_t kFormatVersion = 1;
/// Stands before the version, so that no other database is taken for a ledger.
inline constexpr std::string_view kFormatName = "heddle-ledger";

/// Keys of the table `meta`.
enum class Meta : std::uint8_t {
    format,         // name and version
    head,           // number and hash of the last block
    state_block,    // number of the block whose state the flat tables and the trie nodes are
    chain,          // what the node wants kept of the genesis configuration
    first_block,    // number of the first block kept: the genesis block's, or a snapshot's first
    first_history,  // number of the first block whose changes are kept
    restore,        // how far a snapshot has been restored; not in a finished ledger
    archive,        // nothing; there where all history is kept on purpose
};
[[nodiscard]] Bytes meta_key(Meta key);

[[nodiscard]] Bytes number_key(std::uint64_t number);
[[nodiscard]] std::optional<std::uint64_t> decode_number_key(BytesView key) noexcept;

/// A slot's key: hash of the address, hash of the slot.
struct SlotKey {
    std::array<std::uint8_t, 64> bytes{};
    SlotKey(const Hash& address, const Hash& slot) noexcept;
    [[nodiscard]] BytesView view() const noexcept { return bytes; }
};
[[nodiscard]] Hash hash_of(const Address& address) noexcept;
[[nodiscard]] Hash hash_of_slot(const Uint256& slot) noexcept;

/// A value's key in the table `history`: a byte that tells accounts (0) from slots (1), the key of
/// the value, then the block that replaced it.
[[nodiscard]] Bytes history_key(BytesView key, std::uint64_t number);

struct BlockMark {
    std::uint64_t number = 0;
    Hash hash;
    friend bool operator==(const BlockMark&, const BlockMark&) = default;
};
void encode_mark(const BlockMark& mark, Bytes& out);
[[nodiscard]] std::optional<BlockMark> decode_mark(BytesView bytes);

void encode_format(Bytes& out);
struct Format {
    bool is_ours = false;
    std::uint32_t version = 0;
};
[[nodiscard]] Format decode_format(BytesView bytes) noexcept;

struct HeaderRecord {
    Hash hash;
    Uint256 total_difficulty;
    BlockHeader header;
    friend bool operator==(const HeaderRecord&, const HeaderRecord&) = default;
};
void encode_header_record(const HeaderRecord& record, Bytes& out);
[[nodiscard]] std::optional<HeaderRecord> decode_header_record(BytesView bytes);

/// The whole block again, as RLP.
/// @param body  What encode_body() has written.
[[nodiscard]] Bytes join_block(const BlockHeader& header, BytesView body);

void encode_senders(std::span<const Transaction> transactions, Bytes& out);
/// Fills in the senders. @return false where their number is another.
[[nodiscard]] bool decode_senders(BytesView bytes, std::span<Transaction> transactions);

/// What neither header nor transactions tell: status or root, cumulative gas, logs.
void encode_receipts(std::span<const Receipt> receipts, Bytes& out);
/// Also computes blooms and the gas of each; what depends on the transaction stays open.
[[nodiscard]] std::optional<std::vector<Receipt>> decode_receipts(BytesView bytes);
/// The same, up to `most` of them at a time, in order. @return false: what is left does not decode.
[[nodiscard]] bool visit_receipts(BytesView bytes, std::size_t most,
                                  const std::function<void(std::span<Receipt>)>& visit);

/// Where a transaction is.
struct TransactionPlace {
    std::uint64_t number = 0;
    std::uint32_t index = 0;
    friend bool operator==(const TransactionPlace&, const TransactionPlace&) = default;
};
void encode_place(const TransactionPlace& place, Bytes& out);
[[nodiscard]] std::optional<TransactionPlace> decode_place(BytesView bytes);

/// An account with its address, which its key does not tell.
struct AccountEntry {
    Address address;
    AccountRecord record;
    friend bool operator==(const AccountEntry&, const AccountEntry&) = default;
};
void encode_account_entry(const Address& address, const AccountRecord& record, Bytes& out);
[[nodiscard]] std::optional<AccountEntry> decode_account_entry(BytesView bytes);

/// The account as its leaf in the trie has it (YP 4.1, eq. for p).
void encode_account_leaf(const AccountRecord& record, Bytes& out);

struct SlotEntry {
    Uint256 slot;
    Uint256 value;
    friend bool operator==(const SlotEntry&, const SlotEntry&) = default;
};
void encode_slot_entry(const Uint256& slot, const Uint256& value, Bytes& out);
[[nodiscard]] std::optional<SlotEntry> decode_slot_entry(BytesView bytes);

/// An account in `history`; empty bytes: it did not exist.
void encode_past_account(const std::optional<AccountRecord>& record, Bytes& out);
[[nodiscard]] std::optional<std::optional<AccountRecord>> decode_past_account(BytesView bytes);
/// A slot in `history`.
void encode_past_slot(const Uint256& value, Bytes& out);
[[nodiscard]] std::optional<Uint256> decode_past_slot(BytesView bytes);

void encode_changes(const BlockChanges& changes, Bytes& out);
[[nodiscard]] std::optional<BlockChanges> decode_changes(BytesView bytes);

}  // namespace heddle::ledger::schema
