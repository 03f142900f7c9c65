// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "system_call.hpp"

#include <vector>

#include "code.hpp"
#include "machine.hpp"

namespace heddle::vm {
namespace {

constexpr std::int64_t kSystemCallGas = 30'000'000;
constexpr std::int64_t kSystemCallSlots = 16;  // that its reservoir pays for (EIP-8037)

/// 0xfffffffffffffffffffffffffffffffffffffffe (EIP-4788).
constexpr Address kSystemAddress = [] {
    Address address;
    address.bytes.fill(0xff);
    address.bytes[19] = 0xfe;
    return address;
}();

/// EIP-7702: whose code runs where the contract delegates, as a genesis may have it. Nobody pays
/// for that here. Null: its own.
AccountEntry* find_delegate(TransactionState& state, const AccountEntry& contract,
                            Revision revision) noexcept {
    const auto target = delegation_target(state.code(contract), revision);
    if (!target) return nullptr;
    AccountEntry& delegate = state.account(*target);
    state.warm_account(delegate);
    return &delegate;
}

/// Where there is no code nothing happens, and an empty account is not touched (EIP-161): a genesis
/// may have one, and neither the specification nor other clients remove it.
CallResult execute(Machine& machine, const Address& contract, BytesView input,
                   Revision revision) noexcept {
    AccountEntry& account = machine.state().account(contract);
    if (!account.account.has_code())
        return {.status = Status::success,
                .gas_left = kSystemCallGas,
                .output = {},
                .created = nullptr};
    Message message;
    message.gas = kSystemCallGas;
    message.caller = kSystemAddress;
    message.recipient = &account;
    message.code_account = &account;
    message.delegate = find_delegate(machine.state(), account, revision);
    message.input = input;
    return machine.execute(message);
}

void stop(SystemCallOutcome& outcome) noexcept {
    outcome.status = Status::stopped;
    outcome.output.clear();
    outcome.diff.clear();
    outcome.accesses.clear();
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): what transition() takes
void system_call(const StateView& view, const BlockHashes& block_hashes, const BlockEnv& env,
                 const Address& contract, BytesView input, Evm& evm,
                 SystemCallOutcome& outcome) noexcept {
    const std::vector<Hash> no_blobs;
    Machine& machine = evm.machine();
    TransactionState& state = machine.state();
    const TransactionEnv transaction_env{&env, &block_hashes, kSystemAddress, {}, &no_blobs, false};
    if (!machine.begin(view, transaction_env)) return stop(outcome);
    state.begin_cold();

    state.state_gas().reset(kSystemCallSlots * gas_schedule(env.revision).state.new_slot);

    const CallResult result = execute(machine, contract, input, env.revision);
    if (result.status == Status::stopped) return stop(outcome);

    outcome.status = result.status;
    outcome.output.assign(result.output.begin(), result.output.end());
    outcome.diff.clear();
    state.finish(outcome.diff, machine.records_accesses() ? &outcome.accesses : nullptr);
}

}  // namespace heddle::vm
