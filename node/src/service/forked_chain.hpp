// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A development chain that goes on from a block of another node's: its source and its first block,
// out of the configuration.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include <ledger/durable_ledger.hpp>

#include "chain/chain.hpp"
#include "forking/fork_genesis.hpp"
#include "forking/fork_source.hpp"
#include "service/node_config.hpp"

namespace heddle::node {

[[nodiscard]] bool is_forked(const NodeConfig& config);
/// The source for people, without what may be a secret.
[[nodiscard]] std::string fork_source_name(const NodeConfig& config);
/// Before anything is opened. Errors: InputError that names an option with which no fork goes.
void check_forking(const NodeConfig& config, bool is_dev);

/// Thread safety: one thread, but for stop().
class ForkedChain {
public:
    /// Asks the source for the fork point and the rules.
    /// Errors: InputError, one sentence with what to do.
    /// @param loop_name  Endpoint::loop_name, so that no chain has itself for its source.
    /// @param stop       Ends that, and all that is asked later.
    ForkedChain(const NodeConfig& config, std::string loop_name, std::stop_token stop);

    /// In an empty folder, with the fork's first block. Errors: StorageError.
    [[nodiscard]] std::unique_ptr<ledger::DurableLedger> make_ledger(
        ledger::DurableLedgerOptions options) const;
    /// Before anybody else uses the chain.
    void attach(Chain& chain) const;
    /// Ends what the source is being asked, from any thread.
    void stop() const noexcept { source_->client().stop(); }

private:
    std::unique_ptr<forking::ForkSource> source_;
    forking::ForkGenesis first_;
};

}  // namespace heddle::node
