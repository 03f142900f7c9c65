// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The fees of a range of blocks: what eth_feeHistory answers.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/json_writer.hpp"
#include "rpc/envelope/method.hpp"
#include "rpc/queries/block_fees.hpp"
#include "rpc/queries/block_selector.hpp"
#include "rpc/queries/pending_block.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

struct FeeHistoryRequest {
    std::uint64_t block_count = 0;
    BlockSelector last;               // a number or a tag
    std::vector<double> percentiles;  // ascending; of the gas used, by what was paid for it
};

/// Whom a history is asked of.
struct FeeSources {
    const Services& services;
    BlockFeesCache& cache;   // what was paid, where there are percentiles
    PendingBlocks& pending;  // the block that is not there yet
};

/// Errors: RpcError for percentiles that are none, and for blocks above the head.
void write_fee_history(const FeeSources& sources, const FeeHistoryRequest& request,
                       const Call& call, JsonWriter& out);

}  // namespace heddle::node::rpc
