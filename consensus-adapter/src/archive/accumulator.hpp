// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The accumulator of an era1 or ere file: the SSZ hash tree root of its header records, by which a
// file of history can be told from a forgery.
#pragma once

#include <cstddef>
#include <vector>

#include <types/hash.hpp>
#include <types/uint256.hpp>

namespace heddle::consensus_adapter {

/// Most blocks of an era1 or ere file.
inline constexpr std::size_t kMaxEraBlocks = 8'192;

class Accumulator {
public:
    /// The next block of the file. At most kMaxEraBlocks.
    void add(const Hash& block_hash, const Uint256& total_difficulty);
    [[nodiscard]] std::size_t size() const noexcept { return leaves_.size(); }
    /// hash_tree_root of List[HeaderRecord, 8192].
    [[nodiscard]] Hash root() const;

private:
    std::vector<Hash> leaves_;  // hash_tree_root of each HeaderRecord
};

}  // namespace heddle::consensus_adapter
