// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A proposal as the items of a CometBFT block, within the bytes that CometBFT leaves for them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <types/bytes.hpp>

#include "cometbft/block_contents.hpp"

namespace heddle::consensus_adapter::cometbft {

/// How many of `room` bytes the transactions of a proposal should take, so that what helps to
/// execute them has room beside them.
[[nodiscard]] std::size_t transaction_room(std::size_t room) noexcept;

/// The preamble and the transactions, or nothing where there is no room for even a preamble. The
/// access list goes along, or else the object sets. What does not fit is dropped: the list first,
/// then the sets, then transactions from the end, of `proposal` too.
[[nodiscard]] std::vector<Bytes> pack(BlockPreamble preamble, Proposal& proposal, std::size_t room);

/// What read_contents() would make of `items`, which pack() made of the proposal.
[[nodiscard]] BlockContents contents_of_own(std::span<const Bytes> items, Proposal proposal);

}  // namespace heddle::consensus_adapter::cometbft
