// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Who may move a home: its owner, and whom the chain names. A move is ordered as a placement that
// moves a unit (placement.hpp); what it brings to be executed is a transaction to the contract that
// keeps homes (homes_contract.hpp), whose data says which unit goes where. So it is signed, paid
// for, in a block, and good once: it names how often the unit has moved.
//
// | bytes of data | what                                                                      |
// |---------------|---------------------------------------------------------------------------|
// | 32            | address of the unit, to the left of it zeros                              |
// | 32            | its first slot                                                            |
// | 32            | the lane that it goes to                                                  |
// | 32            | how often it has moved before                                             |
#pragma once

#include <optional>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/transaction.hpp>

#include <consensus_adapter/lanes/lane.hpp>
#include <consensus_adapter/lanes/placement.hpp>

namespace heddle::consensus_adapter::lanes {

/// Where moves are sent to.
[[nodiscard]] Address homes_address() noexcept;

struct Move {
    HomeUnit unit;
    LaneNumber new_home = 0;
    std::uint64_t moves = 0;  // of the unit, before this one
    friend bool operator==(const Move&, const Move&) = default;
};
[[nodiscard]] Bytes encode_move(const Move& move);
/// What a transaction asks for; nullopt: it is no move.
[[nodiscard]] std::optional<Move> move_of(const Transaction& transaction);

/// Whether `transaction`, with its sender, allows what `placement` moves.
/// @param mover  Who may move what is not its own; nullopt: nobody.
[[nodiscard]] bool allows_move(const Transaction& transaction, const Placement& placement,
                               const std::optional<Address>& mover);

}  // namespace heddle::consensus_adapter::lanes
