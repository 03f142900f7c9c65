// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a ledger, in memory or on disk, says of a block that it does not take.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/hash.hpp>

namespace heddle::ledger {

[[nodiscard]] std::unexpected<BlockError> reject(BlockErrorCode code, std::uint64_t number,
                                                 std::string claimed, std::string computed);

/// Whether a block with this header comes next after the head, which has this number and hash.
/// Errors: invalid_number, unknown_parent.
[[nodiscard]] std::expected<void, BlockError> check_is_child(const BlockHeader& header,
                                                             std::uint64_t head_number,
                                                             const Hash& head_hash);

}  // namespace heddle::ledger
