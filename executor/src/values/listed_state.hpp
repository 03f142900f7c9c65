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

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <types/account.hpp>
#include <types/address.hpp>
#include <types/block_access_list.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/hash_index.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>
#include <types/uint256.hpp>

#include <vm/access.hpp>
#include <vm/block_recorder.hpp>

namespace heddle::executor {

/// Thread safety: attach() by one thread before anything else; everything else by any number of
/// threads at once.
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
    /// @param list    In order (check_form()); outlives the use.
    /// @param before  The state before the block; outlives the use, allows concurrent reads.
    /// @param transaction_count  Of the block.
    void attach(const BlockAccessList& list, const StateView& before,
                std::size_t transaction_count);

    /// The state before the block is to be found here from now on. While nobody else looks.
    void stand_on(const StateView& before) noexcept { before_ = &before; }

    /// As everything before `index` has left it.
    [[nodiscard]] std::optional<Account> account(const Address& address,
                                                 std::uint32_t index) const noexcept;
    [[nodiscard]] Uint256 storage(const Address& address, const Uint256& slot,
                                  std::uint32_t index) const noexcept;
    [[nodiscard]] bool has_storage(const Address& address, std::uint32_t index) const noexcept;
    /// Code that the list brings, else of before the block.
    [[nodiscard]] BytesView code(const Hash& hash) const noexcept;

    /// Notes what a step has accessed. @return whether all of it is in the list.
    [[nodiscard]] bool note(const vm::AccessRecord& accesses) const noexcept;
    /// The same of an account that is in no record.
    [[nodiscard]] bool note(const Address& address) const noexcept;
    /// Whether the changes of all steps of an index together are those that the list claims.
    /// @param diff  On top of what everything before `index` has left.
    /// @param fee   That is not in the diff.
    [[nodiscard]] bool claims(std::uint32_t index, const StateDiff& diff,
                              const std::optional<vm::DeferredFee>& fee = {}) const noexcept;
    /// Whether everything in the list was accessed or changed: to be asked when all indices have
    /// been noted and found to be as claimed. The list is then the block's.
    [[nodiscard]] bool is_exhausted() const noexcept;

    /// Everything that the list changes.
    [[nodiscard]] StateDiff diff() const;

private:
    enum class Reading : std::uint8_t { unread, claimed, known };

    struct AccountEntry {
        const ListedAccount* listed = nullptr;
        const Hash* code_hashes = nullptr;    // parallel to the list's code changes
        std::span<const std::uint32_t> ends;  // indices that put an end to the account, ascending
        mutable std::atomic<Reading> reading{Reading::unread};
        mutable std::atomic<bool> is_noted{false};
        mutable bool existed = false;
        mutable Account before;
    };
    struct SlotEntry {
        Uint256 slot;
        std::uint32_t account = 0;
        mutable std::atomic<Reading> reading{Reading::unread};
        mutable std::atomic<bool> is_noted{false};
        std::span<const ListedChange<Uint256>> changes;
        mutable Uint256 before;
    };

    [[nodiscard]] const AccountEntry* find(const Address& address) const noexcept;
    [[nodiscard]] const SlotEntry* find(const AccountEntry& account,
                                        const Uint256& slot) const noexcept;
    [[nodiscard]] std::optional<Account> before(const AccountEntry& entry) const noexcept;
    [[nodiscard]] Uint256 before(const SlotEntry& entry) const noexcept;
    [[nodiscard]] std::optional<Account> account(const AccountEntry& entry,
                                                 std::uint32_t index) const noexcept;
    [[nodiscard]] Uint256 storage(const SlotEntry& entry, std::uint32_t index) const noexcept;
    /// The last index before `index` that has put an end to the account, and so to its storage:
    /// self-destruction before EIP-6780.
    [[nodiscard]] std::optional<std::uint32_t> end_before(const AccountEntry& entry,
                                                          std::uint32_t index) const noexcept;

    void place(const ListedAccount& account);
    void place_slot(std::uint32_t account, const Uint256& slot,
                    std::span<const ListedChange<Uint256>> changes);
    template <typename Value>
    void count(const std::vector<ListedChange<Value>>& changes);
    /// @return whether the change is as claimed; where it is one, `found` is raised.
    [[nodiscard]] bool claims(std::uint32_t index, const AccountChange& change,
                              std::uint32_t& found) const noexcept;

    const BlockAccessList* list_ = nullptr;
    const StateView* before_ = nullptr;
    std::uint32_t past_the_end_ = 0;  // an index above all

    HashIndex<> account_index_;
    HashIndex<> slot_index_;
    // Of fixed size while they are looked at: entries hold what many threads change.
    std::vector<AccountEntry> accounts_;
    std::vector<SlotEntry> slots_;
    std::size_t placed_slots_ = 0;
    std::vector<Hash> code_hashes_;
    std::vector<std::uint32_t> ends_;
    std::unordered_map<Hash, const Bytes*, HashHasher> codes_;
    /// How many changes the list has at each index.
    std::vector<std::uint32_t> change_counts_;
};

/// The state before an index, as a view.
class ListedView final : public StateView {
public:
    ListedView(const ListedState& state, std::uint32_t index) noexcept
        : state_(state), index_(index) {}

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        return state_.account(address, index_);
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        return state_.storage(address, slot, index_);
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
};

}  // namespace heddle::executor
