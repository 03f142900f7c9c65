// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/homes_contract.hpp>

#include <map>
#include <optional>

#include <gtest/gtest.h>

#include <types/hash.hpp>

#include <consensus_adapter/lanes/move.hpp>

namespace heddle::consensus_adapter::lanes {
namespace {

/// The account of the contract and nothing else.
class ContractState final : public StateView {
public:
    explicit ContractState(const GenesisAccount& made) {
        account_.emplace();
        account_->code_hash = keccak256(made.code);
        for (const auto& [slot, value] : made.storage)
            slots_[slot] = value;
    }
    void set(const Uint256& slot, const Uint256& value) { slots_[slot] = value; }
    void clear() { account_.reset(); }
    [[nodiscard]] int reads(const Uint256& slot) const {
        const auto found = reads_.find(slot);
        return found == reads_.end() ? 0 : found->second;
    }

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        return address == homes_address() ? account_ : std::nullopt;
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        const auto found = slots_.find(slot);
        ++reads_[slot];
        return address != homes_address() || found == slots_.end() ? Uint256{} : found->second;
    }
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override {
        return address == homes_address();
    }
    [[nodiscard]] BytesView code(const Hash&) const noexcept override { return {}; }

private:
    std::optional<Account> account_;
    std::map<Uint256, Uint256> slots_;
    mutable std::map<Uint256, int> reads_;
};

constexpr std::uint64_t kMovedOnce = 256;
const Address kAccount = address_from_low64(0xabcd);
const Address kMover = address_from_low64(0x77);

TEST(HomesContract, has_homes_where_solidity_has_a_mapping_of_mappings_in_slot_three) {
    Bytes inner(64);
    inner[30] = 0xab;
    inner[31] = 0xcd;
    inner[63] = 3;
    Bytes outer(32);
    outer[31] = 7;
    const Hash of_account = keccak256(inner);
    outer.insert(outer.end(), of_account.bytes.begin(), of_account.bytes.end());
    EXPECT_EQ(home_slot({kAccount, Uint256{7}}), load_be(keccak256(outer).bytes.data()));
}

TEST(HomesContract, says_what_it_was_made_with) {
    ContractState state(homes_account(3, kMover));
    EXPECT_EQ(homes_contract_in(state), (HomesContract{3, kMover}));
    EXPECT_EQ(homes_contract_in(ContractState(homes_account(5, {}))),
              (HomesContract{5, std::nullopt}));
    state.clear();
    EXPECT_FALSE(homes_contract_in(state).has_value());
    GenesisAccount other = homes_account(3, kMover);
    other.code.push_back(0);
    EXPECT_FALSE(homes_contract_in(ContractState(other)).has_value());
}

TEST(HomesInState, a_unit_is_at_home_where_its_range_says_until_it_has_moved) {
    const RangeDirectory ranges(make_even_ranges(3));
    ContractState state(homes_account(3, {}));
    const HomeUnit unit{kAccount, {}};
    EXPECT_EQ(HomesInState(ranges, state).home_of(unit), (Home{0, 0}));
    state.set(Uint256{}, Uint256{std::uint64_t{1}});
    state.set(home_slot(unit), Uint256{kMovedOnce + 2});
    EXPECT_EQ(HomesInState(ranges, state).home_of(unit), (Home{2, 1}));
    EXPECT_EQ(HomesInState(ranges, state).home_of({kMover, {}}), (Home{0, 0}));
}

/// As a genesis file could have it: no lane is made of it that there is not.
TEST(HomesInState, a_home_that_cannot_be_one_is_none) {
    const RangeDirectory ranges(make_even_ranges(3));
    ContractState state(homes_account(3, {}));
    const HomeUnit unit{kAccount, {}};
    state.set(Uint256{}, Uint256{std::uint64_t{1}});
    for (const Uint256& value : {Uint256{kMovedOnce + 3}, Uint256{std::uint64_t{2}},
                                 (Uint256{kMovedOnce} << 64) + Uint256{std::uint64_t{1}}}) {
        state.set(home_slot(unit), value);
        EXPECT_EQ(HomesInState(ranges, state).home_of(unit), (Home{0, 0}));
    }
}

TEST(CachedHomes, looks_a_unit_up_once_as_long_as_nothing_moves) {
    const RangeDirectory ranges(make_even_ranges(3));
    ContractState state(homes_account(3, {}));
    const HomeUnit unit{kAccount, {}};
    CachedHomes homes(ranges);
    homes.stand_on(state);
    EXPECT_EQ(homes.home_of(unit), (Home{0, 0}));
    EXPECT_EQ(state.reads(home_slot(unit)), 0) << "nothing has moved at all";

    state.set(Uint256{}, Uint256{std::uint64_t{1}});
    state.set(home_slot(unit), Uint256{kMovedOnce + 1});
    for (int block = 0; block < 3; ++block) {
        homes.stand_on(state);
        EXPECT_EQ(homes.home_of(unit), (Home{1, 1}));
    }
    EXPECT_EQ(state.reads(home_slot(unit)), 1);

    state.set(Uint256{}, Uint256{std::uint64_t{2}});
    state.set(home_slot(unit), Uint256{2 * kMovedOnce});
    homes.stand_on(state);
    EXPECT_EQ(homes.home_of(unit), (Home{0, 2}));
    EXPECT_EQ(state.reads(home_slot(unit)), 2);
}

}  // namespace
}  // namespace heddle::consensus_adapter::lanes
