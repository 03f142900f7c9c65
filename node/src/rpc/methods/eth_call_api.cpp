// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/eth_call_api.hpp"

#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "rpc/envelope/arguments.hpp"
#include "rpc/methods/simulation_failures.hpp"
#include "rpc/queries/block_selector.hpp"
#include "rpc/queries/codec.hpp"
#include "rpc/queries/gas_oracle.hpp"
#include "simulation/access_list.hpp"
#include "simulation/call_error.hpp"
#include "simulation/call_request.hpp"
#include "simulation/call_site.hpp"
#include "simulation/evm_pool.hpp"
#include "simulation/gas_estimator.hpp"
#include "simulation/overrides.hpp"

namespace heddle::node::rpc {
namespace {

using simulation::CallRequest;
using simulation::CallSite;

/// Between the blocks that lists of calls stand for (mainnet's slot).
constexpr std::uint64_t kSlotSeconds = 12;

class EthCallApi {
public:
    explicit EthCallApi(const Services& services)
        : services_(services), pool_(services.chain.code_cache()), gas_oracle_(services.chain) {}

    void call(const Call& call, JsonWriter& result) {
        expect_at_most(call.params, 4);
        CallRequest request = argument(call.params, 0, simulation::parse_call_request);
        CallSite site(
            services_.chain,
            select_call_state(services_, selector_argument(call.params, 1), CallPurpose::view));
        site.lift_execution_cap();
        override_block(call.params, 3, site);
        override_state(call.params, 2, site);
        const Execution made = execute(call, site, std::move(request));
        const vm::Outcome& outcome = made.outcome;
        if (!made.rejection.empty())
            throw RpcError(Code::server_error, fmt::format("err: {} (supplied gas {})",
                                                           made.rejection, made.tx.gas_limit));
        if (outcome.status == vm::Status::revert) throw simulation::revert_error(outcome.output);
        if (outcome.status != vm::Status::success)
            throw RpcError(Code::server_error, site.explain_halt(made.tx, deadline_of(call)));
        result.hex(outcome.output);
    }

    /// Lists of calls, each on what those before it leave; the calls of one list are of one block,
    /// and those of the next of the block after it.
    void call_many(const Call& call, JsonWriter& result);

    void estimate_gas(const Call& call, JsonWriter& result) {
        expect_at_most(call.params, 4);
        CallRequest request = argument(call.params, 0, simulation::parse_call_request);
        CallSite site(services_.chain,
                      select_call_state(services_, selector_argument(call.params, 1),
                                        CallPurpose::transaction));
        override_block(call.params, 3, site);
        override_state(call.params, 2, site);
        result.quantity(simulation::estimate_gas(site, std::move(request), gas_cap(), pool_,
                                                 deadline_of(call)));
    }

    void create_access_list(const Call& call, JsonWriter& result) {
        expect_at_most(call.params, 3);
        CallRequest request = argument(call.params, 0, simulation::parse_call_request);
        CallSite site(services_.chain,
                      select_call_state(services_, selector_argument(call.params, 1),
                                        CallPurpose::transaction));
        override_state(call.params, 2, site);
        const auto created = simulation::create_access_list(
            site, std::move(request), gas_cap(), gas_oracle_.priority_fee(), deadline_of(call));
        result.begin_object();
        result.key("accessList");
        write_access_list(created.list, result);
        if (!created.error.empty()) {
            result.key("error");
            result.string(created.error);
        }
        result.key("gasUsed");
        result.quantity(created.gas_used);
        result.end_object();
    }

private:
    [[nodiscard]] std::uint64_t gas_cap() const noexcept {
        return services_.limits.call_gas == 0 ? std::numeric_limits<std::int64_t>::max()
                                              : services_.limits.call_gas;
    }

    struct Execution {
        simulation::CallTransaction tx;
        vm::Outcome outcome;
        std::string rejection;  // empty: it was executed
    };
    [[nodiscard]] Execution execute(const Call& call, CallSite& site, CallRequest request);
    void call_next(const Call& call, CallSite& site, CallRequest request, JsonWriter& result);

    static void override_state(const Params& params, std::size_t index, CallSite& site) {
        if (const auto wanted = find_argument(params, index, simulation::parse_state_overrides))
            site.override_state(*wanted);
    }
    static void override_block(const Params& params, std::size_t index, CallSite& site) {
        if (const auto wanted = find_argument(params, index, simulation::parse_block_overrides))
            site.override_block(*wanted);
    }

    const Services services_;
    simulation::EvmPool pool_;
    GasOracle gas_oracle_;
};

EthCallApi::Execution EthCallApi::execute(const Call& call, CallSite& site, CallRequest request) {
    simulation::fill_defaults(request, gas_cap(), site.has_base_fee(), site.env().chain_id);
    Execution made{.tx = simulation::to_transaction(request), .outcome = {}, .rejection = {}};
    const simulation::Deadline deadline = deadline_of(call);
    simulation::EvmPool::Lease lease = pool_.take(deadline);
    if (site.has_foreign_code()) lease.retire();
    if (const auto executed = site.execute(made.tx, lease.evm(), made.outcome, deadline); !executed)
        made.rejection = site.rejection(executed.error(), made.tx);
    else
        lease.note(made.outcome.receipt.gas_used);
    return made;
}

/// One of several calls: `{"value"}` or `{"error"}`, and what it changes stays at the site.
void EthCallApi::call_next(const Call& call, CallSite& site, CallRequest request,
                           JsonWriter& result) {
    const Execution made = execute(call, site, std::move(request));
    const vm::Outcome& outcome = made.outcome;
    std::string error = made.rejection;
    if (error.empty()) {
        if (outcome.status == vm::Status::revert)
            error = simulation::revert_text(outcome.output);
        else if (outcome.status != vm::Status::success)
            error = site.explain_halt(made.tx, deadline_of(call));
        site.keep(outcome.diff);
    }
    result.begin_object();
    result.key(error.empty() ? "value" : "error");
    if (error.empty())
        result.hex(outcome.output);
    else
        result.string(error);
    result.end_object();
}

void EthCallApi::call_many(const Call& call, JsonWriter& result) {
    expect_at_most(call.params, 3);
    const JsonView bundles = argument(call.params, 0, [](const JsonView& list) {
        if (!list.is_array()) fail_input("expected a list of objects with transactions");
        return list;
    });
    BlockSelector block;
    (void)find_argument(call.params, 1, [&](const JsonView& context) {
        if (const auto given = context.find("blockNumber")) block = to_selector(*given);
        if (const auto index = context.find("transactionIndex");
            index && !(index->is_number() && index->real() == -1))
            fail_input("transactionIndex: calls are on the state after a block");
        return true;
    });
    CallSite site(services_.chain, select_call_state(services_, block, CallPurpose::view));
    site.lift_execution_cap();
    override_state(call.params, 2, site);
    const BlockEnv first = site.env();
    result.begin_array();
    for (std::size_t i = 0; i < bundles.size(); ++i) {
        const JsonView bundle = bundles.element(i);
        simulation::BlockOverrides overrides;
        if (const auto given = bundle.find("blockOverride"))
            overrides = simulation::parse_block_overrides(*given);
        if (!overrides.number) overrides.number = Uint256{first.number + i};
        if (!overrides.time) overrides.time = first.timestamp + kSlotSeconds * i;
        site.override_block(overrides);
        const JsonView calls = bundle.at("transactions");
        result.begin_array();
        for (std::size_t j = 0; j < calls.size(); ++j) {
            call.check_deadline();
            call_next(call, site, simulation::parse_call_request(calls.element(j)), result);
        }
        result.end_array();
    }
    result.end_array();
}

}  // namespace

void add_eth_call_methods(MethodTable& table, const Services& services) {
    const auto api = std::make_shared<EthCallApi>(services);
    const auto add = [&](std::string name, void (EthCallApi::*handler)(const Call&, JsonWriter&)) {
        table.add(
            {.name = std::move(name),
             .handler = with_failures_told([api, handler](const Call& call, JsonWriter& result) {
                 ((*api).*handler)(call, result);
             }),
             .weight = Weight::executing});
    };
    add("eth_call", &EthCallApi::call);
    add("eth_callMany", &EthCallApi::call_many);
    add("eth_estimateGas", &EthCallApi::estimate_gas);
    add("eth_createAccessList", &EthCallApi::create_access_list);
}

}  // namespace heddle::node::rpc
