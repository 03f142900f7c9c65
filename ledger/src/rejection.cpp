// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rejection.hpp"

#include <utility>

namespace heddle::ledger {

std::unexpected<BlockError> reject(BlockErrorCode code, std::uint64_t number, std::string claimed,
                                   std::string computed) {
    BlockError error;
    error.code = code;
    error.number = number;
    error.claimed = std::move(claimed);
    error.computed = std::move(computed);
    return std::unexpected(std::move(error));
}

std::expected<void, BlockError> check_is_child(const BlockHeader& header, std::uint64_t head_number,
                                               const Hash& head_hash) {
    if (header.number != head_number + 1)
        return reject(BlockErrorCode::invalid_number, header.number, std::to_string(header.number),
                      std::to_string(head_number + 1));
    if (header.parent_hash != head_hash)
        return reject(BlockErrorCode::unknown_parent, header.number, to_string(header.parent_hash),
                      to_string(head_hash));
    return {};
}

}  // namespace heddle::ledger
