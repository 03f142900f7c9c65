// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include <types/block.hpp>

#include <consensus_adapter/resumed_source.hpp>

namespace heddle::consensus_adapter {

namespace {

/// Thread safety: next(), error() by one thread.
class ResumedSource final : public BlockSource {
public:
    ResumedSource(std::unique_ptr<BlockSource> source, ResumeOptions options)
        : source_(std::move(source)), options_(std::move(options)) {}

    std::optional<OrderedBlock> next() override {
        if (is_done_) return std::nullopt;
        for (;;) {
            std::optional<OrderedBlock> block = source_->next();
            if (!block.has_value()) return std::nullopt;
            const std::uint64_t number = block->start.header.number;
            if (number > options_.last) break;
            if (number > options_.head) return block;
            if (number == options_.head && !is_same(*block)) break;
        }
        is_done_ = true;
        return std::nullopt;
    }

    const std::optional<SourceError>& error() const noexcept override {
        return error_.has_value() ? error_ : source_->error();
    }

    SourceProgress progress() const noexcept override { return source_->progress(); }

private:
    bool is_same(const OrderedBlock& block) {
        const std::optional<Hash> there =
            options_.hash_of ? options_.hash_of(options_.head) : std::nullopt;
        const Hash hash = header_hash(block.start.header);
        if (!there.has_value() || *there == hash) return true;
        error_.emplace();
        error_->code = StreamFault::wrong_chain;
        error_->number = options_.head;
        error_->reason = to_string(hash) + " instead of " + to_string(*there);
        return false;
    }

    const std::unique_ptr<BlockSource> source_;
    const ResumeOptions options_;
    std::optional<SourceError> error_;
    bool is_done_ = false;
};

}  // namespace

std::unique_ptr<BlockSource> make_resumed_source(std::unique_ptr<BlockSource> source,
                                                 ResumeOptions options) {
    return std::make_unique<ResumedSource>(std::move(source), std::move(options));
}

}  // namespace heddle::consensus_adapter
