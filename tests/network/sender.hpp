// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A client that goes on sending transactions to whichever validator answers, and keeps account of
// what was taken.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "network.hpp"

namespace heddle::test {

/// Thread safety: any.
class Sender {
public:
    /// Sends from the development accounts. @param per_second.
    Sender(Network& network, unsigned per_second, std::uint64_t seed);
    ~Sender();
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    /// Ends sending.
    void stop();
    /// Hashes of what validators said to have taken.
    [[nodiscard]] std::vector<std::string> accepted() const;

private:
    void run(unsigned per_second, std::uint64_t seed);

    Network& network_;
    std::atomic<bool> is_stopping_ = false;
    mutable std::mutex mutex_;
    std::vector<std::string> accepted_;  // guarded by mutex_
    std::thread thread_;
};

}  // namespace heddle::test
