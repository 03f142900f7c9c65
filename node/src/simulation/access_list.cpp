// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/access_list.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <types/address.hpp>
#include <types/sender_recovery.hpp>
#include <vm/opcode.hpp>
#include <vm/precompile.hpp>
#include <vm/validate.hpp>

#include "simulation/call_error.hpp"
#include "simulation/failure.hpp"
#include "simulation/unsigned_transaction.hpp"

namespace heddle::node::simulation {
namespace {

using Touched = std::map<Address, std::set<Hash>>;

/// Instructions that name an account or a slot.
constexpr std::uint8_t kTouching[] = {vm::OP_BALANCE,     vm::OP_EXTCODESIZE, vm::OP_EXTCODECOPY,
                                      vm::OP_EXTCODEHASH, vm::OP_SLOAD,       vm::OP_SSTORE,
                                      vm::OP_CALL,        vm::OP_CALLCODE,    vm::OP_DELEGATECALL,
                                      vm::OP_STATICCALL,  vm::OP_SELFDESTRUCT};

/// Collects what instructions name, over the list that the call began with.
class TouchTracer final : public HaltTracer {
public:
    TouchTracer(const std::set<Address>& excluded, Touched listed, const Deadline& deadline)
        : HaltTracer(deadline), excluded_(excluded), touched_(std::move(listed)) {}

    [[nodiscard]] const vm::OpcodeSet& wanted_steps() const noexcept override {
        static const vm::OpcodeSet wanted = [] {
            vm::OpcodeSet set = HaltTracer::sized_steps();
            for (const std::uint8_t opcode : kTouching)
                set.set(opcode);
            return set;
        }();
        return wanted;
    }
    void on_step(const vm::TraceStep& step, vm::Status failure) noexcept override {
        HaltTracer::on_step(step, failure);
        const std::size_t size = step.stack.size();
        switch (step.opcode) {
            case vm::OP_SLOAD:
            case vm::OP_SSTORE:
                if (size >= 1) touched_[step.address].insert(to_hash(step.stack[size - 1]));
                break;
            case vm::OP_BALANCE:
            case vm::OP_EXTCODESIZE:
            case vm::OP_EXTCODECOPY:
            case vm::OP_EXTCODEHASH:
            case vm::OP_SELFDESTRUCT:
                if (size >= 1) touch(step.stack[size - 1]);
                break;
            case vm::OP_CALL:
            case vm::OP_CALLCODE:
            case vm::OP_DELEGATECALL:
            case vm::OP_STATICCALL:
                if (size >= 5) touch(step.stack[size - 2]);
                break;
            default:
                break;
        }
    }

    [[nodiscard]] const Touched& touched() const noexcept { return touched_; }

private:
    void touch(const Uint256& word) {
        const Address address = address_from_word(word);
        if (!excluded_.contains(address)) touched_.try_emplace(address);
    }

    const std::set<Address>& excluded_;
    Touched touched_;
};

AccessList to_list(const Touched& touched) {
    AccessList list;
    list.reserve(touched.size());
    for (const auto& [address, slots] : touched)
        list.push_back({address, {slots.begin(), slots.end()}});
    return list;
}

/// The list that the caller gave, without accounts that are warm anyway.
Touched listed_by(const AccessList& list, const std::set<Address>& excluded) {
    Touched touched;
    for (const AccessListEntry& entry : list) {
        if (excluded.contains(entry.address)) continue;
        touched[entry.address].insert(entry.storage_keys.begin(), entry.storage_keys.end());
    }
    return touched;
}

[[noreturn]] void refuse(const std::string& reason) {
    throw Failure(FailureKind::refused, reason);
}

/// Prices that are given must make sense; those that are missing follow from the others. Without
/// any there are none; a price for blobs alone asks for none of gas (execution-apis).
void fill_prices(CallRequest& request, const CallSite& site, const Uint256& priority_fee) {
    const bool has_dynamic = request.max_fee_per_gas || request.max_priority_fee_per_gas;
    if (request.max_fee_per_blob_gas && request.max_fee_per_blob_gas->is_zero())
        refuse("maxFeePerBlobGas, if specified, must be non-zero");
    if (!request.gas_price && !has_dynamic) return;
    if (request.blob_versioned_hashes && !request.max_fee_per_blob_gas &&
        site.env().revision >= Revision::cancun)
        request.max_fee_per_blob_gas = site.env().blob_base_fee << 1;
    if (request.gas_price && has_dynamic)
        refuse("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified");
    if (request.gas_price && request.authorization_list)
        refuse("both gasPrice and authorizationList specified");
    if (request.gas_price && request.gas_price->is_zero() && site.has_base_fee())
        refuse("gasPrice must be non-zero after london fork");
    if (request.gas_price) return;
    if (!site.has_base_fee()) return;  // then fill_defaults() refuses them
    const bool is_complete = request.max_fee_per_gas && request.max_priority_fee_per_gas;
    if (is_complete && request.max_fee_per_gas->is_zero()) refuse("maxFeePerGas must be non-zero");
    if (!request.max_priority_fee_per_gas) request.max_priority_fee_per_gas = priority_fee;
    if (!request.max_fee_per_gas)
        request.max_fee_per_gas =
            *request.max_priority_fee_per_gas + (site.env().base_fee_per_gas << 1);
    if (*request.max_fee_per_gas < *request.max_priority_fee_per_gas)
        refuse(fmt::format("maxFeePerGas ({}) < maxPriorityFeePerGas ({})",
                           to_hex(*request.max_fee_per_gas),
                           to_hex(*request.max_priority_fee_per_gas)));
}

/// What is warm without being listed.
std::set<Address> excluded_from(const Transaction& tx, const BlockEnv& env) {
    const auto precompiles = vm::active_precompiles(env.revision);
    std::set<Address> excluded(precompiles.begin(), precompiles.end());
    excluded.insert(*tx.sender);
    excluded.insert(tx.to ? *tx.to : create_address(*tx.sender, tx.nonce));
    // Those that are not paid for are no work: the call is refused when it is executed.
    if (tx.authorization_list.size() >
        tx.gas_limit / vm::intrinsic_costs(env.revision).authorization)
        return excluded;
    std::vector<std::optional<Address>> authorities;
    find_authorities(tx.authorization_list, env.chain_id, authorities);
    for (const auto& authority : authorities)
        if (authority.has_value()) excluded.insert(*authority);
    return excluded;
}

}  // namespace

CreatedAccessList create_access_list(const CallSite& site, CallRequest request,
                                     std::uint64_t gas_cap, const Uint256& priority_fee,
                                     const Deadline& deadline) {
    fill_prices(request, site, priority_fee);
    if (!request.nonce)
        request.nonce = site.state().account(request.sender()).value_or(Account{}).nonce;
    fill_defaults(request, gas_cap, site.has_base_fee(), site.env().chain_id);
    CallTransaction tx = to_transaction(request);
    tx.lists.access_list = true;  // what it is for
    const std::set<Address> excluded = excluded_from(tx, site.env());
    Touched listed = listed_by(tx.access_list, excluded);
    vm::Outcome outcome;
    for (;;) {
        deadline.check();
        tx.access_list = to_list(listed);
        TouchTracer tracer(excluded, listed, deadline);
        vm::EvmOptions options;
        options.tracer = &tracer;
        options.code_cache = site.chain().code_cache();
        options.lets_go_of_code = true;
        vm::Evm evm(std::move(options));
        if (const auto executed = site.execute(tx, evm, outcome, deadline); !executed)
            throw Failure(
                FailureKind::refused,
                fmt::format("failed to apply transaction: {} err: {}", to_string(unsigned_hash(tx)),
                            site.rejection(executed.error(), tx)));
        deadline.check();
        if (tracer.touched() == listed) {
            CreatedAccessList result{std::move(tx.access_list), outcome.receipt.gas_used, {}};
            if (outcome.status == vm::Status::revert)
                result.error = "execution reverted";
            else if (outcome.status != vm::Status::success)
                result.error = tracer.text(outcome.status, site.precompile_of(tx), tx);
            return result;
        }
        listed = tracer.touched();
    }
}

}  // namespace heddle::node::simulation
