// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "list_mutations.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace heddle::test {
namespace {

using workload::Random;

class ListMutator {
public:
    ListMutator(BlockAccessList& list, std::uint32_t last_index, Random& random)
        : list_(list), last_index_(last_index), random_(random) {}

    std::string run() {
        if (list_.accounts.empty()) return {};
        ListedAccount& account = list_.accounts[place_in(list_.accounts)];
        switch (random_.below(8)) {
            case 0:
            case 1:
                return prefix("accounts: ", change_accounts());
            case 2:
            case 3:
                return prefix("storage_changes: ", change_slots(account));
            case 4:
                return prefix("storage_reads: ", change_reads(account));
            case 5:
                return prefix("balance_changes: ",
                              change_list(account.balance_changes,
                                          [](Uint256& value) { value = value ^ Uint256{1}; }));
            case 6:
                return prefix("nonce_changes: ",
                              change_list(account.nonce_changes, [](auto& value) { value += 1; }));
            default:
                return prefix(
                    "code_changes: ",
                    change_list(account.code_changes, [this](auto& code) { change_code(code); }));
        }
    }

private:
    static std::string prefix(const char* text, std::string what) {
        return what.empty() ? what : text + std::move(what);
    }
    template <typename Items>
    std::size_t place_in(const Items& items) {
        return random_.below(static_cast<std::uint32_t>(items.size()));
    }

    /// What can be done to any vector that has something. @return empty: nothing.
    template <typename Item>
    std::string rearrange(std::vector<Item>& items) {
        if (items.empty()) return {};
        const auto at = items.begin() + static_cast<std::ptrdiff_t>(place_in(items));
        switch (random_.below(4)) {
            case 0:
                items.erase(at);
                return "drop";
            case 1:
                items.insert(at, Item{*at});
                return "repeat";
            case 2:
                if (at + 1 == items.end()) return {};
                std::iter_swap(at, at + 1);
                return "exchange neighbours";
            default:
                items.clear();
                return "drop all";
        }
    }

    std::uint32_t draw_index() {
        const std::uint32_t edges[] = {0, 1, last_index_, last_index_ + 1,
                                       std::numeric_limits<std::uint32_t>::max()};
        if (random_.below(2) == 0) return edges[random_.below(5)];
        return random_.below(last_index_ + 1);
    }
    template <typename Value, typename Change>
    std::string change_list(std::vector<ListedChange<Value>>& changes, Change change) {
        const std::uint32_t what = random_.below(9);
        if (what == 0) {
            ListedChange<Value> added{draw_index(), {}};
            if (random_.below(2) == 0) change(added.value);
            const auto place =
                std::ranges::lower_bound(changes, added.index, {}, &ListedChange<Value>::index);
            changes.insert(place, std::move(added));
            return "add";
        }
        if (changes.empty()) return {};
        ListedChange<Value>& one = changes[place_in(changes)];
        switch (what) {
            case 1:
                one.index += 1;
                return "an index later";
            case 2:
                one.index -= 1;  // of the first: the highest that there is
                return "an index earlier";
            case 3:
                one.index = draw_index();
                return "another index";
            case 4:
            case 5:
                change(one.value);
                return "another value";
            case 6: {
                ListedChange<Value> again = one;
                ++again.index;
                changes.insert(changes.begin() + (&one - changes.data()) + 1, std::move(again));
                return "the same value again";
            }
            default:
                return rearrange(changes);
        }
    }
    void change_code(Bytes& code) {
        const std::uint32_t what = random_.below(4);
        if (what == 0 || code.empty()) return code.push_back(0);
        if (what == 1) return code.pop_back();
        if (what == 2) return code.clear();
        code[place_in(code)] ^= 1;
    }

    std::string change_slots(ListedAccount& account) {
        std::vector<ListedSlot>& slots = account.storage_changes;
        const std::uint32_t what = random_.below(8);
        if (what == 0) {
            ListedSlot added{Uint256{random_.below(4)}, {{draw_index(), Uint256{1}}}};
            const auto place = std::ranges::lower_bound(slots, added.slot, {}, &ListedSlot::slot);
            slots.insert(place, std::move(added));
            return "add";
        }
        if (slots.empty()) return {};
        ListedSlot& slot = slots[place_in(slots)];
        switch (what) {
            case 1:
                slot.slot = slot.slot ^ Uint256{1};
                return "another slot";
            case 2:
                slot.changes.clear();
                return "no change";
            case 3: {
                const Uint256 number = slot.slot;
                slots.erase(slots.begin() + (&slot - slots.data()));
                add_read(account, number);
                return "read only";
            }
            case 4:
                return rearrange(slots);
            default:
                return change_list(slot.changes,
                                   [](Uint256& value) { value = value ^ Uint256{1}; });
        }
    }
    static void add_read(ListedAccount& account, const Uint256& slot) {
        account.storage_reads.insert(std::ranges::lower_bound(account.storage_reads, slot), slot);
    }
    std::string change_reads(ListedAccount& account) {
        std::vector<Uint256>& reads = account.storage_reads;
        const std::uint32_t what = random_.below(5);
        if (what == 0) {
            add_read(account, random_.below(2) == 0 ? Uint256{random_.below(9)} : Uint256::max());
            return "add";
        }
        if (reads.empty()) return {};
        Uint256& slot = reads[place_in(reads)];
        switch (what) {
            case 1:
                slot = slot ^ Uint256{1};
                return "another slot";
            case 2: {
                ListedSlot changed{slot, {{draw_index(), Uint256{random_.below(2)}}}};
                reads.erase(reads.begin() + (&slot - reads.data()));
                auto& slots = account.storage_changes;
                slots.insert(std::ranges::lower_bound(slots, changed.slot, {}, &ListedSlot::slot),
                             std::move(changed));
                return "changed, too";
            }
            default:
                return rearrange(reads);
        }
    }

    std::string change_accounts() {
        std::vector<ListedAccount>& accounts = list_.accounts;
        ListedAccount& one = accounts[place_in(accounts)];
        switch (random_.below(6)) {
            case 0:
                one = {.address = one.address};
                return "nothing but accessed";
            case 1:
                one.address.bytes[19] ^= 1;
                return "another address";
            case 2: {
                ListedAccount& other = accounts[place_in(accounts)];
                std::swap(one, other);
                std::swap(one.address, other.address);
                return "exchange what two have";
            }
            case 3: {
                ListedAccount added;
                added.address = one.address;
                added.address.bytes[random_.below(20)] += 1;
                const auto place =
                    std::ranges::lower_bound(accounts, added.address, {}, &ListedAccount::address);
                accounts.insert(place, std::move(added));
                return "add";
            }
            default:
                return rearrange(accounts);
        }
    }

    BlockAccessList& list_;
    const std::uint32_t last_index_;
    Random& random_;
};

}  // namespace

std::string mutate(BlockAccessList& list, std::uint32_t last_index, Random& random) {
    return ListMutator{list, last_index, random}.run();
}

std::string mutate(Bytes& encoded, Random& random) {
    const auto at = encoded.begin() + random.below(static_cast<std::uint32_t>(encoded.size()));
    switch (random.below(6)) {
        case 0:
            *at ^= static_cast<std::uint8_t>(1U << random.below(8));
            return "bytes: flip a bit";
        case 1:
            encoded.erase(at);
            return "bytes: drop one";
        case 2:
            encoded.insert(at, static_cast<std::uint8_t>(random.below(256)));
            return "bytes: insert one";
        case 3:
            encoded.resize(1 + random.below(static_cast<std::uint32_t>(encoded.size())));
            return "bytes: cut off";
        case 4:
            encoded.push_back(static_cast<std::uint8_t>(random.below(256)));
            return "bytes: add one";
        default:
            *at = static_cast<std::uint8_t>(random.below(2) == 0 ? 0xff : 0x80);
            return "bytes: another length";
    }
}

}  // namespace heddle::test
