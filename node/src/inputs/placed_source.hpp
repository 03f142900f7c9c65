// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How much of the files has been executed, and not only read.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include <consensus_adapter/block_source.hpp>

namespace heddle::node {

/// Remembers of each block where it ends in what the source reads from. The executor takes blocks
/// long before it has executed them: of a small file all at once.
/// Thread safety: next(), error() by one thread, done() by another one, in the order of the blocks.
class PlacedSource final : public consensus_adapter::BlockSource {
public:
    explicit PlacedSource(BlockSource& inner) : inner_(inner) {}

    std::optional<consensus_adapter::OrderedBlock> next() override;
    const std::optional<consensus_adapter::SourceError>& error() const noexcept override {
        return inner_.error();
    }
    consensus_adapter::SourceProgress progress() const noexcept override {
        return inner_.progress();
    }

    /// The next of the blocks that were given has been executed.
    /// @return What lies before its end, from 0 to 1; 0: unknown.
    double done();

private:
    BlockSource& inner_;
    std::mutex mutex_;                // guards what follows
    std::deque<std::uint64_t> ends_;  // in bytes, of blocks that are not executed yet
};

}  // namespace heddle::node
