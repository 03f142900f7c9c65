// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state_access.hpp"

#include <utility>

#include "code_cache.hpp"
#include "machine.hpp"

namespace heddle::vm::instructions {
namespace {

constexpr std::int64_t kSstoreStipend = 2'300;  // EIP-2200: no change below this much gas

/// Cost beyond the cold surcharge, and the refund, of changing a slot from `entry.current` to
/// `value`, without net metering (YP App. H.2 SSTORE).
std::int64_t plain_sstore_cost(TransactionState& state, const GasSchedule& schedule,
                               const SlotEntry& entry, const Uint256& value) noexcept {
    if (entry.current.is_zero() && !value.is_zero()) return schedule.sstore_set;
    if (!entry.current.is_zero() && value.is_zero()) state.add_refund(schedule.sstore_clear_refund);
    return schedule.sstore_reset;
}

/// The same with net metering (EIP-1283, 2200, 2929, 3529).
std::int64_t net_sstore_cost(TransactionState& state, const GasSchedule& schedule,
                             const SlotEntry& entry, const Uint256& value) noexcept {
    if (entry.current == value) return schedule.sstore_noop;
    if (entry.current == entry.original) {
        if (entry.original.is_zero()) return schedule.sstore_set;
        if (value.is_zero()) state.add_refund(schedule.sstore_clear_refund);
        return schedule.sstore_reset;
    }
    if (!entry.original.is_zero()) {
        if (entry.current.is_zero())
            state.add_refund(-schedule.sstore_clear_refund);
        else if (value.is_zero())
            state.add_refund(schedule.sstore_clear_refund);
    }
    if (entry.original == value)
        state.add_refund((entry.original.is_zero() ? schedule.sstore_set : schedule.sstore_reset) -
                         schedule.sstore_noop);
    return schedule.sstore_noop;
}

/// EIP-8037: a slot that comes to be is paid for in state gas; one that is gone again in the same
/// transaction is paid back, and before the rest is charged.
/// @param cost  Of the write, in gas for execution.
/// @return false: halted, as the gas does not suffice.
bool charge_slot(Frame& frame, std::int64_t& gas, const SlotEntry& entry, const Uint256& value,
                 std::int64_t cost) noexcept {
    const std::int64_t new_slot = frame.schedule->state.new_slot;
    const bool was_there = !entry.current.is_zero();
    if (entry.original.is_zero() && was_there && value.is_zero())
        refill_state(frame, gas, new_slot);
    if (!charge(frame, gas, cost)) return false;
    const bool comes_to_be = entry.original.is_zero() && !was_there && !value.is_zero();
    return !comes_to_be || charge_state(frame, gas, new_slot);
}

}  // namespace

/// To ask for an account's code again costs as much as looking at a warm account, however large it
/// is and wherever it comes from: the second time it is kept.
BytesView code_of(Frame& frame, AccountEntry& account) noexcept {
    if (account.code != nullptr && account.code->code != nullptr)
        return account.code->code->bytes();
    const bool is_at_hand = !account.account.has_code() || account.fresh_code != kNoEntry;
    if (is_at_hand || !std::exchange(account.was_code_read, true))
        return frame.state->code(account);
    return frame.machine->code_of(account).code->bytes();
}

bool may_go_on(Frame& frame, std::int64_t gas) noexcept {
    if (gas < 0) return halt(frame, Status::out_of_gas);
    if (!frame.oversight->may_leave(gas + frame.gas_outside)) return halt(frame, Status::stopped);
    frame.look_below = frame.oversight->look_below(frame.gas_outside);
    return true;
}

std::int64_t grow_memory(Frame& frame, std::int64_t gas, std::uint64_t end) noexcept {
    const std::int64_t words = word_count(end);
    const auto present = static_cast<std::int64_t>(frame.memory.size() / 32);
    gas -= memory_cost(words) - memory_cost(present);
    if (gas < frame.look_below && !may_go_on(frame, gas)) return -1;
    frame.memory.grow(static_cast<std::uint64_t>(words) * 32);
    return gas;
}

bool balance(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    AccountEntry* account = access_account(frame, gas, address_from_word(sp[-1]));
    if (account == nullptr) return false;
    sp[-1] = frame.state->observe_balance(*account);
    return true;
}

bool selfbalance(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    *sp++ = frame.state->observe_balance(*frame.self);
    return true;
}

bool extcodesize(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    AccountEntry* account = access_account(frame, gas, address_from_word(sp[-1]));
    if (account == nullptr) return false;
    sp[-1] = Uint256{code_of(frame, *account).size()};
    return true;
}

bool extcodecopy(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    const Uint256 &offset = sp[-2], &source_offset = sp[-3], &size = sp[-4];
    if (!ensure_memory(frame, gas, offset, size) || !charge_words(frame, gas, size, kCopyWordGas))
        return false;
    AccountEntry* account = access_account(frame, gas, address_from_word(sp[-1]));
    if (account == nullptr) return false;
    copy_to_memory(frame, offset, source_offset, size, code_of(frame, *account));
    sp -= 4;
    return true;
}

bool extcodehash(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    const AccountEntry* account = access_account(frame, gas, address_from_word(sp[-1]));
    if (account == nullptr) return false;
    sp[-1] = frame.state->is_dead(*account) ? Uint256{} : to_word(account->account.code_hash);
    return true;
}

bool sload(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    TransactionState& state = *frame.state;
    SlotEntry& entry = state.slot_entry(*frame.self, sp[-1]);
    if (!entry.is_warm && frame.schedule->cold_slot != 0) {
        if (frame.tx->forbids_slots_of(*frame.self)) return halt(frame, Status::undeclared_access);
        if (!charge(frame, gas, frame.schedule->cold_slot)) return false;
        state.warm_slot(entry);
    }
    state.ensure_loaded(*frame.self, entry);
    sp[-1] = entry.current;
    return true;
}

bool sstore(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    if (frame.is_static) return halt(frame, Status::static_mode_violation);
    const GasSchedule& schedule = *frame.schedule;
    if (schedule.sstore_stipend_check && gas <= kSstoreStipend)
        return halt(frame, Status::out_of_gas);
    TransactionState& state = *frame.state;
    SlotEntry& entry = state.slot_entry(*frame.self, sp[-1]);
    if (!entry.is_warm && schedule.cold_slot != 0) {
        if (frame.tx->forbids_slots_of(*frame.self)) return halt(frame, Status::undeclared_access);
        if (!charge(frame, gas, schedule.sstore_cold_slot)) return false;
        state.warm_slot(entry);
    }
    state.ensure_loaded(*frame.self, entry);
    const Uint256& value = sp[-2];
    const std::int64_t cost = schedule.net_gas_metering
                                  ? net_sstore_cost(state, schedule, entry, value)
                                  : plain_sstore_cost(state, schedule, entry, value);
    if (schedule.state.are_charged()) {
        if (!charge_slot(frame, gas, entry, value, cost)) return false;
    } else if (!charge(frame, gas, cost)) {
        return false;
    }
    if (entry.current != value) state.set_slot(entry, value);
    sp -= 2;
    return true;
}

bool tload(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    sp[-1] = frame.state->transient(*frame.self, sp[-1]);
    return true;
}

bool tstore(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    if (frame.is_static) return halt(frame, Status::static_mode_violation);
    frame.state->set_transient(*frame.self, sp[-1], sp[-2]);
    sp -= 2;
    return true;
}

bool selfdestruct(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    if (frame.is_static) return halt(frame, Status::static_mode_violation);
    const GasSchedule& schedule = *frame.schedule;
    TransactionState& state = *frame.state;
    AccountEntry& beneficiary = state.account_entry(address_from_word(*--sp));
    if (!beneficiary.is_warm && schedule.selfdestruct_cold_account != 0) {
        if (frame.tx->forbids(beneficiary)) return halt(frame, Status::undeclared_access);
        if (!charge(frame, gas, schedule.selfdestruct_cold_account)) return false;
        state.warm_account(beneficiary);
    }
    state.ensure_loaded(beneficiary);

    AccountEntry& self = *frame.self;
    const Uint256 balance = state.observe_balance(self);
    const bool is_funded =
        !balance.is_zero() || schedule.revision < Revision::spurious_dragon;  // EIP-161
    if (is_funded && state.is_dead(beneficiary)) {
        if (!charge(frame, gas, schedule.selfdestruct_new_account)) return false;
        if (schedule.state.are_charged() && !charge_state(frame, gas, schedule.state.new_account))
            return false;
    }

    const bool is_ending = schedule.revision < Revision::cancun || self.is_created;  // EIP-6780
    state.log_transfer(self.address, beneficiary.address, balance);
    if (is_ending && &beneficiary == &self && schedule.at_least(Revision::amsterdam)) {
        state.destruct(self);  // with its balance (EIP-8246)
    } else if (is_ending) {
        state.add_balance(beneficiary, balance);
        state.clear_balance(self);  // what it sent to itself is gone
        if (state.destruct(self)) state.add_refund(schedule.selfdestruct_refund);
    } else if (&beneficiary != &self) {
        state.sub_balance(self, balance);
        state.add_balance(beneficiary, balance);
    }
    frame.output_size = 0;
    return halt(frame, Status::success);
}

}  // namespace heddle::vm::instructions
