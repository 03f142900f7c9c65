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

#include <types/sender_recovery.hpp>

#include "rpc/envelope/arguments.hpp"
#include "rpc/methods/block_replays.hpp"
#include "rpc/methods/flat_traces.hpp"
#include "rpc/methods/simulation_failures.hpp"
#include "rpc/methods/trace_filter.hpp"
#include "rpc/queries/block_selector.hpp"
#include "simulation/call_request.hpp"
#include "simulation/call_site.hpp"

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

std::vector<std::pair<simulation::CallRequest, Wanted>> to_calls(const JsonView& list) {
    if (!list.is_array()) fail_input("expected a list of calls");
    std::vector<std::pair<simulation::CallRequest, Wanted>> calls;
    calls.reserve(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
        const JsonView pair = list.element(i);
        if (!pair.is_array() || pair.size() != 2)
            fail_input("expected a call and what is wanted of it at position {}", i);
        calls.emplace_back(simulation::parse_call_request(pair.element(0)),
                           to_wanted(pair.element(1)));
    }
    return calls;
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
        FlatTraces traces(call, chain(), false);
        out.begin_object();
        replay_next(*replay, wanted, traces, out);
        out.end_object();
    }

    void replay_block(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 2);
        const BlockSelector selector = argument(call.params, 0, to_selector);
        const Wanted wanted = argument(call.params, 1, to_wanted);
        const auto replay = start_replay(chain(), require_block(chain(), selector));
        FlatTraces traces(call, chain(), false);
        out.begin_array();
        for (const Transaction& tx : replay->block().block.transactions) {
            call.check_deadline();
            out.begin_object();
            replay_next(*replay, wanted, traces, out);
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
        simulation::CallSite site(
            chain(),
            select_call_state(services_, selector_argument(call.params, 2), CallPurpose::view));
        site.lift_execution_cap();
        FlatTraces traces(call, chain(), false);
        execute_call(site, filled(std::move(request), site), wanted, traces, out);
    }

    /// Each on the state that those before it leave.
    void trace_calls(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 2);
        std::vector<std::pair<simulation::CallRequest, Wanted>> calls =
            argument(call.params, 0, to_calls);
        simulation::CallSite site(
            chain(),
            select_call_state(services_, selector_argument(call.params, 1), CallPurpose::view));
        site.lift_execution_cap();
        FlatTraces traces(call, chain(), false);
        out.begin_array();
        for (auto& [request, wanted] : calls) {
            call.check_deadline();
            execute_call(site, filled(std::move(request), site), wanted, traces, out);
        }
        out.end_array();
    }

    /// A signed transaction as the next block would execute it.
    void trace_raw(const Call& call, JsonWriter& out) const {
        expect_at_most(call.params, 2);
        auto decoded = decode_transaction(bytes_argument(call.params, 0));
        const Wanted wanted = argument(call.params, 1, to_wanted);
        if (!decoded.has_value())
            throw server_error(
                fmt::format("the transaction cannot be decoded: {}", to_string(decoded.error())));
        decoded->sender = recover_sender(*decoded);
        if (!decoded->sender.has_value()) throw server_error("invalid sender");
        simulation::CallSite site(chain(),
                                  select_call_state(services_, {}, CallPurpose::transaction));
        FlatTraces traces(call, chain(), false);
        execute_call(site, {*std::move(decoded), {}}, wanted, traces, out);
    }

private:
    struct Found {
        SharedBlock block;
        std::size_t index = 0;
    };
    [[nodiscard]] const Chain& chain() const noexcept { return services_.chain; }

    [[nodiscard]] std::optional<Found> find(const Hash& hash) const {
        const auto place = take(chain().find_transaction(hash));
        if (!place.has_value()) return std::nullopt;
        const SharedServedBlock block = take(chain().served_block(place->number));
        if (!block) return std::nullopt;
        return Found{block->stored, place->index};
    }

    [[nodiscard]] simulation::CallTransaction filled(simulation::CallRequest request,
                                                     const simulation::CallSite& site) const {
        const std::uint64_t cap = services_.limits.call_gas;
        simulation::fill_defaults(request,
                                  cap == 0 ? std::numeric_limits<std::int64_t>::max() : cap,
                                  site.has_base_fee(), site.env().chain_id);
        return simulation::to_transaction(request);
    }

    /// What it changes stays at the site.
    static void execute_call(simulation::CallSite& site, const simulation::CallTransaction& tx,
                             const Wanted& wanted, FlatTraces& traces, JsonWriter& out) {
        vm::Outcome outcome;
        traces.execute(site, tx, outcome);
        out.begin_object();
        write_result(outcome, site.state(), wanted, traces, out);
        out.end_object();
        site.keep(outcome.diff);
    }

    static void write_result(const vm::Outcome& outcome, const StateView& before,
                             const Wanted& wanted, FlatTraces& traces, JsonWriter& out) {
        out.key("output");
        out.hex(outcome.output);
        out.key("stateDiff");
        if (wanted.state_diff)
            StateDiffWriter(before, outcome.diff).write(out);
        else
            out.null();
        out.key("trace");
        if (wanted.trace) {
            traces.tracer().write(out);
        } else {
            out.begin_array();
            out.end_array();
        }
        out.key("vmTrace");
        out.null();
    }

    static void replay_next(BlockReplay& replay, const Wanted& wanted, FlatTraces& traces,
                            JsonWriter& out) {
        const vm::Outcome& outcome = traces.execute(replay);
        write_result(outcome, replay.state(), wanted, traces, out);
        replay.finish_next();
    }

    /// JSON arrays: of each transaction of the block, or of one.
    [[nodiscard]] std::vector<std::string> traces_of(const Call& call, const SharedBlock& block,
                                                     std::optional<std::size_t> index) const {
        const auto replay = start_replay(chain(), block);
        if (index.has_value()) skip_to(*index, *replay, chain(), call);
        FlatTraces tracing(call, chain(), true);
        std::vector<std::string> traces;
        const std::size_t end = index.has_value() ? *index + 1 : block->block.transactions.size();
        while (replay->next_index() < end) {
            call.check_deadline();
            (void)tracing.execute(*replay);
            JsonWriter out(traces.emplace_back(), JsonWriter::Style::compact);
            tracing.tracer().write(out);
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
    add("trace_callMany", &TraceApi::trace_calls);
    add("trace_rawTransaction", &TraceApi::trace_raw);
    table.add(trace_filter_method(services));
}

}  // namespace heddle::node::rpc
