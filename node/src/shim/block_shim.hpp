// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What crosses the shim where blocks are made by somebody else: what a follower or a backup takes
// from its source, and which blocks of a replicated chain are acknowledged.
#pragma once

#include <cstdint>
#include <expected>
#include <vector>

#include <types/block_error.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "shim/shim.hpp"

namespace heddle::node {

/// A block that somebody else has made, as it came.
struct GivenBlock {
    std::uint64_t number = 0;
    Bytes encoded;  // by GivenBlockWriter
};
/// What came of one. That its header's claims are true is in its being there at all.
struct TakenBlock {
    Hash hash;
    std::vector<std::uint32_t> receipts;  // tags
};

/// A block that is right comes as block_begins, block_ends, commit_begins, steps of the mempool,
/// commit_ends; one that is wrong as the first two. What was given behind a wrong one never comes.
///
/// Thread safety: block_begins() to commit_ends() from the thread that keeps the blocks of a
/// stream, in the place of the one that drives an Application; shown() from any, also meanwhile.
class BlockShim : public Shim {
public:
    using Taken = std::expected<TakenBlock, BlockError>;

    virtual void block_begins(const GivenBlock& block) { (void)block; }
    virtual void block_ends(const Taken& result) { (void)result; }
    /// Of a replicated chain: blocks up to this one are acknowledged, and shown since.
    virtual void shown(std::uint64_t number) { (void)number; }
};

}  // namespace heddle::node
