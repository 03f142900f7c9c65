// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a running node counts, in the text format of Prometheus. Names are
// `heddle_<component>_<noun>_<unit>`; docs/operating.md lists them.
#pragma once

#include <memory>
#include <string>

#include <consensus_adapter/cometbft/abci_server.hpp>
#include <consensus_adapter/solo.hpp>
#include <executor/stats.hpp>

#include "chain/chain.hpp"
#include "mempool/mempool.hpp"
#include "rpc/envelope/json_rpc.hpp"
#include "rpc/queries/kept_memory.hpp"
#include "rpc/transport/server.hpp"

namespace heddle::node {

class ChainApplication;
class CometMonitor;
class FollowEngine;
class TransactionForwarder;
namespace replication {
class Replication;
}
namespace lanes {
class LaneEngine;
}

/// Thread safety: any.
class NodeMetrics {
public:
    NodeMetrics();
    ~NodeMetrics();
    NodeMetrics(const NodeMetrics&) = delete;
    NodeMetrics& operator=(const NodeMetrics&) = delete;

    void on_seal(const consensus_adapter::SealReport& report);
    void on_seal_failure();
    /// Of a node under CometBFT.
    void on_decision(const consensus_adapter::cometbft::DecisionReport& report);
    void on_proposal(const consensus_adapter::cometbft::ProposalReport& report);
    void on_block(const executor::BlockReport& report);
    /// Also, of a node that follows another one.
    void on_followed(const executor::BlockReport& report);
    void on_call(const rpc::CallReport& report);

    /// Looked at when somebody asks; they outlive this, or watch() is called again without them.
    struct Watched {
        const Chain* chain = nullptr;
        const Mempool* mempool = nullptr;
        const rpc::Server* server = nullptr;
        const CometMonitor* comet = nullptr;
        const TransactionForwarder* forwarder = nullptr;
        const ChainApplication* application = nullptr;
        const FollowEngine* follower = nullptr;
        const replication::Replication* replication = nullptr;
        const lanes::LaneEngine* lanes = nullptr;
        const rpc::KeptMemory* kept = nullptr;
    };
    void watch(Watched watched);

    /// The page of /metrics.
    [[nodiscard]] std::string page();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::node
