// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A node under CometBFT: the ABCI server with everything it asks of the node, and what this node
// asks of CometBFT. The engine outlives the chain that is attached to it, for a node that begins
// with state sync has an engine before it has a chain.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <consensus_adapter/cometbft/abci_host.hpp>

#include "chain/chain.hpp"
#include "cometbft/comet_monitor.hpp"
#include "cometbft/transaction_forwarder.hpp"
#include "mempool/mempool.hpp"
#include "service/node_config.hpp"
#include "service/node_metrics.hpp"

namespace heddle::node {

struct CometEngineEvents {
    /// A snapshot has become the data directory: the node opens it and calls attach(). From a
    /// thread of the server, within a call of CometBFT. Throws where it cannot.
    std::function<void()> on_restored;
    /// No more blocks can be executed.
    std::function<void(const std::string&)> on_failure;
};

/// What runs under it, in the order of consensus calls (the server makes them one at a time):
///
///     state     event                  next      does
///     waiting   attach()               attached  the chain is there: gossip and blocks go to it
///     waiting   the last chunk         attached  through on_restored
///     attached  Commit                 attached  snapshots, transactions to be handed in again
///     any       stop()                 stopped   ends the server first, so that nobody asks any
///     more
///
/// Thread safety: start(), attach() and stop() as the node calls them; the rest any.
class CometEngine {
public:
    /// Asks CometBFT from now on. Errors: InputError that names the option.
    CometEngine(const NodeConfig& config, NodeMetrics& metrics, CometEngineEvents events);
    ~CometEngine();
    CometEngine(const CometEngine&) = delete;
    CometEngine& operator=(const CometEngine&) = delete;

    /// Gives it a chain; everything outlives stop().
    void attach(Chain& chain, Mempool& mempool, consensus_adapter::Application& application);
    /// Listens for CometBFT. Errors: InputError.
    void start();
    /// Ends all of it; what is being executed is finished before.
    void stop();

    /// What CometBFT said last.
    [[nodiscard]] const CometMonitor& monitor() const;
    /// Null: there is no chain yet.
    [[nodiscard]] const TransactionForwarder* forwarder() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::node
