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
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

struct FeeHistoryRequest {
    std::uint64_t block_count = 0;
    BlockSelector last;               // a number or a tag
    std::vector<double> percentiles;  // ascending; of the gas used, by what was paid for it
};

/// Errors: RpcError for percentiles that are none, and for blocks above the head.
/// @param cache  Asked for what was paid, where there are percentiles.
void write_fee_history(const Services& services, BlockFeesCache& cache,
                       const FeeHistoryRequest& request, const Call& call, JsonWriter& out);

}  // namespace heddle::node::rpc
