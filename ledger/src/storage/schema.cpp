// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "storage/schema.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <types/expected.hpp>
#include <types/receipt_blooms.hpp>
#include <types/receipt_codec.hpp>
#include <types/rlp.hpp>

#include "account_leaf.hpp"
#include "storage/byte_codec.hpp"

namespace heddle::ledger::schema {

namespace {

/// Flags of an account's record.
constexpr std::uint8_t kHasCode = 1;
constexpr std::uint8_t kHasStorage = 2;
/// Flags of an account's changes.
constexpr std::uint8_t kExistedBefore = 1;
constexpr std::uint8_t kExistsAfter = 2;

void append_record(const AccountRecord& record, Bytes& out) {
    const bool has_storage = record.storage_root != kEmptyTrieRoot;
    out.push_back(static_cast<std::uint8_t>((record.account.has_code() ? kHasCode : 0) |
                                            (has_storage ? kHasStorage : 0)));
    append_varint(record.account.nonce, out);
    append_word(record.account.balance, out);
    if (record.account.has_code()) append(record.account.code_hash.view(), out);
    if (has_storage) append(record.storage_root.view(), out);
}

std::optional<AccountRecord> read_record(ByteReader& reader) {
    AccountRecord record;
    const std::uint8_t flags = reader.byte();
    if (flags > (kHasCode | kHasStorage)) return std::nullopt;
    record.account.nonce = reader.varint();
    record.account.balance = reader.word();
    if ((flags & kHasCode) != 0) record.account.code_hash = reader.hash();
    if ((flags & kHasStorage) != 0) record.storage_root = reader.hash();
    if (!reader.is_good()) return std::nullopt;
    // What the flags say is told in one way only.
    if (record.account.has_code() != ((flags & kHasCode) != 0)) return std::nullopt;
    if ((record.storage_root != kEmptyTrieRoot) != ((flags & kHasStorage) != 0))
        return std::nullopt;
    return record;
}

}  // namespace

Bytes meta_key(Meta key) {
    return {static_cast<std::uint8_t>(key)};
}

Bytes number_key(std::uint64_t number) {
    Bytes key;
    append_uint64(number, key);
    return key;
}

std::optional<std::uint64_t> decode_number_key(BytesView key) noexcept {
    ByteReader reader(key);
    const std::uint64_t number = reader.uint64();
    if (!reader.is_done()) return std::nullopt;
    return number;
}

SlotKey::SlotKey(const Hash& address, const Hash& slot) noexcept {
    std::ranges::copy(address.bytes, bytes.begin());
    std::ranges::copy(slot.bytes, bytes.begin() + 32);
}

Hash hash_of(const Address& address) noexcept {
    return keccak256(address.view());
}

Hash hash_of_slot(const Uint256& slot) noexcept {
    return keccak256(to_hash(slot).view());
}

Bytes history_key(BytesView key, std::uint64_t number) {
    Bytes result;
    result.reserve(1 + key.size() + 8);
    result.push_back(key.size() == sizeof(Hash) ? 0 : 1);
    append(key, result);
    append_uint64(number, result);
    return result;
}

void encode_mark(const BlockMark& mark, Bytes& out) {
    append_uint64(mark.number, out);
    append(mark.hash.view(), out);
}

std::optional<BlockMark> decode_mark(BytesView bytes) {
    ByteReader reader(bytes);
    BlockMark mark;
    mark.number = reader.uint64();
    mark.hash = reader.hash();
    if (!reader.is_done()) return std::nullopt;
    return mark;
}

void encode_format(Bytes& out) {
    out.insert(out.end(), kFormatName.begin(), kFormatName.end());
    append_varint(kFormatVersion, out);
}

Format decode_format(BytesView bytes) noexcept {
    ByteReader reader(bytes);
    const BytesView name = reader.take(kFormatName.size());
    if (!std::ranges::equal(name, kFormatName)) return {};
    const std::uint64_t version = reader.varint();
    if (!reader.is_done() || version > UINT32_MAX) return {};
    return {.is_ours = true, .version = static_cast<std::uint32_t>(version)};
}

void encode_header_record(const HeaderRecord& record, Bytes& out) {
    append(record.hash.view(), out);
    append_word(record.total_difficulty, out);
    encode_header(record.header, out);
}

std::optional<HeaderRecord> decode_header_record(BytesView bytes) {
    ByteReader reader(bytes);
    HeaderRecord record;
    record.hash = reader.hash();
    record.total_difficulty = reader.word();
    if (!reader.is_good()) return std::nullopt;
    auto header = decode_header(reader.rest());
    if (!header.has_value()) return std::nullopt;
    record.header = *std::move(header);
    return record;
}

Bytes join_block(const BlockHeader& header, BytesView body) {
    Bytes block;
    encode_header(header, block);
    append(body, block);
    rlp::wrap_list(0, block);
    return block;
}

void encode_senders(std::span<const Transaction> transactions, Bytes& out) {
    for (const Transaction& tx : transactions)
        append(tx.sender.value_or(Address{}).view(), out);
}

bool decode_senders(BytesView bytes, std::span<Transaction> transactions) {
    if (bytes.size() != transactions.size() * sizeof(Address)) return false;
    ByteReader reader(bytes);
    for (Transaction& tx : transactions) {
        const Address sender = reader.address();
        // Zero stands for one that nobody recovered: no key is known that leads there.
        if (!sender.is_zero()) tx.sender = sender;
    }
    return true;
}

namespace {

/// At least what the encoding takes beside topics and data.
constexpr std::size_t kReceiptRoom = 64;
constexpr std::size_t kLogRoom = 48;
constexpr std::size_t kTopicRoom = 33;

}  // namespace

void encode_receipts(std::span<const Receipt> receipts, Bytes& out) {
    // All at once: where it grew, a block's logs would be there half again as often.
    std::size_t size = out.size();
    for (const Receipt& receipt : receipts) {
        size += kReceiptRoom;
        for (const Log& log : receipt.logs)
            size += kLogRoom + log.topics.size() * kTopicRoom + log.data.size();
    }
    out.reserve(size);
    for (const Receipt& receipt : receipts)
        encode_slim_receipt(receipt, out);
}

bool visit_receipts(BytesView bytes, std::size_t most,
                    const std::function<void(std::span<Receipt>)>& visit) {
    std::vector<Receipt> some;
    std::uint64_t gas = 0;
    rlp::Reader reader(bytes);
    while (!reader.at_end()) {
        some.clear();
        while (!reader.at_end() && some.size() < most) {
            auto receipt = decode_slim_receipt(reader);
            if (!receipt.has_value() || receipt->cumulative_gas_used < gas) return false;
            receipt->gas_used = receipt->cumulative_gas_used - gas;
            gas = receipt->cumulative_gas_used;
            some.push_back(*std::move(receipt));
        }
        fill_blooms(some);
        visit(some);
    }
    return true;
}

std::optional<std::vector<Receipt>> decode_receipts(BytesView bytes) {
    constexpr std::size_t kTogether = 256;
    std::vector<Receipt> receipts;
    const bool is_whole = visit_receipts(bytes, kTogether, [&](std::span<Receipt> some) {
        std::ranges::move(some, std::back_inserter(receipts));
    });
    if (!is_whole) return std::nullopt;
    return receipts;
}

void encode_place(const TransactionPlace& place, Bytes& out) {
    append_uint64(place.number, out);
    append_varint(place.index, out);
}

std::optional<TransactionPlace> decode_place(BytesView bytes) {
    ByteReader reader(bytes);
    TransactionPlace place;
    place.number = reader.uint64();
    const std::uint64_t index = reader.varint();
    if (!reader.is_done() || index > UINT32_MAX) return std::nullopt;
    place.index = static_cast<std::uint32_t>(index);
    return place;
}

void encode_account_entry(const Address& address, const AccountRecord& record, Bytes& out) {
    append(address.view(), out);
    append_record(record, out);
}

std::optional<AccountEntry> decode_account_entry(BytesView bytes) {
    ByteReader reader(bytes);
    AccountEntry entry;
    entry.address = reader.address();
    const auto record = read_record(reader);
    if (!record.has_value() || !reader.is_done()) return std::nullopt;
    entry.record = *record;
    return entry;
}

void encode_account_leaf(const AccountRecord& record, Bytes& out) {
    ledger::encode_account_leaf(record.account, record.storage_root, out);
}

void encode_slot_entry(const Uint256& slot, const Uint256& value, Bytes& out) {
    append_word(slot, out);
    append_word(value, out);
}

std::optional<SlotEntry> decode_slot_entry(BytesView bytes) {
    ByteReader reader(bytes);
    SlotEntry entry;
    entry.slot = reader.word();
    entry.value = reader.word();
    if (!reader.is_done() || entry.value.is_zero()) return std::nullopt;
    return entry;
}

void encode_past_account(const std::optional<AccountRecord>& record, Bytes& out) {
    if (record.has_value()) append_record(*record, out);
}

std::optional<std::optional<AccountRecord>> decode_past_account(BytesView bytes) {
    if (bytes.empty()) return std::optional<AccountRecord>{};
    ByteReader reader(bytes);
    auto record = read_record(reader);
    if (!record.has_value() || !reader.is_done()) return std::nullopt;
    return record;
}

void encode_past_slot(const Uint256& value, Bytes& out) {
    append_word(value, out);
}

std::optional<Uint256> decode_past_slot(BytesView bytes) {
    ByteReader reader(bytes);
    const Uint256 value = reader.word();
    if (!reader.is_done()) return std::nullopt;
    return value;
}

void encode_changes(const BlockChanges& changes, Bytes& out) {
    append_varint(changes.accounts.size(), out);
    for (const AccountUpdate& update : changes.accounts) {
        append(update.address.view(), out);
        out.push_back(static_cast<std::uint8_t>((update.before.has_value() ? kExistedBefore : 0) |
                                                (update.after.has_value() ? kExistsAfter : 0)));
        if (update.before.has_value()) append_record(*update.before, out);
        if (update.after.has_value()) append_record(*update.after, out);
        append_varint(update.slots.size(), out);
        for (const SlotUpdate& slot : update.slots) {
            append_word(slot.slot, out);
            append_word(slot.before, out);
            append_word(slot.after, out);
        }
    }
}

std::optional<BlockChanges> decode_changes(BytesView bytes) {
    ByteReader reader(bytes);
    BlockChanges changes;
    const std::uint64_t accounts = reader.varint();
    for (std::uint64_t i = 0; i < accounts && reader.is_good(); ++i) {
        AccountUpdate update;
        update.address = reader.address();
        const std::uint8_t flags = reader.byte();
        if (flags > (kExistedBefore | kExistsAfter)) return std::nullopt;
        if ((flags & kExistedBefore) != 0) {
            update.before = read_record(reader);
            if (!update.before.has_value()) return std::nullopt;
        }
        if ((flags & kExistsAfter) != 0) {
            update.after = read_record(reader);
            if (!update.after.has_value()) return std::nullopt;
        }
        const std::uint64_t slots = reader.varint();
        for (std::uint64_t k = 0; k < slots && reader.is_good(); ++k) {
            SlotUpdate slot;
            slot.slot = reader.word();
            slot.before = reader.word();
            slot.after = reader.word();
            if (!update.slots.empty() && update.slots.back().slot >= slot.slot) return std::nullopt;
            update.slots.push_back(slot);
        }
        if (!changes.accounts.empty() && changes.accounts.back().address >= update.address)
            return std::nullopt;
        changes.accounts.push_back(std::move(update));
    }
    if (!reader.is_done()) return std::nullopt;
    return changes;
}

}  // namespace heddle::ledger::schema
