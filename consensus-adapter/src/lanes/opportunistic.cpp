// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/lanes/opportunistic.hpp>

namespace heddle::consensus_adapter::lanes {

namespace {

/// An estimate is the last eight probes or so.
constexpr std::int64_t kWeight = 8;

}  // namespace

void DelayEstimate::add(std::int64_t offset_us) noexcept {
    if (!estimate_us_.has_value()) {
        estimate_us_ = offset_us;
        return;
    }
    *estimate_us_ += (offset_us - *estimate_us_) / kWeight;
}

std::uint64_t insertion_time_us(std::uint64_t now_us, std::span<const std::int64_t> offsets_us,
                                std::uint64_t overshoot_us) noexcept {
    std::int64_t greatest = 0;
    for (const std::int64_t offset : offsets_us)
        greatest = std::max(greatest, offset);
    return now_us + static_cast<std::uint64_t>(greatest) + overshoot_us;
}

}  // namespace heddle::consensus_adapter::lanes
