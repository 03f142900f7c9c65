// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The first block of a chain and the state it starts from, as values. Reading geth's genesis format
// is the node's business, computing the state root the ledger's.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <types/address.hpp>
#include <types/block.hpp>
#include <types/bytes.hpp>
#include <types/chain_config.hpp>
#include <types/uint256.hpp>

namespace heddle {

struct GenesisAccount {
    Address address;
    std::uint64_t nonce = 0;
    Uint256 balance;  // wei
    Bytes code;
    std::vector<std::pair<Uint256, Uint256>> storage;  // slot, value
    friend bool operator==(const GenesisAccount&, const GenesisAccount&) = default;
};

struct Genesis {
    ChainConfig config;
    BlockHeader header;  // complete but for its state root, which the ledger fills in
    std::vector<GenesisAccount> alloc;
    friend bool operator==(const Genesis&, const Genesis&) = default;
};

}  // namespace heddle
