// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_watch.hpp"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "lanes/lane_client.hpp"
#include "logging/log.hpp"

namespace heddle::node::lanes {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPoll{25};
constexpr milliseconds kPause{250};  // after a failure

void sleep(milliseconds time, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wakeup;
    std::unique_lock lock{mutex};
    wakeup.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace

LaneWatch::LaneWatch(follow::Endpoint endpoint, consensus_adapter::lanes::LaneLogHead wanted,
                     std::uint64_t chain_id, OnSeen on_seen)
    : endpoint_(std::move(endpoint)),
      wanted_(wanted),
      chain_id_(chain_id),
      on_seen_(std::move(on_seen)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void LaneWatch::run(const std::stop_token& stop) const {
    LaneClient client(endpoint_, lane_limits(), stop);
    std::string said;
    bool is_believed = true;
    const auto say = [&](const std::string& sentence) {
        if (std::exchange(said, sentence) == sentence) return;
        logger(Component::consensus).warn("lane {} is not seen: {}", wanted_.lane, sentence);
    };
    while (!stop.stop_requested()) {
        const auto status = client.status();
        if (stop.stop_requested()) return;
        if (!status.has_value()) {
            say(status.error().sentence);
        } else if (status->head != wanted_ || status->chain_id != chain_id_) {
            say(endpoint_.name() + " is another lane, or one of another chain");
        } else {
            if (!std::exchange(said, {}).empty())
                logger(Component::consensus).info("lane {} is seen again", wanted_.lane);
            const bool was_believed = std::exchange(is_believed, on_seen_(status->height));
            if (was_believed && !is_believed)
                logger(Component::consensus)
                    .warn("{} says that lane {} has height {}, and no other of its validators does",
                          endpoint_.name(), wanted_.lane, status->height);
            sleep(kPoll, stop);
            continue;
        }
        sleep(kPause, stop);
    }
}

}  // namespace heddle::node::lanes
