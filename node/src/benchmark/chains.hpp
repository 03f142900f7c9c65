// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Chains made for a benchmark from a named workload: valid blocks with everything that may be known
// of them before they run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <types/block.hpp>
#include <types/genesis.hpp>
#include <types/object.hpp>
#include <types/revision.hpp>

#include <workload/scenario.hpp>

namespace heddle::node::benchmark {

struct Chain {
    std::string name;
    Genesis genesis;                                  // without its allocation's root
    BlockHeader first;                                // the genesis block's, complete
    std::vector<Block> blocks;                        // senders known
    std::map<std::uint64_t, Hash> hashes;             // by number, the genesis block's included
    std::vector<std::vector<ObjectSet>> object_sets;  // by block, then transaction
    std::vector<Bytes> access_lists;                  // by block, RLP

    [[nodiscard]] std::size_t transaction_count() const;
};

struct ChainPlan {
    std::size_t blocks = 5;
    std::uint32_t transactions = 1'000;  // per block
    std::uint64_t seed = 1;
    Revision revision = Revision::osaka;
};

/// Errors: InputError where the plan gives no valid block, or too many transactions.
[[nodiscard]] Chain make_chain(const workload::ScenarioChoice& scenario, const ChainPlan& plan);

}  // namespace heddle::node::benchmark
