// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A node that is a member of a replicated chain (docs/replication.md): its files, its part, and
// what the other parts of the node need of it.
#pragma once

#include <cstdint>
#include <memory>

#include <consensus_adapter/application.hpp>

#include "chain/chain.hpp"
#include "follow/chain_stream.hpp"
#include "mempool/mempool.hpp"
#include "replication/member_files.hpp"
#include "replication/replicated_application.hpp"
#include "replication/replication.hpp"
#include "service/node_config.hpp"

namespace heddle::node {

[[nodiscard]] bool is_replicated(const NodeConfig& config);
/// Errors: InputError that names the option.
[[nodiscard]] replication::ReplicationSettings replication_settings(const NodeConfig& config);
/// Also what other sections must say for it. Errors: as above.
void check_replication(const NodeConfig& config, bool is_dev);

/// Takes blocks back in a data directory that nobody has open, before the node starts again.
/// Errors: StorageError.
void take_back(const NodeConfig& config, std::uint64_t to);

/// Thread safety: as the node calls it; replication() any.
class MemberEngine {
public:
    /// Everything outlives it; nobody reads the chain yet. Errors: StorageError, InputError.
    MemberEngine(const NodeConfig& config, Chain& chain, Mempool& mempool,
                 replication::ReplicationEvents events);

    [[nodiscard]] bool is_primary() const { return replication_->primary() != nullptr; }
    /// What a primary's engine drives.
    [[nodiscard]] consensus_adapter::Application& over(consensus_adapter::Application& application);
    /// Text with the epoch behind it.
    [[nodiscard]] Bytes extra_data(BytesView text) const;
    /// Whether a primary has made no block of its epoch yet.
    [[nodiscard]] bool begins_epoch() const;

    /// @param stream  What a backup's blocks go into.
    void start(follow::ChainStreamOptions stream) { replication_->start(std::move(stream)); }
    void stop() { replication_->stop(); }

    [[nodiscard]] replication::Replication& replication() noexcept { return *replication_; }
    [[nodiscard]] const replication::Replication& replication() const noexcept {
        return *replication_;
    }

private:
    Chain& chain_;
    replication::MemberFiles files_;
    std::uint64_t epoch_ = 0;
    std::unique_ptr<replication::Replication> replication_;
    std::unique_ptr<replication::ReplicatedApplication> application_;
};

}  // namespace heddle::node
