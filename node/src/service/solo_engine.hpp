// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A node that orders by itself: Solo, set up as the configuration says, with the pool's arrivals
// going to it and what it does told in the log and the metrics. What blocks hold is the
// application's business.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <consensus_adapter/application.hpp>
#include <consensus_adapter/solo.hpp>
#include <types/block_error.hpp>

#include "building/chain_application.hpp"
#include "chain/chain.hpp"
#include "development/chain_control.hpp"
#include "mempool/mempool.hpp"
#include "service/clock_watch.hpp"
#include "service/member_engine.hpp"
#include "service/node_config.hpp"
#include "service/node_metrics.hpp"

namespace heddle::node {

/// What the engine works on. Everything outlives it.
struct SoloParts {
    Chain& chain;
    Mempool& mempool;
    ChainApplication& application;
    /// What it drives: the application, or what stands around it (a recording, a replicated chain).
    consensus_adapter::Application& driven;
    ChainControl* control = nullptr;  // null: no development chain, or it is recorded
    MemberEngine* member = nullptr;   // null: the chain is not replicated
};

/// Thread safety: constructor, stop() and destructor as the node calls them; engine() any.
class SoloEngine {
public:
    /// Seals from now on, unless no block can follow the chain's head: that is logged, and blocks
    /// are made on command only.
    /// @param on_failure  Nothing more can be kept: why. From the sealing thread.
    /// Errors: InputError that names the option.
    SoloEngine(const NodeConfig& config, NodeMetrics& metrics, const SoloParts& parts,
               std::function<void(const std::string&)> on_failure);
    SoloEngine(const SoloEngine&) = delete;
    SoloEngine& operator=(const SoloEngine&) = delete;

    /// Makes no block any more; the one in work is committed.
    void stop();

    [[nodiscard]] consensus_adapter::Solo& engine() noexcept { return *solo_; }
    /// Whether it began to seal blocks as transactions arrive.
    [[nodiscard]] bool seals_on_arrival() const noexcept { return seals_on_arrival_; }

private:
    /// What the configuration says, less what this head does not allow; warns of the latter.
    [[nodiscard]] consensus_adapter::SoloOptions options_for_head(const NodeConfig& config) const;
    // By whoever seals.
    void on_seal(const consensus_adapter::SealReport& report);
    void on_seal_failure(const BlockError& error);
    void warn_if_clock_went_back();

    // Immutable after construction.
    NodeMetrics& metrics_;
    const SoloParts parts_;
    const std::function<void(const std::string&)> on_failure_;
    bool seals_on_arrival_ = false;

    ClockWatch watch_;  // whoever seals
    std::unique_ptr<consensus_adapter::Solo> solo_;
    Feed<BecameExecutable>::Subscription arrivals_;
};

}  // namespace heddle::node
