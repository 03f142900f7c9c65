// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/ots_api.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rpc/envelope/arguments.hpp"
#include "rpc/methods/block_replays.hpp"
#include "rpc/methods/simulation_failures.hpp"
#include "rpc/queries/block_selector.hpp"
#include "rpc/queries/codec.hpp"
#include "rpc/queries/sender_search.hpp"
#include "rpc/queries/served_block_codec.hpp"
#include "simulation/deadline.hpp"
#include "tracing/call_tracer.hpp"

namespace heddle::node::rpc {
namespace {

using Kind = vm::TraceCall::Kind;

constexpr std::uint64_t kApiLevel = 8;
constexpr std::uint64_t kMostOnPage = 1'000;

/// Keeps the calls of a transaction for whoever asks.
class CallListTracer final : public TransactionTracer {
public:
    explicit CallListTracer(TraceBudget& budget) : TransactionTracer(budget) {}

    struct Entry {
        const RecordedCall* call = nullptr;
        std::size_t depth = 0;
    };
    /// In the order in which they began.
    [[nodiscard]] std::vector<Entry> entries() const {
        std::vector<Entry> entries;
        if (!recorder_.calls().empty()) append(0, 0, entries);
        return entries;
    }

    void begin(const TraceSubject& subject) override { recorder_.begin(subject, budget()); }
    void end(const vm::Outcome& outcome) override { recorder_.end(outcome); }
    void write(JsonWriter& out) override {
        out.begin_array();
        for (const Entry& entry : entries())
            write_entry(entry, out);
        out.end_array();
    }

    [[nodiscard]] const vm::OpcodeSet& wanted_steps() const noexcept override { return no_steps(); }
    void on_step(const vm::TraceStep& step, vm::Status failure) noexcept override {
        recorder_.on_step(step, failure);
    }
    void on_enter(const vm::TraceCall& call) noexcept override { recorder_.on_enter(call); }
    void on_exit(vm::Status status, std::int64_t gas_used, BytesView output) noexcept override {
        recorder_.on_exit(status, gas_used, output);
    }

private:
    void append(std::size_t index, std::size_t depth, std::vector<Entry>& entries) const {
        const RecordedCall& call = recorder_.calls()[index];
        entries.push_back({&call, depth});
        for (const std::size_t inner : call.calls)
            append(inner, depth + 1, entries);
    }

    static void write_entry(const Entry& entry, JsonWriter& out) {
        const RecordedCall& call = *entry.call;
        out.begin_object();
        out.key("type");
        out.string(call_type(call.kind));
        out.key("depth");
        out.number(entry.depth);
        out.key("from");
        out.address(call.from);
        out.key("to");
        out.address(call.to);
        out.key("value");
        if (call.kind == Kind::static_call || call.kind == Kind::delegate_call)
            out.null();
        else
            out.quantity(call.value);
        out.key("input");
        out.hex(call.input);
        out.key("output");
        out.hex(call.output);
        out.end_object();
    }

    CallRecorder recorder_;
};

/// Otterscan writes numbers of blocks as JSON has them.
BlockSelector to_block(const JsonView& value) {
    if (!value.is_number()) return to_selector(value);
    return {.tag = BlockSelector::Tag::none, .number = value.uint64()};
}

/// What is told of ether that moves within a transaction, as Otterscan numbers it.
std::optional<std::uint64_t> operation_of(const RecordedCall& call) {
    switch (call.kind) {
        case Kind::call:
            if (call.value.is_zero()) return std::nullopt;
            return 0;
        case Kind::self_destruct:
            return 1;
        case Kind::create:
            return 2;
        case Kind::create2:
            return 3;
        default:
            return std::nullopt;
    }
}

class OtsApi {
public:
    explicit OtsApi(const Services& services) : services_(services) {}

    void get_api_level(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 0);
        out.number(kApiLevel);
    }

    void has_code(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 2);
        const Address address = address_argument(call.params, 0);
        const auto account =
            select_state(chain(), argument(call.params, 1, to_block)).state->account(address);
        out.boolean(account.has_value() && account->has_code());
    }

    /// What Otterscan asks a node for first, to learn whether it is one that it runs on.
    void get_header(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 1);
        const auto block = find_block(chain(), argument(call.params, 0, to_block));
        if (!block.has_value() || block->is_pending) return out.null();
        out.begin_object();
        write_header_members(block->header.header, block->header.hash, out);
        out.end_object();
    }

    void get_block_details(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 1);
        const auto block = find_served_block(chain(), argument(call.params, 0, to_block));
        if (!block) return out.null();
        Uint256 fees;
        for (const Receipt& receipt : block->stored->receipts)
            fees += receipt.effective_gas_price * Uint256{receipt.gas_used};
        out.begin_object();
        out.key("block");
        out.begin_object();
        write_members(*block, out);
        out.end_object();
        out.key("issuance");
        write_issuance(*block, out);
        out.key("totalFees");
        out.quantity(fees);
        out.end_object();
    }

    /// A page of its transactions in full, pages from 0, with their receipts.
    void get_block_transactions(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 3);
        const auto block = find_served_block(chain(), argument(call.params, 0, to_block));
        const auto number = [](const JsonView& value) { return value.uint64(); };
        const std::uint64_t page = argument(call.params, 1, number);
        const std::uint64_t size = argument(call.params, 2, number);
        if (size == 0 || size > kMostOnPage)
            throw RpcError(Code::invalid_params,
                           fmt::format("expected a page of 1 to {} transactions", kMostOnPage));
        if (!block) return out.null();
        const std::size_t count = block->transaction_hashes.size();
        const std::size_t begin =
            page > count / size ? count : std::min<std::size_t>(count, page * size);
        const std::size_t end = std::min<std::size_t>(count, begin + size);
        out.begin_object();
        out.key("fullblock");
        out.begin_object();
        write_members(*block, out);
        out.key("transactions");
        out.begin_array();
        for (std::size_t i = begin; i < end; ++i)
            write_transaction_of(*block, i, out);
        out.end_array();
        out.end_object();
        out.key("receipts");
        out.begin_array();
        for (std::size_t i = begin; i < end; ++i)
            write_receipt_of(chain(), *block, i, out);
        out.end_array();
        out.end_object();
    }

    void get_by_sender(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 2);
        const Address sender = address_argument(call.params, 0);
        const std::uint64_t nonce =
            argument(call.params, 1, [](const JsonView& value) { return value.uint64(); });
        const auto found = find_by_sender(chain(), sender, nonce, call);
        if (!found.has_value()) return out.null();
        out.hash(found->block->transaction_hashes[found->index]);
    }

    /// What it reverted with; nothing where it did not.
    void get_error(const Call& call, JsonWriter& out) const {
        trace(call, [&](const CallListTracer&, const vm::Outcome& outcome) {
            out.hex(outcome.status == vm::Status::revert ? BytesView{outcome.output} : BytesView{});
        });
    }

    void trace_transaction(const Call& call, JsonWriter& out) const {
        trace(call, [&](CallListTracer& tracer, const vm::Outcome&) { tracer.write(out); });
    }

    void get_operations(const Call& call, JsonWriter& out) const {
        trace(call, [&](const CallListTracer& tracer, const vm::Outcome&) {
            out.begin_array();
            for (const CallListTracer::Entry& entry : tracer.entries()) {
                const auto type = operation_of(*entry.call);
                if (entry.depth == 0 || !type.has_value() || !entry.call->error.empty()) continue;
                out.begin_object();
                out.key("type");
                out.number(*type);
                out.key("from");
                out.address(entry.call->from);
                out.key("to");
                out.address(entry.call->to);
                out.key("value");
                out.quantity(entry.call->value);
                out.end_object();
            }
            out.end_array();
        });
    }

    void get_creator(const Call& call, JsonWriter& out) const;

private:
    [[nodiscard]] const Chain& chain() const noexcept { return services_.chain; }

    void write_members(const ServedBlock& block, JsonWriter& out) const {
        write_header_members(block.stored->block.header, block.stored->hash, out);
        out.key("size");
        out.quantity(std::uint64_t{block.size_bytes});
        out.key("transactionCount");
        out.quantity(std::uint64_t{block.transaction_hashes.size()});
    }

    void write_issuance(const ServedBlock& block, JsonWriter& out) const {
        const BlockEnv env = chain().env_of(
            {block.stored->block.header, block.stored->hash, block.stored->total_difficulty});
        const Uint256 reward = vm::block_reward(env.revision).value_or(Uint256{});
        const Uint256 for_ommers =
            reward * Uint256{block.stored->block.ommers.size()} / Uint256{32};
        out.begin_object();
        out.key("blockReward");
        out.quantity(reward);
        out.key("uncleReward");
        out.quantity(for_ommers);
        out.key("issuance");
        out.quantity(reward + for_ommers);
        out.end_object();
    }

    /// Executes transactions of the replay from its next one on, each of which is told of before it
    /// is kept, until `take` returns true.
    template <typename Take>
    void run(BlockReplay& replay, std::size_t end, const Call& call, Take take) const {
        TraceBudget budget(call.max_result_bytes == 0 ? std::numeric_limits<std::size_t>::max()
                                                      : call.max_result_bytes,
                           call.deadline);
        CallListTracer tracer(budget);
        vm::Evm evm(
            {.tracer = &tracer, .code_cache = chain().code_cache(), .lets_go_of_code = true});
        while (replay.next_index() < end) {
            call.check_deadline();
            TraceSubject subject;
            subject.tx = &replay.block().block.transactions[replay.next_index()];
            subject.env = &replay.env();
            subject.before = &replay.state();
            tracer.begin(subject);
            const simulation::Deadline deadline = deadline_of(call);
            const simulation::Supervision supervision(deadline, evm);
            const auto outcome = replay.execute_next(evm);
            if (!outcome.has_value())
                throw server_error(fmt::format("tracing failed: {}", to_string(outcome.error())));
            deadline.note_gas((*outcome)->executed_gas);
            if (vm::is_unfinished((*outcome)->status) ||
                budget.verdict() == TraceBudget::Verdict::too_late)
                simulation::Deadline::fail();
            tracer.end(**outcome);
            if (budget.verdict() == TraceBudget::Verdict::too_large)
                throw RpcError(
                    Code::response_too_large,
                    fmt::format("the trace is larger than {} bytes", call.max_result_bytes));
            if (take(tracer, **outcome)) return;
            replay.finish_next();
        }
    }

    template <typename Take>
    void trace(const Call& call, Take take) const {
        expect_at_most(call.params, 1);
        const auto place = take_or_refuse(chain().find_transaction(hash_argument(call.params, 0)));
        const SharedServedBlock block =
            place.has_value() ? rpc::take(chain().served_block(place->number)) : nullptr;
        if (!block) throw server_error("transaction not found");
        const auto replay = start_replay(chain(), block->stored);
        skip_to(place->index, *replay, chain(), call);
        run(*replay, place->index + 1, call, [&](CallListTracer& tracer, const vm::Outcome& out) {
            take(tracer, out);
            return true;
        });
    }

    const Services services_;
};

void OtsApi::get_creator(const Call& call, JsonWriter& out) const {
    expect_at_most(call.params, 1);
    const Address contract = address_argument(call.params, 0);
    const auto number = first_block_with(chain(), call, [&](const StateView& state) {
        const auto account = state.account(contract);
        return account.has_value() && account->has_code();
    });
    const SharedServedBlock block =
        number.has_value() ? take(chain().served_block(*number)) : nullptr;
    if (!block) return out.null();
    const auto replay = start_replay(chain(), block->stored);
    bool is_found = false;
    run(*replay, block->transaction_hashes.size(), call,
        [&](const CallListTracer& tracer, const vm::Outcome&) {
            for (const CallListTracer::Entry& entry : tracer.entries()) {
                if (!is_creation(entry.call->kind) || entry.call->to != contract ||
                    !entry.call->error.empty())
                    continue;
                is_found = true;
                out.begin_object();
                out.key("hash");
                out.hash(block->transaction_hashes[replay->next_index()]);
                out.key("creator");
                out.address(entry.call->from);
                out.end_object();
                return true;
            }
            return false;
        });
    if (!is_found) out.null();
}

}  // namespace

void add_ots_methods(MethodTable& table, const Services& services) {
    const auto api = std::make_shared<const OtsApi>(services);
    const auto add = [&](std::string name, void (OtsApi::*handler)(const Call&, JsonWriter&) const,
                         Weight weight) {
        table.add({.name = std::move(name),
                   .handler = with_failures_told([api, handler](const Call& call, JsonWriter& out) {
                       ((*api).*handler)(call, out);
                   }),
                   .weight = weight});
    };
    add("ots_getApiLevel", &OtsApi::get_api_level, Weight::light);
    add("erigon_getHeaderByNumber", &OtsApi::get_header, Weight::light);
    add("ots_getHeaderByNumber", &OtsApi::get_header, Weight::light);
    add("ots_hasCode", &OtsApi::has_code, Weight::light);
    add("ots_getBlockDetails", &OtsApi::get_block_details, Weight::reading);
    add("ots_getBlockDetailsByHash", &OtsApi::get_block_details, Weight::reading);
    add("ots_getBlockTransactions", &OtsApi::get_block_transactions, Weight::heavy);
    add("ots_getTransactionBySenderAndNonce", &OtsApi::get_by_sender, Weight::heavy);
    add("ots_getTransactionError", &OtsApi::get_error, Weight::executing);
    add("ots_traceTransaction", &OtsApi::trace_transaction, Weight::executing);
    add("ots_getInternalOperations", &OtsApi::get_operations, Weight::executing);
    add("ots_getContractCreator", &OtsApi::get_creator, Weight::executing);
}

}  // namespace heddle::node::rpc
