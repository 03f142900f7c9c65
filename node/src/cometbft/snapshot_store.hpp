// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Snapshots of a running chain, made beside it and kept in a folder: what a node offers to those
// that want to start from one. Taking such an offer is state_sync.hpp's business.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <consensus_adapter/cometbft/abci_host.hpp>
#include <ledger/snapshot.hpp>
#include <types/bytes.hpp>

#include "chain/chain.hpp"

namespace heddle::node {

struct SnapshotStoreOptions {
    /// Holds a folder for each snapshot, named by its block; made where it is not there.
    std::string folder;
    /// Blocks from one to the next; 0: none are made, those that are there are offered.
    std::uint64_t interval = 0;
    /// How many of the newest stay and are offered; at least 1. As many older ones stay while
    /// somebody fetches them: else nobody could start whose way takes longer than so many blocks.
    std::size_t kept = 2;
    /// Who has asked for no chunk of it for so long fetches it no more.
    std::chrono::nanoseconds hold = std::chrono::minutes{1};
    /// From the first newer ones on, whoever asks: what it needs besides, blocks and room on the
    /// disk, is bounded by it.
    std::chrono::nanoseconds longest_hold = std::chrono::hours{1};
    /// What CometBFT's peers take in one message (4,000,000 bytes) less what goes with it: a larger
    /// manifest cannot be offered. It would be that of a state of about a terabyte.
    std::size_t max_manifest_bytes = 3'990'000;
};

struct SnapshotStoreStats {
    std::uint64_t made = 0;
    std::uint64_t skipped = 0;  // another was still being written
    std::uint64_t failed = 0;
    std::chrono::nanoseconds last_begin{};  // how long on_committed() held its caller
    std::chrono::nanoseconds last_write{};  // beside it
};

/// Where a node keeps them: in its data directory, beside the database.
[[nodiscard]] std::string snapshot_folder(const std::string& datadir);

/// Thread safety: list(), load_chunk() and stats() any; on_committed() and begin() as
/// committing.
class SnapshotStore {
public:
    /// Removes what an interrupted write left. What is there is checked in the background (every
    /// chunk against its hash, the header against the chain's) and offered once it is known to be
    /// good; what is not is reported and left alone.
    /// @param chain  Outlives it.
    SnapshotStore(Chain& chain, SnapshotStoreOptions options);
    /// Gives up what is being written.
    ~SnapshotStore();
    SnapshotStore(const SnapshotStore&) = delete;
    SnapshotStore& operator=(const SnapshotStore&) = delete;

    /// A block was committed, and none is held. Where a snapshot is due its state is fixed, for
    /// which the caller waits; the rest is done beside it.
    void on_committed(const consensus_adapter::BlockId& block);
    /// The same, whatever the interval. @return false: none is made of this block, and why was
    /// reported, unless there is one already.
    bool begin(const consensus_adapter::BlockId& block);

    /// The oldest block of which there is a snapshot, or may be one: those that are being written
    /// or checked count. Who starts from it needs the blocks above it. nullopt: there is none.
    [[nodiscard]] std::optional<std::uint64_t> oldest() const;
    /// Newest first, without those that stay for whoever fetches them.
    [[nodiscard]] std::vector<consensus_adapter::cometbft::SnapshotOffer> list() const;
    /// Empty: there is no such chunk (any more).
    [[nodiscard]] Bytes load_chunk(std::uint64_t height, std::uint32_t format, std::uint32_t index);

    [[nodiscard]] SnapshotStoreStats stats() const;
    /// Until what there is to check and to write is done. For tests, and for whoever goes on with
    /// what was written.
    void wait_idle();

private:
    struct Kept {
        std::uint64_t number = 0;
        ledger::SnapshotReader reader;
        Hash id;
    };
    using SharedKept = std::shared_ptr<const Kept>;
    struct Use {
        std::optional<std::chrono::steady_clock::time_point> asked;  // for a chunk, last
        std::optional<std::chrono::steady_clock::time_point> old_since;
    };
    struct CachedChunk {
        SharedKept snapshot;
        std::uint32_t index = 0;
        std::shared_ptr<const Bytes> bytes;
    };

    void run();
    /// Removes what is half of one; @return the blocks of the others.
    [[nodiscard]] std::vector<std::uint64_t> find_folders() const;
    void check_found();
    void write(ledger::SnapshotWriter& writer);
    [[nodiscard]] std::string folder_of(std::uint64_t number) const;
    /// Null: it is not good; why was reported.
    [[nodiscard]] SharedKept open_checked(std::uint64_t number);
    [[nodiscard]] bool is_offerable(const ledger::SnapshotReader& reader) const;
    void offer(SharedKept snapshot);
    void remove_old();
    /// What is there for nobody any more leaves the list. With mutex_.
    [[nodiscard]] std::vector<SharedKept> take_old();
    [[nodiscard]] bool is_held(std::uint64_t number, std::chrono::steady_clock::time_point now);
    void drop(const SharedKept& snapshot);
    [[nodiscard]] SharedKept find(std::uint64_t number) const;
    [[nodiscard]] std::size_t kept_count() const noexcept {
        return std::max<std::size_t>(options_.kept, 1);
    }

    // Immutable after construction.
    Chain& chain_;
    const SnapshotStoreOptions options_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    // Guarded by mutex_.
    std::vector<SharedKept> snapshots_;               // newest first
    std::map<std::uint64_t, Use> uses_;               // of these
    std::vector<CachedChunk> cache_;                  // used last first
    std::vector<std::uint64_t> unchecked_;            // that were there, newest last
    std::shared_ptr<ledger::SnapshotWriter> writer_;  // written once what was there is checked
    bool is_checking_ = true;                         // what was there
    bool is_stopping_ = false;
    SnapshotStoreStats stats_;

    std::atomic<bool> gives_up_ = false;
    std::thread thread_;
};

}  // namespace heddle::node
