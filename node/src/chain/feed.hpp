// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Telling many about what happened: new heads, transactions that entered the mempool. Not a queue:
// a listener that is slow keeps the one who tells.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace heddle::node {

/// Thread safety: any. A listener is called from the telling thread, in order of the events; it
/// must not subscribe or end subscriptions itself.
template <typename Event>
class Feed {
public:
    using Listener = std::function<void(const Event&)>;

private:
    struct Shared {
        std::mutex mutex;
        std::uint64_t next_id = 0;
        std::vector<std::pair<std::uint64_t, Listener>> listeners;
    };

public:
    /// Listens as long as it lives. Once its destructor has returned the listener is not called
    /// any more. May outlive the feed.
    class Subscription {
    public:
        Subscription() = default;
        Subscription(Subscription&& other) noexcept
            : shared_(std::move(other.shared_)), id_(other.id_) {}
        Subscription& operator=(Subscription&& other) noexcept {
            end();
            shared_ = std::move(other.shared_);
            id_ = other.id_;
            return *this;
        }
        ~Subscription() { end(); }

    private:
        friend class Feed;
        Subscription(std::shared_ptr<Shared> shared, std::uint64_t id)
            : shared_(std::move(shared)), id_(id) {}
        void end() {
            if (!shared_) return;
            const std::scoped_lock lock{shared_->mutex};
            std::erase_if(shared_->listeners,
                          [&](const auto& entry) { return entry.first == id_; });
            shared_.reset();
        }

        std::shared_ptr<Shared> shared_;  // with the feed
        std::uint64_t id_ = 0;
    };

    [[nodiscard]] Subscription subscribe(Listener listener) {
        const std::scoped_lock lock{shared_->mutex};
        const std::uint64_t id = shared_->next_id++;
        shared_->listeners.emplace_back(id, std::move(listener));
        return Subscription{shared_, id};
    }

    void tell(const Event& event) const {
        const std::scoped_lock lock{shared_->mutex};
        for (const auto& [id, listener] : shared_->listeners)
            listener(event);
    }

private:
    std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();  // with its subscriptions
};

}  // namespace heddle::node
