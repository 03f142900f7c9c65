// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Hard forks that change what the EVM or a transaction does. Which block belongs to which revision
// is chain_config.hpp's business.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle {

/// In order of activation: `revision >= Revision::berlin` reads "Berlin or later". Forks that
/// change neither EVM nor transactions (ice ages, blob-parameter-only forks) have no value here.
enum class Revision : std::uint8_t {
    frontier,
    homestead,
    tangerine_whistle,  // EIP-150
    spurious_dragon,    // EIP-155, 158/161, 170
    byzantium,
    constantinople,
    petersburg,
    istanbul,
    berlin,
    london,
    paris,
    shanghai,
    cancun,
    prague,
    osaka,
    amsterdam,
};

inline constexpr Revision kLatestRevision = Revision::amsterdam;
inline constexpr std::size_t kRevisionCount = static_cast<std::size_t>(kLatestRevision) + 1;

[[nodiscard]] std::string_view to_string(Revision revision) noexcept;

}  // namespace heddle
