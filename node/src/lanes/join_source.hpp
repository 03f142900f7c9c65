// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a running node gives to one that joins: snapshots of its state, each with the checkpoint of
// the merge that belongs to the same block. Who takes them is lane_join.hpp's business.
//
// A joiner needs both of one moment. The merging thread has that moment between two merged blocks:
// it writes the checkpoint into a file of its own, and then has the state fixed, which is written
// beside it. A checkpoint whose snapshot did not come to be is offered to nobody, and goes when the
// snapshots around it do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "chain/chain.hpp"
#include "cometbft/snapshot_store.hpp"
#include "lanes/merge_checkpoint.hpp"

namespace heddle::node::lanes {

/// The most that one answer has of a manifest, a checkpoint or a chunk.
inline constexpr std::size_t kMostPartBytes = std::size_t{1} << 20;

/// Of a larger one there is no offer: it would be that of a state of about a terabyte, as with
/// CometBFT (SnapshotStoreOptions).
inline constexpr std::size_t kMostManifestBytes = 3'990'000;

/// What can be asked for: one of these, or a chunk by its index.
struct JoinPart {
    enum class Kind : std::uint8_t { manifest, checkpoint, chunk };
    Kind kind = Kind::manifest;
    std::uint32_t chunk = 0;
};

struct JoinOffer {
    std::uint64_t number = 0;  // of the block after which it is
    Hash block_hash;
    std::size_t manifest_bytes = 0;
    std::uint32_t chunks = 0;
    std::size_t checkpoint_bytes = 0;
    Hash checkpoint_hash;  // KEC of the file
};

/// Thread safety: begin() by the merging thread; the rest any. `mutex_` guards what is known of the
/// files of checkpoints; a file is read with it once.
class JoinSource {
public:
    /// @param chain   Outlives it. @param folder  Of the checkpoints; made where there is none.
    /// Errors: InputError where the folder cannot be made.
    JoinSource(Chain& chain, std::string folder, SnapshotStoreOptions snapshots);

    /// Begins a snapshot of the chain's head, which is the block that the checkpoint is of. What
    /// fails is logged: the node needs none of it.
    void begin(const MergeCheckpoint& checkpoint);

    /// Newest first.
    [[nodiscard]] std::vector<JoinOffer> offers();
    /// At most kMostPartBytes of it from there on; none at its end.
    /// nullopt: there is no such snapshot or chunk (any more), or nothing so far back.
    [[nodiscard]] std::optional<Bytes> part(std::uint64_t number, const JoinPart& part,
                                            std::uint64_t offset);

    /// As SnapshotStore::wait_idle().
    void wait_idle() { snapshots_.wait_idle(); }

private:
    struct Kept {
        Hash block_hash;
        std::size_t size = 0;
        Hash hash;
    };
    [[nodiscard]] std::string path_of(std::uint64_t number) const;
    [[nodiscard]] std::optional<Kept> find_checkpoint(std::uint64_t number);
    [[nodiscard]] std::optional<Bytes> read_checkpoint_part(std::uint64_t number,
                                                            std::uint64_t offset) const;
    void remove_old();

    const std::string folder_;
    SnapshotStore snapshots_;
    std::mutex mutex_;
    std::map<std::uint64_t, Kept> kept_;  // guarded by mutex_; those that are good
};

}  // namespace heddle::node::lanes
