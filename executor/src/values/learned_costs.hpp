// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What transactions cost, guessed from what their like have cost: those that call the same function
// of the same contract. Only decides what is started first.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <types/address.hpp>
#include <types/transaction.hpp>

namespace heddle::executor {

/// Of bounded size: what falls on a place that is taken takes it over.
/// Thread safety: none.
class LearnedCosts {
public:
    /// Gas: of its like, lately; where there was none, the limit.
    [[nodiscard]] std::uint64_t estimate(const Transaction& tx) const noexcept {
        const std::uint64_t kind = kind_of(tx);
        const Place& place = places_[kind % kPlaces];
        return place.kind == kind ? std::min(place.gas, tx.gas_limit) : tx.gas_limit;
    }
    void learn(const Transaction& tx, std::uint64_t gas_used) noexcept {
        const std::uint64_t kind = kind_of(tx);
        Place& place = places_[kind % kPlaces];
        // A moving average that forgets in some ten transactions.
        place.gas = place.kind == kind ? place.gas - place.gas / 8 + gas_used / 8 : gas_used;
        place.kind = kind;
    }

private:
    static constexpr std::size_t kPlaces = 1024;

    struct Place {
        std::uint64_t kind = 0;
        std::uint64_t gas = 0;
    };

    [[nodiscard]] static std::uint64_t kind_of(const Transaction& tx) noexcept {
        std::uint32_t selector = 0;
        const std::size_t size = std::min(tx.data.size(), sizeof(selector));
        if (size != 0) std::memcpy(&selector, tx.data.data(), size);
        const std::uint64_t contract = tx.to.has_value() ? AddressHasher{}(*tx.to) : 0;
        return contract ^ selector;
    }

    std::array<Place, kPlaces> places_{};
};

}  // namespace heddle::executor
