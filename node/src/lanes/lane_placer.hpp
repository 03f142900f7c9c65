// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Sends transactions of this node to the lanes where what they access is at home. Which
// transactions, when, and whether again, is the forwarder's business (transaction_forwarder.hpp):
// the placer is what it hands them to.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <consensus_adapter/cometbft/comet_rpc.hpp>
#include <consensus_adapter/lanes/placement.hpp>
#include <types/hash.hpp>

#include "chain/chain.hpp"
#include "lanes/lanes_view.hpp"
#include "lanes/merged_chain.hpp"
#include "lanes/open_placements.hpp"
#include "mempool/mempool.hpp"

namespace heddle::node::lanes {

/// What became of the transactions that were placed last. Thread safety: any; one lock, held for a
/// few instructions.
class PlacedTransactions {
public:
    explicit PlacedTransactions(std::size_t most = std::size_t{1} << 16) : most_(most) {}

    void note_placed(const Hash& transaction, const Hash& digest,
                     consensus_adapter::lanes::LaneSet lanes);
    /// What is not known is passed over: another node has placed it.
    void note_failed(const Hash& digest, const std::string& reason);
    [[nodiscard]] std::optional<PlacedTransaction> find(const Hash& transaction) const;

private:
    struct Placed {
        Hash digest;
        PlacedTransaction transaction;
    };
    const std::size_t most_;
    mutable std::mutex mutex_;
    std::unordered_map<Hash, Placed, HashHasher> placed_;   // by transaction; guarded by mutex_
    std::unordered_map<Hash, Hash, HashHasher> by_digest_;  // also
    std::deque<std::pair<Hash, Hash>> order_;               // digest, transaction; also
};

struct PlacerOptions {
    /// Executed to find what a batch accesses.
    std::uint64_t most_gas = 200'000'000;
    /// A lane whose CometBFT does not answer is left alone so long.
    std::chrono::milliseconds rest{2'000};
    /// Added to the delay of the farthest lane of a transaction of several homes.
    std::uint64_t overshoot_us = 2'000;
    bool is_opportunistic = true;
    /// Microseconds since 1970.
    std::function<std::uint64_t()> clock;
    /// Of a lane: LaneSubscription::offset_us().
    std::function<std::int64_t(consensus_adapter::lanes::LaneNumber)> offset_us;
    /// Lanes that the last cut names as silent: what is placed in them would be rejected at once.
    std::function<consensus_adapter::lanes::LaneSet()> silent;
};

/// What a placer works on. Borrowed.
struct PlacerParts {
    const Chain& chain;
    const Mempool& mempool;
    const MergedChain& merged;
    PlacedTransactions& placed;
    OpenPlacements& open;
};

/// Thread safety: one caller at a time; stop() from any thread.
class LanePlacer {
public:
    using BroadcastResult = consensus_adapter::cometbft::BroadcastResult;
    using CometError = consensus_adapter::cometbft::CometError;
    /// Hands entries to the CometBFT of a lane: CometRpc::broadcast().
    using Send = std::function<std::expected<std::vector<BroadcastResult>, CometError>(
        consensus_adapter::lanes::LaneNumber lane, std::span<const Bytes> entries)>;

    /// @param parts  Outlive it.
    LanePlacer(const PlacerParts& parts, PlacerOptions options, Send send);

    /// Places each that has no open placement, and sends the entry of that once more where it has.
    /// One that a lane has no room for is to be handed in again, and then goes to the lanes that do
    /// not have it. One that cannot be placed now, for a lane does not answer or refuses it, or it
    /// would come before another one of its sender, is refused and waits in OpenPlacements. One
    /// that some lanes have and others have not is accepted: it is open.
    /// @return one result for each. Errors: no lane answers, or it was stopped.
    [[nodiscard]] std::expected<std::vector<BroadcastResult>, CometError> broadcast(
        std::span<const Bytes> transactions);
    /// From now on no lane is asked. Does not wait for the one that is being asked.
    void stop() noexcept { is_stopped_.store(true, std::memory_order_relaxed); }

private:
    using Clock = std::chrono::steady_clock;
    using LaneNumber = consensus_adapter::lanes::LaneNumber;
    using LaneSet = consensus_adapter::lanes::LaneSet;
    using Placement = consensus_adapter::lanes::Placement;
    /// Lanes that nothing is placed in for now.
    struct ClosedLanes {
        LaneSet resting;  // have not answered
        LaneSet silent;   // what is in others, too, would be rejected
        [[nodiscard]] LaneSet among(LaneSet lanes) const noexcept {
            const LaneSet closed{lanes.size() > 1 ? resting.bits() | silent.bits()
                                                  : resting.bits()};
            return lanes.without(lanes.without(closed));
        }
    };
    /// On its way into its lanes.
    struct Going {
        PlacedOne one;
        SentEntry sent;           // the entry is the same for every lane
        LaneSet left;             // lanes that it goes to now
        LaneSet away;             // of these, the ones that it cannot go into
        bool is_new = true;       // no lane has been sent it before
        bool is_refused = false;  // nothing more is sent of it
        bool is_taken = false;    // by a lane
        bool is_full = false;
    };

    [[nodiscard]] Placement place(const PooledTransaction& transaction, class ObjectGuess& guess);
    [[nodiscard]] Going make(const PooledTransaction& transaction, class ObjectGuess& guess);
    [[nodiscard]] Going begin(const Bytes& encoded, class ObjectGuess& guess,
                              const ClosedLanes& closed);
    [[nodiscard]] std::uint64_t insertion_time(const Placement& placement, const Address& sender);
    [[nodiscard]] LaneSet resting() const;
    [[nodiscard]] std::optional<CometError> send(LaneNumber lane, std::vector<Going>& going);
    [[nodiscard]] BroadcastResult end(const Going& going);

    const Chain& chain_;
    const Mempool& mempool_;
    const MergedChain& merged_;
    PlacedTransactions& placed_;
    OpenPlacements& open_;
    const PlacerOptions options_;
    const Send send_;
    std::atomic<bool> is_stopped_{false};  // orders nothing else
    std::uint64_t counter_ = 0;
    /// The last time of insertion of each sender, so that its transactions keep their order.
    std::unordered_map<Address, std::uint64_t, AddressHasher> last_insertion_us_;
    std::vector<Clock::time_point> rests_until_;  // by lane
};

}  // namespace heddle::node::lanes
