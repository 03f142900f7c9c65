// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Sends transactions of this node to the lanes where what they access is at home. Which
// transactions, when, and whether again, is the forwarder's business (transaction_forwarder.hpp):
// the placer is what it hands them to.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <consensus_adapter/cometbft/comet_rpc.hpp>
#include <consensus_adapter/lanes/placement.hpp>
#include <types/hash.hpp>

#include "chain/chain.hpp"
#include "lanes/lanes_view.hpp"
#include "lanes/merged_chain.hpp"
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
};

/// What a placer works on. Borrowed.
struct PlacerParts {
    const Chain& chain;
    const Mempool& mempool;
    const MergedChain& merged;
    PlacedTransactions& placed;
};

/// Thread safety: one caller at a time.
class LanePlacer {
public:
    using BroadcastResult = consensus_adapter::cometbft::BroadcastResult;
    using CometError = consensus_adapter::cometbft::CometError;
    /// Hands entries to the CometBFT of a lane: CometRpc::broadcast().
    using Send = std::function<std::expected<std::vector<BroadcastResult>, CometError>(
        consensus_adapter::lanes::LaneNumber lane, std::span<const Bytes> entries)>;

    /// @param parts  Outlive it.
    LanePlacer(const PlacerParts& parts, PlacerOptions options, Send send);

    /// Places each. One that a lane has no room for is to be handed in again, and then goes to the
    /// lanes that do not have it; one whose lane does not answer is refused: its other halves are
    /// rejected after a while, and it is handed in again later.
    /// @return one result for each. Errors: no lane answers.
    [[nodiscard]] std::expected<std::vector<BroadcastResult>, CometError> broadcast(
        std::span<const Bytes> transactions);

private:
    using Clock = std::chrono::steady_clock;
    using LaneNumber = consensus_adapter::lanes::LaneNumber;
    using LaneSet = consensus_adapter::lanes::LaneSet;
    using Placement = consensus_adapter::lanes::Placement;
    /// On its way into its lanes.
    struct Going {
        Bytes entry;  // the same for every lane
        LaneSet left;
        bool is_refused = false;
        bool is_full = false;
    };

    [[nodiscard]] Placement place(const PooledTransaction& transaction, class ObjectGuess& guess);
    [[nodiscard]] Going make(const PooledTransaction& transaction, class ObjectGuess& guess);
    [[nodiscard]] std::uint64_t insertion_time(const Placement& placement, const Address& sender);
    [[nodiscard]] bool rests(LaneNumber lane) const;
    [[nodiscard]] std::optional<CometError> send(LaneNumber lane, std::vector<Going>& going);

    const Chain& chain_;
    const Mempool& mempool_;
    const MergedChain& merged_;
    PlacedTransactions& placed_;
    const PlacerOptions options_;
    const Send send_;
    std::uint64_t counter_ = 0;
    /// Of transactions that some of their lanes had no room for.
    std::unordered_map<Hash, Going, HashHasher> unfinished_;
    /// The last time of insertion of each sender, so that its transactions keep their order.
    std::unordered_map<Address, std::uint64_t, AddressHasher> last_insertion_us_;
    std::vector<Clock::time_point> rests_until_;  // by lane
};

}  // namespace heddle::node::lanes
