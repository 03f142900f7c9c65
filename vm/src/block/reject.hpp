// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Shorthand for block rules to say what was broken.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

#include <types/block_error.hpp>

namespace heddle::vm {

[[nodiscard]] inline std::unexpected<BlockError> reject(BlockErrorCode code, std::uint64_t number,
                                                        std::string claimed = {},
                                                        std::string computed = {},
                                                        std::string detail = {}) {
    BlockError error;
    error.code = code;
    error.number = number;
    error.claimed = std::move(claimed);
    error.computed = std::move(computed);
    error.detail = std::move(detail);
    return std::unexpected(std::move(error));
}

}  // namespace heddle::vm
