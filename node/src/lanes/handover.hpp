// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What one thread makes and another one needs, in order: merged blocks wait while those before them
// are executed, so that the order of a cut is found beside the execution of another.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include <types/assert.hpp>

namespace heddle::node::lanes {

/// A queue between the thread that gives and the one that takes, bounded by weight. What is heavier
/// than the bound alone is given when nothing else waits.
///
/// | state  | event                           | next                                  | who   |
/// |--------|---------------------------------|---------------------------------------|-------|
/// | open   | give(), while there is room     | open, with one thing more             | giver |
/// | open   | take(), while something waits   | open, with one thing less             | taker |
/// | open   | close(): nothing more is given  | closed; what waits is taken still     | giver |
/// | any    | refuse(): nothing more is taken | refused, for ever; what waits is gone | taker |
///
/// give() waits for room, take() for a thing. Whoever waits is woken by every step of the other
/// thread, so neither waits for one that has ended, if it has closed or refused before.
///
/// Thread safety: one thread gives and closes, one takes and refuses.
template <typename Thing>
class Handover {
public:
    explicit Handover(std::size_t max_weight) : max_weight_(max_weight) {}

    /// @return false: it was refused, and `thing` is dropped.
    [[nodiscard]] bool give(Thing thing, std::size_t weight) {
        std::unique_lock lock{mutex_};
        HEDDLE_ASSERT(!is_closed_);
        wakeup_.wait(lock, [&] {
            return is_refused_ || things_.empty() ||
                   (weight_ <= max_weight_ && weight <= max_weight_ - weight_);
        });
        if (is_refused_) return false;
        weight_ += weight;
        things_.push_back({std::move(thing), weight});
        wakeup_.notify_all();
        return true;
    }
    void close() {
        const std::scoped_lock lock{mutex_};
        is_closed_ = true;
        wakeup_.notify_all();
    }

    /// nullopt: it was closed, and all is taken.
    [[nodiscard]] std::optional<Thing> take() {
        std::unique_lock lock{mutex_};
        HEDDLE_ASSERT(!is_refused_);
        wakeup_.wait(lock, [this] { return is_closed_ || !things_.empty(); });
        if (things_.empty()) return std::nullopt;
        Waiting first = std::move(things_.front());
        things_.pop_front();
        weight_ -= first.weight;
        wakeup_.notify_all();
        return std::move(first.thing);
    }
    void refuse() {
        const std::scoped_lock lock{mutex_};
        is_refused_ = true;
        things_.clear();
        weight_ = 0;
        wakeup_.notify_all();
    }

private:
    struct Waiting {
        Thing thing;
        std::size_t weight = 0;
    };

    const std::size_t max_weight_;
    std::mutex mutex_;
    std::condition_variable wakeup_;
    std::deque<Waiting> things_;  // guarded by mutex_, as what follows
    std::size_t weight_ = 0;      // of them
    bool is_closed_ = false;
    bool is_refused_ = false;
};

}  // namespace heddle::node::lanes
