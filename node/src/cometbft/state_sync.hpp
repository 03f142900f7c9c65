// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// State sync: a data directory filled from other nodes' snapshots, which CometBFT finds and
// carries, and this node's own snapshots for others. What CometBFT's light client verified is the
// hash of a block; everything in a snapshot is checked until it follows from that hash. A node over
// lanes fills its directory the same way, by a hash that it proved otherwise (lanes/lane_join.hpp).
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include <consensus_adapter/cometbft/abci_host.hpp>
#include <ledger/maintenance.hpp>
#include <ledger/snapshot.hpp>
#include <types/bytes.hpp>
#include <types/chain_config.hpp>
#include <types/hash.hpp>

#include "chain/chain.hpp"
#include "cometbft/snapshot_store.hpp"
#include "formats/chain_config_json.hpp"

namespace heddle::node {

struct StateSyncOptions {
    /// Where the ledger is to be, and what restoring it may take.
    ledger::MaintenanceOptions ledger;
    /// The chain that this node is configured for: a snapshot of another one is refused.
    ChainConfig config;
    std::optional<ValidatorContractConfig> validators;
    Hash genesis_hash;
    /// The directory holds a ledger whose head is the snapshot's block: opens it and starts what
    /// needs one, and calls chain_is_there(). Errors: why it could not.
    std::function<std::expected<void, std::string>()> on_restored;
};

/// Each chunk is one atomic step: a node that ended in between goes on, when the same snapshot is
/// offered again, with the first chunk that it does not have.
///
/// Thread safety: as SnapshotHost; chain_is_there() and chain_ends() also from within on_restored.
class StateSync final : public consensus_adapter::cometbft::SnapshotHost {
public:
    /// Serves, and restores where there is no chain yet.
    explicit StateSync(StateSyncOptions options) : options_(std::move(options)) {}

    /// From now on there is a chain, and no snapshot is taken, save that of its head: CometBFT may
    /// have ended between the last chunk and its own note of it.
    /// @param store  Null: no snapshots are offered. Both outlive this, or chain_ends().
    void chain_is_there(const Chain& chain, SnapshotStore* store);
    /// What chain_is_there() was given goes.
    void chain_ends();

    /// Of the snapshot accepted last, the first chunk that is not here yet; those before need not
    /// be fetched again. For one caller at a time, as apply().
    [[nodiscard]] std::uint32_t next_chunk() const {
        return restorer_.has_value() ? static_cast<std::uint32_t>(restorer_->next_chunk()) : 0;
    }

    [[nodiscard]] std::vector<consensus_adapter::cometbft::SnapshotOffer> list() override;
    [[nodiscard]] Bytes load_chunk(std::uint64_t height, std::uint32_t format,
                                   std::uint32_t index) override;
    [[nodiscard]] consensus_adapter::cometbft::OfferResult offer(
        const consensus_adapter::cometbft::SnapshotOffer& offer, BytesView app_hash) override;
    [[nodiscard]] consensus_adapter::cometbft::ApplyOutcome apply(std::uint32_t index,
                                                                  BytesView chunk) override;

private:
    using OfferResult = consensus_adapter::cometbft::OfferResult;
    using ApplyOutcome = consensus_adapter::cometbft::ApplyOutcome;

    /// What the offer is a snapshot of, or why it is refused.
    [[nodiscard]] OfferResult examine(const consensus_adapter::cometbft::SnapshotOffer& offer,
                                      BytesView app_hash) const;
    [[nodiscard]] bool is_of_this_chain(const ledger::SnapshotManifest& manifest) const;
    [[nodiscard]] std::optional<OfferResult> compare_with_chain(std::uint64_t height,
                                                                BytesView app_hash);
    [[nodiscard]] ApplyOutcome complete();
    /// The snapshot is wrong though its chunks are what it says they are.
    [[nodiscard]] ApplyOutcome reject(const std::string& why);
    [[nodiscard]] ApplyOutcome abort(const std::string& why);

    const StateSyncOptions options_;

    std::mutex mutex_;
    // Guarded by mutex_.
    const Chain* chain_ = nullptr;
    SnapshotStore* store_ = nullptr;

    // For one caller at a time.
    std::optional<ledger::SnapshotRestorer> restorer_;  // of the snapshot accepted last
    bool is_complete_ = false;  // the snapshot accepted last is the chain that is there
};

}  // namespace heddle::node
