// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include <vm/block.hpp>

namespace heddle::vm {

namespace {

constexpr std::uint64_t kMinimumDifficulty = 131'072;
constexpr std::uint64_t kBombPeriod = 100'000;  // blocks

bool is_active(const std::optional<std::uint64_t>& activation, std::uint64_t number) noexcept {
    return activation.has_value() && *activation <= number;
}

/// Blocks by which the forks up to `number` put the bomb off.
std::uint64_t bomb_delay(std::uint64_t number, const ChainConfig& config) noexcept {
    if (is_active(config.gray_glacier_block, number)) return 11'400'000;   // EIP-5133
    if (is_active(config.arrow_glacier_block, number)) return 10'700'000;  // EIP-4345
    if (is_active(config.london_block, number)) return 9'700'000;          // EIP-3554
    if (is_active(config.muir_glacier_block, number)) return 9'000'000;    // EIP-2384
    if (is_active(config.constantinople_block, number)) return 5'000'000;  // EIP-1234
    if (is_active(config.byzantium_block, number)) return 3'000'000;       // EIP-649
    return 0;
}

/// ε of YP 4.3.4: doubles every 100,000 blocks.
Uint256 bomb(std::uint64_t number, const ChainConfig& config) noexcept {
    const std::uint64_t delay = bomb_delay(number, config);
    const std::uint64_t period = number > delay ? (number - delay) / kBombPeriod : 0;
    return period > 1 ? Uint256{1} << (period - 2) : Uint256{};
}

/// Steps of parent_difficulty / 2048 that a block after `elapsed` seconds is away from its parent.
std::int64_t steps(const BlockHeader& parent, std::uint64_t number, std::uint64_t elapsed,
                   const ChainConfig& config) noexcept {
    if (!is_active(config.homestead_block, number)) return elapsed < 13 ? 1 : -1;
    const bool byzantium = is_active(config.byzantium_block, number);
    // EIP-100: a parent with ommers counts as one more.
    const std::int64_t most = byzantium && parent.ommers_hash != kEmptyListHash ? 2 : 1;
    const std::uint64_t units = elapsed / (byzantium ? 9 : 10);
    // Compared before the subtraction: a timestamp may be as far away as 64 bits go.
    return units > 200 ? -99 : std::max<std::int64_t>(most - static_cast<std::int64_t>(units), -99);
}

}  // namespace

Uint256 next_difficulty(const BlockHeader& parent, std::uint64_t number, std::uint64_t timestamp,
                        const ChainConfig& config) noexcept {
    const Uint256 minimum{kMinimumDifficulty};
    const std::uint64_t elapsed = timestamp > parent.timestamp ? timestamp - parent.timestamp : 0;
    const std::int64_t count = steps(parent, number, elapsed, config);
    const Uint256 step = parent.difficulty >> 11;

    Uint256 difficulty =
        count >= 0 ? parent.difficulty + step * Uint256{static_cast<std::uint64_t>(count)}
                   : parent.difficulty - step * Uint256{static_cast<std::uint64_t>(-count)};
    if (difficulty < minimum) difficulty = minimum;
    return difficulty + bomb(number, config);
}

}  // namespace heddle::vm
