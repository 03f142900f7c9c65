// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a block's access list (EIP-7928) of what the block's steps tell.
#pragma once

#include <cstdint>
#include <vector>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/hash_index.hpp>
#include <types/rlp.hpp>
#include <types/state_view.hpp>
#include <types/uint256.hpp>

#include <vm/block_recorder.hpp>

namespace heddle::vm {

/// Protocol: begin; any number of record; finish.
///
/// Changes are net over an index: what its steps bring back to what it was before them is no
/// change. Of a transaction the diff is net already, and AccountAccess says whether nonce and code
/// differ; of other steps, several of which may have one index, BlockStep::before says what was
/// there. Balances are kept as differences and become amounts in finish(), for a transaction that
/// ran ahead of its turn may have moved a balance without knowing it.
///
/// Time and memory: linear in the steps' records and diffs, but for sorting.
/// Thread safety: none.
class AccessListRecorder final : public BlockRecorder {
public:
    /// Forgets everything, keeps the memory.
    void begin() noexcept;
    void record(const BlockStep& step) override;
    /// @param after  The state after the last step: final balances and the code that was set are
    ///               read from it.
    /// @return the list as RLP; until the next call of anything else.
    [[nodiscard]] BytesView finish(const StateView& after);
    /// Accounts and slots so far: items of the list.
    [[nodiscard]] std::uint64_t item_count() const noexcept {
        return accounts_.size() + slots_.size();
    }
    /// How many more there would be with these.
    [[nodiscard]] std::uint64_t count_new(const AccessRecord& accesses) const;

private:
    static constexpr std::uint32_t kNone = HashIndex<>::kAbsent;

    // What belongs to an account or a slot is a list that begins at its newest entry.
    struct AccountEntry {
        Address address;
        std::uint32_t newest_slot = kNone;
        std::uint32_t newest_balance = kNone;
        std::uint32_t newest_nonce = kNone;
        std::uint32_t newest_code = kNone;
    };
    struct SlotEntry {
        Uint256 slot;
        std::uint32_t account = 0;
        std::uint32_t older = kNone;  // slot of the same account
        std::uint32_t newest_change = kNone;
    };
    /// `before` has a meaning where `is_net` is not set: the change is none if it is `value`.
    template <typename Value>
    struct Change {
        Value value{};
        Value before{};
        std::uint32_t index = 0;
        std::uint32_t older = kNone;
        bool is_net = false;
    };
    struct BalanceMove {
        Uint256 difference;  // modulo 2^256
        std::uint32_t index = 0;
        std::uint32_t older = kNone;
    };

    /// An entry to be sorted: by the highest 64 bits of its key, and then by all of it.
    struct Sorted {
        std::uint64_t high = 0;
        std::uint32_t entry = 0;
    };

    /// kNone: it has not been told of.
    [[nodiscard]] std::uint32_t find_account(const Address& address) const noexcept;
    [[nodiscard]] std::uint32_t find_slot(std::uint32_t account,
                                          const Uint256& slot) const noexcept;
    [[nodiscard]] std::uint32_t place_account(const Address& address);
    [[nodiscard]] std::uint32_t place_slot(std::uint32_t account, const Uint256& slot);
    void record_accesses(const AccessRecord& accesses);
    void record_diff(const BlockStep& step);
    void move_balance(std::uint32_t account, std::uint32_t index, const Uint256& difference);
    template <typename Value>
    static void change(std::vector<Change<Value>>& changes, std::uint32_t& newest,
                       const Change<Value>& wanted);

    /// Of accounts whose balances have moved, as they are in the end, into `balances_`.
    void read_balances(const StateView& after);
    /// Accounts by address, as numbers, into `order_`.
    void sort_accounts();
    /// The account's slots into `changed_` and `read_`, ascending.
    void sort_slots(const AccountEntry& entry);
    void write_account(std::uint32_t number, const StateView& after);
    void write_storage(const AccountEntry& entry);
    /// @param newest  Of the account's moves. @param balance  After that one.
    void write_balances(std::uint32_t newest, Uint256 balance);
    /// @param write  Writes the value that is listed of the one that is kept.
    template <typename Value, typename Write>
    void write_changes(const std::vector<Change<Value>>& changes, std::uint32_t newest,
                       Write&& write);

    HashIndex<> account_index_;
    HashIndex<> slot_index_;
    std::vector<AccountEntry> accounts_;
    std::vector<SlotEntry> slots_;
    std::vector<Change<Uint256>> slot_changes_;
    std::vector<BalanceMove> balance_moves_;
    std::vector<Change<std::uint64_t>> nonce_changes_;
    std::vector<Change<Hash>> code_changes_;
    // Of the step's accesses.
    std::vector<std::uint32_t> places_;
    std::vector<std::uint32_t> slot_places_;

    // finish()'s.
    rlp::BackwardWriter writer_;
    std::vector<Uint256> balances_;  // by account
    std::vector<Sorted> order_;
    std::vector<Sorted> changed_;
    std::vector<Sorted> read_;
    std::vector<Sorted> divided_;
};

}  // namespace heddle::vm
