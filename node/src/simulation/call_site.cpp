// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/call_site.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <vm/precompile.hpp>

#include "simulation/call_error.hpp"

namespace heddle::node::simulation {
namespace {

BlockEnv block_env(const Chain& chain, const SelectedBlock& block) {
    if (!block.is_pending) return chain.env_of(block.header);
    if (const auto header = chain.preview(block.header))
        return chain.env_of_next(*header, block.header);
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::system_clock::now().time_since_epoch());
    // Also where timestamps may repeat. What is called now may be executed when the clock has
    // ticked, and code may do more then: a swap brings average prices forward once time has passed.
    const std::uint64_t timestamp =
        std::max(block.header.header.timestamp + 1, static_cast<std::uint64_t>(now.count()));
    return chain.env_of_next(chain.next_header(block.header, timestamp), block.header);
}

BlockEnv env_of(const Chain& chain, const SelectedBlock& block) {
    BlockEnv env = block_env(chain, block);
    // A call is no transaction and declares nothing; who asks for an access list has none yet.
    env.strict_access_lists = false;
    return env;
}

}  // namespace

Hash CallBlockHashes::block_hash(std::uint64_t number) const noexcept {
    if (number >= block_number_) return {};
    if (number >= chain_.first_block()) return chain_.block_hashes().block_hash(number);
    // Below a snapshot that was restored there are the headers which BLOCKHASH reaches.
    const auto header = chain_.header(number);
    return header.has_value() && header->has_value() ? (*header)->hash : Hash{};
}

CallSite::CallSite(const Chain& chain, SelectedState base)
    : chain_(chain),
      header_(base.block.header),
      base_(std::move(base.state)),
      env_(env_of(chain, base.block)),
      revision_(env_.revision),
      block_hashes_(chain, env_.number) {
    env_.revision = held_to_number(chain_.config(), env_);
    has_base_fee_ = env_.revision >= Revision::london;
}

void CallSite::override_block(const BlockOverrides& overrides) {
    env_.revision = revision_;
    apply(overrides, chain_.config(), env_);
    has_base_fee_ = has_base_fee_ || env_.revision >= Revision::london ||
                    overrides.base_fee_per_gas.has_value();
}

void CallSite::override_state(const StateOverrides& overrides) {
    if (overrides.empty()) return;
    vm::PrecompileTable precompiles = vm::make_precompile_table(env_.revision);
    const std::size_t usual = precompiles.size();
    overlay_.emplace(*base_);
    StateDiff diff = apply(overrides, *base_, precompiles);
    has_foreign_code_ = !diff.codes.empty();
    overlay_->apply(diff);
    const auto is_touched = [&](const auto& override) {
        return override.second.move_precompile_to.has_value();
    };
    if (precompiles.size() != usual || std::ranges::any_of(overrides, is_touched))
        precompiles_ = std::move(precompiles);
}

void CallSite::keep(const StateDiff& diff) {
    if (!overlay_) overlay_.emplace(*base_);
    overlay_->apply(diff);
}

const StateView& CallSite::state() const noexcept {
    if (overlay_) return *overlay_;
    return *base_;
}

BlockEnv CallSite::env_for(const Transaction& tx) const {
    BlockEnv env = env_;
    if (vm::effective_gas_price(tx, env.base_fee_per_gas).is_zero()) env.base_fee_per_gas = 0;
    if (!tx.blob_versioned_hashes.empty() && tx.max_fee_per_blob_gas.is_zero())
        env.blob_base_fee = 0;
    return env;
}

std::expected<void, TransactionError> CallSite::execute(const CallTransaction& tx, vm::Evm& evm,
                                                        vm::Outcome& outcome,
                                                        const Deadline& deadline) const {
    const BlockEnv env = env_for(tx);
    if (chain_.fork_base() != nullptr) read_ahead_of(tx, env, deadline);
    const auto valid = vm::validate_call(tx, state(), env, checks_of(tx));
    if (!valid) return std::unexpected(valid.error());
    evm.use_precompiles(precompiles_ ? &*precompiles_ : nullptr);
    const Supervision supervision(deadline, evm);
    vm::transition(state(), block_hashes_, env, *valid, evm, outcome);
    deadline.note_gas(outcome.executed_gas);
    if (outcome.status == vm::Status::stopped) Deadline::fail();
    return {};
}

void CallSite::read_ahead_of(const CallTransaction& tx, const BlockEnv& env,
                             const Deadline& deadline) const {
    // Of its own: the caller's may have a tracer, which is to see the call once.
    vm::Evm evm({.code_cache = chain_.code_cache(), .lets_go_of_code = true});
    evm.use_precompiles(precompiles_ ? &*precompiles_ : nullptr);
    vm::Outcome outcome;
    const Supervision supervision(deadline, evm);
    (void)read_ahead(*chain_.fork_base(), [&] {
        const auto valid = vm::validate_call(tx, state(), env, checks_of(tx));
        if (valid) vm::transition(state(), block_hashes_, env, *valid, evm, outcome);
    });
}

std::string CallSite::rejection(TransactionError error, const CallTransaction& tx) const {
    return rejection_text(error, tx, state(), env_for(tx), tx.lists);
}

std::uint32_t CallSite::precompile_of(const Transaction& tx) const noexcept {
    if (!tx.to) return 0;
    if (!precompiles_) return vm::precompile_index(*tx.to, env_.revision);
    const auto entry = precompiles_->find(*tx.to);
    return entry == precompiles_->end() ? 0 : entry->second;
}

std::string CallSite::explain_halt(const CallTransaction& tx, const Deadline& deadline) const {
    deadline.check();
    HaltTracer tracer(deadline);
    vm::EvmOptions options;
    options.tracer = &tracer;
    options.code_cache = chain_.code_cache();
    options.lets_go_of_code = true;
    vm::Evm evm(std::move(options));
    vm::Outcome outcome;
    if (const auto executed = execute(tx, evm, outcome, deadline); !executed)
        return std::string(to_string(executed.error()));
    deadline.check();
    return tracer.text(outcome.status, precompile_of(tx), tx);
}

}  // namespace heddle::node::simulation
