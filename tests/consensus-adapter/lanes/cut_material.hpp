// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Logs of lanes written down entry by entry, for tests of single situations.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include <consensus_adapter/lanes/merger.hpp>

#include "random_logs.hpp"

namespace heddle::consensus_adapter::lanes::test {

[[nodiscard]] inline LaneSet lanes(std::initializer_list<LaneNumber> numbers) {
    LaneSet result;
    for (const LaneNumber number : numbers)
        result.add(number);
    return result;
}

/// What comes to every lane by one cut. A transaction is its number: id, digest and content.
class CutMaterial {
public:
    explicit CutMaterial(std::size_t lane_count) : blocks_(lane_count) {}

    /// @param objects  Numbers of objects, all exclusive.
    CutMaterial& add(LaneNumber lane, std::uint64_t number, LaneSet of,
                     std::initializer_list<std::uint64_t> objects, bool is_exclusive = true) {
        std::vector<LaneAccess> accesses;
        for (const std::uint64_t object : objects)
            accesses.push_back({object_of(object), is_exclusive});
        blocks_[lane].add({{number, 0}, digest_of(number), of, number}, accesses);
        return *this;
    }
    [[nodiscard]] MergeBlock& block(LaneNumber lane) { return blocks_[lane]; }
    [[nodiscard]] MergedCut merge_with(Merger& merger, LaneSet silent = {}) const {
        std::vector<std::vector<const MergeBlock*>> lists;
        for (const MergeBlock& block : blocks_)
            lists.push_back({&block});
        return merger.merge(lists, silent);
    }

private:
    std::vector<MergeBlock> blocks_;
};

/// The transactions' numbers, in order.
[[nodiscard]] inline std::vector<std::uint64_t> numbers(const MergedCut& cut) {
    std::vector<std::uint64_t> result;
    for (const MergedTransaction& transaction : cut.order)
        result.push_back(transaction.content);
    return result;
}

}  // namespace heddle::consensus_adapter::lanes::test
