// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Between a CometBFT and its application: sees every message, may change it, lose it, or do
// something to either side at exactly that point of their conversation.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <types/bytes.hpp>

namespace heddle::test {

/// Thread safety: any.
class AbciProxy {
public:
    enum class Direction : std::uint8_t { request, response };
    struct Message {
        Direction direction = Direction::request;
        std::size_t connection = 0;  // in the order in which they were made
        Bytes bytes;                 // without the length before it; may be changed
        bool is_lost = false;        // set: it does not arrive, and the connection ends
    };
    /// Called for each message before it goes on; two threads for each connection.
    using OnMessage = std::function<void(Message& message)>;

    /// Listens for CometBFT and connects to the application for each of its connections.
    AbciProxy(const std::string& address, std::uint16_t port, std::uint16_t application_port,
              OnMessage on_message);
    ~AbciProxy();
    AbciProxy(const AbciProxy&) = delete;
    AbciProxy& operator=(const AbciProxy&) = delete;

private:
    struct Connection;

    [[nodiscard]] int connect_to_application() const;
    void accept_all();
    void carry(Connection& connection, Direction direction);

    const std::string address_;
    const std::uint16_t application_port_;
    const OnMessage on_message_;
    int listener_ = -1;
    std::atomic<bool> is_stopping_ = false;
    std::mutex mutex_;
    std::list<std::unique_ptr<Connection>> connections_;  // guarded by mutex_
    std::thread thread_;
};

}  // namespace heddle::test
