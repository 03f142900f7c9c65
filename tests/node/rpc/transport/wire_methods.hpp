// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Methods without meaning, for tests of the envelope and of the transport.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "rpc/envelope/method.hpp"

namespace heddle::node::rpc {

/// Calls wait here until the test lets them go.
class Gate {
public:
    void wait();
    void open();
    /// Returns once so many calls have arrived.
    void wait_for_arrivals(std::size_t count);
    /// So far.
    [[nodiscard]] std::size_t arrivals();

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t arrivals_ = 0;
    bool is_open_ = false;
};

/// Sessions that subscribed.
class Subscribers {
public:
    void add(const std::shared_ptr<Session>& session);
    [[nodiscard]] std::shared_ptr<Session> first();
    /// Returns once so many sessions have ended.
    void wait_for_closed(std::size_t count);

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::shared_ptr<Session>> sessions_;
    std::size_t closed_ = 0;
};

/// Strings that test_once has been called with, and how many of its calls were done together each
/// time.
class Once {
public:
    /// @return whether it came for the first time.
    bool add(const std::string& text);
    void note_group(std::size_t calls);
    [[nodiscard]] std::vector<std::size_t> groups();

private:
    std::mutex mutex_;
    std::set<std::string> known_;
    std::vector<std::size_t> groups_;
};

/// test_echo, test_echoHeavy: the first parameter, a string
/// test_nothing: writes no result
/// test_fail: RpcError 3 with data; test_crash: an exception that nobody expects
/// test_address: the first parameter as an address; test_required: fails without parameters
/// test_bytes: a string of so many bytes; test_read: the same, as a call that reads
/// test_thread, test_threadOfBlock: the thread that it runs on, the second as a call that executes
/// and lasts a block; both say that they used a million gas
/// test_late: passes its deadline, then checks it
/// test_admin: "admin", authenticated
/// test_wait: heavy, waits at the gate; test_sleep: waits there, without being heavy
/// test_execute: waits there as a call that executes code, and says that it used a million gas
/// test_isLoopback: whether the caller is on this machine
/// test_hold: waits at the gate and keeps the thread that reads
/// test_once, test_onceMore: the first parameter, a string; fails where it came before. Gathered,
/// unless the table was made without
/// test_subscribe: keeps the session, notifies it at once and returns "subscribed"
struct WireMethods {
    explicit WireMethods(bool gathers = true);

    Gate gate;
    Subscribers subscribers;
    Once once;
    MethodTable table;
};

}  // namespace heddle::node::rpc
