// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What comes by field and what comes as RLP, as our types.
#pragma once

#include <heddle.h>

#include <cstddef>

#include <types/block.hpp>
#include <types/transaction.hpp>

#include <executor/executor.hpp>
#include <executor/ordered_block.hpp>

#include "boundary.hpp"

namespace heddle::library {

/// Of all that one call is given, in bytes.
inline constexpr std::size_t kMaxInputBytes = std::size_t{1} << 30;

/// Everything by field that a header of any fork has.
/// Errors: null, a size that is none, extra data that is null and has a size.
[[nodiscard]] Result<BlockHeader> take_fields(const heddle_fields* fields);

/// Errors: malformed, limit. @param index  In the block; -1: it stands alone.
[[nodiscard]] Result<Transaction> take_transaction(const heddle_bytes& bytes, std::int64_t index);

/// What comes before the block. Errors: malformed, limit, invalid argument.
[[nodiscard]] Result<executor::ChainHead> take_head(const heddle_block& block);

/// The block to be executed: verified as far as can be without its parent or with it, or made.
/// Errors: malformed, limit, invalid argument.
[[nodiscard]] Result<executor::OrderedBlock> take_block(const heddle_block& block);

}  // namespace heddle::library
