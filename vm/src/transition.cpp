// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/transition.hpp>

#include <algorithm>

#include <types/assert.hpp>

#include "machine.hpp"

namespace heddle::vm {
namespace {

// EIP-7702.
constexpr std::int64_t kExistingAuthorityRefund = 25'000 - 12'500;

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
void buy_gas(TransactionState& state, const BlockEnv& env, const ValidTransaction& valid) noexcept {
    AccountEntry& sender = state.account(valid.sender());
    const Uint256 cost = Uint256{valid.tx().gas_limit} * valid.effective_gas_price() +
                         Uint256{valid.blob_gas()} * env.blob_base_fee;
    state.sub_balance(sender, cost);
    state.count_nonce(sender);
}

/// EIP-7702: applies one authorization where it is valid; an invalid one changes nothing.
void apply_authorization(TransactionState& state, const BlockEnv& env,
                         const Authorization& authorization) noexcept {
    if (!authorization.chain_id.is_zero() && authorization.chain_id != Uint256{env.chain_id})
        return;
    if (authorization.nonce == ~std::uint64_t{0}) return;
    const std::optional<Address> signer = recover_authority(authorization);
    if (!signer) return;
    AccountEntry& authority = state.account(*signer);
    state.warm_account(authority);
    if (authority.account.has_code() && !delegation_target(state.code(authority), env.revision))
        return;
    if (state.observe_nonce(authority) != authorization.nonce) return;
    // One that is there and empty counts: what the refund is for is a new leaf of the state.
    if (authority.exists) state.add_refund(kExistingAuthorityRefund);
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

/// Everything that changes the state before the message, from buying gas to EIP-7702.
/// @param bought  Set to where to return to if what follows does not count.
/// @return false: it was stopped.
bool prepare(Machine& machine, const BlockEnv& env, const ValidTransaction& valid,
             Checkpoint& bought) noexcept {
    TransactionState& state = machine.state();
    const GasSchedule& schedule = gas_schedule(env.revision);
    Oversight& oversight = machine.oversight();
    const Transaction& tx = valid.tx();
    if (!oversight.use(list_gas(tx, schedule))) return false;
    prewarm(state, env, valid);
    buy_gas(state, env, valid);
    bought = state.checkpoint();
    for (const Authorization& authorization : tx.authorization_list) {
        if (!oversight.use(static_cast<std::int64_t>(schedule.intrinsic.authorization)))
            return false;
        apply_authorization(state, env, authorization);
    }
    return true;
}

/// Nothing of what was executed counts.
void stop(Outcome& outcome, std::int64_t executed) noexcept {
    outcome.status = Status::stopped;
    outcome.receipt = {};
    outcome.peak_gas = 0;
    outcome.executed_gas = static_cast<std::uint64_t>(executed);
    outcome.output.clear();
    outcome.diff.clear();
    outcome.deferred_fee.reset();
    outcome.accesses.clear();
}

CallResult execute_message(Machine& machine, const BlockEnv& env, const ValidTransaction& valid,
                           std::int64_t gas) noexcept {
    TransactionState& state = machine.state();
    const Transaction& tx = valid.tx();
    Message message;
    message.gas = gas;
    message.caller = valid.sender();
    message.value = tx.value;
    message.input = tx.data;
    if (tx.is_creation()) {
        message.kind = CallKind::create;
    } else {
        message.recipient = &state.account(*tx.to);
        message.code_account = message.recipient;
        if (message.recipient->account.has_code())
            if (const auto target =
                    delegation_target(state.code(*message.recipient), env.revision)) {
                message.delegate = &state.account(*target);
                state.warm_account(*message.delegate);
            }
    }
    return machine.execute(message);
}

/// YP 6.2, g* and EIP-3529, 7623.
std::uint64_t settle_gas(const ValidTransaction& valid, const GasSchedule& schedule,
                         std::uint64_t spent, std::int64_t refund) noexcept {
    HEDDLE_ASSERT(refund >= 0);
    const std::uint64_t capped =
        std::min(static_cast<std::uint64_t>(refund),
                 spent / static_cast<std::uint64_t>(schedule.max_refund_quotient));
    return std::max(spent - capped, valid.intrinsic().floor);
}

/// @return the fee, where it is left to the caller.
std::optional<Uint256> pay(Machine& machine, const BlockEnv& env, const ValidTransaction& valid,
                           std::uint64_t gas_used) noexcept {
    TransactionState& state = machine.state();
    const Uint256& price = valid.effective_gas_price();
    const Uint256 unused{valid.tx().gas_limit - gas_used};
    if (const Uint256 refund = unused * price; !refund.is_zero())
        state.add_balance(state.account(valid.sender()), refund);
    // From London on the base fee is burnt (EIP-1559). Only a call that pays nothing is below it.
    const Uint256 tip = price < env.base_fee_per_gas ? Uint256{} : price - env.base_fee_per_gas;
    const Uint256 fee = Uint256{gas_used} * tip;
    if (machine.defers_fees() && !state.account_entry(env.beneficiary).is_loaded) return fee;
    state.pay_fee(env.beneficiary, fee);
    return std::nullopt;
}

/// logs_bloom() with remembered hashes.
LogsBloom bloom_of(const std::vector<Log>& logs, KeccakCache& hashes) noexcept {
    LogsBloom bloom;
    for (const Log& log : logs) {
        bloom.add_hash(hashes.hash(log.address.view()));
        for (const Hash& topic : log.topics)
            bloom.add_hash(hashes.hash(topic.view()));
    }
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
    const Oversight& oversight = machine.oversight();
    Checkpoint bought;
    if (!machine.begin(view, transaction_env) || !prepare(machine, env, valid, bought))
        return stop(outcome, oversight.used_until_stop());

    const auto gas = static_cast<std::int64_t>(tx.gas_limit - valid.intrinsic().gas);
    const CallResult result = execute_message(machine, env, valid, gas);
    if (result.status == Status::stopped) return stop(outcome, oversight.used_until_stop());
    // Such an access fails the transaction and not only its message: authorizations go as well.
    if (result.status == Status::undeclared_access) state.revert_to(bought);

    const std::uint64_t spent = tx.gas_limit - static_cast<std::uint64_t>(result.gas_left);
    const std::uint64_t gas_used = settle_gas(valid, schedule, spent, state.refund());
    outcome.deferred_fee = pay(machine, env, valid, gas_used);

    outcome.status = result.status;
    outcome.executed_gas = static_cast<std::uint64_t>(oversight.used_with(result.gas_left));
    outcome.peak_gas = std::max(spent, valid.intrinsic().floor);
    outcome.output.assign(result.output.begin(), result.output.end());
    Receipt& receipt = outcome.receipt;
    receipt.type = tx.type;
    receipt.success = result.status == Status::success;
    receipt.gas_used = gas_used;
    receipt.cumulative_gas_used = 0;
    receipt.logs = std::move(state.logs());
    receipt.bloom = bloom_of(receipt.logs, machine.hashes());
    receipt.post_state.reset();
    receipt.blob_gas_used = valid.blob_gas();
    receipt.contract_address.reset();
    if (tx.is_creation()) receipt.contract_address = create_address(valid.sender(), tx.nonce);
    receipt.effective_gas_price = valid.effective_gas_price();
    outcome.diff.clear();
    state.finish(outcome.diff, machine.records_accesses() ? &outcome.accesses : nullptr);
}

}  // namespace heddle::vm
