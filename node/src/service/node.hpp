// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The running node: every part built on the ones below it, started in that order and stopped in
// the reverse one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "service/node_config.hpp"

namespace heddle::node {

/// Thread safety: start() and stop() by one thread; everything else from any.
class Node {
public:
    /// @param is_dev  The development chain with its accounts and methods.
    Node(NodeConfig config, bool is_dev);
    /// As stop(), without its error.
    ~Node();
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    /// Opens or makes the data directory, then starts sealing and answering.
    /// Errors: InputError, InUseError, StorageError: one sentence with what to do. Nothing is left
    /// running.
    void start();
    /// Answers what is being answered, commits the block in work, and closes the data directory.
    /// Errors: StorageError where not everything could be written.
    void stop();
    /// Ends what is asked of the source of a fork, and what will be, and the wait for a data
    /// directory: start() fails where it needs one of them. Comes before stop(), which does so,
    /// too.
    void stop_waiting() noexcept;

    /// Nothing can be committed any more: why. It still answers until it is stopped.
    [[nodiscard]] std::optional<std::string> failure() const;

    /// A member of a replicated chain has another part now: it is to be stopped and made anew.
    struct Restart {
        std::optional<std::uint64_t> rollback_to;  // the head before it is, where there is one
    };
    [[nodiscard]] std::optional<Restart> restart() const;

    /// Where it listens, e.g. `127.0.0.1:8545`. After start().
    [[nodiscard]] std::string endpoint() const;
    [[nodiscard]] std::uint16_t port() const;

private:
    struct Impl;
    struct Front;
    std::unique_ptr<Front> front_;
};

}  // namespace heddle::node
