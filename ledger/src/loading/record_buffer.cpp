// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "loading/record_buffer.hpp"

#include <algorithm>
#include <cstring>

#include <types/assert.hpp>
#include <types/keccak_batch.hpp>

#include "storage/byte_codec.hpp"
#include "storage/schema.hpp"

namespace heddle::ledger {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
/// Messages hashed together: many times what one kernel takes.
constexpr std::size_t kHashBatch = 256;

std::size_t size_at(const std::uint8_t* record) noexcept {
    return record[0] | std::size_t{record[1]} << 8;
}

/// Calls `visit` with each record, without its size.
template <typename Visit>
void for_each_record(std::uint8_t* begin, std::size_t used, const Visit& visit) {
    for (std::size_t offset = 0; offset < used;) {
        const std::size_t size = size_at(begin + offset);
        visit(offset + kRecordSizeBytes, begin + offset + kRecordSizeBytes, size);
        offset += kRecordSizeBytes + size;
    }
}

std::uint64_t first_bytes(const std::uint8_t* bytes) noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof value; ++i)
        value = value << 8 | bytes[i];
    return value;
}

/// Gathers what is to be hashed, and puts the hashes where they belong.
template <typename T>
class HashQueue {
public:
    void add(const T& item, std::uint8_t* hash) {
        items_.push_back(item);
        places_.push_back(hash);
        if (items_.size() == kHashBatch) run();
    }
    void run() {
        hashes_.resize(items_.size());
        keccak256_batch(std::span<const T>(items_), hashes_);
        for (std::size_t i = 0; i < items_.size(); ++i)
            std::ranges::copy(hashes_[i].bytes, places_[i]);
        items_.clear();
        places_.clear();
    }

private:
    std::vector<T> items_;
    std::vector<std::uint8_t*> places_;
    std::vector<Hash> hashes_;
};

}  // namespace

std::uint8_t* RecordBuffer::append(std::size_t size) {
    HEDDLE_ASSERT(size <= kMaxRecordBytes);
    if (blocks_.empty() || blocks_.back().used + kRecordSizeBytes + size > kBlockBytes)
        blocks_.push_back({std::make_unique_for_overwrite<std::uint8_t[]>(kBlockBytes), 0, {}});
    Block& block = blocks_.back();
    std::uint8_t* const record = block.bytes.get() + block.used;
    record[0] = static_cast<std::uint8_t>(size);
    record[1] = static_cast<std::uint8_t>(size >> 8);
    block.used += static_cast<std::uint32_t>(kRecordSizeBytes + size);
    ++records_;
    return record + kRecordSizeBytes;
}

void RecordBuffer::add_slot(const Hash& account, const Uint256& slot, const Uint256& value) {
    payload_.clear();
    schema::encode_slot_entry(slot, value, payload_);
    std::uint8_t* const record = append(kSlotKeyBytes + payload_.size());
    std::ranges::copy(account.bytes, record);
    record[sizeof(Hash)] = 0;
    std::ranges::copy(payload_, record + kSlotKeyBytes);
}

void RecordBuffer::add_account(const Address& address, const Account& account) {
    payload_.clear();
    schema::encode_account_entry(address, {account, kEmptyTrieRoot}, payload_);
    std::uint8_t* const record = append(kAccountKeyBytes + payload_.size());
    record[sizeof(Hash)] = 1;
    std::ranges::copy(payload_, record + kAccountKeyBytes);
}

std::size_t RecordBuffer::memory_bytes() const noexcept {
    return blocks_.size() * kBlockBytes + records_ * sizeof(Entry);
}

void RecordBuffer::hash_block(Block& block) {
    HashQueue<Address> addresses;
    HashQueue<Uint256> slots;
    const auto gather = [&](std::size_t, std::uint8_t* record, std::size_t size) {
        if (StateRecord({record, size}).is_account()) {
            Address address;
            std::memcpy(address.bytes.data(), record + kAccountKeyBytes, sizeof address.bytes);
            addresses.add(address, record);
        } else {
            ByteReader payload({record + kSlotKeyBytes, size - kSlotKeyBytes});
            slots.add(payload.word(), record + kAccountKeyBytes);
        }
    };
    for_each_record(block.bytes.get(), block.used, gather);
    addresses.run();
    slots.run();
    block.counts = {};
    for_each_record(block.bytes.get(), block.used,
                    [&](std::size_t, const std::uint8_t* record, std::size_t size) {
                        ++block.counts[StateRecord({record, size}).part()];
                    });
}

/// @param next  For each part, where its records of this block begin among the entries.
void RecordBuffer::list_block(std::size_t index, std::array<std::size_t, kStateParts> next) {
    const Block& block = blocks_[index];
    for_each_record(
        block.bytes.get(), block.used,
        [&](std::size_t offset, const std::uint8_t* bytes, std::size_t size) {
            const StateRecord record({bytes, size});
            entries_[next[record.part()]++] = {
                first_bytes(bytes),
                record.is_account() ? UINT64_MAX : first_bytes(bytes + kAccountKeyBytes),
                static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(offset)};
        });
}

void RecordBuffer::sort(WorkerCrew& crew) {
    crew.for_each(blocks_.size(), [this](std::size_t i) { hash_block(blocks_[i]); });
    bounds_ = {};
    for (const Block& block : blocks_)
        for (std::size_t part = 0; part < kStateParts; ++part)
            bounds_[part + 1] += block.counts[part];
    for (std::size_t part = 0; part < kStateParts; ++part)
        bounds_[part + 1] += bounds_[part];
    entries_.resize(records_);
    std::vector<std::array<std::size_t, kStateParts>> begins(blocks_.size());
    std::array<std::size_t, kStateParts> next{};
    std::copy_n(bounds_.begin(), kStateParts, next.begin());
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        begins[i] = next;
        for (std::size_t part = 0; part < kStateParts; ++part)
            next[part] += blocks_[i].counts[part];
    }
    crew.for_each(blocks_.size(), [&](std::size_t i) { list_block(i, begins[i]); });
    crew.for_each(kStateParts, [this](std::size_t part) {
        const auto is_below = [this](const Entry& a, const Entry& b) {
            if (a.account != b.account) return a.account < b.account;
            if (a.slot != b.slot) return a.slot < b.slot;
            return record_at(a).compare(record_at(b)) < 0;
        };
        const auto at = [this](std::size_t bound) {
            return entries_.begin() + static_cast<std::ptrdiff_t>(bounds_[bound]);
        };
        std::sort(at(part), at(part + 1), is_below);
    });
}

void RecordBuffer::clear() {
    blocks_.clear();
    records_ = 0;
    entries_ = {};
    bounds_ = {};
}

StateRecord RecordBuffer::record_at(const Entry& entry) const noexcept {
    const std::uint8_t* const bytes = blocks_[entry.block].bytes.get() + entry.offset;
    return StateRecord({bytes, size_at(bytes - kRecordSizeBytes)});
}

StateRecord RecordBuffer::record(std::size_t part, std::size_t index) const noexcept {
    return record_at(entries_[bounds_[part] + index]);
}

}  // namespace heddle::ledger
