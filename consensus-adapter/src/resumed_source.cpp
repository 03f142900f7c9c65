// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/resumed_source.hpp>

#include <utility>

#include <types/block.hpp>

namespace heddle::consensus_adapter {

namespace {

/// Thread safety: next(), error() by one thread.
class ResumedSource final : public BlockSource {
public:
    ResumedSource(std::unique_ptr<BlockSource> source, ResumeOptions options)
        : source_(std::move(source)), options_(std::move(options)) {}

    std::optional<OrderedBlock> next() override {
        while (!is_done_) {
            std::optional<OrderedBlock> block = source_->next();
            is_done_ = !block.has_value() || block->start.header.number > options_.last;
            if (!is_done_ && block->start.header.number <= options_.head) {
                dropped_ = std::move(block->start.header);
                continue;
            }
            is_done_ |= !check_dropped();
            if (!is_done_) return block;
        }
        return std::nullopt;
    }

    const std::optional<SourceError>& error() const noexcept override {
        return error_.has_value() ? error_ : source_->error();
    }

    SourceProgress progress() const noexcept override { return source_->progress(); }

private:
    /// @return whether the last block dropped is the one that is there.
    bool check_dropped() {
        const auto last = std::exchange(dropped_, std::nullopt);
        if (!last.has_value() || !options_.hash_of) return true;
        const std::optional<Hash> there = options_.hash_of(last->number);
        const Hash hash = header_hash(*last);
        if (!there.has_value() || *there == hash) return true;
        error_.emplace();
        error_->code = StreamFault::wrong_chain;
        error_->number = last->number;
        error_->reason = to_string(hash) + " instead of " + to_string(*there);
        return false;
    }

    const std::unique_ptr<BlockSource> source_;
    const ResumeOptions options_;
    std::optional<BlockHeader> dropped_;  // the last one, not compared yet
    std::optional<SourceError> error_;
    bool is_done_ = false;
};

}  // namespace

std::unique_ptr<BlockSource> make_resumed_source(std::unique_ptr<BlockSource> source,
                                                 ResumeOptions options) {
    return std::make_unique<ResumedSource>(std::move(source), std::move(options));
}

}  // namespace heddle::consensus_adapter
