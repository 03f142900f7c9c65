// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A block out of what JSON-RPC says of it. What is made is compared with every hash that came with
// it, so that a field that was left out, renamed or changed on the way is found here, with its
// place, and not as a wrong root later.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include <consensus_adapter/follow/origin.hpp>
#include <types/block.hpp>

#include "formats/json.hpp"

namespace heddle::node::follow {

/// A block without its ommers, of which JSON-RPC gives hashes only.
struct RebuiltBlock {
    Block block;
    Hash hash;
    std::vector<Hash> ommers;
};

/// As eth_getBlockByNumber gives it with transactions in full.
/// Errors: InputError with the place: malformed, of a type that this node does not know, or another
/// hash than the one beside it.
[[nodiscard]] RebuiltBlock rebuild_block(const JsonView& json);
/// As eth_getUncleByBlockNumberAndIndex gives it. Errors: as rebuild_block(), also where it is not
/// the one wanted.
[[nodiscard]] BlockHeader rebuild_ommer(const JsonView& json, const Hash& wanted);

/// The block as it goes into an executor: a claim to be verified.
[[nodiscard]] consensus_adapter::follow::FetchedBlock make_fetched_block(Block block,
                                                                         const Hash& hash,
                                                                         std::size_t size_bytes);

/// The same out of what another Heddle sends of it in a stream. Errors: what is wrong with it, also
/// where it has more transactions than `bound` pays for.
/// Throws InputError where members are missing or of another kind.
[[nodiscard]] std::expected<consensus_adapter::follow::FetchedBlock, std::string>
read_streamed_block(const JsonView& result, const consensus_adapter::GasBound& bound);

/// `0x` and the shortest digits in quotes: a number among parameters.
[[nodiscard]] std::string quoted_quantity(std::uint64_t number);

}  // namespace heddle::node::follow
