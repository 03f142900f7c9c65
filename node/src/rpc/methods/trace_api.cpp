// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/trace_api.hpp"

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
#include "simulation/call_request.hpp"
#include "simulation/call_site.hpp"
#include "simulation/deadline.hpp"
#include "tracing/flat_call_tracer.hpp"

namespace heddle::node::rpc {
namespace {

/// What is wanted of a transaction that is executed again.
struct Wanted {
    bool trace = false;
    bool state_diff = false;
};

Wanted to_wanted(const JsonView& list) {
    if (!list.is_array()) fail_input("expected a list of `trace` and `stateDiff`");
    Wanted wanted;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string_view name = list.element(i).string();
        if (name == "trace")
            wanted.trace = true;
        else if (name == "stateDiff")
            wanted.state_diff = true;
        else
            fail_input("{}: there are `trace` and `stateDiff`", name.substr(0, 40));
    }
    return wanted;
}

/// A value before and after: `"="`, `{"+": …}`, `{"-": …}` or `{"*": {"from", "to"}}`.
template <typename Value, typename Write>
void write_delta(const std::optional<Value>& before, const std::optional<Value>& after, Write write,
                 JsonWriter& out) {
    if (before == after) return out.string("=");
    out.begin_object();
    if (before.has_value() && after.has_value()) {
        out.key("*");
        out.begin_object();
        out.key("from");
        write(*before);
        out.key("to");
        write(*after);
        out.end_object();
    } else {
        out.key(after.has_value() ? "+" : "-");
        write(after.has_value() ? *after : *before);
    }
    out.end_object();
}

/// What a transaction did to the state in which it was executed.
class StateDiffWriter {
public:
    StateDiffWriter(const StateView& before, const StateDiff& diff)
        : before_(before), diff_(diff) {}

    void write(JsonWriter& out) const {
        out.begin_object();
        for (const AccountChange& change : diff_.accounts) {
            const auto old = before_.account(change.address);
            if (old == change.account && change.storage.empty()) continue;
            out.key(to_string(change.address));
            write_account(old, change, out);
        }
        out.end_object();
    }

private:
    template <typename Member>
    static auto member(const std::optional<Account>& account, Member pointer)
        -> std::optional<std::remove_cvref_t<decltype(std::declval<Account>().*pointer)>> {
        if (!account.has_value()) return std::nullopt;
        return *account.*pointer;
    }

    [[nodiscard]] Bytes code(const Hash& hash) const {
        for (const CodeChange& change : diff_.codes)
            if (change.hash == hash) return change.code;
        const BytesView known = before_.code(hash);
        return {known.begin(), known.end()};
    }

    void write_account(const std::optional<Account>& old, const AccountChange& change,
                       JsonWriter& out) const {
        const auto quantity = [&](const auto& value) { out.quantity(value); };
        out.begin_object();
        out.key("balance");
        write_delta(member(old, &Account::balance), member(change.account, &Account::balance),
                    quantity, out);
        out.key("code");
        write_delta(
            member(old, &Account::code_hash), member(change.account, &Account::code_hash),
            [&](const Hash& hash) { out.hex(code(hash)); }, out);
        out.key("nonce");
        write_delta(member(old, &Account::nonce), member(change.account, &Account::nonce), quantity,
                    out);
        out.key("storage");
        out.begin_object();
        for (const StorageChange& slot : change.storage) {
            const Uint256 value = before_.storage(change.address, slot.slot);
            if (value == slot.value) continue;
            out.key(to_string(to_hash(slot.slot)));
            write_delta(
                std::optional{value}, std::optional{slot.value},
                [&](const Uint256& word) { out.hash(to_hash(word)); }, out);
        }
        out.end_object();
        out.end_object();
    }

    const StateView& before_;
    const StateDiff& diff_;
};

/// The texts of an array's elements, one after the other without the brackets.
std::string_view without_brackets(std::string_view array) {
    return array.substr(1, array.size() - 2);
}

class TraceApi {
public:
    explicit TraceApi(const Services& services) : services_(services) {}

    void trace_block(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 1);
        const SharedBlock block = require_block(chain(), argument(call.params, 0, to_selector));
        std::string text;
        for (const std::string& traces : traces_of(call, block, std::nullopt)) {
            if (traces.size() == 2) continue;
            if (!text.empty()) text += ',';
            text += without_brackets(traces);
        }
        out.raw("[" + text + "]");
    }

    void trace_transaction(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 1);
        const auto found = find(hash_argument(call.params, 0));
        if (!found.has_value()) return out.null();
        out.raw(traces_of(call, found->block, found->index).front());
    }

    /// One of the traces of a transaction, by its position among them.
    void get_trace(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 2);
        const auto found = find(hash_argument(call.params, 0));
        const auto index = argument(call.params, 1, [](const JsonView& list) {
            if (list.size() != 1) fail_input("expected a list of one position");
            return list.element(0).uint64();
        });
        if (!found.has_value()) return out.null();
        const std::string traces = traces_of(call, found->block, found->index).front();
        const std::string_view trace = element_of(traces, index);
        if (trace.empty()) return out.null();
        out.raw(trace);
    }

    void replay_transaction(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 2);
        const Hash hash = hash_argument(call.params, 0);
        const Wanted wanted = argument(call.params, 1, to_wanted);
        const auto found = find(hash);
        if (!found.has_value()) throw server_error("transaction not found");
        const auto replay = start_replay(chain(), found->block);
        skip_to(found->index, *replay, chain(), call);
        Tracing tracing(call, false);
        out.begin_object();
        replay_next(*replay, wanted, tracing, out);
        out.end_object();
    }

    void replay_block(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 2);
        const BlockSelector selector = argument(call.params, 0, to_selector);
        const Wanted wanted = argument(call.params, 1, to_wanted);
        const auto replay = start_replay(chain(), require_block(chain(), selector));
        Tracing tracing(call, false);
        out.begin_array();
        for (const Transaction& tx : replay->block().block.transactions) {
            call.check_deadline();
            out.begin_object();
            replay_next(*replay, wanted, tracing, out);
            out.key("transactionHash");
            out.hash(transaction_hash(tx));
            out.end_object();
        }
        out.end_array();
    }

    void trace_call(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 3);
        simulation::CallRequest request = argument(call.params, 0, simulation::parse_call_request);
        const Wanted wanted = argument(call.params, 1, to_wanted);
        const simulation::CallSite site(
            chain(), select_call_state(services_, call.params.find(2), CallPurpose::view));
        const std::uint64_t cap = services_.limits.call_gas;
        simulation::fill_defaults(request,
                                  cap == 0 ? std::numeric_limits<std::int64_t>::max() : cap,
                                  site.has_base_fee(), site.env().chain_id);
        const Transaction tx = simulation::to_transaction(request);
        Tracing tracing(call, false);
        TraceSubject subject;
        subject.tx = &tx;
        subject.env = &site.env();
        subject.before = &site.state();
        tracing.tracer.begin(subject);
        vm::Evm evm({.tracer = &tracing.tracer, .code_cache = chain().code_cache()});
        vm::Outcome outcome;
        const auto executed = site.execute(tx, evm, outcome, deadline_of(call));
        if (!executed.has_value()) throw server_error(site.rejection(executed.error(), tx));
        out.begin_object();
        write_result(outcome, site.state(), wanted, tracing, out);
        out.end_object();
    }

private:
    struct Found {
        SharedBlock block;
        std::size_t index = 0;
    };
    /// The tracer of a request, and what its traces may take.
    struct Tracing {
        Tracing(const Call& the_call, bool with_place)
            : call(the_call),
              budget(the_call.max_result_bytes == 0 ? std::numeric_limits<std::size_t>::max()
                                                    : the_call.max_result_bytes,
                     the_call.deadline),
              tracer(budget, {.convert_parity_errors = true, .with_place = with_place}) {}

        const Call& call;
        TraceBudget budget;
        FlatCallTracer tracer;

        /// Errors: RpcError where the traces became too large or took too long.
        void end(const vm::Outcome& outcome) {
            if (outcome.status == vm::Status::stopped) simulation::Deadline::fail();
            if (!vm::is_unfinished(outcome.status)) tracer.end(outcome);
            if (budget.verdict() == TraceBudget::Verdict::too_late) simulation::Deadline::fail();
            if (budget.verdict() == TraceBudget::Verdict::too_large)
                throw RpcError(
                    Code::response_too_large,
                    fmt::format("the traces are larger than {} bytes", call.max_result_bytes));
        }
    };

    [[nodiscard]] const Chain& chain() const noexcept { return services_.chain; }

    [[nodiscard]] std::optional<Found> find(const Hash& hash) const {
        const auto place = take(chain().find_transaction(hash));
        if (!place.has_value()) return std::nullopt;
        const SharedServedBlock block = take(chain().served_block(place->number));
        if (!block) return std::nullopt;
        return Found{block->stored, place->index};
    }

    /// Executes the replay's next transaction; finish_next() has not been called yet.
    static const vm::Outcome& execute(BlockReplay& replay, Tracing& tracing, vm::Evm& evm) {
        const ledger::StoredBlock& block = replay.block();
        const std::size_t index = replay.next_index();
        TraceSubject subject;
        subject.tx = &block.block.transactions[index];
        subject.env = &replay.env();
        subject.before = &replay.state();
        subject.place =
            TraceSubject::Place{block.hash, block.block.header.number,
                                transaction_hash(*subject.tx), static_cast<std::uint32_t>(index)};
        subject.first_log_index = replay.log_count();
        tracing.tracer.begin(subject);
        const simulation::Deadline deadline = deadline_of(tracing.call);
        const simulation::Supervision supervision(deadline, evm);
        const auto outcome = replay.execute_next(evm);
        if (!outcome.has_value())
            throw server_error(fmt::format("tracing failed: {}", to_string(outcome.error())));
        deadline.note_gas((*outcome)->executed_gas);
        tracing.end(**outcome);
        return **outcome;
    }

    static void write_result(const vm::Outcome& outcome, const StateView& before,
                             const Wanted& wanted, Tracing& tracing, JsonWriter& out) {
        out.key("output");
        out.hex(outcome.output);
        out.key("stateDiff");
        if (wanted.state_diff)
            StateDiffWriter(before, outcome.diff).write(out);
        else
            out.null();
        out.key("trace");
        if (wanted.trace) {
            tracing.tracer.write(out);
        } else {
            out.begin_array();
            out.end_array();
        }
        out.key("vmTrace");
        out.null();
    }

    void replay_next(BlockReplay& replay, const Wanted& wanted, Tracing& tracing,
                     JsonWriter& out) const {
        vm::Evm evm({.tracer = &tracing.tracer, .code_cache = chain().code_cache()});
        const vm::Outcome& outcome = execute(replay, tracing, evm);
        write_result(outcome, replay.state(), wanted, tracing, out);
        replay.finish_next();
    }

    /// JSON arrays: of each transaction of the block, or of one.
    [[nodiscard]] std::vector<std::string> traces_of(const Call& call, const SharedBlock& block,
                                                     std::optional<std::size_t> index) const {
        const auto replay = start_replay(chain(), block);
        if (index.has_value()) skip_to(*index, *replay, chain(), call);
        Tracing tracing(call, true);
        vm::Evm evm({.tracer = &tracing.tracer, .code_cache = chain().code_cache()});
        std::vector<std::string> traces;
        const std::size_t end = index.has_value() ? *index + 1 : block->block.transactions.size();
        while (replay->next_index() < end) {
            call.check_deadline();
            (void)execute(*replay, tracing, evm);
            JsonWriter out(traces.emplace_back(), JsonWriter::Style::compact);
            tracing.tracer.write(out);
            replay->finish_next();
        }
        return traces;
    }

    /// The text of one element of an array of objects; empty: there is none.
    static std::string_view element_of(std::string_view array, std::uint64_t wanted) {
        std::size_t depth = 0;
        std::size_t begin = 0;
        bool in_text = false;
        for (std::size_t i = 1; i + 1 < array.size(); ++i) {
            const char c = array[i];
            if (in_text) {
                if (c == '\\') ++i;
                in_text = c != '"';
                continue;
            }
            in_text = c == '"';
            if (c == '{' && depth++ == 0) begin = i;
            if (c == '}' && --depth == 0 && wanted-- == 0)
                return array.substr(begin, i + 1 - begin);
        }
        return {};
    }

    const Services services_;
};

}  // namespace

void add_trace_methods(MethodTable& table, const Services& services) {
    const auto api = std::make_shared<const TraceApi>(services);
    const auto add = [&](std::string name,
                         void (TraceApi::*handler)(const Call&, JsonWriter&) const) {
        table.add({.name = std::move(name),
                   .handler = with_failures_told([api, handler](const Call& call, JsonWriter& out) {
                       ((*api).*handler)(call, out);
                   }),
                   .weight = Weight::executing});
    };
    add("trace_block", &TraceApi::trace_block);
    add("trace_transaction", &TraceApi::trace_transaction);
    add("trace_get", &TraceApi::get_trace);
    add("trace_replayTransaction", &TraceApi::replay_transaction);
    add("trace_replayBlockTransactions", &TraceApi::replay_block);
    add("trace_call", &TraceApi::trace_call);
}

}  // namespace heddle::node::rpc
