// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The items of a CometBFT block as what they mean here: preamble, transactions, and what is
// neither. Any list has a meaning, for a decided one has to be executed; which lists a validator
// agrees to is for those who ask to say.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <types/bytes.hpp>

#include <consensus_adapter/application.hpp>
#include <consensus_adapter/cometbft/abci_server.hpp>

#include "cometbft/block_preamble.hpp"

namespace heddle::consensus_adapter::cometbft {

/// An item that no transaction is made of.
struct Fault {
    std::size_t item = 0;
    TransactionCode code = TransactionCode::malformed;
    std::string reason;
};

struct BlockContents {
    std::size_t item_count = 0;
    /// The first item, where it is one. Its object sets or its list are in the proposal.
    std::optional<BlockPreamble> preamble;
    /// Senders recovered; object sets one for each transaction, or none; an access list in form.
    Proposal proposal;
    std::vector<std::size_t> items;  // of each transaction, ascending
    std::vector<Fault> faults;       // ascending
    /// Why object sets or the access list were dropped; empty: they were not.
    std::string help_error;
};

/// Reads a list, large ones on several threads.
///
/// Memory: with `stop_at_fault` in proportion to the bytes, however many items they are cut into.
/// @param stop_at_fault  Whether one item that is no transaction spoils the list: the rest may then
///                       be missing.
/// Thread safety: pure.
[[nodiscard]] BlockContents read_contents(std::span<const BytesView> items, bool stop_at_fault);

/// What they take in memory, in bytes, as types/held_bytes.hpp counts.
[[nodiscard]] std::size_t held_bytes(const BlockContents& contents) noexcept;

/// Bytes that an item takes in a block (field 1 of CometBFT's Data), of which there are
/// `max_tx_bytes`.
[[nodiscard]] std::size_t item_bytes(std::size_t size) noexcept;

}  // namespace heddle::consensus_adapter::cometbft
