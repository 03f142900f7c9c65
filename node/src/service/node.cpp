// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <mutex>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <consensus_adapter/block_rules.hpp>
#include <types/block_error.hpp>
#include <types/counted.hpp>
#include <vm/code_memory.hpp>

#include "chain/dev_chain.hpp"
#include "chain/kept_amendments.hpp"
#include "chain/missing_contracts.hpp"
#include "inputs/ledger_flags.hpp"
#include "logging/log.hpp"
#include "program/error.hpp"
#include "program/file.hpp"
#include "rpc/methods/all_methods.hpp"
#include "rpc/methods/control_api.hpp"
#include "rpc/methods/dev_api.hpp"
#include "rpc/methods/execution_api.hpp"
#include "rpc/methods/seal_api.hpp"
#include "rpc/methods/sent_failures.hpp"
#include "rpc/methods/testing_api.hpp"
#include "service/chain_folder.hpp"
#include "service/next_block.hpp"
#include "service/node_impl.hpp"
#include "service/node_options.hpp"
#include "service/node_pages.hpp"

namespace heddle::node {
namespace {

/// How long the blocks of a folder that goes away with the process wait to be written together.
constexpr std::chrono::milliseconds kTemporaryLinger{25};

/// What a development chain is allowed each time it starts, and no other.
void ease_rules(const NodeConfig& config, ChainConfig& rules) {
    rules.code_may_send = true;
    rules.any_code_size = config.chain.any_code_size;
    if (config.chain.genesis.empty()) rules.equal_timestamps = has_equal_timestamps(config);
}

/// A recording is run again on the chain that `--dev` makes by itself.
void check_recordable(const NodeConfig& config) {
    if (config.chain.id != NodeConfig{}.chain.id ||
        config.chain.timestamps != NodeConfig{}.chain.timestamps || config.chain.any_code_size)
        fail_input(
            "--record keeps of --dev only the fork: it does not go with chain.id, chain.timestamps "
            "or chain.any_code_size");
}

/// Opens the data directory once nobody else has it: an operator may have begun to verify it while
/// the node was down, and the node before this one may be ending.
/// Errors: as open_or_create(); InUseError where that takes longer than a minute.
std::unique_ptr<ledger::DurableLedger> open_when_free(const NodeConfig& config, bool is_dev,
                                                      const ledger::DurableLedgerOptions& options,
                                                      const std::stop_token& stop) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    for (bool was_said = false;; was_said = true) {
        try {
            return open_or_create(config, is_dev, options);
        } catch (const InUseError& error) {
            if (stop.stop_requested() || std::chrono::steady_clock::now() > deadline) throw;
            if (!was_said)
                logger(Component::node).warn("{}: waiting for it, a minute at most", error.what());
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{200});
    }
}

}  // namespace

Node::Impl::Impl(Front& the_front, NodeConfig the_config, bool development)
    : front(the_front),
      config(std::move(the_config)),
      is_dev(development),
      metrics(the_front.metrics) {}

bool Node::Impl::is_controlled() const {
    return is_dev && engine_of(config) == Engine::solo && config.record.folder.empty();
}

bool Node::Impl::keeps_amendments() const {
    return control != nullptr && !config.chain.is_datadir_temporary;
}

void Node::Impl::check_options() {
    (void)ledger_options(config);
    (void)solo_options(config);
    (void)server_options(config, is_dev);
    (void)local_callers(config, is_dev);
    (void)told_version(config, {});
    (void)has_equal_timestamps(config);
    if (is_dev && !config.record.folder.empty()) check_recordable(config);
    if (!config.chain.genesis_copy.empty()) check_writable(config.chain.genesis_copy);
    (void)application_options();
    if (engine_of(config) == Engine::follow) FollowEngine::check(config);
    if (engine_of(config) == Engine::lanes) (void)lane_options(config);
    check_replication(config, is_dev);
    artifacts = contract_artifacts(config);
    // Opening a chain takes its time. The process that has the folder may be a node that is ending,
    // whose port and path will be free.
    if (!front.server && !process_using(config.chain.datadir))
        rpc::check_place(server_options(config, is_dev));
}

void Node::Impl::start() {
    check_options();
    executions = execution_log(config);
    if (is_replicated(config)) return start_member();
    switch (engine_of(config)) {
        case Engine::solo:
            open_chain();
            start_solo();
            return start_rpc();
        case Engine::follow:
            return start_follower();
        case Engine::lanes:
            return start_lanes();
        case Engine::cometbft:
            return start_comet();
    }
}

void Node::Impl::start_comet() {
    CometEngineEvents events;
    events.on_failure = [this](const std::string& reason) { fail(reason); };
    events.on_restored = [this] {
        open_chain();
        start_rpc();
    };
    comet = std::make_unique<CometEngine>(config, metrics, std::move(events));
    if (config.cometbft.state_sync && !ledger::DurableLedger::exists(config.chain.datadir)) {
        logger(Component::node).info("waiting for a snapshot of the chain from CometBFT's peers");
    } else {
        open_chain();
        start_rpc();
    }
    comet->start();
}

void Node::Impl::check_merged() const {
    const ledger::StoredHeader head = chain->head();
    if (needs_proof_of_work(*chain, head, head.header.timestamp + 1))
        fail_input(
            "{}: block {} needs proof of work, which validators do not do; in the genesis file of "
            "their chain terminalTotalDifficulty is 0",
            config.chain.datadir, head.header.number + 1);
    if (!consensus_adapter::can_be_followed(head.header.gas_limit))
        fail_input("{}: {}", config.chain.datadir, no_block_follows(head.header));
}

void Node::Impl::warn_of_missing_contracts(const BlockHeader& head) const {
    const ChainConfig& rules = chain->config();
    const std::uint64_t earliest = rules.earliest_timestamp(head.timestamp);
    if (needs_proof_of_work(*chain, chain->head(), earliest)) return;
    if (const auto missing = describe_missing_contracts(code_in(ledger->state()), rules, earliest))
        logger(Component::chain).warn("{}", *missing);
}

void Node::Impl::watch() {
    front.watch(*this);
}

void Node::Impl::open_chain() {
    const MemoryPlan memory = memory_plan(config);
    open_ledger();
    make_chain(memory);
    make_mempool();
    if (is_replicated(config)) make_member();
    make_application();
    watch();

    const ledger::StoredHeader head = chain->head();
    if (driven != nullptr && !fork) warn_of_missing_contracts(head.header);
    logger(Component::node)
        .info("chain {}, block {} {}, data in {}", chain->config().chain_id, head.header.number,
              to_string(head.hash), config.chain.datadir);
    logger(Component::node).info("memory, {}", to_string(memory));
}

void Node::Impl::open_ledger() {
    ledger::DurableLedgerOptions options = ledger_options(config);
    options.on_failure = [this](const ledger::LedgerError& error) { fail(to_string(error)); };
    // Nobody will look for what a crash took of a folder that goes away with the process.
    if (config.chain.is_datadir_temporary) {
        options.sync.linger = kTemporaryLinger;
        options.on_failure = [this](const ledger::LedgerError& error) {
            fail(describe(error) +
                 " (the chain goes with this process; see to the disk and start "
                 "again, or name a folder on another one with --datadir)");
        };
    }
    if (is_forked(config))
        fork = std::make_unique<ForkedChain>(config, front.loop_name, front.stopping.get_token());
    ledger = fork ? fork->make_ledger(std::move(options))
                  : open_when_free(config, is_dev, options, front.stopping.get_token());
    // A chain that has become a fork of another one has no such file.
    if (!fork && !config.chain.genesis_copy.empty()) write_dev_genesis(config, *ledger);
}

void Node::Impl::make_chain(const MemoryPlan& memory) {
    ChainConfig rules = stored_chain_config(*ledger);
    if (is_controlled()) ease_rules(config, rules);
    chain = std::make_unique<Chain>(
        *ledger, std::move(rules), ledger_options(config).sync,
        ChainMemory{.code = memory.call_code, .served = memory.served_blocks});
    kept.set("call_code", [cache = chain->code_cache()] { return vm::bytes_of(*cache); });
    kept.set("served_blocks", [this] { return chain->served_bytes(); });
    if (executions) kept.set("executions", [this] { return executions->kept_bytes(); });
    if (config.chain.is_datadir_temporary) chain->acknowledge_at_once();
    if (fork) fork->attach(*chain);
}

void Node::Impl::make_mempool() {
    MempoolOptions options = mempool_options(config);
    // What is deployed without a key, at one address on every chain, is signed so.
    if (is_dev) options.allow_unprotected = true;
    if (!config.record.folder.empty())
        recording = std::make_unique<NodeRecording>(config, is_dev, *ledger,
                                                    settings_of(options, application_options()));
    mempool =
        std::make_unique<Mempool>(options, *chain, recording ? recording->shim() : pass_through());
    if (is_controlled())
        control = std::make_unique<ChainControl>(*chain, *mempool, control_defaults());
    if (keeps_amendments()) restore_amendments(config.chain.datadir, *chain);
}

void Node::Impl::make_application() {
    if (engine_of(config) != Engine::follow && (!member || member->is_primary()))
        application = std::make_unique<ChainApplication>(*chain, *mempool, application_options());
    driven = application.get();
    if (recording && application) driven = &recording->attach(*chain, *mempool, *application);
    // Outside of what is recorded: that no block may be made is no question to the application.
    if (member && application) driven = &member->over(*driven);
    if (recording && member) recording->watch_shown(*chain);
    if (!comet) return;
    check_merged();
    comet->attach(*chain, *mempool, *driven);
}

ChainApplicationOptions Node::Impl::application_options() {
    ChainApplicationOptions options = building_options(config);
    kept.set("executor_code",
             [cache = options.executor.code_cache] { return vm::bytes_of(*cache); });
    options.executions = executions.get();
    options.executor.on_block = [this](const executor::BlockReport& report) {
        metrics.on_block(report);
    };
    return options;
}

ChainControl::Defaults Node::Impl::control_defaults() const {
    consensus_adapter::SoloOptions options = solo_options(config);
    return {options.beneficiary, options.gas_limit, std::move(options.clock),
            moment_bytes(memory_plan(config)).snapshots};
}

void Node::Impl::start_solo() {
    solo = std::make_unique<SoloEngine>(
        config, metrics,
        SoloParts{*chain, *mempool, *application, *driven, control.get(), member.get()},
        [this](const std::string& reason) { fail(reason); });
}

follow::ChainStreamOptions Node::Impl::stream_options() {
    ChainApplicationOptions made = application_options();
    follow::ChainStreamOptions options{.executor = std::move(made.executor),
                                       .scheduler = std::move(made.scheduler),
                                       .stores_lists = made.stores_lists,
                                       .executions = executions.get()};
    if (recording) {
        options.shim = &recording->shim();
        options.after_commit = recording->after_block(*chain, *mempool);
    }
    return options;
}

void Node::Impl::start_follower() {
    open_chain();
    follower = std::make_unique<FollowEngine>(config, metrics,
                                              FollowingParts{*chain, *mempool, stream_options()},
                                              [this](const std::string& reason) { fail(reason); });
    follower->check_origin();
    start_rpc();
    follower->start();
}

void Node::Impl::start_lanes() {
    if (!config.lanes.join.empty() && !ledger::DurableLedger::exists(config.chain.datadir) &&
        !join_chain(config))
        return;  // it is to stop
    open_chain();
    check_merged();
    lanes::LaneEngineOptions options = lane_options(config);
    options.on_failure = [this](const std::string& reason) { fail(reason); };
    lanes = std::make_unique<lanes::LaneEngine>(*chain, *mempool, *driven, std::move(options));
    lanes->start();
    start_rpc();
}

void Node::Impl::make_member() {
    replication::ReplicationEvents events;
    events.on_restart = [this](std::optional<std::uint64_t> rollback_to) {
        const std::scoped_lock lock{failure_mutex};
        if (!restart.has_value() || !restart->rollback_to.has_value())
            restart = Restart{rollback_to};
    };
    events.on_failure = [this](const std::string& reason) { fail(reason); };
    member = std::make_unique<MemberEngine>(config, *chain, *mempool, std::move(events));
}

void Node::Impl::start_member() {
    open_chain();
    follow::ChainStreamOptions options = stream_options();
    options.executor.on_block = [this](const executor::BlockReport& report) {
        metrics.on_followed(report);
        logger(Component::consensus)
            .info("block {} {}: {}, {} gas", report.header.number, to_string(report.hash),
                  counted(report.transaction_count, "transaction"), report.header.gas_used);
    };
    member->replication().look_around();
    if (member->is_primary()) start_solo();
    start_rpc();
    member->start(std::move(options));
    if (!solo || !member->begins_epoch()) return;
    // What came before is acknowledged with it.
    if (const auto sealed = solo->engine().seal(); !sealed.has_value())
        logger(Component::consensus)
            .error("the first block of the epoch was not made: {}", to_string(sealed.error()));
}

const NetworkView* Node::Impl::network() const {
    if (comet) return &comet->monitor();
    if (lanes) return lanes.get();
    return follower.get();
}

const TransactionForwarder* Node::Impl::forwarder() const {
    if (comet) return comet->forwarder();
    return lanes ? lanes->forwarder() : nullptr;
}

TransactionTarget* Node::Impl::transaction_target() {
    if (follower) return &follower->target();
    return member && !member->is_primary() ? &member->replication() : nullptr;
}

void Node::Impl::start_rpc() {
    const rpc::Services services{.chain = *chain,
                                 .mempool = *mempool,
                                 .client_version = told_version(config, client_version()),
                                 .limits = method_limits(config),
                                 .network = network(),
                                 .local_callers = local_callers(config, is_dev),
                                 .seals_at_once = solo && solo->seals_on_arrival(),
                                 .target = transaction_target(),
                                 .control = control.get(),
                                 .waits_for_blocks = control && config.consensus.seal == "automine",
                                 .beneficiary = beneficiary_of(config),
                                 .gas_limit = config.consensus.gas_limit,
                                 .intake = member ? member->replication().primary() : nullptr,
                                 .replication = member ? &member->replication() : nullptr,
                                 .lanes = lanes.get(),
                                 .joining = lanes ? lanes->joining() : nullptr,
                                 .exchange = control ? &front : nullptr,
                                 .kept = &kept,
                                 .subscribers = front.subscribers};
    streams = rpc::add_all_methods(methods, services);
    rpc::add_execution_methods(methods, services, executions.get(), artifacts);
    rpc::add_testing_methods(methods, services);
    if (control)
        rpc::add_control_methods(methods, services);
    else if (solo)
        rpc::add_seal_methods(methods, solo->engine(), *chain);
    if (is_dev && recording) rpc::refuse_control_methods(methods);
    rpc::add_dev_methods(methods, services,
                         is_dev ? dev_accounts() : std::span<const DevAccount>{});
    if (services.waits_for_blocks && config.rpc.throw_on_failure)
        methods = rpc::with_failures_thrown(methods, services);
    if (fork) methods.let_reads_wait();
    NodePages shown;
    shown.metrics = [this] { return metrics.page(); };
    shown.chain = chain.get();
    shown.mempool = mempool.get();
    if (member) shown.replication = &member->replication();
    shown.network = network();
    shown.failure = [this] {
        const std::scoped_lock lock{failure_mutex};
        return failure;
    };
    pages = make_pages(std::move(shown));
    front.serve(*this);
}

void Node::Impl::stop_waiting() {
    if (comet) comet->stop();        // it may be opening the chain
    if (follower) follower->stop();  // whoever waits for the origin is answered
    if (member) member->stop();      // the same, of the leader or of backups
    if (fork) fork->stop();          // the same, of its source
    if (lanes) lanes->stop();
}

void Node::Impl::stop_sealing() {
    if (solo) solo->stop();
    if (mempool) mempool->save();
}

void Node::Impl::close() {
    streams.reset();
    methods = {};
    pages = {};
    solo.reset();
    comet.reset();
    if (recording) recording->detach();
    follower.reset();
    lanes.reset();
    member.reset();
    application.reset();
    if (chain && keeps_amendments()) keep_amendments(config.chain.datadir, *chain);
    control.reset();
    mempool.reset();
    recording.reset();
    chain.reset();
    fork.reset();
    if (!ledger) return;
    const std::unique_ptr<ledger::DurableLedger> closing = std::move(ledger);
    // What cannot be written of a folder that goes away is no loss, and was said where it mattered.
    if (config.chain.is_datadir_temporary)
        (void)closing->close();
    else
        close_ledger(*closing);
}

void Node::Impl::fail(std::string reason) {
    const std::scoped_lock lock{failure_mutex};
    if (failure.has_value()) return;
    logger(Component::chain).critical("{}", reason);
    failure = std::move(reason);
}

}  // namespace heddle::node
