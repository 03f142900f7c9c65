// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/state_records.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <types/keccak_batch.hpp>

#include "durable/block_changes.hpp"
#include "storage/schema.hpp"

namespace heddle::ledger {

namespace {

/// An account with more slots than a part has is divided by the first four bits of their hashes.
constexpr std::size_t kSlotRanges = 16;

/// Keys that are hashed together: what is written for them stays in the fastest cache.
constexpr std::size_t kHashedTogether = 64;

/// Of a block: the hash of each account, behind it those of its slots.
std::vector<Hash> hash_keys(const BlockChanges& changes) {
    std::vector<Hash> hashes(count_values(changes));
    KeccakBatch keys;
    std::size_t done = 0;
    const auto hash_gathered = [&] {
        const std::size_t count = keys.size();
        keys.run(std::span(hashes).subspan(done, count));
        done += count;
    };
    for (const AccountUpdate& update : changes.accounts) {
        keys.add(update.address.view());
        if (keys.size() == kHashedTogether) hash_gathered();
        for (const SlotUpdate& slot : update.slots) {
            store_be(slot.slot, keys.begin(sizeof(Hash)));
            keys.end(sizeof(Hash));
            if (keys.size() == kHashedTogether) hash_gathered();
        }
    }
    hash_gathered();
    return hashes;
}

/// Something that a block changed, by the hash that is its key.
template <typename Update>
struct Keyed {
    const Hash* hash = nullptr;
    const Update* update = nullptr;
    std::uint64_t number = 0;  // of the block
    std::uint64_t head = 0;    // of the hash: most comparisons need no more

    Keyed(const Hash& key, const Update& what, std::uint64_t block) noexcept
        : hash(&key), update(&what), number(block) {
        for (std::size_t i = 0; i < sizeof head; ++i)
            head = head << 8 | key.bytes[i];
    }
    friend bool operator<(const Keyed& a, const Keyed& b) noexcept {
        if (a.head != b.head) return a.head < b.head;
        if (*a.hash != *b.hash) return *a.hash < *b.hash;
        return a.number < b.number;
    }
};
/// The hashes of an account's slots follow its own.
using KeyedAccount = Keyed<AccountUpdate>;
using KeyedSlot = Keyed<SlotUpdate>;

/// Neighbours in the order of the tables: accounts with their slots, or some slots of one account.
struct Part {
    std::span<const KeyedAccount> accounts;
    bool has_accounts = true;
    std::uint8_t first_slot = 0;  // the first four bits of their hashes
    std::uint8_t last_slot = kSlotRanges - 1;
};

std::vector<KeyedAccount> sorted_accounts(std::span<const RecentChanges::Entry> blocks,
                                          std::span<const std::vector<Hash>> hashes) {
    std::vector<KeyedAccount> accounts;
    std::size_t count = 0;
    for (const RecentChanges::Entry& block : blocks)
        count += block.changes->accounts.size();
    accounts.reserve(count);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        std::size_t at = 0;
        for (const AccountUpdate& update : blocks[i].changes->accounts) {
            accounts.emplace_back(hashes[i][at], update, blocks[i].number);
            at += 1 + update.slots.size();
        }
    }
    std::ranges::sort(accounts, [](const auto& a, const auto& b) { return a < b; });
    return accounts;
}

/// All of one key, which begins at `first`.
template <typename Update>
std::span<const Keyed<Update>> same_key(std::span<const Keyed<Update>> sorted, std::size_t first) {
    std::size_t last = first + 1;
    while (last < sorted.size() && *sorted[last].hash == *sorted[first].hash)
        ++last;
    return sorted.subspan(first, last - first);
}

std::vector<Part> make_parts(std::span<const KeyedAccount> accounts) {
    std::vector<Part> parts;
    std::size_t begin = 0;
    std::size_t values = 0;
    const auto end_part = [&](std::size_t end) {
        if (end != begin) parts.push_back({.accounts = accounts.subspan(begin, end - begin)});
        begin = end;
        values = 0;
    };
    for (std::size_t first = 0; first < accounts.size();) {
        const std::span<const KeyedAccount> account = same_key(accounts, first);
        std::size_t slots = 0;
        for (const KeyedAccount& update : account)
            slots += update.update->slots.size();
        if (slots > kValuesPerPart) {
            end_part(first);
            for (std::uint8_t range = 0; range < kSlotRanges; ++range)
                parts.push_back({account, range == 0, range, range});
            begin = first + account.size();
        } else {
            values += account.size() + slots;
        }
        first += account.size();
        if (values >= kValuesPerPart) end_part(first);
    }
    end_part(accounts.size());
    return parts;
}

/// Puts the records of a part into a batch.
class PartWriter {
public:
    PartWriter(std::uint64_t first_history, WriteBatch& batch) noexcept
        : first_history_(first_history), batch_(batch) {}

    void write(const Part& part) {
        for (std::size_t first = 0; first < part.accounts.size();) {
            const std::span<const KeyedAccount> account = same_key(part.accounts, first);
            if (part.has_accounts) write_account(account);
            gather_slots(account, part);
            const std::span<const KeyedSlot> slots(slots_);
            for (std::size_t slot = 0; slot < slots.size();) {
                const std::span<const KeyedSlot> same = same_key(slots, slot);
                write_slot(*account.front().hash, same);
                slot += same.size();
            }
            first += account.size();
        }
    }

private:
    /// Whether the values before the block are.
    [[nodiscard]] bool is_kept(std::uint64_t number) const noexcept {
        return number >= first_history_;
    }

    void write_account(std::span<const KeyedAccount> updates) {
        const BytesView key = updates.front().hash->view();
        for (const KeyedAccount& update : updates) {
            if (!is_kept(update.number)) continue;
            value_.clear();
            schema::encode_past_account(update.update->before, value_);
            batch_.put(Table::history, schema::history_key(key, update.number), value_);
        }
        const AccountUpdate& last = *updates.back().update;
        if (!last.after.has_value()) return batch_.erase(Table::accounts, key);
        value_.clear();
        schema::encode_account_entry(last.address, *last.after, value_);
        batch_.put(Table::accounts, key, value_);
    }

    void write_slot(const Hash& address, std::span<const KeyedSlot> updates) {
        const schema::SlotKey key(address, *updates.front().hash);
        for (const KeyedSlot& update : updates) {
            if (!is_kept(update.number)) continue;
            value_.clear();
            schema::encode_past_slot(update.update->before, value_);
            batch_.put(Table::history, schema::history_key(key.view(), update.number), value_);
        }
        const SlotUpdate& last = *updates.back().update;
        if (last.after.is_zero()) return batch_.erase(Table::slots, key.view());
        value_.clear();
        schema::encode_slot_entry(last.slot, last.after, value_);
        batch_.put(Table::slots, key.view(), value_);
    }

    void gather_slots(std::span<const KeyedAccount> updates, const Part& part) {
        slots_.clear();
        for (const KeyedAccount& account : updates) {
            const Hash* hash = account.hash;
            for (const SlotUpdate& slot : account.update->slots) {
                ++hash;
                const std::uint8_t range = hash->bytes[0] >> 4;
                if (range >= part.first_slot && range <= part.last_slot)
                    slots_.emplace_back(*hash, slot, account.number);
            }
        }
        std::ranges::sort(slots_, [](const auto& a, const auto& b) { return a < b; });
    }

    const std::uint64_t first_history_;
    WriteBatch& batch_;
    std::vector<KeyedSlot> slots_;
    Bytes value_;
};

}  // namespace

void store_states(std::span<const RecentChanges::Entry> blocks, std::uint64_t first_history,
                  const Database& database, WorkerCrew& crew, WriteBatch& batch) {
    std::vector<std::vector<Hash>> hashes(blocks.size());
    crew.for_each(blocks.size(), [&](std::size_t i) { hashes[i] = hash_keys(*blocks[i].changes); });
    const std::vector<KeyedAccount> accounts = sorted_accounts(blocks, hashes);
    const std::vector<Part> parts = make_parts(accounts);
    // Each thread takes neighbouring parts and has a batch of its own; one needs none besides.
    const std::size_t shares = std::min<std::size_t>(parts.size(), crew.thread_count());
    const auto write_share = [&](std::size_t share, WriteBatch& to) {
        PartWriter writer(first_history, to);
        const std::size_t end = parts.size() * (share + 1) / shares;
        for (std::size_t i = parts.size() * share / shares; i < end; ++i)
            writer.write(parts[i]);
    };
    if (shares == 1) return write_share(0, batch);

    std::size_t values = 0;
    for (const std::vector<Hash>& keys : hashes)
        values += keys.size();
    std::vector<WriteBatch> batches;
    batches.reserve(shares);
    for (std::size_t i = 0; i < shares; ++i)
        batches.push_back(database.batch(kBytesPerValue * values / shares));
    crew.for_each(shares, [&](std::size_t i) { write_share(i, batches[i]); });
    batch.append(batches);
}

}  // namespace heddle::ledger
