// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the leading lane sees of the others: how far their logs go. Its proposers name that in their
// cuts, and its validators accept no cut that names more.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <thread>

#include <consensus_adapter/lanes/lane_log.hpp>

#include "follow/endpoint.hpp"

namespace heddle::node::lanes {

/// Watches a validator of one lane, on a thread of its own, as long as it lives.
class LaneWatch {
public:
    /// Its log goes up to this height, as it says. @return false: that is known not to be so.
    using OnSeen = std::function<bool(std::uint64_t height)>;

    /// @param wanted    Which lane it has to be, and of which chain are its transactions; another
    ///                  one is not believed, and logged once.
    /// @param on_seen   From the watch's thread.
    LaneWatch(follow::Endpoint endpoint, consensus_adapter::lanes::LaneLogHead wanted,
              std::uint64_t chain_id, OnSeen on_seen);

private:
    void run(const std::stop_token& stop) const;

    const follow::Endpoint endpoint_;
    const consensus_adapter::lanes::LaneLogHead wanted_;
    const std::uint64_t chain_id_;
    const OnSeen on_seen_;
    std::jthread thread_;
};

}  // namespace heddle::node::lanes
