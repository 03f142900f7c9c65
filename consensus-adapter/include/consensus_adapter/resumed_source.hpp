// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A part of a source: what comes after a block that is there already, up to a last one, each block
// once. For a chain that is continued, from files that may overlap.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include <types/hash.hpp>

#include <consensus_adapter/block_source.hpp>

namespace heddle::consensus_adapter {

struct ResumeOptions {
    /// Blocks up to this one are there: they are dropped.
    std::uint64_t head = 0;
    /// Its gas limit, for whoever judges by it what may follow; nullopt: not known.
    std::optional<std::uint64_t> head_gas_limit = std::nullopt;
    /// Nothing is delivered beyond this block.
    std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
    /// The hash of a block that is there; nullopt: not known, not compared. Asked for the last one
    /// dropped, which every block before hangs on, at the latest when the source ends.
    std::function<std::optional<Hash>(std::uint64_t number)> hash_of = nullptr;
};

/// A block at or below one that was delivered is dropped as well; each that is among the 8,192
/// delivered last is compared with that.
/// Errors of the source made: those of `source`, and wrong_chain where a block dropped is another
/// than the one that is there.
[[nodiscard]] std::unique_ptr<BlockSource> make_resumed_source(std::unique_ptr<BlockSource> source,
                                                               ResumeOptions options);

}  // namespace heddle::consensus_adapter
