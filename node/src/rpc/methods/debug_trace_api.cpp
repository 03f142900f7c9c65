// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/debug_trace_api.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <types/sender_recovery.hpp>

#include "chain/block_tries.hpp"
#include "program/error.hpp"
#include "rpc/envelope/arguments.hpp"
#include "rpc/methods/block_replays.hpp"
#include "rpc/methods/simulation_failures.hpp"
#include "rpc/queries/block_selector.hpp"
#include "simulation/call_request.hpp"
#include "simulation/call_site.hpp"
#include "simulation/deadline.hpp"
#include "simulation/overrides.hpp"
#include "tracing/block_replay.hpp"
#include "tracing/trace_config.hpp"

namespace heddle::node::rpc {
namespace {

/// For one transaction, where the request does not say.
constexpr std::chrono::seconds kDefaultTimeout{5};

/// The state before some transaction of a block, as a call sees it.
class ReplayedState final : public ledger::PastState {
public:
    explicit ReplayedState(std::unique_ptr<BlockReplay> replay) : replay_(std::move(replay)) {}

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        return replay_->state().account(address);
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        return replay_->state().storage(address, slot);
    }
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override {
        return replay_->state().has_storage(address);
    }
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override {
        return replay_->state().code(code_hash);
    }
    void move_to(std::uint64_t /*number*/) noexcept override {}

private:
    const std::unique_ptr<BlockReplay> replay_;
};

/// One request for traces: its tracer, and what it may cost.
class TraceRequest {
public:
    TraceRequest(const Call& call, std::size_t config_index)
        : call_(call),
          config_(
              find_argument(call.params, config_index, parse_trace_config).value_or(TraceConfig{})),
          budget_(call.max_result_bytes == 0 ? std::numeric_limits<std::size_t>::max()
                                             : call.max_result_bytes,
                  call.deadline) {
        try {
            if (config_.timeout) timeout_ = parse_duration(*config_.timeout);
            tracer_ = make_tracer(config_, budget_);
        } catch (const InputError& error) {
            throw server_error(error.what());
        }
    }

    [[nodiscard]] TransactionTracer& tracer() noexcept { return *tracer_; }

    /// Before each transaction.
    void begin(const TraceSubject& subject) {
        call_.check_deadline();
        const auto now = TraceBudget::Clock::now();
        const auto left = call_.deadline - now;
        const auto until = timeout_ < left ? now + timeout_ : call_.deadline;
        budget_.set_deadline(until);
        deadline_ = simulation::Deadline(until, call_.cost == nullptr ? nullptr : &call_.cost->gas);
        tracer_->begin(subject);
    }
    /// Of the transaction that has begun.
    [[nodiscard]] simulation::Deadline deadline() const noexcept { return deadline_; }
    /// After it. Errors: RpcError where the trace became too large or took too long.
    void end(const vm::Outcome& outcome, JsonWriter& out) {
        if (outcome.status == vm::Status::stopped) fail_late();
        if (!vm::is_unfinished(outcome.status)) tracer_->end(outcome);
        switch (budget_.verdict()) {
            case TraceBudget::Verdict::within:
                return tracer_->write(out);
            case TraceBudget::Verdict::too_large:
                throw RpcError(Code::response_too_large,
                               fmt::format("the trace is larger than {} bytes; trace less at a "
                                           "time, or leave out the stack, storage or memory",
                                           call_.max_result_bytes));
            case TraceBudget::Verdict::too_late:
                fail_late();
        }
    }
    /// The deadline has passed.
    [[noreturn]] void fail_late() const {
        call_.check_deadline();
        throw server_error("execution timeout");
    }

private:
    const Call& call_;
    const TraceConfig config_;
    std::chrono::nanoseconds timeout_ = kDefaultTimeout;
    TraceBudget budget_;
    simulation::Deadline deadline_{call_.deadline};
    std::unique_ptr<TransactionTracer> tracer_;
};

/// Traces the replay's next transaction and moves on.
void trace_next(BlockReplay& replay, const Hash& hash, TraceRequest& request, vm::Evm& evm,
                JsonWriter& out) {
    request.begin(subject_of_next(replay, hash));
    const simulation::Supervision supervision(request.deadline(), evm);
    const auto outcome = replay.execute_next(evm);
    if (!outcome.has_value())
        throw server_error(fmt::format("tracing failed: {}", to_string(outcome.error())));
    request.deadline().note_gas((*outcome)->executed_gas);
    request.end(**outcome, out);
    replay.finish_next();
}

class DebugTraceApi {
public:
    DebugTraceApi(const Services& services, SharedPendingBlocks pending)
        : services_(services), pending_(std::move(pending)) {}

    void trace_transaction(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 2);
        const Hash hash = hash_argument(call.params, 0);
        TraceRequest request(call, 1);
        const auto place = take(chain().find_transaction(hash));
        if (!place.has_value()) throw server_error("transaction not found");
        const SharedServedBlock block = take(chain().served_block(place->number));
        if (!block) throw server_error("transaction not found");
        const auto replay = start_replay(chain(), block->stored);
        skip_to(place->index, *replay, chain(), call);
        vm::Evm evm = make_evm(request);
        trace_next(*replay, hash, request, evm, out);
    }

    void trace_block_by_number(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 2);
        const BlockSelector selector = argument(call.params, 0, to_number_selector);
        const bool is_pending = selector.tag == BlockSelector::Tag::pending;
        trace_block(call, is_pending ? pending_block(call) : require_block(selector), out);
    }

    void trace_block_by_hash(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 2);
        BlockSelector selector;
        selector.tag = BlockSelector::Tag::none;
        selector.hash = hash_argument(call.params, 0);
        trace_block(call, require_block(selector), out);
    }

    void trace_block_of_rlp(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 2);
        trace_block(call, decode(bytes_argument(call.params, 0)), out);
    }

    void trace_call(const Call& call, JsonWriter& out) const;

    /// The state root after each transaction.
    void intermediate_roots(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 2);
        BlockSelector selector;
        selector.tag = BlockSelector::Tag::none;
        selector.hash = hash_argument(call.params, 0);
        (void)find_argument(call.params, 1, parse_trace_config);  // nothing in it matters
        const auto replay = start_replay(chain(), require_block(selector));
        const std::uint64_t parent = replay->block().block.header.number - 1;
        BlockTries tries(services_.chain, parent, call.until_deadline());
        out.begin_array();
        for (std::size_t i = 1; i <= replay->block().block.transactions.size(); ++i) {
            skip_to(i, *replay, chain(), call);
            auto root = tries.root_with(replay->diff());
            if (!root.has_value()) call.check_deadline();
            out.hash(take_or_refuse(std::move(root)));
        }
        out.end_array();
    }

private:
    [[nodiscard]] const Chain& chain() const noexcept { return services_.chain; }
    [[nodiscard]] vm::Evm make_evm(TraceRequest& request) const {
        return vm::Evm({.tracer = &request.tracer(),
                        .code_cache = chain().code_cache(),
                        .lets_go_of_code = true});
    }

    [[nodiscard]] SharedBlock require_block(const BlockSelector& selector) const {
        return rpc::require_block(chain(), selector);
    }

    [[nodiscard]] SharedBlock decode(const Bytes& encoded) const;
    /// The one that would come next.
    [[nodiscard]] SharedBlock pending_block(const Call& call) const;
    /// As it would be stored. Errors: RpcError where the chain does not have its parent.
    [[nodiscard]] std::shared_ptr<ledger::StoredBlock> on_its_parent(Block block) const;
    void trace_block(const Call& call, SharedBlock block, JsonWriter& out) const;
    /// What a traced call is executed on: a block, or the first transactions of one.
    struct CallBase {
        SelectedState selected;
        std::size_t log_count = 0;  // of those transactions
    };
    [[nodiscard]] CallBase call_base(const Call& call, const BlockSelector& selector,
                                     const std::optional<std::uint64_t>& index) const;

    const Services services_;
    const SharedPendingBlocks pending_;
};

std::shared_ptr<ledger::StoredBlock> DebugTraceApi::on_its_parent(Block block) const {
    auto stored = std::make_shared<ledger::StoredBlock>();
    stored->block = std::move(block);
    const BlockHeader& header = stored->block.header;
    stored->hash = header_hash(header);
    if (header.number == 0) throw server_error("genesis is not traceable");
    const auto parent = take(chain().header(header.number - 1));
    if (!parent.has_value() || parent->hash != header.parent_hash)
        throw server_error("block " + to_string(header.parent_hash) + " not found");
    stored->total_difficulty = parent->total_difficulty + header.difficulty;
    return stored;
}

SharedBlock DebugTraceApi::pending_block(const Call& call) const {
    return on_its_parent(pending_->get(call)->block);
}

SharedBlock DebugTraceApi::decode(const Bytes& encoded) const {
    auto decoded = decode_block(encoded);
    if (!decoded.has_value()) throw server_error("could not decode block");
    const auto block = on_its_parent(*std::move(decoded));
    recover_missing_senders(block->block.transactions);
    for (const Transaction& tx : block->block.transactions) {
        if (!tx.sender.has_value()) throw server_error("could not decode block: no valid sender");
    }
    return block;
}

void DebugTraceApi::trace_block(const Call& call, SharedBlock block, JsonWriter& out) const {
    TraceRequest request(call, 1);
    const auto replay = start_replay(chain(), std::move(block));
    vm::Evm evm = make_evm(request);
    out.begin_array();
    for (const Transaction& tx : replay->block().block.transactions) {
        const Hash hash = transaction_hash(tx);
        out.begin_object();
        out.key("txHash");
        out.hash(hash);
        out.key("result");
        trace_next(*replay, hash, request, evm, out);
        out.end_object();
    }
    out.end_array();
}

DebugTraceApi::CallBase DebugTraceApi::call_base(const Call& call, const BlockSelector& selector,
                                                 const std::optional<std::uint64_t>& index) const {
    if (selector.tag == BlockSelector::Tag::pending)
        throw server_error("tracing on top of pending is not supported");
    if (!index.has_value()) {
        if (!find_block(chain(), selector).has_value()) (void)require_block(selector);
        return {.selected = select_state(chain(), selector)};
    }
    const SharedBlock block = require_block(selector);
    if (*index >= block->block.transactions.size())
        throw server_error(fmt::format("transaction index {} out of range for block {}", *index,
                                       to_string(block->hash)));
    auto replay = start_replay(chain(), block);
    skip_to(*index, *replay, chain(), call);
    CallBase base;
    base.log_count = replay->log_count();
    base.selected.block.header = {block->block.header, block->hash, block->total_difficulty};
    base.selected.state = std::make_shared<const ReplayedState>(std::move(replay));
    return base;
}

void DebugTraceApi::trace_call(const Call& call, JsonWriter& out) const {
    expect_at_most(call.params, 3);
    simulation::CallRequest call_request = argument(call.params, 0, simulation::parse_call_request);
    const BlockSelector selector = selector_argument(call.params, 1);
    TraceRequest request(call, 2);
    std::optional<std::uint64_t> index;
    std::optional<simulation::StateOverrides> state_overrides;
    std::optional<simulation::BlockOverrides> block_overrides;
    (void)find_argument(call.params, 2, [&](const JsonView& config) {
        if (const auto value = config.find("txIndex")) index = to_uint64(*value);
        if (const auto value = config.find("stateOverrides"))
            state_overrides = simulation::parse_state_overrides(*value);
        if (const auto value = config.find("blockOverrides"))
            block_overrides = simulation::parse_block_overrides(*value);
        return true;
    });

    CallBase base = call_base(call, selector, index);
    simulation::CallSite site(chain(), std::move(base.selected));
    site.lift_execution_cap();
    if (block_overrides.has_value()) site.override_block(*block_overrides);
    if (state_overrides.has_value()) site.override_state(*state_overrides);
    const std::uint64_t cap = services_.limits.call_gas;
    simulation::fill_defaults(call_request,
                              cap == 0 ? std::numeric_limits<std::int64_t>::max() : cap,
                              site.has_base_fee(), site.env().chain_id);
    const simulation::CallTransaction tx = simulation::to_transaction(call_request);

    TraceSubject subject;
    subject.tx = &tx;
    subject.env = &site.env();
    subject.before = &site.state();
    subject.first_log_index = base.log_count;
    request.begin(subject);
    vm::Evm evm = make_evm(request);
    vm::Outcome outcome;
    try {
        const auto executed = site.execute(tx, evm, outcome, request.deadline());
        if (!executed.has_value())
            throw server_error("tracing failed: " + site.rejection(executed.error(), tx));
    } catch (const simulation::Failure&) {  // the deadline
        request.fail_late();
    }
    request.end(outcome, out);
}

}  // namespace

void add_debug_trace_methods(MethodTable& table, const Services& services,
                             const SharedPendingBlocks& pending) {
    const auto api = std::make_shared<const DebugTraceApi>(services, pending);
    const auto add = [&](std::string name,
                         void (DebugTraceApi::*handler)(const Call&, JsonWriter&) const) {
        table.add({.name = std::move(name),
                   .handler = with_failures_told([api, handler](const Call& call, JsonWriter& out) {
                       ((*api).*handler)(call, out);
                   }),
                   .weight = Weight::executing});
    };
    add("debug_traceBlock", &DebugTraceApi::trace_block_of_rlp);
    add("debug_traceBlockByHash", &DebugTraceApi::trace_block_by_hash);
    add("debug_traceBlockByNumber", &DebugTraceApi::trace_block_by_number);
    add("debug_traceCall", &DebugTraceApi::trace_call);
    add("debug_intermediateRoots", &DebugTraceApi::intermediate_roots);
    add("debug_traceTransaction", &DebugTraceApi::trace_transaction);
    table.add({.name = "debug_getBadBlocks", .handler = [](const Call& call, JsonWriter& out) {
                   expect_at_most(call.params, 0);
                   out.begin_array();
                   out.end_array();
               }});
}

}  // namespace heddle::node::rpc
