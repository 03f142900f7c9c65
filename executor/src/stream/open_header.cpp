// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/open_header.hpp"

#include <types/assert.hpp>

#include <vm/block.hpp>
#include <vm/next_header.hpp>

#include "stream/rejection.hpp"

namespace heddle::executor {

std::expected<void, BlockError> open_header(Block& block, BlockMode mode, const ChainTip& tip,
                                            const ChainConfig& config) {
    if (mode == BlockMode::witness) return {};
    const Ancestor* parent = tip.parent();
    HEDDLE_ASSERT(parent != nullptr);
    BlockHeader& header = block.header;
    if (makes_header(mode)) {
        header = vm::next_header({parent->header, parent->hash, tip.total_difficulty()},
                                 vm::attributes_of(header), config);
        vm::fill_body(block);
    } else if (header.parent_hash != parent->hash) {
        return std::unexpected(unknown_parent_error(header, parent->hash));
    }
    return vm::validate_header(header, parent->header, config,
                               vm::is_merged(header, tip.total_difficulty(), config));
}

}  // namespace heddle::executor
