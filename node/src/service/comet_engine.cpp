// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/comet_engine.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include <types/counted.hpp>

#include <consensus_adapter/cometbft/abci_server.hpp>
#include <consensus_adapter/cometbft/comet_rpc.hpp>

#include "cometbft/chain_bounds.hpp"
#include "cometbft/snapshot_store.hpp"
#include "cometbft/state_sync.hpp"
#include "cometbft/transaction_gate.hpp"
#include "cometbft/validator_contract.hpp"
#include "logging/log.hpp"
#include "program/error.hpp"
#include "service/chain_folder.hpp"
#include "service/node_options.hpp"
#include "service/node_pages.hpp"

namespace heddle::node {
namespace {

namespace cometbft = consensus_adapter::cometbft;
using consensus_adapter::BlockId;

cometbft::CometRpc connect(const NodeConfig& config) {
    auto rpc = cometbft::CometRpc::create(config.cometbft.rpc);
    if (!rpc.has_value()) fail_input("cometbft.rpc: {}", to_string(rpc.error()));
    return *std::move(rpc);
}

double milliseconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

/// What a snapshot is compared with before it is taken.
StateSyncOptions state_sync_options(const NodeConfig& config) {
    if (config.cometbft.state_sync && !ledger::DurableLedger::exists(config.chain.datadir))
        return restorable_chain(config, "cometbft.state_sync");
    StateSyncOptions options;
    options.ledger.directory = config.chain.datadir;
    options.ledger.memory_bytes = memory_plan(config).ledger;
    return options;
}

SnapshotStoreOptions snapshot_options(const NodeConfig& config) {
    if (config.cometbft.snapshots_kept == 0)
        fail_input(
            "cometbft.snapshots_kept: must be at least 1; to make none set "
            "cometbft.snapshot_interval to 0");
    SnapshotStoreOptions options;
    options.folder = snapshot_folder(config.chain.datadir);
    options.interval = config.cometbft.snapshot_interval;
    options.kept = config.cometbft.snapshots_kept;
    return options;
}

}  // namespace

struct CometEngine::Impl final : cometbft::AbciHost {
    Impl(const NodeConfig& the_config, NodeMetrics& the_metrics, CometEngineEvents the_events)
        : config(the_config),
          metrics(the_metrics),
          events(std::move(the_events)),
          monitor(connect(the_config), {}),
          state_sync([&] {
              StateSyncOptions options = state_sync_options(the_config);
              options.on_restored = [this] { return open_restored(); };
              return options;
          }()) {}

    [[nodiscard]] cometbft::AbciServerOptions server_options();
    [[nodiscard]] std::expected<void, std::string> open_restored();
    void log_decision(const cometbft::DecisionReport& report);

    // As AbciHost.
    [[nodiscard]] std::optional<cometbft::AbciChain> chain() override {
        const std::scoped_lock lock{mutex};
        return attached;
    }
    [[nodiscard]] std::expected<void, std::string> begin_chain(
        const cometbft::ChainStart& start) override;
    [[nodiscard]] std::uint64_t on_committed(const BlockId& block) override;
    [[nodiscard]] cometbft::SnapshotHost* snapshots() override { return &state_sync; }

    const NodeConfig config;
    NodeMetrics& metrics;
    const CometEngineEvents events;
    CometMonitor monitor;
    StateSync state_sync;
    // Of the chain, once there is one.
    Chain* the_chain = nullptr;
    std::unique_ptr<TransactionForwarder> forwarder;
    std::unique_ptr<GossipGate> gate;  // asks the forwarder
    std::unique_ptr<ValidatorContract> validators;
    std::unique_ptr<SnapshotStore> store;

    std::mutex mutex;
    std::optional<cometbft::AbciChain> attached;  // guarded by mutex

    std::unique_ptr<cometbft::AbciServer> server;
};

cometbft::AbciServerOptions CometEngine::Impl::server_options() {
    cometbft::AbciServerOptions options;
    options.address = config.cometbft.abci;
    options.beneficiary = beneficiary_of(config);
    if (config.consensus.gas_limit != 0) options.gas_limit = config.consensus.gas_limit;
    options.proposes_lists = config.cometbft.access_lists;
    options.version = client_version();
    options.max_proposal_bytes = moment_bytes(memory_plan(config)).proposals;
    options.on_decision = [this](const cometbft::DecisionReport& report) {
        metrics.on_decision(report);
        log_decision(report);
    };
    options.on_proposal = [this](const cometbft::ProposalReport& report) {
        metrics.on_proposal(report);
    };
    options.on_warning = [](const std::string& text) {
        logger(Component::consensus).warn("{}", text);
    };
    options.on_failure = events.on_failure;
    return options;
}

void CometEngine::Impl::log_decision(const cometbft::DecisionReport& report) {
    logger(Component::consensus)
        .info("block {} {}: {}, {} gas, {:.1f} ms", report.block.number,
              to_string(report.block.hash), counted(report.transactions, "transaction"),
              report.gas_used, milliseconds(report.finalize + report.commit));
    if (report.has_wrong_list)
        logger(Component::consensus)
            .warn("block {}: its proposer sent the access list of another block",
                  report.block.number);
    if (report.left_out != 0 || report.wrongly_declared != 0)
        logger(Component::consensus)
            .warn("block {}: its proposer sent {} that cannot be executed and {}",
                  report.block.number, counted(report.left_out, "transaction"),
                  counted(report.wrongly_declared, "wrong object set"));
}

std::expected<void, std::string> CometEngine::Impl::begin_chain(const cometbft::ChainStart& start) {
    if (!chain().has_value())
        return std::unexpected(
            "this node waits for a snapshot of the chain (cometbft.state_sync), and CometBFT "
            "begins at the genesis; set statesync.enable in CometBFT's config.toml, or "
            "cometbft.state_sync to false");
    return check_genesis(start.app_state, the_chain->ledger().block_hash(0), config.chain.datadir);
}

std::uint64_t CometEngine::Impl::on_committed(const BlockId& block) {
    forwarder->on_head(block.number);
    store->on_committed(block);
    return retain_height(std::min(block.number, the_chain->ledger().durable()), store->oldest(),
                         config.cometbft.retain_blocks);
}

std::expected<void, std::string> CometEngine::Impl::open_restored() {
    try {
        events.on_restored();
    } catch (const std::exception& error) {
        events.on_failure(error.what());
        return std::unexpected(error.what());
    }
    return {};
}

CometEngine::CometEngine(const NodeConfig& config, NodeMetrics& metrics, CometEngineEvents events)
    : impl_(std::make_unique<Impl>(config, metrics, std::move(events))) {
    (void)snapshot_options(config);
}

CometEngine::~CometEngine() {
    stop();
}

void CometEngine::attach(Chain& chain, Mempool& mempool,
                         consensus_adapter::Application& application) {
    impl_->the_chain = &chain;
    if (const auto contract = validator_contract_of(chain.ledger()))
        impl_->validators = std::make_unique<ValidatorContract>(chain, *contract);
    ForwarderOptions forwarding;
    forwarding.recalls = true;
    impl_->forwarder =
        std::make_unique<TransactionForwarder>(mempool, connect(impl_->config), forwarding);
    impl_->gate = std::make_unique<GossipGate>(
        mempool, [&forwarder = *impl_->forwarder](const Hash& transaction) {
            return forwarder.must_forget(transaction);
        });
    impl_->store = std::make_unique<SnapshotStore>(chain, snapshot_options(impl_->config));
    impl_->state_sync.chain_is_there(chain, impl_->store.get());
    const std::scoped_lock lock{impl_->mutex};
    impl_->attached = {&application, impl_->gate.get(), impl_->validators.get()};
}

void CometEngine::start() {
    auto server = cometbft::AbciServer::start(*impl_, impl_->server_options());
    if (!server.has_value()) fail_input("cometbft.abci: {}", server.error());
    impl_->server = *std::move(server);
    logger(Component::consensus)
        .info("waiting for CometBFT on {}, asking it on {}", impl_->server->address(),
              impl_->config.cometbft.rpc);
}

void CometEngine::stop() {
    if (impl_->server) impl_->server->stop();
    if (impl_->forwarder) impl_->forwarder->stop();
    impl_->state_sync.chain_ends();
    impl_->store.reset();
    impl_->monitor.stop();
}

const CometMonitor& CometEngine::monitor() const {
    return impl_->monitor;
}

const TransactionForwarder* CometEngine::forwarder() const {
    return impl_->forwarder.get();
}

}  // namespace heddle::node
