// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/execution_api.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <executor/block_graph.hpp>
#include <types/object.hpp>
#include <vm/evm.hpp>

#include "rpc/envelope/arguments.hpp"
#include "rpc/methods/block_replays.hpp"
#include "rpc/methods/simulation_failures.hpp"
#include "rpc/queries/block_selector.hpp"
#include "simulation/deadline.hpp"
#include "tracing/block_replay.hpp"

namespace heddle::node::rpc {
namespace {

using executor::BlockGraph;
using executor::GraphEdge;
using Kind = executor::ScheduleEvent::Kind;

constexpr std::uint64_t kUsualHistory = 256;
constexpr std::uint64_t kMostHistory = 4'096;
/// Of a block whose order is asked for. Where half of them pay somebody whose balance the other
/// half reads, there is an edge for each pair: two million, in some 50 MB.
constexpr std::size_t kMostOrdered = 3'000;
/// For whom a transaction waits: the last ones, which end last in all likelihood.
constexpr std::size_t kMostWaits = 4;
constexpr std::size_t kMostCauses = 3;
constexpr std::size_t kMostObjects = 64;

const char* name_of(Kind kind) noexcept {
    switch (kind) {
        case Kind::attempted:
            return "attempted";
        case Kind::given_up:
            return "givenUp";
        case Kind::accepted:
            return "accepted";
        case Kind::repaired:
            return "repaired";
        case Kind::in_order:
            return "inOrder";
        case Kind::confirmed:
            return "confirmed";
    }
    return "unknown";
}

const char* name_of(ObjectKind kind) noexcept {
    switch (kind) {
        case ObjectKind::balance:
            return "balance";
        case ObjectKind::nonce:
            return "nonce";
        case ObjectKind::code:
            return "code";
        case ObjectKind::storage:
            return "storage";
        case ObjectKind::storage_all:
            return "allStorage";
    }
    return "unknown";
}

void write_member(const char* name, std::uint64_t value, JsonWriter& out) {
    out.key(name);
    out.number(value);
}

void write_figures(const ExecutionFigures& figures, JsonWriter& out) {
    write_member("number", figures.number, out);
    out.key("hash");
    out.hash(figures.hash);
    write_member("timestamp", figures.timestamp, out);
    write_member("transactions", figures.transactions, out);
    write_member("gasUsed", figures.gas_used, out);
    write_member("recoveryNs", figures.recovery_ns, out);
    write_member("executionNs", figures.execution_ns, out);
    write_member("triesNs", figures.tries_ns, out);
    write_member("diskNs", figures.disk_ns, out);
    write_member("busyNs", figures.busy_ns, out);
    write_member("workers", figures.workers, out);
    write_member("attempted", figures.attempted, out);
    write_member("lost", figures.lost, out);
    write_member("repaired", figures.repaired, out);
    write_member("inOrder", figures.in_order, out);
    write_member("notKept", figures.not_kept, out);
}

/// Rows of transaction, worker, begin, end, kind and whether it is final: a block may have tens of
/// thousands.
void write_runs(const BlockRuns& runs, JsonWriter& out) {
    out.begin_array();
    for (const TransactionRun& run : runs) {
        out.begin_array();
        out.number(run.index);
        out.number(run.worker);
        out.number(run.begin_ns);
        out.number(run.end_ns);
        out.string(name_of(run.kind));
        out.boolean(run.is_final);
        out.end_array();
    }
    out.end_array();
}

Handler block_execution(const Services& services, const ExecutionLog* log) {
    return at_most(1, [services, log](const Call& call, JsonWriter& out) {
        const SharedServedBlock block =
            find_served_block(services.chain, selector_argument(call.params, 0));
        if (!block || log == nullptr) return out.null();
        const auto found = log->find(block->stored->hash);
        if (!found.has_value()) return out.null();
        out.begin_object();
        write_figures(found->figures, out);
        out.key("runs");
        if (found->runs)
            write_runs(*found->runs, out);
        else
            out.null();
        out.end_object();
    });
}

Handler execution_history(const ExecutionLog* log) {
    return at_most(1, [log](const Call& call, JsonWriter& out) {
        // A count, not a quantity of the chain: a plain number does as well as hexadecimal text.
        const std::uint64_t count = find_argument(call.params, 0, [](const JsonView& value) {
                                        return value.uint64();
                                    }).value_or(kUsualHistory);
        out.begin_array();
        if (log != nullptr) {
            for (const ExecutionFigures& figures : log->newest(std::min(count, kMostHistory))) {
                out.begin_object();
                write_figures(figures, out);
                out.end_object();
            }
        }
        out.end_array();
    });
}

/// What every transaction of a block touches, in the order of the block.
struct Touched {
    std::vector<ObjectSet> sets;
    std::vector<std::uint64_t> costs;  // gas
    std::vector<Address> senders;
};

/// Executes the block again. Errors: as skip_to().
Touched execute_again(const Chain& chain, const SharedBlock& block, const Call& call) {
    const auto replay = start_replay(chain, block);
    vm::Evm evm(
        {.code_cache = chain.code_cache(), .record_accesses = true, .lets_go_of_code = true});
    const simulation::Deadline deadline = deadline_of(call);
    const simulation::Supervision supervision(deadline, evm);
    Touched touched;
    const std::vector<Transaction>& transactions = block->block.transactions;
    for (const Transaction& tx : transactions) {
        deadline.check();
        const auto run = replay->execute_next(evm);
        if (!run.has_value())
            throw server_error(fmt::format("transaction {} of the block failed: {}",
                                           replay->next_index(), to_string(run.error())));
        const vm::Outcome& outcome = **run;
        deadline.note_gas(outcome.executed_gas);
        if (vm::is_unfinished(outcome.status)) simulation::Deadline::fail();
        std::optional<Address> fee_recipient;
        if (outcome.deferred_fee.has_value()) fee_recipient = replay->env().beneficiary;
        touched.sets.push_back(outcome.accesses.object_set(fee_recipient));
        touched.costs.push_back(outcome.receipt.gas_used);
        touched.senders.push_back(tx.sender.value_or(Address{}));
        replay->finish_next();
    }
    return touched;
}

void write_object(const ObjectId& object, JsonWriter& out) {
    out.key("kind");
    out.string(name_of(object.kind));
    out.key("address");
    out.address(object.address);
    if (object.kind != ObjectKind::storage) return;
    out.key("slot");
    out.quantity(object.slot);
}

/// Objects are named by their place in the list that is written: each that is named, once.
class NamedObjects {
public:
    explicit NamedObjects(const BlockGraph& graph) : graph_(graph) {
        for (const executor::ObjectLoad& load : graph.serialisers)
            if (named_.size() < kMostObjects) (void)name(load.object);
    }
    /// @param object  In the graph.
    [[nodiscard]] std::size_t name(std::uint32_t object) {
        const auto [found, is_new] = names_.try_emplace(object, named_.size());
        if (is_new) named_.push_back(object);
        return found->second;
    }
    void write(JsonWriter& out) const {
        std::map<std::uint32_t, executor::ObjectLoad> loads;
        for (const executor::ObjectLoad& load : graph_.serialisers)
            loads.emplace(load.object, load);
        out.begin_array();
        for (const std::uint32_t object : named_) {
            out.begin_object();
            write_object(graph_.objects[object], out);
            const auto load = loads.find(object);
            write_member("waiting", load == loads.end() ? 0 : load->second.waiting, out);
            write_member("criticalGas", load == loads.end() ? 0 : load->second.critical_cost, out);
            out.end_object();
        }
        out.end_array();
    }

private:
    const BlockGraph& graph_;
    std::map<std::uint32_t, std::size_t> names_;
    std::vector<std::uint32_t> named_;
};

/// Rows of transaction, the one that it waits for, and objects: of each transaction the last ones
/// that it waits for, and any that comes before it on the critical path.
void write_waits(const BlockGraph& graph, NamedObjects& objects, JsonWriter& out) {
    std::map<std::uint32_t, std::uint32_t> before;  // on the critical path
    for (std::size_t i = 1; i < graph.critical_path.size(); ++i)
        before[graph.critical_path[i]] = graph.critical_path[i - 1];
    out.begin_array();
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
        const GraphEdge& edge = graph.edges[i];
        const bool is_last =
            i + kMostWaits >= graph.edges.size() || graph.edges[i + kMostWaits].to != edge.to;
        const auto critical = before.find(edge.to);
        if (!is_last && (critical == before.end() || critical->second != edge.from)) continue;
        out.begin_array();
        out.number(edge.to);
        out.number(edge.from);
        out.begin_array();
        const auto causes = graph.causes_of(edge);
        for (const std::uint32_t cause : causes.first(std::min(causes.size(), kMostCauses)))
            out.number(objects.name(cause));
        out.end_array();
        out.end_array();
    }
    out.end_array();
}

Handler block_order(const Services& services) {
    return at_most(1, [services](const Call& call, JsonWriter& out) {
        const SharedBlock block = require_block(services.chain, selector_argument(call.params, 0));
        const std::size_t count = block->block.transactions.size();
        if (count > kMostOrdered)
            throw RpcError(Code::limit_exceeded,
                           fmt::format("the block has {} transactions; the order is found of at "
                                       "most {}",
                                       count, kMostOrdered));
        const Touched touched = execute_again(services.chain, block, call);
        const BlockGraph graph =
            executor::make_block_graph(touched.sets, touched.costs, touched.senders);
        NamedObjects objects(graph);
        out.begin_object();
        write_member("number", block->block.header.number, out);
        out.key("hash");
        out.hash(block->hash);
        write_member("transactions", count, out);
        write_member("totalGas", graph.total_cost, out);
        write_member("criticalGas", graph.critical_cost, out);
        out.key("criticalPath");
        out.begin_array();
        for (const std::uint32_t index : graph.critical_path)
            out.number(index);
        out.end_array();
        write_member("edges", graph.edges.size(), out);
        out.key("waits");
        write_waits(graph, objects, out);
        out.key("objects");
        objects.write(out);
        out.end_object();
    });
}

}  // namespace

void add_execution_methods(MethodTable& table, const Services& services, const ExecutionLog* log,
                           const ContractArtifacts& artifacts) {
    std::string written;
    JsonWriter writer{written, JsonWriter::Style::compact};
    write_artifacts(artifacts, writer);
    table.add({"heddle_artifacts",
               at_most(0, [text = std::make_shared<const std::string>(std::move(written))](
                              const Call& /*call*/, JsonWriter& out) { out.raw(*text); }),
               Weight::heavy});
    table.add({"heddle_blockExecution", block_execution(services, log), Weight::heavy});
    table.add({"heddle_blockOrder", block_order(services), Weight::executing});
    table.add({"heddle_executionHistory", execution_history(log), Weight::heavy});
}

}  // namespace heddle::node::rpc
