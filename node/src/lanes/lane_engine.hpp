// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A node over several lanes: follows each of them, merges their logs, executes what comes of it,
// and sends the transactions that it is given to the lanes where they belong.
//
// | thread            | does                                             | takes                  |
// |-------------------|--------------------------------------------------|------------------------|
// | one for each lane | asks the lane, checks, appends to the lane's log,| the log's lock, its own|
// |                   | decodes and hashes entries                       |                        |
// | ordering          | reads logs as far as the next merged block needs,| `mutex_`, for a moment |
// |                   | puts it in order, hands it over                  | a lane's, the handover |
// | executing         | homes, execution, checkpoints                    | `mutex_`, the handover |
// | forwarder         | guesses objects, places, sends                   | nothing                |
// | sender            | sends entries again, completes halves            | nothing                |
// | any               | status(), homes_of(), placed()                   | each for a moment      |
//
// Merged blocks are ordered while those before them are executed (handover.hpp). Where a checkpoint
// is due, the ordering thread saves its half before it goes on, and it travels with the block. At a
// stop the ordering thread ends first, and what it has handed over is executed, so that both halves
// stand at the same block.
//
// The logs are what the threads have in common: the ordering thread takes blocks that are in them,
// as they are there or as the lane's thread has prepared them. So a start, which merges again what
// came after the last checkpoint (merge_checkpoint.hpp), or everything from height 1 on where there
// is none, and a run go one way. `mutex_`
// guards what status() tells; a thread holds it alone, but that status() of a
// subscription takes the log's lock within its own. Nobody waits for a lane or the disk with it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <consensus_adapter/application.hpp>
#include <consensus_adapter/lanes/lane_feed.hpp>
#include <consensus_adapter/lanes/lane_store.hpp>
#include <types/address.hpp>

#include "chain/chain.hpp"
#include "chain/network_view.hpp"
#include "cometbft/transaction_forwarder.hpp"
#include "follow/endpoint.hpp"
#include "lanes/entry_sender.hpp"
#include "lanes/half_placements.hpp"
#include "lanes/handover.hpp"
#include "lanes/join_source.hpp"
#include "lanes/lane_placer.hpp"
#include "lanes/lane_subscription.hpp"
#include "lanes/lanes_view.hpp"
#include "lanes/merge_checkpoint.hpp"
#include "lanes/merged_chain.hpp"
#include "lanes/open_placements.hpp"
#include "lanes/trusted_block.hpp"
#include "mempool/mempool.hpp"

namespace heddle::node::lanes {

struct LaneEngineOptions {
    /// Of the logs that are kept here; made where there is none.
    std::string folder;
    std::vector<follow::Endpoint> lanes;  // their JSON-RPC, in order
    std::vector<std::string> comets;      // the RPC of a CometBFT of each
    /// Of an exchange with one of these: others wait for the answer.
    std::chrono::milliseconds comet_timeout{2'000};
    /// The validators of each, who have to have signed its blocks; empty: lanes are believed.
    std::vector<consensus_adapter::cometbft::TrustedValidators> validators;
    consensus_adapter::lanes::LaneNumber leading = 0;
    std::optional<Address> mover;
    /// A checkpoint of the merge is kept after so many merged blocks, and at every stop.
    std::uint64_t checkpoint_blocks = 1'024;
    /// Merged blocks from one snapshot for nodes that join to the next; 0: none are made.
    std::uint64_t snapshot_interval = 0;
    SnapshotStoreOptions snapshots;  // its own interval is of no account
    /// The chain has to have it, or is refused.
    std::optional<TrustedBlock> trusted;
    /// Of each log here, below the older checkpoint; what is older is given up. 0: all is kept.
    std::uint64_t retain_blocks = 0;
    bool is_opportunistic = true;
    std::uint64_t overshoot_us = 2'000;
    /// No more blocks can be made: why. From a thread of the engine.
    std::function<void(const std::string&)> on_failure;
};

/// By whom a lane's blocks have to be signed, where `validators` says so.
[[nodiscard]] LaneTrust make_trust(const LaneEngineOptions& options, std::size_t lane);

/// Thread safety: any.
class LaneEngine final : public LanesView, public NetworkView {
public:
    /// Opens the logs. Everything outlives it.
    /// Errors: InputError where a log cannot be opened, an address is none, or the chain was made
    /// for other lanes, or has another block in place of the trusted one.
    LaneEngine(Chain& chain, Mempool& mempool, consensus_adapter::Application& application,
               LaneEngineOptions options);
    ~LaneEngine() override;

    /// Errors: InputError where a file of a lane's validators is no good.
    void start();
    /// Ends all of it; blocks that are ordered already are executed before.
    void stop();

    // As LanesView.
    [[nodiscard]] LanesStatus status() const override;
    [[nodiscard]] std::vector<UnitHome> homes_of(const Address& address) const override;
    [[nodiscard]] std::optional<PlacedTransaction> placed(const Hash& hash) const override;

    // As NetworkView.
    [[nodiscard]] std::uint64_t peers() const override;
    [[nodiscard]] bool is_listening() const override { return peers() != 0; }
    [[nodiscard]] std::optional<SyncProgress> catching_up() const override;

    /// What nodes join by.
    [[nodiscard]] JoinSource* joining() { return joining_.get(); }
    /// Null before start().
    [[nodiscard]] const TransactionForwarder* forwarder() const { return forwarder_.get(); }

private:
    struct Lane {
        std::unique_ptr<consensus_adapter::lanes::LaneStore> store;
        std::unique_ptr<LaneSubscription> subscription;  // null until start()
    };

    void check_contract() const;
    /// @return why the chain is refused; nullopt: it is not, or does not go so far.
    [[nodiscard]] std::optional<std::string> doubt_of_trusted() const;
    void open_logs();
    /// Where ordering stands after a merged block: its half of a checkpoint.
    struct OrderState {
        Bytes feed;
        std::vector<Hash> log_digests;
        consensus_adapter::lanes::Cut cut;
        bool is_for_joining = false;  // a snapshot is begun as well
    };
    struct Ordered {
        consensus_adapter::lanes::MergedBlock block;
        consensus_adapter::lanes::MergeMemory waiting;  // after it
        std::optional<OrderState> state;                // where a checkpoint is due
        HalfPlacements halves;                          // that are to be completed
    };

    void order(const std::stop_token& stop);
    void order_all(const std::stop_token& stop);
    [[nodiscard]] OrderState order_state(bool is_for_joining) const;
    void execute();
    [[nodiscard]] bool execute_one(Ordered ordered);
    /// @return false: it is to stop.
    [[nodiscard]] bool wait_for(const consensus_adapter::lanes::LaneFeed::Missing& missing,
                                const std::stop_token& stop);
    [[nodiscard]] bool offer(const consensus_adapter::lanes::LaneFeed::Missing& missing);
    [[nodiscard]] std::optional<consensus_adapter::lanes::PreparedBlock> prepared(
        const consensus_adapter::lanes::LaneFeed::Missing& missing);
    void tend_placements(std::uint64_t number, consensus_adapter::lanes::LaneSet silent,
                         std::span<const Hash> decided, HalfPlacements halves);
    void note_lanes_that_answer(consensus_adapter::lanes::LaneSet silent);
    void publish(const consensus_adapter::lanes::Cut& cut, std::uint64_t number,
                 const consensus_adapter::lanes::MergeMemory& waiting);
    void make_placer();
    // In lane_recovery.cpp.
    void restore();
    [[nodiscard]] std::optional<std::string> restore_from(const MergeCheckpoint& checkpoint);
    void keep_checkpoint(OrderState state);
    void give_up_logs(const consensus_adapter::lanes::Cut& before);
    void fail(const std::string& reason);

    Chain& chain_;
    Mempool& mempool_;
    const LaneEngineOptions options_;
    PlacedTransactions placed_;
    OpenPlacements open_;
    std::vector<Lane> lanes_;     // as many as there are from the beginning on
    std::uint64_t starting_ = 0;  // the chain's head at the start
    Handover<Ordered> handover_{kMostOrderedBytes};

    // Of the ordering thread; when that has closed the handover, of the executing one. Digests are
    // those of logs up to where they are offered, and up to where they are merged: those of a
    // checkpoint, for a start has what is not merged offered again.
    consensus_adapter::lanes::LaneFeed feed_;
    std::vector<Hash> offered_digests_;
    std::vector<Hash> merged_digests_;
    std::uint64_t ordered_since_ = 0;  // the last checkpoint

    // Of the executing thread.
    MergedChain merged_;  // what it is asked about homes is any thread's
    bool is_checkpoint_due_ = false;
    /// Of lanes that do not answer, the heights of their logs when that was seen first.
    std::map<consensus_adapter::lanes::LaneNumber, std::uint64_t> failed_at_;
    consensus_adapter::lanes::Cut checkpoint_cut_;  // of the last one

    mutable std::mutex mutex_;
    std::condition_variable_any wakeup_;  // a log has grown
    LanesStatus status_;                  // guarded by mutex_, as what follows
    consensus_adapter::lanes::Cut cut_;

    std::unique_ptr<JoinSource> joining_;
    std::unique_ptr<LanePlacer> placer_;  // of the forwarder's thread
    std::unique_ptr<EntrySender> sender_;
    std::unique_ptr<TransactionForwarder> forwarder_;
    std::jthread executing_;
    std::jthread ordering_;
};

}  // namespace heddle::node::lanes
