// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How a new node begins with what a running one gives it (join_source.hpp), in place of height 1 of
// each lane: the state after a block, and the checkpoint of the merge after the same block. The
// operator names one block to be trusted, and nothing else that is given is believed as it is:
//
// | what is given         | follows from                                                         |
// |-----------------------|----------------------------------------------------------------------|
// | the block it is after | the trusted block, which is above it: headers, each the parent of    |
// |                       | the next                                                             |
// | state and codes       | that block's state root, by the restorer (cometbft/state_sync.hpp)   |
// | up to where each log  | that block's extra data: the digest of the order, and what it is of, |
// | is merged             | which has the cut in it                                              |
// | digests of the logs   | headers that the lanes' validators have signed, where they are known |
// | what waits, and what  | the trusted block, once the node has made it: see below              |
// | is remembered         |                                                                      |
//
// What waits decides what the next blocks are, for 64 merged blocks at most. The engine compares
// the trusted block with its own when it makes it (lane_engine.hpp), so a lie about what waits ends
// there if the trusted block is so far above. Of a lie about what is remembered something may come
// later: an entry that comes again after very long would be taken for a new one. Its transaction
// cannot be executed twice, but blocks would be others than elsewhere.
//
// Chunks of the snapshot are kept as they come, and a join that was interrupted goes on with the
// first one that is missing, as long as the same snapshot is offered; else it begins anew. The
// checkpoint is on the disk before the last chunk, for a chain without it could not go on.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include <consensus_adapter/lanes/lane.hpp>

#include "cometbft/state_sync.hpp"
#include "follow/endpoint.hpp"
#include "lanes/lane_subscription.hpp"
#include "lanes/trusted_block.hpp"

namespace heddle::node::lanes {

struct LaneJoinOptions {
    follow::Endpoint source;  // the JSON-RPC of a running node
    TrustedBlock trusted;
    StateSyncOptions chain;  // where the ledger is to be, and which chain
    std::string folder;      // of checkpoints; made where there is none
    std::size_t lane_count = 1;
    consensus_adapter::lanes::LaneNumber leading = 0;
    std::vector<LaneTrust> lanes;  // by lane; empty: digests of logs are believed
    /// Between two attempts of the same question, and how many there are.
    std::chrono::milliseconds pause{500};
    unsigned attempts = 20;
    /// Of headers from the snapshot's block up to the trusted one.
    std::uint64_t max_headers = 1'000'000;
};

/// Fills the data directory, which has no ledger yet.
/// @return false: it was stopped; what has come is kept.
/// Errors: InputError: who gave what is wrong, or does not answer, and what to do; nothing of it is
/// used, and what was verified by itself is kept. StorageError.
[[nodiscard]] bool join_lanes(const LaneJoinOptions& options, const std::stop_token& stop);

}  // namespace heddle::node::lanes
