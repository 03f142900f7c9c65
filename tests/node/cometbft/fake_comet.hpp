// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// CometBFT's mempool as a forwarder sees it, without a process and a socket.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <expected>
#include <functional>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <consensus_adapter/cometbft/comet_rpc.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "cometbft/transaction_forwarder.hpp"

namespace heddle::test {

/// Every batch is answered by `decide`.
class FakeComet {
public:
    using BroadcastResult = consensus_adapter::cometbft::BroadcastResult;
    using CometError = consensus_adapter::cometbft::CometError;
    using Results = std::expected<std::vector<BroadcastResult>, CometError>;
    using Decide = std::function<Results(std::span<const Bytes>)>;

    [[nodiscard]] node::TransactionForwarder::Broadcast broadcast() {
        return [this](std::span<const Bytes> transactions) -> Results {
            std::unique_lock lock{mutex_};
            ++calls_;
            changed_.notify_all();
            changed_.wait(lock, [this] { return !is_held_; });
            sizes_.push_back(transactions.size());
            Results results = decide_(transactions);
            if (results.has_value())
                for (std::size_t i = 0; i < transactions.size(); ++i)
                    if ((*results)[i] == BroadcastResult::accepted)
                        taken_.push_back(keccak256(transactions[i]));
            changed_.notify_all();
            return results;
        };
    }
    static Results all(std::span<const Bytes> transactions, BroadcastResult result) {
        return std::vector<BroadcastResult>(transactions.size(), result);
    }
    void decide(Decide how) {
        const std::scoped_lock lock{mutex_};
        decide_ = std::move(how);
    }
    void hold(bool is_held) {
        const std::scoped_lock lock{mutex_};
        is_held_ = is_held;
        changed_.notify_all();
    }
    void wait_for_calls(std::size_t calls) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return calls_ >= calls; });
    }
    /// Blocks until so many were taken; what was taken, in order.
    std::vector<Hash> wait_for(std::size_t count) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return taken_.size() >= count; });
        return taken_;
    }
    [[nodiscard]] std::vector<Hash> taken() const {
        const std::scoped_lock lock{mutex_};
        return taken_;
    }
    [[nodiscard]] std::vector<std::size_t> sizes() const {
        const std::scoped_lock lock{mutex_};
        return sizes_;
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool is_held_ = false;
    std::size_t calls_ = 0;
    std::vector<std::size_t> sizes_;
    std::vector<Hash> taken_;
    Decide decide_ = [](std::span<const Bytes> transactions) {
        return all(transactions, BroadcastResult::accepted);
    };
};

}  // namespace heddle::test
