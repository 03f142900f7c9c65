// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/transition.hpp>

#include <algorithm>
#include <iterator>
#include <vector>

#include <types/assert.hpp>
#include <types/sender_recovery.hpp>

#include "machine.hpp"

namespace heddle::vm {
namespace {

/// Accounts and slots that are warm from the start (EIP-2929, 2930, 3651). Precompiled contracts
/// are known to the state; a created contract is warmed when its address is known.
void prewarm(TransactionState& state, const BlockEnv& env, const ValidTransaction& valid) noexcept {
    const Transaction& tx = valid.tx();
    if (env.revision < Revision::berlin) return;
    state.prewarm_account(valid.sender());
    if (tx.to) state.prewarm_account(*tx.to);
    if (env.revision >= Revision::shanghai) state.prewarm_account(env.beneficiary);
    for (const AccessListEntry& entry : tx.access_list) {
        state.prewarm_account(entry.address);
        for (const Hash& key : entry.storage_keys)
            state.prewarm_slot(entry.address, to_word(key));
    }
}

/// YP 6.2: the sender's nonce rises and the most that gas can cost is taken from its balance.
void buy_gas(TransactionState& state, const ValidTransaction& valid) noexcept {
    AccountEntry& sender = state.account(valid.sender());
    const Uint256 cost =
        Uint256{valid.tx().gas_limit} * valid.effective_gas_price() + valid.blob_fee();
    state.sub_balance(sender, cost);
    state.count_nonce(sender);
}

/// EIP-7702: the account of who has signed, if the authorization is valid. Null: it changes
/// nothing.
/// @param signer  Of find_authorities().
AccountEntry* valid_authority(TransactionState& state, const BlockEnv& env,
                              const Authorization& authorization,
                              const std::optional<Address>& signer) noexcept {
    if (!signer) return nullptr;
    AccountEntry& authority = state.account(*signer);
    state.warm_account(authority);
    if (authority.account.has_code() && !delegation_target(state.code(authority), env.revision))
        return nullptr;
    return state.observe_nonce(authority) == authorization.nonce ? &authority : nullptr;
}

/// EIP-8037: what a valid authorization costs beyond its intrinsic gas.
/// @param gas  For execution.
/// @return false: it does not suffice.
// NOLINTNEXTLINE(readability-function-size): whose it is, what it costs, and who pays
bool charge_authorization(TransactionState& state, const GasSchedule& schedule,
                          const ValidTransaction& valid, const Authorization& authorization,
                          AccountEntry& authority, std::int64_t& gas) noexcept {
    const Transaction& tx = valid.tx();
    // Before the message, only authorizations set nonces.
    const bool is_written = authority.address == valid.sender() || authority.use.sets_nonce ||
                            (!tx.value.is_zero() && tx.to == authority.address);
    const bool is_new_delegation = !authorization.address.is_zero() &&
                                   !authority.original.has_code() && !authority.use.pays_delegation;
    const std::int64_t growth = (authority.is_empty() ? schedule.state.new_account : 0) +
                                (is_new_delegation ? schedule.state.delegation : 0);
    // All or nothing is paid: a trace of the failure shows what was there before.
    std::int64_t left = gas - (is_written ? 0 : schedule.authority_write);
    if (left < 0 || !state.state_gas().charge(growth, left)) return false;
    if (is_new_delegation) authority.use.pays_delegation = true;
    gas = left;
    return true;
}

/// EIP-7702: what a valid authorization does.
void apply_authorization(TransactionState& state, const Authorization& authorization,
                         AccountEntry& authority) noexcept {
    if (authorization.address.is_zero()) {
        state.set_code(authority, {});
    } else {
        std::uint8_t designator[kDelegationSize];
        std::ranges::copy(kDelegationPrefix, designator);
        std::ranges::copy(authorization.address.bytes, designator + sizeof kDelegationPrefix);
        state.set_code(authority, designator);
    }
    state.set_nonce(authority, authority.account.nonce + 1);
}

/// What the access list takes, in gas, as far as a supervisor counts it.
std::int64_t list_gas(const Transaction& tx, const GasSchedule& schedule) noexcept {
    std::uint64_t gas = 0;
    for (const AccessListEntry& entry : tx.access_list)
        gas += schedule.intrinsic.access_list_address +
               entry.storage_keys.size() * schedule.intrinsic.access_list_slot;
    return static_cast<std::int64_t>(gas);
}

/// How far a transaction got before its message.
enum class Preparation : std::uint8_t {
    done,
    out_of_gas,  // nothing but the nonce and the gas bought remain (EIP-8037)
    stopped,
};

/// Everything that changes the state before the message, from buying gas to EIP-7702.
/// @param bought  Set to where to return to if what follows does not count.
/// @param gas     For execution; less what authorizations cost.
Preparation prepare(Machine& machine, const BlockEnv& env, const ValidTransaction& valid,
                    Checkpoint& bought, std::int64_t& gas) noexcept {
    TransactionState& state = machine.state();
    const GasSchedule& schedule = gas_schedule(env.revision);
    Oversight& oversight = machine.oversight();
    const Transaction& tx = valid.tx();
    if (!oversight.use(list_gas(tx, schedule))) return Preparation::stopped;
    prewarm(state, env, valid);
    buy_gas(state, valid);
    bought = state.checkpoint();
    if (tx.authorization_list.empty()) return Preparation::done;
    // The signers of all are found at once: before that it must be known that all may be.
    for (std::size_t i = 0; i < tx.authorization_list.size(); ++i)
        if (!oversight.use(static_cast<std::int64_t>(schedule.intrinsic.authorization)))
            return Preparation::stopped;
    std::vector<std::optional<Address>>& signers = machine.authorities();
    find_authorities(tx.authorization_list, env.chain_id, signers);
    for (std::size_t i = 0; i < signers.size(); ++i) {
        const Authorization& authorization = tx.authorization_list[i];
        AccountEntry* const authority = valid_authority(state, env, authorization, signers[i]);
        if (authority == nullptr) continue;
        if (schedule.state.are_charged() &&
            !charge_authorization(state, schedule, valid, authorization, *authority, gas))
            return Preparation::out_of_gas;
        // One that is there and empty counts: what the refund is for is a new leaf of the state.
        if (authority->exists) state.add_refund(schedule.authority_refund);
        apply_authorization(state, authorization, *authority);
    }
    return Preparation::done;
}

/// Nothing of what was executed counts.
void stop(Outcome& outcome, std::int64_t executed) noexcept {
    outcome.status = Status::stopped;
    outcome.receipt = {};
    outcome.block_gas = {};
    outcome.peak_gas = 0;
    outcome.executed_gas = static_cast<std::uint64_t>(executed);
    outcome.output.clear();
    outcome.diff.clear();
    outcome.deferred_fee.reset();
    outcome.accesses.clear();
}

/// The transaction's message, with all gas for execution that is left. The recipient has not been
/// looked at.
Message make_message(TransactionState& state, const ValidTransaction& valid,
                     std::int64_t gas) noexcept {
    const Transaction& tx = valid.tx();
    Message message;
    message.gas = gas;
    message.caller = valid.sender();
    message.value = tx.value;
    message.input = tx.data;
    if (tx.is_creation()) {
        message.kind = CallKind::create;
    } else {
        message.recipient = &state.account_entry(*tx.to);
        message.code_account = message.recipient;
    }
    return message;
}

/// EIP-8037: what the message costs before it starts, for the account that it brings to life.
/// `message.gas` pays for what the reservoir does not.
/// @return false: it does not suffice.
bool charge_message(TransactionState& state, const GasSchedule& schedule,
                    const ValidTransaction& valid, Message& message) noexcept {
    if (message.recipient == nullptr) {
        // That of the account, which buy_gas() has raised: a simulated call may be without one.
        const std::uint64_t nonce = state.account(valid.sender()).account.nonce - 1;
        message.recipient = &state.account(create_address(valid.sender(), nonce));
    }
    const bool may_create = valid.tx().is_creation() || !message.value.is_zero();
    if (may_create && state.is_dead(*message.recipient)) {
        if (!state.state_gas().charge(schedule.state.new_account, message.gas)) return false;
        message.new_account_gas = schedule.state.new_account;
    }
    return true;
}

/// EIP-7702: finds whose code runs where the recipient delegates.
/// @return false: `message.gas` does not suffice to reach it (EIP-8038).
bool resolve_delegate(Machine& machine, const GasSchedule& schedule, Message& message) noexcept {
    AccountEntry* const account = message.code_account;
    if (schedule.revision < Revision::prague || account == nullptr || !account->account.has_code())
        return true;
    TransactionState& state = machine.state();
    // As in a call: mostly it runs next.
    const BytesView code = machine.code_of(*account).code->bytes();
    const auto target = delegation_target(code, schedule.revision);
    if (!target) return true;
    AccountEntry& delegate = state.account_entry(*target);
    if (schedule.state.are_charged()) {
        const std::int64_t cost =
            schedule.warm_access + (delegate.is_warm ? 0 : schedule.cold_account);
        if (message.gas < cost) return false;
        message.gas -= cost;
    }
    state.ensure_loaded(delegate);
    state.warm_account(delegate);
    message.delegate = &delegate;
    return true;
}

/// Where a transaction fails, what is burnt behind its message, or instead of it, counts as well.
bool may_end(Oversight& oversight, const CallResult& result) noexcept {
    return is_unfinished(result.status) || oversight.may_leave(result.gas_left);
}

/// Executes the message, and what belongs to it from Amsterdam on.
CallResult execute_message(Machine& machine, const BlockEnv& env, const ValidTransaction& valid,
                           const Checkpoint& bought, std::int64_t gas) noexcept {
    TransactionState& state = machine.state();
    const GasSchedule& schedule = gas_schedule(env.revision);
    Message message = make_message(state, valid, gas);
    if (message.recipient != nullptr) state.ensure_loaded(*message.recipient);
    const bool is_paid =
        (!schedule.state.are_charged() || charge_message(state, schedule, valid, message)) &&
        resolve_delegate(machine, schedule, message);
    if (!is_paid) {
        state.revert_to(bought);
        return machine.fail(message, Status::out_of_gas);
    }
    CallResult result = machine.execute(message);
    if (schedule.state.are_charged() && result.status != Status::success) {
        if (message.new_account_gas != 0)
            state.state_gas().refill(message.new_account_gas, result.gas_left);
        if (result.status != Status::revert && result.status != Status::nonce_overflow)
            result.gas_left = 0;
    }
    return result;
}

/// Phases 2 and 3: everything up to what is left of the gas.
CallResult run(Machine& machine, const BlockEnv& env, const ValidTransaction& valid) noexcept {
    TransactionState& state = machine.state();
    const GasSplit& split = valid.gas();
    state.state_gas().reset(static_cast<std::int64_t>(split.reservoir));
    auto gas = static_cast<std::int64_t>(split.execution);
    Checkpoint bought;
    switch (prepare(machine, env, valid, bought, gas)) {
        case Preparation::stopped:
            return {.status = Status::stopped, .gas_left = 0, .output = {}, .created = nullptr};
        case Preparation::out_of_gas: {
            const Message message = make_message(state, valid, gas);
            state.revert_to(bought);
            return machine.fail(message, Status::out_of_gas);
        }
        case Preparation::done:
            break;
    }
    const CallResult result = execute_message(machine, env, valid, bought, gas);
    // Such an access fails the transaction and not only its message: authorizations go as well.
    if (result.status == Status::undeclared_access) state.revert_to(bought);
    return result;
}

/// What a transaction has come to, in gas.
struct Settlement {
    std::uint64_t used = 0;  // what the sender pays
    std::uint64_t peak = 0;
    BlockGasUsed block;
};

/// YP 6.2, g* and EIP-3529, 7623, 7778, 8037.
Settlement settle_gas(const ValidTransaction& valid, const GasSchedule& schedule,
                      std::int64_t gas_left, TransactionState& state) noexcept {
    HEDDLE_ASSERT(state.refund() >= 0);
    const StateGas& state_gas = state.state_gas();
    HEDDLE_ASSERT(state_gas.used() >= 0);
    const std::uint64_t floor = valid.intrinsic().floor;
    const std::uint64_t spent = valid.tx().gas_limit - static_cast<std::uint64_t>(gas_left) -
                                static_cast<std::uint64_t>(state_gas.reservoir());
    const std::uint64_t refund =
        std::min(static_cast<std::uint64_t>(state.refund()),
                 spent / static_cast<std::uint64_t>(schedule.max_refund_quotient));
    Settlement settlement;
    settlement.used = std::max(spent - refund, floor);
    settlement.peak = std::max(spent, floor);
    settlement.block.state = static_cast<std::uint64_t>(state_gas.used());
    settlement.block.execution = schedule.state.are_charged()
                                     ? std::max(spent - settlement.block.state, floor)
                                     : settlement.used;
    return settlement;
}

/// @return the fee, where it is left to the caller.
std::optional<Uint256> pay(Machine& machine, const BlockEnv& env, const ValidTransaction& valid,
                           std::uint64_t gas_used) noexcept {
    TransactionState& state = machine.state();
    const Uint256& price = valid.effective_gas_price();
    const Uint256 unused{valid.tx().gas_limit - gas_used};
    if (const Uint256 refund = unused * price; !refund.is_zero())
        state.add_balance(state.account(valid.sender()), refund);
    // From London on the base fee is burnt (EIP-1559); before, only a simulated block has one. Only
    // a call that pays nothing is below it.
    const Uint256 burnt = env.revision >= Revision::london ? env.base_fee_per_gas : Uint256{};
    const Uint256 tip = price < burnt ? Uint256{} : price - burnt;
    const Uint256 fee = Uint256{gas_used} * tip;
    if (machine.defers_fees() && !state.account_entry(env.beneficiary).is_loaded) return fee;
    state.pay_fee(env.beneficiary, fee);
    return std::nullopt;
}

/// Moves the logs out. Those that were reverted have left their room behind, millions of bytes of
/// it, and a receipt is kept for much longer than its transaction runs.
std::vector<Log> take_logs(std::vector<Log>& logs) {
    if (logs.size() >= logs.capacity() / 2) return std::move(logs);
    // shrink_to_fit() need not do it, and does not without exceptions.
    return {std::make_move_iterator(logs.begin()), std::make_move_iterator(logs.end())};
}

/// logs_bloom() with hashes that are remembered, or computed several at once.
LogsBloom bloom_of(const std::vector<Log>& logs, KeccakCache& hashes) noexcept {
    LogsBloom bloom;
    const auto add = [&bloom](const Hash& hash) { bloom.add_hash(hash); };
    for (const Log& log : logs) {
        hashes.visit_later(log.address.view(), add);
        for (const Hash& topic : log.topics)
            hashes.visit_later(topic.view(), add);
    }
    hashes.visit_rest(add);
    return bloom;
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): state, block, transaction, and where
void transition(const StateView& view, const BlockHashes& block_hashes, const BlockEnv& env,
                const ValidTransaction& valid, Evm& evm, Outcome& outcome) noexcept {
    const Transaction& tx = valid.tx();
    const GasSchedule& schedule = gas_schedule(env.revision);
    Machine& machine = evm.machine();
    TransactionState& state = machine.state();
    const TransactionEnv transaction_env{&env,
                                         &block_hashes,
                                         valid.sender(),
                                         valid.effective_gas_price(),
                                         &tx.blob_versioned_hashes,
                                         env.strict_access_lists};
    Oversight& oversight = machine.oversight();
    if (!machine.begin(view, transaction_env)) return stop(outcome, oversight.used_until_stop());
    const CallResult result = run(machine, env, valid);
    if (result.status == Status::stopped || !may_end(oversight, result))
        return stop(outcome, oversight.used_until_stop());

    const Settlement gas = settle_gas(valid, schedule, result.gas_left, state);
    outcome.deferred_fee = pay(machine, env, valid, gas.used);

    outcome.status = result.status;
    outcome.executed_gas = static_cast<std::uint64_t>(oversight.used_with(result.gas_left));
    outcome.block_gas = gas.block;
    outcome.peak_gas = gas.peak;
    outcome.output.assign(result.output.begin(), result.output.end());
    Receipt& receipt = outcome.receipt;
    receipt.type = tx.type;
    // No receipt of such a block says so on the wire; clients and tools count it as a failure.
    receipt.success = result.status == Status::success && !result.is_code_unpaid;
    receipt.gas_used = gas.used;
    receipt.cumulative_gas_used = 0;
    receipt.logs = take_logs(state.logs());
    receipt.bloom =
        machine.leaves_blooms() ? LogsBloom{} : bloom_of(receipt.logs, machine.hashes());
    receipt.post_state.reset();
    receipt.blob_gas_used = valid.blob_gas();
    receipt.contract_address.reset();
    if (tx.is_creation()) receipt.contract_address = create_address(valid.sender(), tx.nonce);
    receipt.effective_gas_price = valid.effective_gas_price();
    outcome.diff.clear();
    state.finish(outcome.diff, machine.records_accesses() ? &outcome.accesses : nullptr);
}

}  // namespace heddle::vm
