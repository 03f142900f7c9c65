// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "accumulator.hpp"

#include <algorithm>

#include <openssl/evp.h>

#include <types/assert.hpp>

namespace heddle::consensus_adapter {

namespace {

/// SHA-256 of the two nodes one after the other.
Hash merge(const Hash& left, const Hash& right) {
    std::array<std::uint8_t, 64> both{};
    std::ranges::copy(left.bytes, both.begin());
    std::ranges::copy(right.bytes, both.begin() + 32);
    Hash node;
    const int ok =
        EVP_Digest(both.data(), both.size(), node.bytes.data(), nullptr, EVP_sha256(), nullptr);
    HEDDLE_ASSERT(ok == 1);
    return node;
}

/// SSZ writes integers least significant byte first.
Hash little_endian(const Uint256& value) {
    Hash hash = to_hash(value);
    std::ranges::reverse(hash.bytes);
    return hash;
}

}  // namespace

void Accumulator::add(const Hash& block_hash, const Uint256& total_difficulty) {
    HEDDLE_ASSERT(leaves_.size() < kMaxEraBlocks);
    leaves_.push_back(merge(block_hash, little_endian(total_difficulty)));
}

Hash Accumulator::root() const {
    std::vector<Hash> level = leaves_;
    Hash padding;  // root of a subtree of zero leaves
    for (std::size_t width = kMaxEraBlocks; width > 1; width /= 2) {
        if (level.size() % 2 != 0) level.push_back(padding);
        for (std::size_t i = 0; i < level.size() / 2; ++i)
            level[i] = merge(level[2 * i], level[2 * i + 1]);
        level.resize(level.size() / 2);
        padding = merge(padding, padding);
    }
    return merge(level.empty() ? padding : level.front(), little_endian(Uint256{leaves_.size()}));
}

}  // namespace heddle::consensus_adapter
