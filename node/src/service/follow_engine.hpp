// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A node that follows another one: the follower with the chain that it feeds, what the methods tell
// of it, and where transactions go.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <consensus_adapter/follow/follower.hpp>
#include <executor/stats.hpp>

#include "chain/chain.hpp"
#include "chain/network_view.hpp"
#include "follow/chain_stream.hpp"
#include "follow/transaction_relay.hpp"
#include "mempool/mempool.hpp"
#include "service/node_config.hpp"
#include "service/node_metrics.hpp"

namespace heddle::node {

/// What blocks go into.
struct FollowingParts {
    Chain& chain;
    Mempool& mempool;
    follow::ChainStreamOptions stream;
};

/// Thread safety: start() and stop() as the node calls them; the rest any.
class FollowEngine final : public NetworkView {
public:
    /// Whether the options mean anything. Errors: InputError that names the option.
    static void check(const NodeConfig& config);

    /// @param on_failure  Nothing more is taken: why. From the follower's thread.
    /// Everything outlives it. Errors: InputError that names the option.
    FollowEngine(const NodeConfig& config, NodeMetrics& metrics, FollowingParts parts,
                 std::function<void(const std::string&)> on_failure);
    ~FollowEngine() override;

    /// Asks the origin which chain it has, where it answers soon. Errors: InputError where it is
    /// another one.
    void check_origin() const;
    /// Follows from now on.
    void start();
    /// Ends it; what was executed is kept.
    void stop();

    [[nodiscard]] consensus_adapter::follow::FollowStatus status() const;
    [[nodiscard]] consensus_adapter::follow::FollowCounters counters() const;
    [[nodiscard]] executor::MemoryUse executor_memory() const { return stream_.executor_memory(); }
    [[nodiscard]] TransactionTarget& target() noexcept { return relay_; }

    // As NetworkView.
    [[nodiscard]] std::uint64_t peers() const override { return status().is_connected ? 1 : 0; }
    [[nodiscard]] bool is_listening() const override { return status().is_connected; }
    [[nodiscard]] std::optional<SyncProgress> catching_up() const override;

private:
    void on_block(const executor::BlockReport& report);

    const NodeConfig config_;
    NodeMetrics& metrics_;
    const std::function<void(const std::string&)> on_failure_;
    follow::TransactionRelay relay_;
    follow::ChainStream stream_;
    std::chrono::steady_clock::time_point last_progress_;  // of the committing thread
    std::uint64_t blocks_since_ = 0;                       // also
    mutable std::mutex mutex_;
    std::unique_ptr<consensus_adapter::follow::Follower> follower_;  // null until start()
};

}  // namespace heddle::node
