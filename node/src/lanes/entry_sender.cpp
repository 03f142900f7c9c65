// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/entry_sender.hpp"

#include <utility>

namespace heddle::node::lanes {

namespace homes = consensus_adapter::lanes;
using consensus_adapter::cometbft::BroadcastResult;

EntrySender::EntrySender(LanePlacer::Send send, OpenPlacements& open, EntrySenderOptions options)
    : send_(std::move(send)),
      open_(open),
      options_(options),
      rests_until_(homes::kMaxLanes),
      thread_([this] { run(); }) {}

EntrySender::~EntrySender() {
    stop();
}

void EntrySender::stop() {
    {
        const std::scoped_lock lock{mutex_};
        is_stopped_ = true;
        for (const SentEntry& entry : waiting_)
            counters_.dropped += entry.lanes.size();
        waiting_.clear();
        bytes_ = 0;
    }
    wakeup_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void EntrySender::give(std::vector<SentEntry> entries) {
    if (entries.empty()) return;
    {
        const std::scoped_lock lock{mutex_};
        for (SentEntry& entry : entries) {
            if (is_stopped_ || waiting_.size() >= options_.most_waiting ||
                bytes_ + entry.entry.size() > options_.most_bytes) {
                counters_.dropped += entry.lanes.size();
                continue;
            }
            bytes_ += entry.entry.size();
            waiting_.push_back(std::move(entry));
        }
    }
    wakeup_.notify_all();
}

bool EntrySender::is_stopped() const {
    const std::scoped_lock lock{mutex_};
    return is_stopped_;
}

EntrySenderCounters EntrySender::counters() const {
    const std::scoped_lock lock{mutex_};
    return counters_;
}

/// Until there is something, or it is to stop: then nothing comes out.
std::vector<SentEntry> EntrySender::take() {
    std::vector<SentEntry> batch;
    std::size_t bytes = 0;
    std::unique_lock lock{mutex_};
    wakeup_.wait(lock, [this] { return is_stopped_ || !waiting_.empty(); });
    while (!is_stopped_ && !waiting_.empty() && batch.size() < options_.most_of_batch) {
        bytes += waiting_.front().entry.size();
        if (bytes > options_.most_bytes_of_batch && !batch.empty()) break;
        bytes_ -= waiting_.front().entry.size();
        batch.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
    }
    return batch;
}

void EntrySender::run() {
    while (true) {
        const std::vector<SentEntry> batch = take();
        if (batch.empty()) return;
        for (LaneNumber lane = 0; lane < homes::kMaxLanes; ++lane)
            send(lane, batch);
    }
}

void EntrySender::send(LaneNumber lane, const std::vector<SentEntry>& batch) {
    std::vector<Hash> digests;
    std::vector<Bytes> entries;
    for (const SentEntry& one : batch) {
        if (!one.lanes.has(lane)) continue;
        digests.push_back(one.digest);
        entries.push_back(one.entry);
    }
    if (entries.empty()) return;
    EntrySenderCounters counted;
    // Whoever stops it waits for one call, not for one of each lane.
    if (is_stopped() || Clock::now() < rests_until_[lane]) {
        counted.dropped = entries.size();
    } else if (const auto results = send_(lane, entries); results.has_value()) {
        open_.lane_answered(lane);
        homes::LaneSet this_lane;
        this_lane.add(lane);
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const bool has_it = (*results)[i] == BroadcastResult::accepted ||
                                (*results)[i] == BroadcastResult::already_there;
            if (has_it) open_.taken(digests[i], this_lane);
            ++(has_it ? counted.sent : counted.dropped);
        }
    } else {
        open_.lane_failed(lane);
        rests_until_[lane] = Clock::now() + options_.rest;
        counted.dropped = entries.size();
    }
    const std::scoped_lock lock{mutex_};
    counters_.sent += counted.sent;
    counters_.dropped += counted.dropped;
}

}  // namespace heddle::node::lanes
