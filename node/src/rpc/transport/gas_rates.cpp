// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/gas_rates.hpp"

#include <algorithm>

namespace heddle::node::rpc {

namespace {

constexpr std::chrono::seconds kBurst{GasRates::kBurstSeconds};
/// One call never costs a client more than this, however much gas it was given.
constexpr std::chrono::hours kLongest{1};
constexpr std::size_t kLeastPrune = 1'024;

}  // namespace

// Gas is kept as time: what was used, divided by the rate, is how long it takes to come back.

bool GasRates::may_begin(std::uint64_t client, Clock::time_point now) {
    if (per_second_ == 0) return true;
    const std::scoped_lock lock(mutex_);
    const auto found = whole_at_.find(client);
    return found == whole_at_.end() || found->second < now + kBurst;
}

void GasRates::charge(std::uint64_t client, std::uint64_t gas, Clock::time_point now) {
    if (per_second_ == 0 || gas == 0) return;
    const std::scoped_lock lock(mutex_);
    prune(now);
    Clock::time_point& whole_at = whole_at_.try_emplace(client, now).first->second;
    whole_at = std::max(whole_at, now) + time_for(gas);
}

std::size_t GasRates::clients() const {
    const std::scoped_lock lock(mutex_);
    return whole_at_.size();
}

void GasRates::prune(Clock::time_point now) {
    if (whole_at_.size() < prune_at_) return;
    std::erase_if(whole_at_, [now](const auto& entry) { return entry.second <= now; });
    prune_at_ = std::max(kLeastPrune, 2 * whole_at_.size());
}

GasRates::Clock::duration GasRates::time_for(std::uint64_t gas) const noexcept {
    const double seconds = static_cast<double>(gas) / static_cast<double>(per_second_);
    const auto longest = std::chrono::duration<double>(kLongest);
    return std::chrono::duration_cast<Clock::duration>(
        std::min(std::chrono::duration<double>(seconds), longest));
}

}  // namespace heddle::node::rpc
