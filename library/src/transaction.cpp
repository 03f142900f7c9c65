// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <heddle.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include <types/expected.hpp>

#include <vm/access_list_recorder.hpp>
#include <vm/block.hpp>
#include <vm/block_execution.hpp>
#include <vm/supervisor.hpp>
#include <vm/transition.hpp>
#include <vm/validate.hpp>

#include "boundary.hpp"
#include "caller_state.hpp"
#include "chain.hpp"
#include "engine.hpp"
#include "input.hpp"
#include "result.hpp"

namespace heddle::library {

namespace {

/// Ends the execution when a callback has failed.
class FailureSupervisor final : public vm::Supervisor {
public:
    explicit FailureSupervisor(const CallerState& state) : state_(state) {}
    [[nodiscard]] std::int64_t on_gas(std::int64_t gas_used) noexcept override {
        return state_.has_failed() ? kStop : gas_used + kUsualStep;
    }

private:
    const CallerState& state_;
};

/// The caller's state, in which an account is once and for all what was told of it first: what
/// validation has seen of the sender is what execution relies on, though a callback has failed or
/// has told something else since.
class AccountsOnce final : public StateView {
public:
    explicit AccountsOnce(const StateView& state) : state_(state) {}

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        const auto known = accounts_.find(address);
        if (known != accounts_.end()) return known->second;
        return accounts_.emplace(address, state_.account(address)).first->second;
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        return state_.storage(address, slot);
    }
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override {
        return state_.has_storage(address);
    }
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override {
        return state_.code(code_hash);
    }

private:
    const StateView& state_;
    mutable std::unordered_map<Address, std::optional<Account>, AddressHasher> accounts_;
};

/// The caller's state with the changes on top, as far as an access list asks for it: accounts that
/// were changed, and code that was deployed.
class StateAfter final : public StateView {
public:
    /// @param changes  In order, see sorted().
    StateAfter(const StateView& before, const StateDiff& changes)
        : before_(before), changes_(changes) {}

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        const auto change =
            std::ranges::lower_bound(changes_.accounts, address, {}, &AccountChange::address);
        const bool is_changed = change != changes_.accounts.end() && change->address == address;
        return is_changed ? change->account : before_.account(address);
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        return before_.storage(address, slot);
    }
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override {
        return before_.has_storage(address);
    }
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override {
        const auto change =
            std::ranges::lower_bound(changes_.codes, code_hash, {}, &CodeChange::hash);
        const bool is_new = change != changes_.codes.end() && change->hash == code_hash;
        return is_new ? BytesView{change->code} : before_.code(code_hash);
    }

private:
    const StateView& before_;
    const StateDiff& changes_;
};

struct Inputs {
    const ChainConfig& config;
    const BlockEnv& env;
    const CallerState& state;
    const AccountsOnce& view;  // of `state`
};

BlockEnv make_env(BlockHeader header, const ChainConfig& config) {
    const bool is_merged = vm::is_merged(header, std::nullopt, config);
    const Revision revision = config.revision(header.number, header.timestamp, is_merged);
    if (revision < Revision::london) header.base_fee_per_gas.reset();
    return vm::make_block_env(header, config, is_merged);
}

/// Runs it on the engine's machine.
Result<vm::Outcome> run(heddle_engine& engine, const Inputs& inputs, const Transaction& tx,
                        bool records) {
    const auto valid = vm::validate(tx, inputs.view, inputs.env, vm::BlockGas::whole(inputs.env));
    if (!valid.has_value()) return std::unexpected(to_failure(valid.error()));
    FailureSupervisor supervisor(inputs.state);
    engine.evm().record_accesses(records);
    engine.evm().supervise(&supervisor);
    vm::Outcome outcome;
    vm::transition(inputs.view, inputs.state, inputs.env, *valid, engine.evm(), outcome);
    engine.evm().supervise(nullptr);
    outcome.receipt.cumulative_gas_used = outcome.receipt.gas_used;
    return outcome;
}

std::unique_ptr<heddle_result> make_result(vm::Outcome outcome, const Inputs& inputs,
                                           bool makes_list) {
    auto result = std::make_unique<heddle_result>();
    heddle_summary& summary = result->summary;
    summary.number = inputs.env.number;
    summary.gas_used = outcome.receipt.gas_used;
    summary.execution_gas_used = outcome.block_gas.execution;
    summary.state_gas_used = outcome.block_gas.state;
    summary.blob_gas_used = outcome.receipt.blob_gas_used;
    summary.success = outcome.status == vm::Status::success ? 1 : 0;
    result->ending = to_string(outcome.status);
    result->output = std::move(outcome.output);

    vm::AccessListRecorder recorder;
    recorder.begin();
    if (makes_list)
        recorder.record({.index = 1,
                         .is_transaction = true,
                         .accesses = outcome.accesses,
                         .diff = outcome.diff});
    if (inputs.env.revision < Revision::byzantium)
        outcome.receipt.post_state = inputs.state.state_root(outcome.diff);
    result->receipts.push_back(std::move(outcome.receipt));
    result->changes.diff = sorted(std::move(outcome.diff));
    if (makes_list) {
        const BytesView list = recorder.finish(StateAfter(inputs.view, result->changes.diff));
        result->access_list.assign(list.begin(), list.end());
    }
    return result;
}

Result<std::unique_ptr<heddle_result>> execute(heddle_engine& engine, const Inputs& inputs,
                                               const Transaction& tx) {
    const bool makes_list =
        inputs.env.revision >= Revision::amsterdam ||
        (engine.makes_access_lists() && inputs.env.revision >= vm::kAccessListsSince);
    auto outcome = run(engine, inputs, tx, makes_list);
    if (!inputs.state.has_failed()) {
        if (!outcome.has_value()) return std::unexpected(std::move(outcome).error());
        auto result = make_result(*std::move(outcome), inputs, makes_list);
        if (!inputs.state.has_failed()) return result;  // of the root of its receipt, perhaps
    }
    engine.renew();
    return std::unexpected(inputs.state.failure());
}

}  // namespace

}  // namespace heddle::library

using namespace heddle::library;

// NOLINTNEXTLINE(readability-function-size): parameters as the interface has them
extern "C" heddle_status heddle_execute_transaction(
    heddle_engine* engine, const heddle_chain* chain, const heddle_state* state,
    const heddle_fields* fields, heddle_bytes transaction, const heddle_address* sender,
    heddle_result** out, heddle_error* error) {
    return make_call(out, error, [&]() -> Result<void> {
        if (engine == nullptr || chain == nullptr)
            return fail(HEDDLE_INVALID_ARGUMENT, "engine or chain is null");
        HEDDLE_TRY(const heddle_state callbacks, take_state(state));
        HEDDLE_TRY(heddle::BlockHeader header, take_fields(fields));
        HEDDLE_TRY(heddle::Transaction tx, take_transaction(transaction, -1));
        if (sender != nullptr) tx.sender = taken(*sender);
        HEDDLE_CHECK(engine->check_gas_limit(std::max(header.gas_limit, tx.gas_limit)));
        const EngineUse use(*engine);
        if (!use.has_it()) return fail(HEDDLE_BUSY, "the engine is executing already");
        const CallerState caller(callbacks, engine->codes(), {});
        const heddle::BlockEnv env = make_env(std::move(header), chain->config);
        const AccountsOnce view(caller);
        HEDDLE_TRY(auto result, execute(*engine, {chain->config, env, caller, view}, tx));
        *out = result.release();
        return {};
    });
}
