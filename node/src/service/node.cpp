// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/node.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <consensus_adapter/solo.hpp>
#include <ledger/durable_ledger.hpp>
#include <types/block_error.hpp>

#include "building/chain_application.hpp"
#include "chain/chain.hpp"
#include "chain/chain_rules.hpp"
#include "chain/dev_chain.hpp"
#include "chain/shared_code_cache.hpp"
#include "cometbft/validator_contract.hpp"
#include "inputs/chain_input.hpp"
#include "inputs/fork_flag.hpp"
#include "inputs/known_genesis.hpp"
#include "inputs/ledger_flags.hpp"
#include "logging/log.hpp"
#include "mempool/mempool.hpp"
#include "program/error.hpp"
#include "rpc/envelope/json_rpc.hpp"
#include "rpc/methods/all_methods.hpp"
#include "rpc/methods/dev_api.hpp"
#include "rpc/methods/seal_api.hpp"
#include "rpc/methods/testing_api.hpp"
#include "rpc/transport/server.hpp"
#include "service/comet_engine.hpp"
#include "service/follow_engine.hpp"
#include "service/node_metrics.hpp"
#include "service/node_options.hpp"
#include "service/node_pages.hpp"
#include "service/recording.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::Sealing;
using consensus_adapter::Solo;

std::optional<Genesis> wanted_genesis(const NodeConfig& config, bool is_dev) {
    if (config.chain.genesis.empty()) {
        if (is_dev) return dev_genesis(revision_of("chain.fork", config.chain.fork));
        return std::nullopt;
    }
    ChainInput input;
    input.genesis = config.chain.genesis;
    return load_chain_genesis(input, "node");
}

/// What the genesis file says of the validators; nullopt also without a file.
std::optional<ValidatorContractConfig> wanted_validators(const NodeConfig& config) {
    if (config.chain.genesis.empty()) return std::nullopt;
    return load_validator_contract(config.chain.genesis);
}

/// Errors: InputError where the folder holds another chain than the one asked for.
void check_chain(const NodeConfig& config, const ledger::DurableLedger& ledger,
                 const std::optional<Genesis>& genesis) {
    if (!genesis.has_value()) return;
    const Hash wanted = compute_genesis_hash(*genesis);
    const Hash found = ledger.block_hash(0);
    if (wanted != found)
        fail_input(
            "{} holds another chain: its genesis block is {}, that of {} is {}; choose another "
            "--datadir",
            config.chain.datadir, to_string(found),
            config.chain.genesis.empty() ? "--dev" : config.chain.genesis, to_string(wanted));
}

/// Rules of a genesis file take the place of those that the folder keeps, where they differ in what
/// is to come. Errors: InputError where they differ in what has been; StorageError.
void adopt_rules(const NodeConfig& config, ledger::DurableLedger& ledger,
                 const std::optional<Genesis>& genesis) {
    if (config.chain.genesis.empty()) return;
    const auto validators = wanted_validators(config);
    if (validators != validator_contract_of(ledger))
        fail_input(
            "{} was made with another validator contract than {} names (config.heddle); all nodes "
            "of a network need the same",
            config.chain.datadir, config.chain.genesis);
    const BlockHeader head = ledger.head().header;
    const ChainConfig stored = stored_chain_config(ledger);
    ChainConfig rules = genesis->config;
    if (!rules.merge_block.has_value()) rules.merge_block = stored.merge_block;
    const std::string rule = rule_changed_up_to(head, stored, rules);
    if (!rule.empty())
        fail_input(
            "{}: config.{} is another rule than the blocks of {} up to {} were executed by; only "
            "what is to come can change",
            config.chain.genesis, rule, config.chain.datadir, head.number);
    const std::string wanted = format_chain_config(rules, validators);
    if (std::ranges::equal(wanted, ledger.chain())) return;
    const auto replaced =
        ledger.replace_chain({reinterpret_cast<const std::uint8_t*>(wanted.data()),  // NOLINT
                              wanted.size()});
    if (!replaced.has_value()) throw StorageError(to_string(replaced.error()));
    logger(Component::chain).info("the rules of {} are in force from now on", config.chain.genesis);
}

std::unique_ptr<ledger::DurableLedger> open_or_create(const NodeConfig& config, bool is_dev,
                                                      ledger::DurableLedgerOptions options) {
    const bool has_file = !config.chain.genesis.empty();
    if (!ledger::DurableLedger::exists(config.chain.datadir)) {
        const auto genesis = wanted_genesis(config, is_dev);
        if (!genesis.has_value())
            fail_input(
                "{}: there is no ledger; fill it with `heddle replay`, make one with --genesis "
                "FILE, or use --dev",
                config.chain.datadir);
        auto made = create_ledger(std::move(options), *genesis, wanted_validators(config));
        if (has_file)
            KnownGenesis(config.chain.datadir, config.chain.genesis)
                .remember_chain(made->block_hash(0), made->chain());
        return made;
    }
    auto ledger = open_ledger(std::move(options));
    std::optional<KnownGenesis> known;
    if (has_file) known.emplace(config.chain.datadir, config.chain.genesis);
    if (known && known->is_chain(ledger->block_hash(0), ledger->chain())) return ledger;
    const auto genesis = wanted_genesis(config, is_dev);
    check_chain(config, *ledger, genesis);
    adopt_rules(config, *ledger, genesis);
    if (known) known->remember_chain(ledger->block_hash(0), ledger->chain());
    return ledger;
}

}  // namespace

// Members are in the order in which they start; each needs only those above it.
struct Node::Impl {
    Impl(NodeConfig the_config, bool development)
        : config(std::move(the_config)), is_dev(development) {}

    void start();
    void stop();
    void fail(std::string reason);
    void check_options();
    void check_merged() const;
    void watch();
    void open_chain();
    void start_solo();
    void start_follower();
    void start_rpc();
    [[nodiscard]] const NetworkView* network() const;
    [[nodiscard]] ChainApplicationOptions application_options();

    NodeConfig config;
    const bool is_dev;
    mutable std::mutex failure_mutex;
    std::optional<std::string> failure;  // guarded by failure_mutex

    NodeMetrics metrics;
    std::unique_ptr<ledger::DurableLedger> ledger;
    std::unique_ptr<Chain> chain;
    std::unique_ptr<NodeRecording> recording;  // null: what it does is not recorded
    std::unique_ptr<Mempool> mempool;
    std::unique_ptr<ChainApplication> application;
    consensus_adapter::Application* driven = nullptr;  // by the engine
    bool seals_on_demand = false;                      // with solo
    std::unique_ptr<Solo> solo;                        // or
    std::unique_ptr<CometEngine> comet;  // before the ledger, where a snapshot becomes it; or
    std::unique_ptr<FollowEngine> follower;
    Feed<SharedTransaction>::Subscription arrivals;
    rpc::MethodTable methods;
    std::unique_ptr<rpc::Responder> responder;
    std::unique_ptr<rpc::Server> server;
};

void Node::Impl::check_options() {
    (void)ledger_options(config);
    (void)solo_options(config);
    (void)server_options(config, is_dev);
    (void)local_callers(config, is_dev);
    (void)application_options();
    if (engine_of(config) == Engine::follow) FollowEngine::check(config);
}

void Node::Impl::start() {
    check_options();
    if (engine_of(config) == Engine::solo) {
        open_chain();
        start_solo();
        start_rpc();
        return;
    }
    if (engine_of(config) == Engine::follow) return start_follower();
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
    if (!chain->next_header(head, head.header.timestamp + 1).difficulty.is_zero())
        fail_input(
            "{}: block {} needs proof of work, which validators do not do; in the genesis file of "
            "their chain terminalTotalDifficulty is 0",
            config.chain.datadir, head.header.number + 1);
}

void Node::Impl::watch() {
    metrics.watch({chain.get(), mempool.get(), server.get(), comet ? &comet->monitor() : nullptr,
                   comet ? comet->forwarder() : nullptr, application.get(), follower.get()});
}

void Node::Impl::open_chain() {
    ledger::DurableLedgerOptions options = ledger_options(config);
    const ledger::SyncPolicy sync = options.sync;
    options.on_failure = [this](const ledger::LedgerError& error) { fail(to_string(error)); };
    ledger = open_or_create(config, is_dev, std::move(options));
    const MemoryPlan memory = memory_plan(config);
    chain = std::make_unique<Chain>(
        *ledger, stored_chain_config(*ledger), sync,
        ChainMemory{.code = memory.call_code, .served = memory.served_blocks});
    const MempoolOptions pool_options = mempool_options(config);
    if (!config.record.folder.empty())
        recording = std::make_unique<NodeRecording>(
            config, is_dev, *ledger, settings_of(pool_options, application_options()));
    mempool = std::make_unique<Mempool>(pool_options, *chain,
                                        recording ? recording->shim() : pass_through());
    if (engine_of(config) != Engine::follow)
        application = std::make_unique<ChainApplication>(*chain, *mempool, application_options());
    driven = application.get();
    if (recording) driven = &recording->attach(*chain, *mempool, *application);
    if (comet) {
        check_merged();
        comet->attach(*chain, *mempool, *driven);
    }
    watch();

    const ledger::StoredHeader head = chain->head();
    logger(Component::node)
        .info("chain {}, block {} {}, data in {}", chain->config().chain_id, head.header.number,
              to_string(head.hash), config.chain.datadir);
    logger(Component::node).info("memory, {}", to_string(memory));
}

ChainApplicationOptions Node::Impl::application_options() {
    ChainApplicationOptions options;
    options.scheduler = config.executor.scheduler;
    if (const auto check = executor::check_scheduler(options.scheduler); !check.has_value())
        fail_input("executor.scheduler: {}: {}", options.scheduler, check.error());
    if (config.building.builder == "serial")
        options.builder = Builder::serial;
    else if (config.building.builder == "aria")
        options.builder = Builder::aria;
    else
        fail_input("building.builder: {}: expected aria or serial", config.building.builder);
    if (config.building.fee_tolerance > 100)
        fail_input("building.fee_tolerance: {}: expected 0 to 100", config.building.fee_tolerance);
    options.fee_tolerance_percent = static_cast<unsigned>(config.building.fee_tolerance);
    options.stores_lists = config.ledger.store_lists;
    options.executor.parallel.workers = static_cast<unsigned>(config.executor.workers);
    const MemoryPlan memory = memory_plan(config);
    options.executor.parallel.kept_bytes = memory.executor;
    options.executor.code_cache = make_shared_code_cache(memory.executor_code);
    options.executor.on_block = [this](const executor::BlockReport& report) {
        metrics.on_block(report);
    };
    return options;
}

void Node::Impl::start_solo() {
    consensus_adapter::SoloOptions options = solo_options(config);
    // A chain that needs proof of work is served, and nothing is added to it.
    const ledger::StoredHeader head = chain->head();
    if (!chain->next_header(head, head.header.timestamp + 1).difficulty.is_zero()) {
        options.sealing = Sealing::on_command;
        logger(Component::consensus).warn("the chain is not merged at its head: nothing is sealed");
    }
    options.on_seal = [this](const consensus_adapter::SealReport& report) {
        metrics.on_seal(report);
        logger(Component::consensus)
            .info("block {} {}: {} transactions, {} gas, {:.1f} ms", report.block.number,
                  to_string(report.block.hash), report.transactions, report.gas_used,
                  std::chrono::duration<double, std::milli>(report.prepare + report.finalize +
                                                            report.commit)
                      .count());
    };
    options.on_failure = [this](const BlockError& error) {
        metrics.on_seal_failure();
        if (error.code == BlockErrorCode::storage_failed) return fail(to_string(error));
        logger(Component::consensus).error("no block was made: {}", to_string(error));
    };
    seals_on_demand = options.sealing == Sealing::on_demand;
    solo = std::make_unique<Solo>(*driven, std::move(options));
    arrivals = mempool->arrivals().subscribe(
        [this](const SharedTransaction&) { solo->transactions_arrived(); });
    solo->transactions_arrived();  // those of the journal
}

void Node::Impl::start_follower() {
    open_chain();
    ChainApplicationOptions options = application_options();
    follower = std::make_unique<FollowEngine>(
        config, metrics,
        FollowingParts{
            *chain,
            *mempool,
            {std::move(options.executor), std::move(options.scheduler), options.stores_lists}},
        [this](const std::string& reason) { fail(reason); });
    follower->check_origin();
    start_rpc();
    follower->start();
}

const NetworkView* Node::Impl::network() const {
    if (comet) return &comet->monitor();
    return follower.get();
}

void Node::Impl::start_rpc() {
    const rpc::Services services{*chain,
                                 *mempool,
                                 client_version(),
                                 method_limits(config),
                                 network(),
                                 local_callers(config, is_dev),
                                 solo && seals_on_demand,
                                 follower ? &follower->target() : nullptr};
    rpc::add_all_methods(methods, services);
    rpc::add_testing_methods(methods, services, config.consensus.gas_limit);
    if (solo) rpc::add_seal_methods(methods, *solo, *chain);
    rpc::add_dev_methods(methods, services,
                         is_dev ? dev_accounts() : std::span<const DevAccount>{});
    responder = std::make_unique<rpc::Responder>(
        methods, responder_limits(config, is_dev),
        [this](const rpc::CallReport& report) { metrics.on_call(report); });
    NodePages pages;
    pages.metrics = [this] { return metrics.page(); };
    pages.chain = chain.get();
    pages.mempool = mempool.get();
    pages.failure = [this] {
        const std::scoped_lock lock{failure_mutex};
        return failure;
    };
    server = std::make_unique<rpc::Server>(*responder, server_options(config, is_dev),
                                           make_pages(std::move(pages)));
    server->start();
    watch();
    logger(Component::rpc)
        .info("listening on {}:{} (HTTP and WebSocket)", config.rpc.address, server->port());
}

void Node::Impl::stop() {
    if (comet) comet->stop();        // it may be opening the chain
    if (follower) follower->stop();  // whoever waits for the origin is answered
    if (server) server->stop();
    metrics.watch({});
    arrivals = {};
    if (solo) solo->stop();
    if (mempool) mempool->save();
    server.reset();
    responder.reset();
    methods = {};
    solo.reset();
    comet.reset();
    if (recording) recording->detach();
    follower.reset();
    application.reset();
    mempool.reset();
    recording.reset();
    chain.reset();
    if (!ledger) return;
    const std::unique_ptr<ledger::DurableLedger> closing = std::move(ledger);
    close_ledger(*closing);
}

void Node::Impl::fail(std::string reason) {
    const std::scoped_lock lock{failure_mutex};
    if (failure.has_value()) return;
    logger(Component::chain).critical("{}", reason);
    failure = std::move(reason);
}

Node::Node(NodeConfig config, bool is_dev)
    : impl_(std::make_unique<Impl>(std::move(config), is_dev)) {}

Node::~Node() {
    try {
        impl_->stop();
    } catch (const std::exception& error) {
        logger(Component::node).error("{}", error.what());
    }
}

void Node::start() {
    impl_->start();
}

void Node::stop() {
    impl_->stop();
}

std::optional<std::string> Node::failure() const {
    const std::scoped_lock lock{impl_->failure_mutex};
    return impl_->failure;
}

std::string Node::endpoint() const {
    const std::uint16_t port = impl_->server ? impl_->server->port() : 0;
    return fmt::format("{}:{}", impl_->config.rpc.address, port);
}

}  // namespace heddle::node
