// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What waits to be sent to one client that stays connected. The side of the connection that other
// threads use; subscriptions may keep it for longer than the connection and the server live.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "rpc/envelope/method.hpp"
#include "rpc/transport/connection.hpp"
#include "rpc/transport/memory_budget.hpp"

namespace heddle::node::rpc {

class MessageSession final : public Session {
public:
    /// @param client  Whose it is (Client::key).
    MessageSession(ServerCore& core, IoThread& thread, std::weak_ptr<Connection> owner,
                   std::uint64_t client);

    bool send(std::string message) override;
    void on_close(std::function<void()> action) override;

    // For the connection, on its thread.

    /// Queues a response, before notifications that are held back. An empty one only gives room.
    void respond(std::string response);
    /// Keeps notifications back until release(), so that none goes out before the response that
    /// names its subscription. Nests.
    void hold();
    void release();
    /// The next message to write; nullopt: there is none. The connection writes one at a time.
    [[nodiscard]] std::optional<std::string> take();
    /// The message that was taken is out.
    void written();
    [[nodiscard]] std::size_t queued_bytes() const;
    /// Ends the session: nothing is queued any more, actions run. Again: does nothing.
    void close();

private:
    /// With the lock. Posts a visit of the connection unless one is on its way.
    void wake();
    /// With the lock. Counts a message; false: there is no room, and the client is cut off.
    bool make_room(std::size_t bytes);

    ServerCore* core_;  // while open
    IoThread* thread_;  // while open
    std::weak_ptr<Connection> owner_;
    mutable std::mutex mutex_;  // guards everything
    std::deque<std::string> queue_;
    std::deque<std::string> held_;
    std::size_t holds_ = 0;
    std::size_t queued_bytes_ = 0;       // of queue_, held_ and the message being written
    std::size_t written_bytes_ = 0;      // of the message being written
    std::optional<MemoryShare> memory_;  // while open
    bool is_woken_ = false;
    bool is_open_ = true;
    std::vector<std::function<void()>> actions_;
};

}  // namespace heddle::node::rpc
