// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What blocks change while an executor waits that has run those before them and is going to run
// those after them: noted on the way to the stream's sink, so that it need not read all it knows
// of the state anew.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <utility>
#include <vector>

#include <types/block_sink.hpp>
#include <types/state_diff.hpp>

namespace heddle::executor {

/// Thread safety: as BlockSink; what is not of it, while nothing is in flight.
class MissedBlocks final : public BlockSink {
public:
    /// Accounts and slots that are noted, at most; with more, reading anew costs less.
    static constexpr std::size_t kMostChanges = std::size_t{1} << 16;

    /// Another stream: nobody waits.
    void attach(BlockSink& sink) noexcept {
        sink_ = &sink;
        end();
    }
    /// Somebody waits from here on.
    void begin() noexcept {
        end();
        is_noting_ = true;
    }
    /// Nobody does any more.
    void end() noexcept {
        is_noting_ = false;
        changes_ = 0;
        diffs_.clear();
    }
    /// Whether diffs() is everything since begin(); false: it was too much, or nobody waits.
    [[nodiscard]] bool are_known() const noexcept { return is_noting_; }
    /// Of accounts and their storage, block by block; without code, which has its hash for a name.
    [[nodiscard]] std::span<const StateDiff> diffs() const noexcept { return diffs_; }

    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override {
        if (!is_noting_) return sink_->commit(std::move(block));
        StateDiff diff{block.diff.accounts, {}};
        auto root = sink_->commit(std::move(block));
        if (root.has_value()) note(std::move(diff));
        return root;
    }
    void foresee(const Hash& parent, const StateDiff& diff) override {
        sink_->foresee(parent, diff);
    }
    [[nodiscard]] Hash state_root_with(const StateDiff& diff) override {
        return sink_->state_root_with(diff);
    }

private:
    void note(StateDiff diff) {
        for (const AccountChange& change : diff.accounts)
            changes_ += 1 + change.storage.size();
        if (changes_ > kMostChanges) return end();
        diffs_.push_back(std::move(diff));
    }

    BlockSink* sink_ = nullptr;
    bool is_noting_ = false;
    std::size_t changes_ = 0;
    std::vector<StateDiff> diffs_;
};

}  // namespace heddle::executor
