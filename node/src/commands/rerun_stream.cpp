// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "commands/rerun_stream.hpp"

#include <utility>

#include <executor/ordered_block.hpp>

namespace heddle::node {

/// Between the stream and the shim of the rerun: decides whether a block is kept.
class RerunStream::Crossing final : public BlockShim {
public:
    Crossing(BlockShim& shim, RerunStreamCalls calls) : shim_(shim), calls_(std::move(calls)) {}

    [[nodiscard]] bool keeps_order() const noexcept override { return true; }
    void block_ends(const Taken& result) override { shim_.block_ends(result); }
    [[nodiscard]] std::expected<void, BlockError> commit_begins() override {
        if (calls_.may_commit()) return {};
        BlockError error;
        error.code = BlockErrorCode::execution_halted;
        error.detail = "the recorded node has not kept the block";
        return std::unexpected(std::move(error));
    }
    void commit_ends(const Committed& result) override {
        shim_.commit_ends(result);
        if (result.has_value()) calls_.on_commit(*result);
    }

private:
    BlockShim& shim_;
    const RerunStreamCalls calls_;
};

namespace {

follow::ChainStreamOptions through(BlockShim& shim, follow::ChainStreamOptions options) {
    options.shim = &shim;
    return options;
}

}  // namespace

RerunStream::RerunStream(Chain& chain, Mempool& mempool, BlockShim& shim,
                         follow::ChainStreamOptions options, RerunStreamCalls calls)
    : crossing_(std::make_unique<Crossing>(shim, std::move(calls))),
      stream_(chain, mempool, through(*crossing_, std::move(options))) {}

RerunStream::~RerunStream() = default;

std::optional<std::string> RerunStream::take(consensus_adapter::OrderedBlock block) {
    if (executor_ == nullptr) {
        const auto begun = stream_.begin();
        if (!begun.has_value()) return to_string(begun.error());
        executor_ = *begun;
    }
    (void)executor::run(*executor_, std::move(block));  // drain() says what became of it
    const auto drained = executor_->drain();
    if (drained.has_value()) return std::nullopt;
    executor_ = nullptr;
    if (drained.error().code == BlockErrorCode::storage_failed) return to_string(drained.error());
    return std::nullopt;
}

}  // namespace heddle::node
