// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The end of the chain as the executor has accepted it: what the next block is checked against.
#pragma once

#include <optional>
#include <vector>

#include <types/ancestor.hpp>
#include <types/block.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

#include <executor/executor.hpp>

namespace heddle::executor {

class ChainTip {
public:
    ChainTip() = default;
    explicit ChainTip(ChainHead head) noexcept;

    /// Parent of the next block first; at most kAncestorsForOmmers.
    [[nodiscard]] const std::vector<Ancestor>& ancestors() const noexcept {
        return head_.ancestors;
    }
    /// nullptr: nothing is known.
    [[nodiscard]] const Ancestor* parent() const noexcept {
        return head_.ancestors.empty() ? nullptr : &head_.ancestors.front();
    }
    [[nodiscard]] const std::optional<Uint256>& total_difficulty() const noexcept {
        return head_.total_difficulty;
    }

    /// What a stream that goes on here starts with.
    [[nodiscard]] const ChainHead& head() const noexcept { return head_; }

    /// Counters at zero, standing here.
    [[nodiscard]] Summary summary() const;

    /// The next block was accepted.
    void extend(const BlockHeader& header, const Hash& hash, std::vector<Hash> ommers);

private:
    ChainHead head_;
};

}  // namespace heddle::executor
