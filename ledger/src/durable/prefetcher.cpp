// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/prefetcher.hpp"

#include <utility>

namespace heddle::ledger {

namespace {

/// Objects waiting. More than execution has in flight would come too early to stay in the cache.
constexpr std::size_t kMaxWanted = std::size_t{1} << 16;

}  // namespace

Prefetcher::Prefetcher(std::function<void(Wanted&)> fetch)
    : fetch_(std::move(fetch)), thread_([this] { run(); }) {}

Prefetcher::~Prefetcher() {
    {
        const std::lock_guard lock{mutex_};
        is_stopping_ = true;
    }
    has_work_.notify_one();
    thread_.join();
}

void Prefetcher::add(const ObjectSet& objects) {
    bool must_wake = false;
    {
        const std::lock_guard lock{mutex_};
        if (wanted_.size() + objects.accesses().size() > kMaxWanted) return;
        const Address* last = nullptr;
        for (const Access& access : objects.accesses()) {
            const ObjectId& object = access.object;
            if (object.kind == ObjectKind::storage)
                wanted_.slots.push_back({object.address, object.slot});
            // Sets are sorted: what belongs to one account stands together.
            if (last == nullptr || *last != object.address)
                wanted_.accounts.push_back(object.address);
            last = &object.address;
        }
        must_wake = std::exchange(is_idle_, false);
    }
    if (must_wake) has_work_.notify_one();
}

void Prefetcher::run() {
    Wanted batch;
    std::unique_lock lock{mutex_};
    for (;;) {
        is_idle_ = wanted_.size() == 0;
        has_work_.wait(lock, [this] { return is_stopping_ || wanted_.size() != 0; });
        is_idle_ = false;
        if (is_stopping_) return;
        std::swap(batch, wanted_);
        lock.unlock();
        fetch_(batch);
        batch.clear();
        lock.lock();
    }
}

}  // namespace heddle::ledger
