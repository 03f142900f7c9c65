// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Accounts of a block access list that follow each other, as tables that are searched by address
// and slot and by index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <types/address.hpp>
#include <types/block_access_list.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/hash_index.hpp>
#include <types/uint256.hpp>

#include "workers/atomics.hpp"

namespace heddle::executor {

/// Of a whole list, for all of its parts.
struct ListBounds {
    std::size_t transaction_count = 0;
    std::uint64_t most_items = 0;
    std::uint64_t most_changes = 0;
    /// Accounts and slots that were found so far. Each part counts what it finds a few dozen at a
    /// time, and none goes on when there are too many: memory is for hardly more than may be.
    alignas(64) StreamAtomics::Atomic<std::uint64_t> items{0};
    /// The same of changes of these; of code, what its bytes count for as well.
    StreamAtomics::Atomic<std::uint64_t> changes{0};
};

/// Thread safety: fill() by one thread before anything else; everything else by any number.
class alignas(64) ListPart {
public:
    /// Number of what is not here.
    static constexpr std::uint32_t kAbsent = HashIndex<>::kAbsent;
    /// Rows are numbered below this, so that ListTables can put the part's number in front.
    static constexpr unsigned kNumberBits = 27;

    /// Part of a table.
    struct Range {
        std::uint32_t first = 0;
        std::uint32_t count = 0;
    };
    struct Code {
        Hash hash;
        Bytes bytes;
    };
    /// In the order of the list.
    struct AccountRow {
        Address address;
        Range slots;  // those that change before those that are only read
        std::uint32_t changed_slots = 0;
        Range balances;
        Range nonces;
        Range codes;
        Range ends;
        [[nodiscard]] bool is_changed() const noexcept {
            return (changed_slots | balances.count | nonces.count | codes.count) != 0;
        }
    };
    struct SlotRow {
        Uint256 slot;
        std::uint32_t account = 0;
        Range changes;
    };
    template <typename Value>
    using Changes = std::span<const ListedChange<Value>>;

    /// Forgets everything and takes in other accounts.
    /// @param accounts  A piece of an encoded list, see split_access_list().
    /// @return whether all of it is in good form, as far as that is seen here; else nothing may be
    /// asked.
    [[nodiscard]] bool fill(BytesView accounts, ListBounds& bounds);
    /// Forgets everything.
    void clear(std::size_t transaction_count = 0);

    /// Numbers of rows; kAbsent: not listed.
    [[nodiscard]] std::uint32_t find(const Address& address) const noexcept;
    [[nodiscard]] std::uint32_t find(std::uint32_t account, const Uint256& slot) const noexcept;

    [[nodiscard]] const std::vector<AccountRow>& accounts() const noexcept { return accounts_; }
    [[nodiscard]] const std::vector<SlotRow>& slots() const noexcept { return slots_; }

    [[nodiscard]] Changes<Uint256> changes(const SlotRow& row) const noexcept {
        return part(words_, row.changes);
    }
    [[nodiscard]] Changes<Uint256> balances(const AccountRow& row) const noexcept {
        return part(words_, row.balances);
    }
    [[nodiscard]] Changes<std::uint64_t> nonces(const AccountRow& row) const noexcept {
        return part(nonces_, row.nonces);
    }
    /// The value is a number of code().
    [[nodiscard]] Changes<std::uint32_t> codes(const AccountRow& row) const noexcept {
        return part(code_changes_, row.codes);
    }
    [[nodiscard]] const Code& code(std::uint32_t number) const noexcept { return codes_[number]; }
    /// Code that the accounts bring; null: they do not.
    [[nodiscard]] const Code* find_code(const Hash& hash) const noexcept;
    /// Indices that put an end to the account, ascending.
    [[nodiscard]] std::span<const std::uint32_t> ends(const AccountRow& row) const noexcept {
        return part(ends_, row.ends);
    }
    [[nodiscard]] std::size_t memory_bytes() const noexcept;

    /// How many changes there are at each index.
    [[nodiscard]] std::span<const std::uint32_t> change_counts() const noexcept {
        return change_counts_;
    }

private:
    class Filler;

    template <typename Item>
    [[nodiscard]] static std::span<const Item> part(const std::vector<Item>& items,
                                                    const Range& range) noexcept {
        return std::span{items}.subspan(range.first, range.count);
    }
    void add_slot(const Uint256& slot);
    void find_ends(AccountRow& row);

    HashIndex<> account_index_;
    HashIndex<> slot_index_;
    std::vector<AccountRow> accounts_;
    std::vector<SlotRow> slots_;
    std::vector<ListedChange<Uint256>> words_;  // of slots and balances
    std::vector<ListedChange<std::uint64_t>> nonces_;
    std::vector<ListedChange<std::uint32_t>> code_changes_;
    std::vector<Code> codes_;
    std::unordered_map<Hash, std::uint32_t, HashHasher> code_numbers_;
    std::vector<std::uint32_t> ends_;
    std::vector<std::uint32_t> change_counts_;
};

}  // namespace heddle::executor
