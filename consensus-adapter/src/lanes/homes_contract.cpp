// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/homes_contract.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include <types/assert.hpp>
#include <types/hash.hpp>
#include <types/keyed_hash.hpp>

#include <consensus_adapter/lanes/move.hpp>

namespace heddle::consensus_adapter::lanes {

namespace {

constexpr std::uint64_t kMovesSlot = 0;
constexpr std::uint64_t kMoverSlot = 1;
constexpr std::uint64_t kLaneCountSlot = 2;
constexpr std::uint64_t kHomesSlot = 3;

/// A value is 256 times the moves, and the lane.
constexpr std::uint64_t kMoveUnit = 256;
constexpr std::uint64_t kLaneMask = kMoveUnit - 1;

constexpr std::size_t kMostKnown = std::size_t{1} << 18;

/// No instruction of it is younger than Frontier, so that it runs under every fork. The way out for
/// what it refuses is at 0x79, that for who asks for a home at 0x7f.
constexpr std::string_view kCode =
    "34607957"                     // it takes no ether
    "60403610607957"               // two words at least
    "600035600052"                 // KEC(account, 3)
    "60036020526040600020"         //
    "602052602035600052"           // KEC(first slot, that): the slot
    "60406000208054"               // its value on top of it
    "60403614607f57"               // two words ask for the home
    "6080361415607957"             // a move has four
    "3360003514"                   // by the account itself
    "33600154141715607957"         // or by whom the chain names
    "6002546040351015607957"       // to a lane that there is
    "6101009004"                   // how often it has moved
    "806060351415607957"           // is what the move says
    "60010161010002604035179055"   // once more now, and where
    "60005460010160005500"         // one move more of all, and the end
    "5b60006000fd"                 // refused
    "5b8060ff16600052"             // the lane
    "610100900460205260406000f3";  // and how often it has moved

Hash hash_of(const Uint256& first, const Hash& second) {
    std::array<std::uint8_t, 64> words{};
    store_be(first, words.data());
    std::ranges::copy(second.bytes, words.begin() + 32);
    return keccak256(words);
}

Uint256 word_of(const Address& address) {
    std::array<std::uint8_t, 32> word{};
    std::ranges::copy(address.bytes, word.end() - address.bytes.size());
    return load_be(word.data());
}

/// Where its range says, unless the state has a home that can be one: a genesis file may say more.
Home home_in(const StateView& state, const RangeDirectory& ranges, const HomeUnit& unit) {
    const Uint256 value = state.storage(homes_address(), home_slot(unit));
    const Uint256 moves = value >> 8;
    const std::uint64_t lane = value.low64() & kLaneMask;
    if (moves.is_zero() || !moves.fits_uint64() || lane >= ranges.lane_count())
        return ranges.home_of(unit);
    return Home{static_cast<LaneNumber>(lane), moves.low64()};
}

}  // namespace

Bytes homes_code() {
    return from_hex(kCode).value();
}

GenesisAccount homes_account(std::size_t lane_count, const std::optional<Address>& mover) {
    GenesisAccount account;
    account.address = homes_address();
    account.nonce = 1;  // as contracts have it (EIP-161)
    account.code = homes_code();
    if (mover.has_value()) account.storage.emplace_back(Uint256{kMoverSlot}, word_of(*mover));
    account.storage.emplace_back(Uint256{kLaneCountSlot}, Uint256{lane_count});
    return account;
}

Uint256 home_slot(const HomeUnit& unit) {
    const Hash of_account = hash_of(word_of(unit.address), to_hash(Uint256{kHomesSlot}));
    return load_be(hash_of(unit.first_slot, of_account).bytes.data());
}

std::optional<HomesContract> homes_contract_in(const StateView& state) {
    const auto account = state.account(homes_address());
    if (!account.has_value() || account->code_hash != keccak256(homes_code())) return std::nullopt;
    HomesContract contract;
    contract.lane_count = state.storage(homes_address(), Uint256{kLaneCountSlot}).low64();
    const Uint256 mover = state.storage(homes_address(), Uint256{kMoverSlot});
    if (mover.is_zero()) return contract;
    const Hash word = to_hash(mover);
    contract.mover.emplace();
    std::ranges::copy(word.view().last(contract.mover->bytes.size()),
                      contract.mover->bytes.begin());
    return contract;
}

Uint256 moves_in(const StateView& state) noexcept {
    return state.storage(homes_address(), Uint256{kMovesSlot});
}

Home HomesInState::home_of(const HomeUnit& unit) const {
    if (!has_moves_) return ranges_.home_of(unit);
    return home_in(state_, ranges_, unit);
}

std::size_t CachedHomes::UnitHasher::operator()(const HomeUnit& unit) const noexcept {
    return keyed_hash(
        kHashKey, hashed_words(unit.first_slot, keyed_hash(kHashKey, hashed_words(unit.address))));
}

void CachedHomes::stand_on(const StateView& state) {
    state_ = &state;
    const Uint256 moves = moves_in(state);
    if (moves == moves_) return;
    moves_ = moves;
    known_.clear();
}

Home CachedHomes::home_of(const HomeUnit& unit) const {
    HEDDLE_ASSERT(state_ != nullptr);
    if (moves_.is_zero()) return ranges_.home_of(unit);
    if (const auto found = known_.find(unit); found != known_.end()) return found->second;
    if (known_.size() >= kMostKnown) known_.clear();
    const Home home = home_in(*state_, ranges_, unit);
    known_.emplace(unit, home);
    return home;
}

}  // namespace heddle::consensus_adapter::lanes
