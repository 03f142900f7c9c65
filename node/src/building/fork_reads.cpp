// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What putting a block together does otherwise on a chain that forks another one.
#include "building/chain_application.hpp"
#include "chain/transaction_reads.hpp"

namespace heddle::node {

std::expected<void, std::string> ChainApplication::read_ahead(const Transaction& tx) {
    const ForkBase* const base = chain_.fork_base();
    if (base == nullptr) return {};
    return read_ahead_of(tx, {*base, builder_.state(), chain_.block_hashes(), builder_.env()},
                         reading_evm_);
}

}  // namespace heddle::node
