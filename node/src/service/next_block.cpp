// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/next_block.hpp"

#include <fmt/format.h>

namespace heddle::node {

bool needs_proof_of_work(const Chain& chain, const ledger::StoredHeader& head,
                         std::uint64_t timestamp) {
    return !chain.next_header(head, timestamp).difficulty.is_zero();
}

std::string no_block_follows(const BlockHeader& head) {
    return fmt::format(
        "no block can follow block {}, whose gas limit is {}: it must be from 5,000 to 2^63 - 1",
        head.number, head.gas_limit);
}

}  // namespace heddle::node
