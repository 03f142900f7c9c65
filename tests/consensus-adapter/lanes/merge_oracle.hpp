// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The merger once more, from its description alone: every pair is looked at, everything is kept,
// nothing is clever. For a few dozen transactions.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <boost/dynamic_bitset.hpp>

#include <consensus_adapter/lanes/merger.hpp>

namespace heddle::consensus_adapter::lanes::test {

class MergeOracle {
public:
    static constexpr std::size_t kMaxTransactions = 256;

    explicit MergeOracle(const MergeRules& rules) : rules_(rules), logs_(rules.lane_count) {}

    [[nodiscard]] MergedCut merge(std::span<const MergeBlock> lanes, LaneSet silent);

    struct Transaction {
        MergeEntry entry;
        std::uint64_t content = 0;
        LaneSet seen;
        std::uint64_t first_cut = 0;
        std::uint64_t waits_since = 0;  // 0: it has not waited
        std::size_t weight = 1;
        std::vector<std::size_t> before;  // in the order of entries and objects
        bool is_rejected = false;
        bool is_decided = false;
        std::size_t component = 0;  // of its cut; transactions with one number are one component

        [[nodiscard]] bool is_incomplete() const {
            return !is_rejected && !is_decided && seen != entry.lanes;
        }
    };
    /// All that ever came, in the order of arrival.
    [[nodiscard]] const std::vector<Transaction>& transactions() const { return all_; }
    /// Entries that counted, by lane in the order of its log: the transaction, its accesses.
    struct Logged {
        std::size_t transaction = 0;
        std::vector<LaneAccess> accesses;
    };
    [[nodiscard]] const std::vector<std::vector<Logged>>& logs() const { return logs_; }

private:
    using Bits = boost::dynamic_bitset<>;

    void insert(LaneNumber lane, const MergeEntry& entry, std::span<const LaneAccess> accesses,
                MergedCut& result);
    void add_before(std::size_t transaction, LaneNumber lane, const LaneAccess& access);
    void reject(std::size_t transaction, RejectionReason reason, MergedCut& result);
    void find_reachable();
    [[nodiscard]] bool is_stable(std::size_t transaction) const;
    [[nodiscard]] bool must_clear() const;
    void walk(std::size_t transaction, Bits& walked, MergedCut& result);
    void place(std::size_t transaction, MergedCut& result);

    const MergeRules rules_;
    std::uint64_t cut_ = 0;
    std::vector<Transaction> all_;
    std::map<Hash, std::size_t> by_digest_;
    std::vector<std::vector<Logged>> logs_;
    std::vector<Bits> reaches_;  // [a][b]: a comes before b, by way of any others
};

}  // namespace heddle::consensus_adapter::lanes::test
