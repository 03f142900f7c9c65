// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The states that a block's access list describes (EIP-7928): the one before the block, and on top
// of it what the list says that each index gives to accounts and slots. With them a transaction can
// run at once and anywhere, as it needs nobody's result.
//
// What the list says is a claim. Whoever runs an index on the claims of those before it compares
// what it has done with what the list claims of it. If that holds for every index, all of them have
// seen what they would have seen one after the other, by induction: the first one ran on the state
// before the block, and each later one on what the earlier ones were found to have done.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <types/account.hpp>
#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/object.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>
#include <types/uint256.hpp>

#include <vm/access.hpp>
#include <vm/block_recorder.hpp>

#include "values/list_tables.hpp"
#include "values/memo_table.hpp"
#include "workers/atomics.hpp"

namespace heddle::executor {

/// Which rows of the list an execution has asked for, in its order: AccessRecord's accounts and
/// slots are in the same. ListTables::kAbsent: not listed.
struct alignas(64) AskedRows {
    std::vector<std::uint32_t> accounts;
    std::vector<std::uint32_t> slots;
    /// The account that was asked for last, itself or for a slot: a contract that runs reads slot
    /// after slot of its own, and a row is found once.
    Address last;
    std::uint32_t last_row = ListTables::kAbsent;

    void clear() noexcept {
        accounts.clear();
        slots.clear();
        last_row = ListTables::kAbsent;
    }
};

/// Thread safety: begin() by one thread before anything else, fill() of each part by any thread at
/// the same time, finish() by one thread after that, or attach(), which is all of it; everything
/// else by any number of threads at once.
///
/// A value of before the block is read by whoever needs it first, and kept:
///
///   value    event                                                      next     who
///   unread   wanted: compare-exchange                                   claimed  any
///   unread   wanted, but another one claims it first: read, not kept    claimed  any
///   claimed  wanted: read, not kept                                     claimed  any
///   claimed  read and stored (release)                                  known    the claimer
///   known    wanted (acquire): taken from here                          known    any
///
/// Nobody waits: the state before the block gives everybody the same answer.
class ListedState {
public:
    /// @param encoded     RLP of the list; stays until finish().
    /// @param before      The state before the block, or one that will be it; outlives the use,
    ///                    allows concurrent reads.
    /// @param transaction_count  Of the block.
    /// @param gas_limit   That bounds its items and their changes.
    /// @param most_parts  See ListTables.
    /// @return whether it can be a list; else nothing more may be done.
    [[nodiscard]] bool begin(BytesView encoded, const StateView& before,
                             std::size_t transaction_count, std::uint64_t gas_limit,
                             std::size_t most_parts);
    [[nodiscard]] std::size_t part_count() const noexcept { return tables_.part_count(); }
    /// Takes in a part, below part_count(); the state before the block expects what is in it.
    void fill(std::size_t part);
    /// @return whether it is a list in good form; else nothing may be asked.
    [[nodiscard]] bool finish() { return tables_.finish(); }
    [[nodiscard]] bool attach(BytesView encoded, const StateView& before,
                              std::size_t transaction_count, std::uint64_t gas_limit);

    /// The state before the block is to be found here from now on. While nobody else looks.
    void stand_on(const StateView& before) noexcept { before_ = &before; }

    [[nodiscard]] const ListTables& tables() const noexcept { return tables_; }
    /// The tables' and that of the values read for them.
    [[nodiscard]] std::size_t memory_bytes() const noexcept;

    /// As everything before `index` has left it.
    /// @param asked  The row is noted there; may be null.
    [[nodiscard]] std::optional<Account> account(const Address& address, std::uint32_t index,
                                                 AskedRows* asked = nullptr) const noexcept;
    [[nodiscard]] Uint256 storage(const Address& address, const Uint256& slot, std::uint32_t index,
                                  AskedRows* asked = nullptr) const noexcept;
    [[nodiscard]] bool has_storage(const Address& address, std::uint32_t index) const noexcept;
    /// Code that the list brings, else of before the block.
    [[nodiscard]] BytesView code(const Hash& hash) const noexcept;

    /// Notes what a step has accessed. @return whether all of it is in the list.
    [[nodiscard]] bool note(const vm::AccessRecord& accesses) const noexcept;
    /// The same by whoever knows the rows.
    [[nodiscard]] bool note(const vm::AccessRecord& accesses,
                            const AskedRows& asked) const noexcept;
    /// The same of an account that is in no record.
    [[nodiscard]] bool note(const Address& address) const noexcept;

    /// Whether the changes of all steps of an index together are those that the list claims.
    /// @param diff  On top of what everything before `index` has left.
    [[nodiscard]] bool claims(std::uint32_t index, const StateDiff& diff) const noexcept;
    /// The same of a transaction.
    /// @param fee   That is not in the diff.
    [[nodiscard]] bool claims(std::uint32_t index, const StateDiff& diff,
                              const vm::AccessRecord& accesses, const AskedRows& asked,
                              const std::optional<vm::DeferredFee>& fee) const noexcept;
    /// Whether everything in the list was accessed or changed: to be asked when all indices have
    /// been noted and found to be as claimed. The list is then the block's.
    [[nodiscard]] bool is_exhausted() const noexcept;

    /// How many accounts and slots of the list nothing has been seen to access yet. While others
    /// note: at least those that only a step whose noting is not over may still access.
    [[nodiscard]] std::uint64_t unaccessed() const noexcept;

    /// How many accounts and slots are in the list.
    [[nodiscard]] std::uint64_t item_count() const noexcept { return tables_.item_count(); }
    /// A few of what is in the list, from everywhere in it; of a short list all.
    [[nodiscard]] std::vector<ObjectId> sample() const;
    /// Everything in the list, to be read.
    [[nodiscard]] ObjectSet objects() const;
    /// Everything that the list changes.
    [[nodiscard]] StateDiff diff() const;
    /// How many accounts and slots that are.
    [[nodiscard]] std::uint64_t changed() const noexcept;

private:
    enum class Reading : std::uint8_t { unread, claimed, known };

    struct AccountMemo {
        StreamAtomics::Atomic<Reading> reading{Reading::unread};
        StreamAtomics::Atomic<bool> is_noted{false};
        bool existed = false;
        Account before;
    };
    struct SlotMemo {
        StreamAtomics::Atomic<Reading> reading{Reading::unread};
        StreamAtomics::Atomic<bool> is_noted{false};
        Uint256 before;
    };
    using AccountRow = ListTables::AccountRow;
    using SlotRow = ListTables::SlotRow;

    template <typename Memo>
    using Memos = std::array<MemoTable<Memo>, ListTables::kMostParts>;
    /// Of a row.
    template <typename Memo>
    [[nodiscard]] static Memo& memo(const Memos<Memo>& memos, std::uint32_t number) noexcept {
        return memos[ListTables::part_of(number)][ListTables::row_of(number)];
    }

    /// Of a part that was taken in.
    void expect_values(const ListPart& part) const noexcept;
    /// Where the account is, at once if it is the one that was asked for last.
    [[nodiscard]] std::uint32_t find(const Address& address, AskedRows* asked) const noexcept;

    // Of rows, by number.
    [[nodiscard]] std::optional<Account> before(std::uint32_t account) const noexcept;
    [[nodiscard]] Uint256 slot_before(std::uint32_t slot) const noexcept;
    [[nodiscard]] std::optional<Account> account_at(std::uint32_t account,
                                                    std::uint32_t index) const noexcept;
    [[nodiscard]] Uint256 storage_at(std::uint32_t slot, std::uint32_t index) const noexcept;
    /// Of an account that has neither nonce nor code, as all have of which it is asked: where a
    /// contract is to be made, and what is cleared without being a contract's end. Nothing has
    /// written slots of such an account in the block: whoever ran there has left a nonce (EIP-161),
    /// or an end. So the slots that the list claims of it are not gone through, of which there may
    /// be any number, for each of those who would make a contract there.
    [[nodiscard]] bool has_storage_at(std::uint32_t account, std::uint32_t index) const noexcept;
    /// The last index before `index` that has put an end to the account, and so to its storage:
    /// self-destruction before EIP-6780.
    [[nodiscard]] std::optional<std::uint32_t> end_before(std::uint32_t account,
                                                          std::uint32_t index) const noexcept;
    /// @param fresh  Raised where nobody had noted the row.
    /// @return whether the row is one.
    bool note_account(std::uint32_t account, std::uint32_t& fresh) const noexcept;
    bool note_slot(std::uint32_t slot, std::uint32_t& fresh) const noexcept;
    void count_noted(std::uint32_t fresh) const noexcept;

    /// @return whether the change is as claimed; where it is one, `found` is raised.
    [[nodiscard]] bool claims_account(std::uint32_t account, std::uint32_t index,
                                      const AccountChange& change,
                                      std::uint32_t& found) const noexcept;
    [[nodiscard]] bool claims_slot(std::uint32_t slot, std::uint32_t index, const Uint256& value,
                                   std::uint32_t& found) const noexcept;
    /// Everything that the list changes of an account.
    void add_changes(std::uint32_t account, StateDiff& diff) const;
    [[nodiscard]] bool claims_fee(const vm::DeferredFee& fee, std::uint32_t index,
                                  std::uint32_t& found) const noexcept;

    const StateView* before_ = nullptr;
    std::uint32_t past_the_end_ = 0;  // an index above all
    ListTables tables_;
    Memos<AccountMemo> accounts_;  // of the tables' parts
    Memos<SlotMemo> slots_;
    /// Rows that were noted. Two who note the same row at the same time may both count it, and
    /// whoever notes a row that is noted already may be counted before the one who noted it first.
    alignas(64) mutable StreamAtomics::Atomic<std::uint64_t> noted_{0};
};

/// The state before an index, as a view.
class ListedView final : public StateView {
public:
    /// @param asked  Which rows are asked for is noted there; may be null.
    ListedView(const ListedState& state, std::uint32_t index, AskedRows* asked = nullptr) noexcept
        : state_(state), index_(index), asked_(asked) {}

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        return state_.account(address, index_, asked_);
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        return state_.storage(address, slot, index_, asked_);
    }
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override {
        return state_.has_storage(address, index_);
    }
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override {
        return state_.code(code_hash);
    }

private:
    const ListedState& state_;
    const std::uint32_t index_;
    AskedRows* const asked_;
};

}  // namespace heddle::executor
