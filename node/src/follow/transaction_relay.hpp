// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Transactions that were sent to a node which puts none into blocks, handed on at once to the node
// that it follows, whose answer is the answer.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "chain/transaction_target.hpp"
#include "follow/rpc_caller.hpp"
#include "follow/rpc_connection.hpp"

namespace heddle::node::follow {

/// Keeps up to kConnections open. Thread safety: any.
class TransactionRelay final : public TransactionTarget {
public:
    static constexpr std::size_t kConnections = 8;

    TransactionRelay(Endpoint endpoint, ConnectionLimits limits);
    /// As stop(). Nobody sends any more.
    ~TransactionRelay() override;

    [[nodiscard]] std::expected<Hash, SendError> send(
        BytesView encoded, std::chrono::steady_clock::time_point deadline) override;
    /// Whoever waits for an answer gets an error.
    void stop() { stop_.request_stop(); }

private:
    /// A connection that nobody uses; null: not in time.
    [[nodiscard]] std::unique_ptr<RpcCaller> take(std::chrono::steady_clock::time_point deadline);
    void give_back(std::unique_ptr<RpcCaller> caller);

    const Endpoint endpoint_;
    const ConnectionLimits limits_;
    std::stop_source stop_;
    std::mutex mutex_;  // guards what follows
    std::condition_variable_any given_back_;
    std::vector<std::unique_ptr<RpcCaller>> free_;
    std::size_t in_use_ = 0;
};

}  // namespace heddle::node::follow
