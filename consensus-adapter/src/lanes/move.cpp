// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/move.hpp>

#include <algorithm>
#include <array>

namespace heddle::consensus_adapter::lanes {

namespace {

constexpr std::size_t kWord = 32;

void append(const Uint256& word, Bytes& out) {
    std::array<std::uint8_t, kWord> bytes{};
    store_be(word, bytes.data());
    out.insert(out.end(), bytes.begin(), bytes.end());
}

std::optional<std::uint64_t> small(const Uint256& word) {
    if (!word.fits_uint64()) return std::nullopt;
    return word.low64();
}

}  // namespace

Address homes_address() noexcept {
    // "heddle homes", at the end of the address.
    constexpr std::array<std::uint8_t, 12> kName = {'h', 'e', 'd', 'd', 'l', 'e',
                                                    ' ', 'h', 'o', 'm', 'e', 's'};
    Address result;
    std::ranges::copy(kName, result.bytes.end() - kName.size());
    return result;
}

Bytes encode_move(const Move& move) {
    Bytes result(kWord - move.unit.address.bytes.size(), 0);
    result.insert(result.end(), move.unit.address.bytes.begin(), move.unit.address.bytes.end());
    append(move.unit.first_slot, result);
    append(Uint256{std::uint64_t{move.new_home}}, result);
    append(Uint256{move.moves}, result);
    return result;
}

std::optional<Move> move_of(const Transaction& transaction) {
    if (transaction.to != homes_address() || transaction.data.size() != 4 * kWord)
        return std::nullopt;
    Move move;
    const auto word = [&](std::size_t i) { return load_be(transaction.data.data() + i * kWord); };
    std::ranges::copy(BytesView{transaction.data}.subspan(kWord - move.unit.address.bytes.size(),
                                                          move.unit.address.bytes.size()),
                      move.unit.address.bytes.begin());
    move.unit.first_slot = word(1);
    const auto lane = small(word(2));
    const auto moves = small(word(3));
    if (!lane.has_value() || *lane >= kMaxLanes || !moves.has_value()) return std::nullopt;
    move.new_home = static_cast<LaneNumber>(*lane);
    move.moves = *moves;
    if (encode_move(move) != transaction.data) return std::nullopt;
    return move;
}

bool allows_move(const Transaction& transaction, const Placement& placement,
                 const std::optional<Address>& mover) {
    if (!placement.new_home.has_value() || placement.units.size() != 1) return false;
    if (!transaction.sender.has_value()) return false;
    const UnitPlacement& unit = placement.units.front();
    if (move_of(transaction) != Move{unit.unit, *placement.new_home, unit.moves}) return false;
    return *transaction.sender == unit.unit.address || transaction.sender == mover;
}

}  // namespace heddle::consensus_adapter::lanes
