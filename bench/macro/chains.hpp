// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The generated chains of the executor benchmark, from those where nothing conflicts to those where
// everything does.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <types/block.hpp>
#include <types/genesis.hpp>
#include <types/object.hpp>
#include <types/revision.hpp>

namespace heddle::bench {

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

/// What make_chain() knows:
///
///   transfers  ether, every account sender or recipient once in all
///   neighbours  ether, to new accounts whose addresses follow each other
///   erc20      tokens, the same
///   chain      ether that the next sender has only from the one before
///   hot_slot   tokens, all to one recipient
///   amm        swaps in eight pools
///   mixed      30 % transfers, 40 % tokens, 20 % swaps, 8 % storage, 2 % creations
[[nodiscard]] const std::vector<std::string>& chain_names();

/// Errors: an unknown name or a block that cannot be made ends the program.
[[nodiscard]] Chain make_chain(const std::string& name, const ChainPlan& plan);

}  // namespace heddle::bench
