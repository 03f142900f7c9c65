// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads ahead for execution: what a transaction will access is fetched from the database in
// batches, on a thread of its own, while earlier transactions run. Only a hint: what comes too late
// or is dropped is read by whoever needs it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <types/object.hpp>

namespace heddle::ledger {

/// Thread safety: add() from any thread.
class Prefetcher {
public:
    /// What to fetch, in no order; objects may occur more than once.
    struct Wanted {
        struct Slot {
            Address address;
            Uint256 slot;
            friend bool operator==(const Slot&, const Slot&) = default;
        };
        std::vector<Address> accounts;
        std::vector<Slot> slots;

        [[nodiscard]] std::size_t size() const noexcept { return accounts.size() + slots.size(); }
        void clear() noexcept {
            accounts.clear();
            slots.clear();
        }
    };

    /// @param fetch  Called on the thread of its own; leaves `wanted` as it likes.
    explicit Prefetcher(std::function<void(Wanted& wanted)> fetch);
    Prefetcher(const Prefetcher&) = delete;
    Prefetcher& operator=(const Prefetcher&) = delete;
    ~Prefetcher();

    void add(const ObjectSet& objects);

private:
    void run();

    const std::function<void(Wanted&)> fetch_;
    std::mutex mutex_;
    std::condition_variable has_work_;
    Wanted wanted_;
    bool is_idle_ = false;
    bool is_stopping_ = false;
    std::thread thread_;
};

}  // namespace heddle::ledger
