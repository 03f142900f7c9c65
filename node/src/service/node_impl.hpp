// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is behind the Node, for the files that implement it: node.cpp builds a chain with everything
// on it, node_front.cpp has what clients reach, which stays when another chain takes its place.
#pragma once

#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <ledger/durable_ledger.hpp>

#include "building/chain_application.hpp"
#include "chain/chain.hpp"
#include "chain/execution_log.hpp"
#include "development/chain_control.hpp"
#include "development/chain_exchange.hpp"
#include "inputs/contract_artifacts.hpp"
#include "mempool/mempool.hpp"
#include "program/temporary_folder.hpp"
#include "rpc/envelope/json_rpc.hpp"
#include "rpc/queries/block_streams.hpp"
#include "rpc/queries/kept_memory.hpp"
#include "rpc/queries/subscriptions.hpp"
#include "rpc/transport/server.hpp"
#include "service/comet_engine.hpp"
#include "service/follow_engine.hpp"
#include "service/forked_chain.hpp"
#include "service/lane_options.hpp"
#include "service/member_engine.hpp"
#include "service/node.hpp"
#include "service/node_metrics.hpp"
#include "service/node_options.hpp"
#include "service/recording.hpp"
#include "service/solo_engine.hpp"

namespace heddle::node {

/// A chain and all that works on it. Requests that are being answered keep it.
/// Members are in the order in which they start; each needs only those above it.
struct Node::Impl : std::enable_shared_from_this<Node::Impl> {
    Impl(Front& the_front, NodeConfig the_config, bool development);

    void start();
    /// Whoever waits for another machine is answered: comes before the server stops.
    void stop_waiting();
    /// No block is made any more.
    void stop_sealing();
    /// The rest, once nobody asks. Errors: StorageError.
    void close();
    void fail(std::string reason);
    void check_options();
    void check_merged() const;
    void warn_of_missing_contracts(const BlockHeader& head) const;
    void watch();
    /// Everything from the ledger up to what an engine drives.
    void open_chain();
    void open_ledger();
    void make_chain(const MemoryPlan& memory);
    void make_mempool();
    void make_member();
    void make_application();
    void start_solo();
    void start_comet();
    void start_follower();
    void start_lanes();
    void start_member();
    void start_rpc();
    [[nodiscard]] const NetworkView* network() const;
    [[nodiscard]] const TransactionForwarder* forwarder() const;
    [[nodiscard]] TransactionTarget* transaction_target();
    [[nodiscard]] ChainApplicationOptions application_options();
    [[nodiscard]] follow::ChainStreamOptions stream_options();
    [[nodiscard]] ChainControl::Defaults control_defaults() const;
    /// A development chain whose user may do anything to it.
    [[nodiscard]] bool is_controlled() const;
    /// Whether what the user sets goes on from run to run.
    [[nodiscard]] bool keeps_amendments() const;

    Front& front;
    NodeConfig config;
    const bool is_dev;
    mutable std::mutex failure_mutex;
    std::optional<std::string> failure;  // guarded by failure_mutex, as the next
    std::optional<Restart> restart;

    NodeMetrics& metrics;
    std::optional<TemporaryFolder> folder;     // of a chain that took another one's place
    ContractArtifacts artifacts;               // until the methods have them
    std::unique_ptr<ForkedChain> fork;         // null: the chain forks none
    std::unique_ptr<ExecutionLog> executions;  // null: nobody watches how blocks run
    std::unique_ptr<ledger::DurableLedger> ledger;
    std::unique_ptr<Chain> chain;
    rpc::KeptMemory kept;
    std::unique_ptr<NodeRecording> recording;  // null: what it does is not recorded
    std::unique_ptr<Mempool> mempool;
    std::unique_ptr<ChainControl> control;  // null: no development chain, or it is recorded
    std::unique_ptr<MemberEngine> member;   // null: the chain is not replicated
    std::unique_ptr<ChainApplication> application;
    consensus_adapter::Application* driven = nullptr;  // by the engine
    // The engine, one of these.
    std::unique_ptr<SoloEngine> solo;
    std::unique_ptr<CometEngine> comet;  // before the ledger, where a snapshot becomes it
    std::unique_ptr<FollowEngine> follower;
    std::unique_ptr<lanes::LaneEngine> lanes;
    rpc::MethodTable methods;
    std::shared_ptr<rpc::BlockStreams> streams;  // of the methods
    rpc::Pages pages;
};

/// Thread safety: serve(), watch() and exchange() from any thread; start() and stop() by one.
struct Node::Front final : ChainExchange {
    /// Chains that are answering their last calls, beside the one that runs: at most.
    static constexpr std::size_t kMostRetired = 4;

    Front(NodeConfig the_config, bool development)
        : config(std::move(the_config)), is_dev(development) {}

    void start();
    void stop();
    [[nodiscard]] std::shared_ptr<Impl> current() const {
        const std::scoped_lock lock{mutex_};
        return chain_;
    }
    /// From now on requests are answered by `next`, whose methods are complete. The first one opens
    /// the port. Errors: as rpc::Server::start().
    void serve(Impl& next);
    /// Its figures are told, where it is the one that runs.
    void watch(const Impl& impl);
    [[nodiscard]] std::expected<void, std::string> exchange(const ChainWish& wish) override;

    const NodeConfig config;  // with which the node was started
    const bool is_dev;
    const std::string loop_name = make_loop_name();  // ServerOptions::loop_name
    NodeMetrics metrics;
    const std::shared_ptr<rpc::SubscriberRegistry> subscribers =
        std::make_shared<rpc::SubscriberRegistry>();
    std::stop_source stopping;  // of whatever waits for another machine
    std::unique_ptr<rpc::Responder> responder;
    std::unique_ptr<rpc::Server> server;

private:
    /// One that nobody else has.
    [[nodiscard]] static std::string make_loop_name();
    [[nodiscard]] rpc::Pages pages_of_current(const Impl& first);
    [[nodiscard]] NodeConfig config_for(const ChainWish& wish) const;
    void put_in_place(const std::shared_ptr<Impl>& next);
    void close_retired();

    mutable std::mutex mutex_;     // guards the next
    std::shared_ptr<Impl> chain_;  // with requests
    std::mutex exchanging_;        // held while one takes another's place; guards the next
    bool is_stopping_ = false;     // once it is, nobody but stop() touches the rest
    std::vector<std::shared_ptr<Impl>> retired_;
};

}  // namespace heddle::node
