// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A single block with the state that it runs on, out of a data directory or from a running node:
// for the inspect command.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <executor/executor.hpp>
#include <executor/ordered_block.hpp>
#include <types/chain_config.hpp>
#include <types/state_view.hpp>

namespace heddle::node {

struct GivenBlock {
    const ChainConfig& config;
    const StateView& state;  // before the block
    const BlockHashes& block_hashes;
    executor::ChainHead head;  // its parent
    executor::OrderedBlock block;
};

/// What is done with it; it is there meanwhile.
using UseGivenBlock = std::function<void(const GivenBlock&)>;

/// @param number  nullopt: the last one.
/// Errors: InputError, StorageError; also where the state before the block is not kept.
void with_stored_block(const std::string& datadir, std::optional<std::uint64_t> number,
                       const UseGivenBlock& use);

/// Of any node that answers eth_ methods. What the block reads is fetched before it is used, and so
/// are the chain's rules, if no genesis file says them.
/// @param number  nullopt: the newest one.
/// Errors: InputError that names what could not be had.
void with_remote_block(const std::string& url, const std::string& genesis_file,
                       std::optional<std::uint64_t> number, const UseGivenBlock& use);

}  // namespace heddle::node
