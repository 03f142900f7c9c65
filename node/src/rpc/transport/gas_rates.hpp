// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How much gas each client may have executed for it: so much a second, and up to ten seconds' worth
// at once. A call is let in while something is left, and charged afterwards what it used, so that a
// client may end up in debt and waits until that is paid off. Clients, not connections: who opens
// another connection has no more gas by it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace heddle::node::rpc {

/// Thread safety: any.
class GasRates {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::uint64_t kBurstSeconds = 10;

    /// @param per_second  Gas; 0: there is no limit, and nothing is kept.
    explicit GasRates(std::uint64_t per_second) noexcept : per_second_(per_second) {}

    /// Whether a call of this client (Client::key) may begin.
    [[nodiscard]] bool may_begin(std::uint64_t client, Clock::time_point now);
    void charge(std::uint64_t client, std::uint64_t gas, Clock::time_point now);
    /// Clients that are remembered: those that used gas and have not got all of it back.
    [[nodiscard]] std::size_t clients() const;

private:
    /// Forgets those whose gas is whole again, once there are twice as many as after the last time.
    void prune(Clock::time_point now);
    [[nodiscard]] Clock::duration time_for(std::uint64_t gas) const noexcept;

    const std::uint64_t per_second_;
    mutable std::mutex mutex_;
    // When a client's gas will be whole again; guarded by mutex_, as the next.
    std::map<std::uint64_t, Clock::time_point> whole_at_;
    std::size_t prune_at_ = 1'024;
};

}  // namespace heddle::node::rpc
