// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The recording of a running node: its folder, what it begins with, and when a segment follows
// another.
#pragma once

#include <functional>
#include <memory>

#include <consensus_adapter/application.hpp>
#include <ledger/durable_ledger.hpp>

#include "building/chain_application.hpp"
#include "building/recorded_settings.hpp"
#include "chain/chain.hpp"
#include "chain/feed.hpp"
#include "mempool/mempool.hpp"
#include "service/node_config.hpp"
#include "shim/recorder.hpp"
#include "shim/shimmed_application.hpp"

namespace heddle::node {

/// Thread safety: as the node is started and stopped; the application that it gives as Application.
class NodeRecording {
public:
    /// Begins after the ledger's head. Everything outlives it.
    /// Errors: InputError where the folder holds the recording of another chain, or cannot be one;
    /// StorageError where its disk is full or fails.
    NodeRecording(const NodeConfig& config, bool is_dev, const ledger::DurableLedger& ledger,
                  RecordedSettings settings);

    /// For the mempool, and for a stream of blocks.
    [[nodiscard]] BlockShim& shim() noexcept { return *recorder_; }
    /// Of a member of a replicated chain: what it shows, and that is what was acknowledged, is
    /// recorded from now on. The chain outlives detach().
    void watch_shown(Chain& chain);
    /// What an engine is to drive in the application's place.
    [[nodiscard]] consensus_adapter::Application& attach(const Chain& chain, const Mempool& mempool,
                                                         ChainApplication& application);
    /// What a stream of blocks is to call after each of them.
    [[nodiscard]] std::function<void(const consensus_adapter::BlockId&)> after_block(
        const Chain& chain, const Mempool& mempool);
    /// Before the application and the chain go.
    void detach() noexcept;

private:
    void go_on(const consensus_adapter::BlockId& committed, const Chain& chain,
               const Mempool& mempool);

    std::unique_ptr<Recorder> recorder_;
    std::unique_ptr<ShimmedApplication> shimmed_;
    Feed<SharedBlock>::Subscription shown_;
};

}  // namespace heddle::node
