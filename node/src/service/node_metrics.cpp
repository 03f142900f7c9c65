// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/node_metrics.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "building/chain_application.hpp"
#include "cometbft/comet_monitor.hpp"
#include "cometbft/transaction_forwarder.hpp"
#include "lanes/lane_engine.hpp"
#include "replication/replication.hpp"
#include "service/follow_engine.hpp"
#include "service/lane_metrics.hpp"
#include "service/metric_group.hpp"

namespace heddle::node {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;
using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using Buckets = Histogram::BucketBoundaries;

/// In seconds: from a light call to the longest that is allowed.
const Buckets kCallBuckets{0.00001, 0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01,
                           0.03,    0.1,     0.3,    1,      3,     10};
const Buckets kStageBuckets{0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3};
const Buckets kTransactionBuckets{0, 1, 10, 30, 100, 300, 1'000, 3'000, 10'000};

template <typename Duration>
double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}
double seconds_of(std::uint64_t nanoseconds) {
    return seconds(std::chrono::nanoseconds{nanoseconds});
}
template <typename Number>
double number(Number value) {
    return static_cast<double>(value);
}

/// What only a node under CometBFT has.
struct CometMetrics : MetricGroup {
    using MetricGroup::MetricGroup;

    Gauge& reachable = gauge("heddle_consensus_reachable", "1 while CometBFT answers.");
    Gauge& peers = gauge("heddle_consensus_peers", "Peers of CometBFT.");
    Gauge& height = gauge("heddle_consensus_height", "Newest block that CometBFT has.");
    Gauge& catching_up =
        gauge("heddle_consensus_catching_up", "1 while CometBFT takes blocks decided earlier.");
    Gauge& voting_power =
        gauge("heddle_consensus_voting_power", "Of this validator; 0: it is none.");

    Histogram& process = BuildHistogram()
                             .Name("heddle_consensus_process_seconds")
                             .Help("Judging a proposal.")
                             .Register(registry)
                             .Add({}, kStageBuckets);
    Family<Counter>& proposals = BuildCounter()
                                     .Name("heddle_consensus_proposals_total")
                                     .Help("Proposals prepared here, accepted and rejected.")
                                     .Register(registry);
    Counter& prepared = proposals.Add({{"result", "prepared"}});
    Counter& accepted = proposals.Add({{"result", "accepted"}});
    Counter& rejected = proposals.Add({{"result", "rejected"}});
    Counter& left_out = counter("heddle_consensus_left_out_transactions_total",
                                "Decided transactions that could not be executed.");
    Counter& declared = counter("heddle_consensus_declared_transactions_total",
                                "Transactions with an object set from their proposer.");
    Counter& wrongly_declared = counter("heddle_consensus_wrongly_declared_transactions_total",
                                        "Of these, accessed something else.");
    Counter& with_list = counter("heddle_consensus_blocks_with_list_total",
                                 "Decided blocks with an access list from their proposer.");
    Counter& listed =
        counter("heddle_consensus_listed_blocks_total", "Of these, executed here from their list.");
    Counter& wrong_lists = counter("heddle_consensus_wrong_lists_total",
                                   "Of these, whose list is that of another block.");

    Counter& forwarded = counter("heddle_mempool_forwarded_transactions_total",
                                 "Local transactions that CometBFT took.");
    Counter& refused = counter("heddle_mempool_forward_refused_total",
                               "Local transactions that CometBFT refused.");
    Counter& retried = counter("heddle_mempool_forward_retried_total",
                               "Local transactions not taken for now: full, or not reachable.");
    Counter& resent = counter("heddle_mempool_forward_resent_total",
                              "Local transactions handed in again because no block had them.");
    Gauge& waiting = gauge("heddle_mempool_forward_waiting",
                           "Local transactions that CometBFT has not been given.");

    void look(const CometView& view) {
        reachable.Set(view.is_reachable ? 1 : 0);
        peers.Set(view.is_reachable ? number(view.status.peers) : 0);
        height.Set(number(view.status.latest_height));
        catching_up.Set(view.status.is_catching_up ? 1 : 0);
        voting_power.Set(number(view.status.voting_power));
    }
    void look(const ForwarderCounters& counters) {
        catch_up(forwarded, counters.forwarded);
        catch_up(refused, counters.refused);
        catch_up(retried, counters.retried);
        catch_up(resent, counters.resent);
        waiting.Set(number(counters.waiting));
    }
};

/// What only a node that follows another one has.
struct FollowMetrics : MetricGroup {
    using MetricGroup::MetricGroup;

    Gauge& reachable = gauge("heddle_follow_reachable", "1 while the origin answers.");
    Gauge& newest = gauge("heddle_follow_newest_number", "Newest block of the origin.");
    Gauge& final = gauge("heddle_follow_final_number", "Newest block that is to be taken.");
    Gauge& distance =
        gauge("heddle_follow_distance_blocks", "Blocks that are to be taken and are not kept yet.");
    Counter& blocks = counter("heddle_follow_fetched_blocks_total", "Blocks that came.");
    Counter& bytes = counter("heddle_follow_fetched_bytes_total", "Size of these.");
    Counter& retries = counter("heddle_follow_retries_total",
                               "Questions asked again, and conversations begun anew.");
    Counter& reorganisations =
        counter("heddle_follow_reorganisations_total", "Times that the origin's chain changed.");
    Counter& refused = counter("heddle_follow_refused_blocks_total",
                               "Blocks that were not what their headers claim.");

    void look(const FollowEngine& engine, double head) {
        const auto status = engine.status();
        reachable.Set(status.is_connected ? 1 : 0);
        newest.Set(number(status.newest));
        final.Set(number(status.final));
        distance.Set(std::max(0.0, number(status.final) - head));
        const auto counters = engine.counters();
        catch_up(blocks, counters.fetched_blocks);
        catch_up(bytes, counters.fetched_bytes);
        catch_up(retries, counters.retries);
        catch_up(reorganisations, counters.reorganisations);
        catch_up(refused, counters.refused_blocks);
    }
};

/// What only a member of a replicated chain has.
struct ReplicationMetrics : MetricGroup {
    using MetricGroup::MetricGroup;

    Gauge& epoch = gauge("heddle_replication_epoch", "The epoch of this member.");
    Gauge& primary = gauge("heddle_replication_primary", "1 at the primary.");
    Gauge& state = gauge("heddle_replication_state",
                         "0: good, 1: degraded, 2: stopped or fenced, 3: cannot follow.");
    Gauge& kept = gauge("heddle_replication_kept_number", "Newest block here.");
    Gauge& shown = gauge("heddle_replication_shown_number", "Newest that is shown.");
    Family<Gauge>& numbers =
        gauges("heddle_replication_backup_number", "Newest block on the disk of a backup.");
    Family<Gauge>& connections =
        gauges("heddle_replication_backup_connected", "1 while it is connected and not lost.");
    Counter& lost = counter("heddle_replication_lost_backups_total",
                            "Backups that said nothing for the timeout.");

    void look(const replication::Replication& replication) {
        const auto health = replication.health();
        const auto status = replication.status();
        epoch.Set(number(status.state.epoch));
        primary.Set(health.is_primary ? 1 : 0);
        const std::string& condition = health.condition;
        state.Set(condition == "good"                               ? 0
                  : condition == "degraded"                         ? 1
                  : condition == "stopped" || condition == "fenced" ? 2
                                                                    : 3);
        kept.Set(number(status.kept));
        shown.Set(number(status.shown));
        catch_up(lost, health.lost_backups);
        for (const auto& backup : status.backups) {
            numbers.Add({{"member", backup.name}}).Set(number(backup.number));
            connections.Add({{"member", backup.name}})
                .Set(backup.is_connected && !backup.is_lost ? 1 : 0);
        }
    }
};

}  // namespace

struct NodeMetrics::Impl {
    Gauge& gauge(const char* name, const char* help) { return group.gauge(name, help); }
    Counter& counter(const char* name, const char* help) { return group.counter(name, help); }
    Histogram& stage(const char* name, const char* help) {
        return BuildHistogram().Name(name).Help(help).Register(registry).Add({}, kStageBuckets);
    }

    prometheus::Registry registry;
    const MetricGroup group{registry};

    Gauge& head = gauge("heddle_chain_head_number", "Number of the newest block.");
    Gauge& head_time = gauge("heddle_chain_head_timestamp_seconds", "Timestamp of that block.");
    Gauge& durable =
        gauge("heddle_ledger_durable_number", "Newest block that survives a loss of power.");
    Gauge& ledger_value_bytes =
        gauge("heddle_ledger_value_bytes", "Memory of accounts and slots, about.");
    Gauge& ledger_code_bytes =
        gauge("heddle_ledger_code_bytes", "Memory of code that was read or deployed lately.");
    Gauge& ledger_trie_bytes = gauge("heddle_ledger_trie_bytes", "Memory of the tries' nodes.");
    Gauge& ledger_change_bytes =
        gauge("heddle_ledger_change_bytes", "Changes of blocks since the last checkpoint.");
    Gauge& ledger_waiting_blocks =
        gauge("heddle_ledger_waiting_blocks", "Committed blocks that are not on the disk yet.");
    Gauge& ledger_waiting_bytes = gauge("heddle_ledger_waiting_bytes", "Memory of these.");
    Gauge& block_cache_bytes =
        gauge("heddle_ledger_block_cache_bytes", "RocksDB: blocks of files in its cache.");
    Gauge& write_buffer_bytes =
        gauge("heddle_ledger_write_buffer_bytes", "RocksDB: memtables of all tables.");
    Gauge& table_reader_bytes =
        gauge("heddle_ledger_table_reader_bytes", "RocksDB: open files, beside its cache.");
    Counter& transactions =
        counter("heddle_chain_transactions_total", "Transactions of committed blocks.");
    Counter& gas = counter("heddle_chain_gas_total", "Gas used by committed blocks.");

    Counter& wasted_gas = counter("heddle_executor_wasted_gas_total",
                                  "Gas executed ahead of its turn by attempts that did not hold.");
    Histogram& recovery = stage("heddle_executor_recovery_seconds", "Senders of a block.");
    Histogram& execution = stage("heddle_executor_execution_seconds", "Transactions of a block.");
    Histogram& verification =
        stage("heddle_executor_verification_seconds", "Header, body and roots of a block.");
    Histogram& root = stage("heddle_executor_root_seconds", "State root of a block.");

    Gauge& executor_cells =
        gauge("heddle_executor_cells", "Accounts and slots in flight or kept at hand.");
    Gauge& executor_cell_bytes =
        gauge("heddle_executor_cell_bytes", "Memory held for these, used or not.");
    Gauge& executor_record_bytes = gauge("heddle_executor_record_bytes",
                                         "Memory held for what the scheduler remembers of these.");
    Gauge& executor_code_bytes =
        gauge("heddle_executor_code_bytes", "Code deployed in flight or lately.");
    Gauge& executor_attempts =
        gauge("heddle_executor_attempts", "Buffers of transactions executed ahead of their turn.");
    Gauge& executor_list_bytes = gauge("heddle_executor_list_bytes",
                                       "Memory held for access lists of blocks run from them.");
    Gauge& executor_unfinished_bytes =
        gauge("heddle_executor_unfinished_bytes", "Blocks that the ledger does not have yet.");
    Gauge& executor_waiting_blocks =
        gauge("heddle_executor_waiting_blocks", "Of these, executed to their end.");

    Histogram& prepare = stage("heddle_consensus_prepare_seconds", "Choosing transactions.");
    Histogram& finalize = stage("heddle_consensus_finalize_seconds", "Executing a block.");
    Histogram& commit = stage("heddle_consensus_commit_seconds", "Keeping a block on the disk.");
    Histogram& block_transactions = BuildHistogram()
                                        .Name("heddle_consensus_block_transactions")
                                        .Help("Transactions of a sealed block.")
                                        .Register(registry)
                                        .Add({}, kTransactionBuckets);
    Counter& executions = counter("heddle_consensus_executions_total",
                                  "Times that blocks were executed after they were decided; not "
                                  "those that were proposed here.");
    Counter& failures =
        counter("heddle_consensus_failures_total", "Blocks that could not be made.");

    Family<Gauge>& pool = BuildGauge()
                              .Name("heddle_mempool_transactions")
                              .Help("Transactions waiting for a block.")
                              .Register(registry);
    Gauge& pool_pending = pool.Add({{"state", "pending"}});
    Gauge& pool_queued = pool.Add({{"state", "queued"}});
    Gauge& pool_bytes = gauge("heddle_mempool_size_bytes", "Memory that these transactions take.");

    Family<Gauge>& kept =
        BuildGauge()
            .Name("heddle_node_kept_bytes")
            .Help(
                "Memory of what is kept at hand for whoever asks next: code made ready to run, "
                "blocks that were asked about, their logs, blooms and fees, how blocks ran.")
            .Register(registry);

    Family<Histogram>& calls = BuildHistogram()
                                   .Name("heddle_rpc_call_seconds")
                                   .Help("JSON-RPC calls by method.")
                                   .Register(registry);
    Family<Counter>& call_errors = BuildCounter()
                                       .Name("heddle_rpc_errors_total")
                                       .Help("JSON-RPC calls that failed, by method and code.")
                                       .Register(registry);
    Gauge& connections = gauge("heddle_rpc_connections", "Open connections.");
    Gauge& websockets = gauge("heddle_rpc_websockets", "Of these, WebSockets.");
    Gauge& waiting = gauge("heddle_rpc_queued_requests", "Requests that wait for a thread.");
    Gauge& buffered = gauge("heddle_rpc_buffered_bytes", "Large requests and responses.");
    Counter& refused_connections = counter("heddle_rpc_refused_connections_total",
                                           "Connections refused: too many, of all or of one "
                                           "address.");
    Counter& given_up = counter("heddle_rpc_given_up_connections_total",
                                "Connections closed for others, having waited longest.");
    Counter& timed_out = counter("heddle_rpc_timed_out_connections_total",
                                 "Connections closed for being slow or idle.");
    Counter& requests = counter("heddle_rpc_requests_total", "Requests; a batch is one.");
    Counter& refused = counter("heddle_rpc_refused_requests_total",
                               "Requests refused for lack of threads, memory or gas.");
    Counter& rejected = counter("heddle_rpc_rejected_requests_total",
                                "Requests rejected: host, token, size, malformed HTTP.");
    Counter& cut_off =
        counter("heddle_rpc_cut_off_total", "WebSockets closed because they did not read.");

    std::once_flag comet_once;
    std::optional<CometMetrics> comet_metrics;  // made when first asked for
    std::mutex mutex;
    std::optional<FollowMetrics> follow_metrics;            // guarded by mutex
    std::optional<ReplicationMetrics> replication_metrics;  // guarded by mutex
    std::optional<LaneMetrics> lane_metrics;                // guarded by mutex
    Watched watched;                                        // guarded by mutex
    // Of calls, which wait for nobody who makes a page.
    std::mutex calls_mutex;
    std::map<std::string, Histogram*, std::less<>> by_method;  // guarded by calls_mutex

    Histogram& call_histogram(std::string_view method) {
        const std::scoped_lock lock{calls_mutex};
        const auto found = by_method.find(method);
        if (found != by_method.end()) return *found->second;
        Histogram& histogram = calls.Add({{"method", std::string{method}}}, kCallBuckets);
        by_method.emplace(method, &histogram);
        return histogram;
    }

    CometMetrics& comet() {
        std::call_once(comet_once, [this] { comet_metrics.emplace(registry); });
        return *comet_metrics;
    }

    void look(const executor::MemoryUse& use) {
        executor_cells.Set(number(use.cells));
        executor_cell_bytes.Set(number(use.cell_bytes));
        executor_record_bytes.Set(number(use.record_bytes));
        executor_code_bytes.Set(number(use.code_bytes));
        executor_attempts.Set(number(use.attempts));
        executor_list_bytes.Set(number(use.list_bytes));
        executor_unfinished_bytes.Set(number(use.unfinished_bytes));
        executor_waiting_blocks.Set(number(use.executed_blocks));
    }

    void look(const ledger::LedgerMemory& memory) {
        ledger_value_bytes.Set(number(memory.values));
        ledger_code_bytes.Set(number(memory.codes));
        ledger_trie_bytes.Set(number(memory.tries));
        ledger_change_bytes.Set(number(memory.changes));
        ledger_waiting_blocks.Set(number(memory.waiting_blocks));
        ledger_waiting_bytes.Set(number(memory.waiting_bytes));
        block_cache_bytes.Set(number(memory.block_cache));
        write_buffer_bytes.Set(number(memory.write_buffers));
        table_reader_bytes.Set(number(memory.table_readers));
    }

    // Under the lock.
    void look() {
        if (watched.chain != nullptr) {
            const SharedBlock block = watched.chain->head_block();
            head.Set(number(block->block.header.number));
            head_time.Set(number(block->block.header.timestamp));
            durable.Set(number(watched.chain->ledger().durable()));
            look(watched.chain->ledger().memory());
        }
        if (watched.application != nullptr) look(watched.application->executor_memory());
        if (watched.mempool != nullptr) {
            const MempoolStatus status = watched.mempool->status();
            pool_pending.Set(number(status.pending));
            pool_queued.Set(number(status.queued));
            pool_bytes.Set(number(status.memory));
        }
        if (watched.kept != nullptr)
            for (const auto& [part, bytes] : watched.kept->now())
                kept.Add({{"part", part}}).Set(number(bytes));
        if (watched.server != nullptr) {
            const rpc::ServerCounters counters = watched.server->counters();
            connections.Set(number(counters.connections));
            websockets.Set(number(counters.websockets));
            waiting.Set(number(counters.queued_requests));
            buffered.Set(number(counters.buffered_bytes));
            catch_up(refused_connections, counters.refused);
            catch_up(given_up, counters.given_up);
            catch_up(timed_out, counters.timed_out);
            catch_up(requests, counters.requests);
            catch_up(refused, counters.refused_requests);
            catch_up(rejected, counters.rejected_requests);
            catch_up(cut_off, counters.cut_off);
        }
        if (watched.comet != nullptr) comet().look(watched.comet->view());
        if (watched.forwarder != nullptr) comet().look(watched.forwarder->counters());
        if (watched.follower != nullptr) {
            look(watched.follower->executor_memory());
            if (!follow_metrics) follow_metrics.emplace(registry);
            follow_metrics->look(*watched.follower, head.Value());
        }
        if (watched.replication != nullptr) {
            if (const auto use = watched.replication->executor_memory()) look(*use);
            if (!replication_metrics) replication_metrics.emplace(registry);
            replication_metrics->look(*watched.replication);
        }
        if (watched.lanes != nullptr) {
            if (!lane_metrics) lane_metrics.emplace(registry);
            lane_metrics->look(watched.lanes->status());
        }
    }
};

NodeMetrics::NodeMetrics() : impl_(std::make_unique<Impl>()) {}
NodeMetrics::~NodeMetrics() = default;

void NodeMetrics::on_seal(const consensus_adapter::SealReport& report) {
    impl_->prepare.Observe(seconds(report.prepare));
    impl_->finalize.Observe(seconds(report.finalize));
    impl_->commit.Observe(seconds(report.commit));
    impl_->block_transactions.Observe(number(report.transactions));
    impl_->transactions.Increment(number(report.transactions));
    impl_->gas.Increment(number(report.gas_used));
    impl_->executions.Increment(number(report.executions));
}

void NodeMetrics::on_seal_failure() {
    impl_->failures.Increment();
}

void NodeMetrics::on_decision(const consensus_adapter::cometbft::DecisionReport& report) {
    impl_->finalize.Observe(seconds(report.finalize));
    impl_->commit.Observe(seconds(report.commit));
    impl_->block_transactions.Observe(number(report.transactions));
    impl_->transactions.Increment(number(report.transactions));
    impl_->gas.Increment(number(report.gas_used));
    impl_->executions.Increment(number(report.executions));
    CometMetrics& comet = impl_->comet();
    comet.left_out.Increment(number(report.left_out));
    comet.declared.Increment(number(report.declared));
    comet.wrongly_declared.Increment(number(report.wrongly_declared));
    comet.with_list.Increment(report.has_list ? 1 : 0);
    comet.listed.Increment(report.is_listed ? 1 : 0);
    comet.wrong_lists.Increment(report.has_wrong_list ? 1 : 0);
}

void NodeMetrics::on_proposal(const consensus_adapter::cometbft::ProposalReport& report) {
    CometMetrics& comet = impl_->comet();
    if (report.is_own) {
        impl_->prepare.Observe(seconds(report.time));
        comet.prepared.Increment();
        return;
    }
    comet.process.Observe(seconds(report.time));
    (report.rejection.empty() ? comet.accepted : comet.rejected).Increment();
}

void NodeMetrics::on_block(const executor::BlockReport& report) {
    impl_->wasted_gas.Increment(number(report.wasted_gas));
    impl_->recovery.Observe(seconds_of(report.timing.recovery_ns));
    impl_->execution.Observe(seconds_of(report.timing.execution_ns));
    impl_->verification.Observe(seconds_of(report.timing.verification_ns));
    impl_->root.Observe(seconds_of(report.timing.commit_ns));
}

void NodeMetrics::on_followed(const executor::BlockReport& report) {
    on_block(report);
    impl_->block_transactions.Observe(number(report.transaction_count));
    impl_->transactions.Increment(number(report.transaction_count));
    impl_->gas.Increment(number(report.header.gas_used));
}

void NodeMetrics::on_call(const rpc::CallReport& report) {
    impl_->call_histogram(report.method).Observe(seconds(report.elapsed));
    if (report.code != 0)
        impl_->call_errors
            .Add({{"method", std::string{report.method}}, {"code", std::to_string(report.code)}})
            .Increment();
}

void NodeMetrics::watch(Watched watched) {
    const std::scoped_lock lock{impl_->mutex};
    impl_->watched = watched;
}

std::string NodeMetrics::page() {
    {
        const std::scoped_lock lock{impl_->mutex};
        impl_->look();
    }
    return prometheus::TextSerializer{}.Serialize(impl_->registry.Collect());
}

}  // namespace heddle::node
