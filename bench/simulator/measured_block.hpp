// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the transactions of a block cost and access, from running it serially.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <types/chain_config.hpp>
#include <types/object.hpp>

#include "formats/witness_file.hpp"
#include "graph_file.hpp"

namespace heddle::bench {

enum class Cost : std::uint8_t {
    serial,  // validation, execution, application to the state in memory
    pure,    // without the last
};

/// Runs the block `repetitions` times, one transaction after another, after one run that warms up;
/// each transaction's cost is the median of its times. System calls, withdrawals and sender
/// recovery are not part of any transaction. Errors: an invalid block ends the program.
[[nodiscard]] BlockCosts measure_block(const ChainConfig& config, const node::Witness& witness,
                                       unsigned repetitions, Cost cost = Cost::serial);

/// Times the block from its access list, by one worker, and serially; medians, warm. nullopt: it
/// has no list. Errors: as above.
[[nodiscard]] std::optional<ListedCosts> measure_listed(const ChainConfig& config,
                                                        const node::Witness& witness,
                                                        unsigned repetitions);

/// What may be known of a block before it runs.
struct WitnessKnowledge {
    std::vector<ObjectSet> object_sets;  // by transaction
    Bytes access_list;                   // RLP; empty before vm::kAccessListsSince
};
/// What the transactions of the block access, as the serial executor records it. Errors: as above.
[[nodiscard]] WitnessKnowledge record_knowledge(const ChainConfig& config,
                                                const node::Witness& witness,
                                                const BlockHashes& hashes);

}  // namespace heddle::bench
