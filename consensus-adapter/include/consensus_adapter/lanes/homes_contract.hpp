// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where objects are at home, in the state: a contract at homes_address() that chains of lanes have
// from genesis on. A move (move.hpp) is a transaction to it, and what executing that transaction
// writes is the move: so every executor, a replay and a node that begins with a snapshot have the
// same homes, and the state root of each header is about them.
//
// | slot                                                | holds                                   |
// |-----------------------------------------------------|-----------------------------------------|
// | 0                                                   | moves that were made, of all units      |
// | 1                                                   | who may move what is not its own; or 0  |
// | 2                                                   | number of lanes                         |
// | KEC(first slot, KEC(account, 3)), 32 bytes each     | of a unit: 256 * its moves + its lane;  |
// |                                                     | 0: it never moved, its range says where |
//
// The last row is where Solidity puts `mapping(address => mapping(uint256 => uint256))` in slot 3.
//
// | data of a call | what it does                                                              |
// |----------------|---------------------------------------------------------------------------|
// | four words     | a move, by the account of the unit or whom slot 1 names; reverts where    |
// |                | the unit has not moved so often, or there is no such lane                 |
// | two words      | account and first slot: returns lane and number of moves, zeros where it  |
// |                | never moved                                                               |
//
// Anything else, and any ether, reverts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/genesis.hpp>
#include <types/state_view.hpp>
#include <types/uint256.hpp>

#include <consensus_adapter/lanes/directory.hpp>
#include <consensus_adapter/lanes/placement.hpp>

namespace heddle::consensus_adapter::lanes {

[[nodiscard]] Bytes homes_code();
/// The account of a genesis file.
[[nodiscard]] GenesisAccount homes_account(std::size_t lane_count,
                                           const std::optional<Address>& mover);
/// Where the state has the home of a unit.
[[nodiscard]] Uint256 home_slot(const HomeUnit& unit);

/// What the contract was made with.
struct HomesContract {
    std::uint64_t lane_count = 0;
    std::optional<Address> mover;
    friend bool operator==(const HomesContract&, const HomesContract&) = default;
};
/// nullopt: there is none in this state, or another one; then homes cannot be moved.
[[nodiscard]] std::optional<HomesContract> homes_contract_in(const StateView& state);
/// Moves that were made up to this state.
[[nodiscard]] Uint256 moves_in(const StateView& state) noexcept;

/// Homes as one state has them. Thread safety: that of the state.
class HomesInState final : public HomeDirectory {
public:
    /// @param ranges  Of units that never moved. Both outlive it.
    HomesInState(const RangeDirectory& ranges, const StateView& state)
        : ranges_(ranges), state_(state), has_moves_(!moves_in(state).is_zero()) {}

    [[nodiscard]] HomeUnit unit_of(const ObjectId& object) const override {
        return ranges_.unit_of(object);
    }
    [[nodiscard]] std::vector<HomeUnit> units_of(const Address& address) const override {
        return ranges_.units_of(address);
    }
    [[nodiscard]] Home home_of(const HomeUnit& unit) const override;

private:
    const RangeDirectory& ranges_;
    const StateView& state_;
    const bool has_moves_;
};

/// The same for a state that goes on, with what was looked up: that is right as long as no move is
/// made, which slot 0 tells. Memory: bounded. Thread safety: none.
class CachedHomes final : public HomeDirectory {
public:
    /// @param ranges  Outlives it.
    explicit CachedHomes(const RangeDirectory& ranges) : ranges_(ranges) {}

    /// Homes are those of this state from now on. @param state  Good until the next call.
    void stand_on(const StateView& state);

    [[nodiscard]] HomeUnit unit_of(const ObjectId& object) const override {
        return ranges_.unit_of(object);
    }
    [[nodiscard]] std::vector<HomeUnit> units_of(const Address& address) const override {
        return ranges_.units_of(address);
    }
    /// After stand_on().
    [[nodiscard]] Home home_of(const HomeUnit& unit) const override;

private:
    struct UnitHasher {
        [[nodiscard]] std::size_t operator()(const HomeUnit& unit) const noexcept;
    };
    const RangeDirectory& ranges_;
    const StateView* state_ = nullptr;
    Uint256 moves_;
    mutable std::unordered_map<HomeUnit, Home, UnitHasher> known_;
};

}  // namespace heddle::consensus_adapter::lanes
