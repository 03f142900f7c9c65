// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include <vm/block.hpp>

#include "reject.hpp"

namespace heddle::vm {

namespace {

constexpr std::size_t kMaxOmmers = 2;

std::unexpected<BlockError> reject_ommer(const BlockHeader& header, std::size_t index,
                                         std::string why) {
    auto rejected = reject(BlockErrorCode::invalid_ommers, header.number, {}, {}, std::move(why));
    rejected.error().index = index;
    return rejected;
}

/// Whether any of the ancestors already includes the ommer.
bool is_included(const Hash& ommer, Ancestors ancestors) {
    return std::ranges::any_of(ancestors, [&](const Ancestor& ancestor) {
        return std::ranges::find(ancestor.ommers, ommer) != ancestor.ommers.end();
    });
}

}  // namespace

std::expected<void, BlockError> validate_ommers_alone(const BlockHeader& header,
                                                      const std::vector<BlockHeader>& ommers) {
    if (const Hash hash = ommers_hash(ommers); header.ommers_hash != hash)
        return reject(BlockErrorCode::invalid_ommers_hash, header.number,
                      to_string(header.ommers_hash), to_string(hash));
    if (ommers.size() > kMaxOmmers)
        return reject(BlockErrorCode::invalid_ommers, header.number, std::to_string(ommers.size()),
                      {}, "at most 2");
    for (std::size_t i = 0; i < ommers.size(); ++i)
        if (ommers[i].number >= header.number ||
            header.number - ommers[i].number >= kAncestorsForOmmers)
            return reject_ommer(header, i, "parent is not two to seven generations back");
    if (ommers.size() == kMaxOmmers && header_hash(ommers[0]) == header_hash(ommers[1]))
        return reject_ommer(header, 1, "included before");
    return {};
}

std::expected<void, BlockError> validate_ommers(const BlockHeader& header,
                                                const std::vector<BlockHeader>& ommers,
                                                Ancestors ancestors, const ChainConfig& config) {
    if (ommers.size() > kMaxOmmers)
        return reject(BlockErrorCode::invalid_ommers, header.number, std::to_string(ommers.size()),
                      {}, "at most 2");
    ancestors = ancestors.first(std::min(ancestors.size(), kAncestorsForOmmers));

    std::vector<Hash> seen;
    for (std::size_t i = 0; i < ommers.size(); ++i) {
        const BlockHeader& ommer = ommers[i];
        const Hash hash = header_hash(ommer);
        if (std::ranges::find(seen, hash) != seen.end() || is_included(hash, ancestors))
            return reject_ommer(header, i, "included before");
        if (std::ranges::find(ancestors, hash, &Ancestor::hash) != ancestors.end())
            return reject_ommer(header, i, "is an ancestor");
        // A sibling of this block, whose parent is ancestors[0], is no ommer yet.
        const auto parent = std::ranges::find(ancestors, ommer.parent_hash, &Ancestor::hash);
        if (parent == ancestors.end() || parent == ancestors.begin())
            return reject_ommer(header, i, "parent is not two to seven generations back");
        const auto valid = validate_header(ommer, parent->header, config, false);
        if (!valid.has_value()) return reject_ommer(header, i, to_string(valid.error()));
        seen.push_back(hash);
    }
    return {};
}

}  // namespace heddle::vm
