// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where transactions go that are sent to a node which puts none into blocks itself.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>

#include <types/bytes.hpp>
#include <types/hash.hpp>

namespace heddle::node {

/// Why a transaction was not taken: the target's own words, or why it could not be asked.
struct SendError {
    int code = 0;  // of JSON-RPC
    std::string message;
    std::string data;  // JSON text; empty: there is none
};

/// Thread safety: any.
class TransactionTarget {
public:
    virtual ~TransactionTarget() = default;
    /// Hands on a transaction in its network form and waits for what becomes of it, at most until
    /// `deadline`. @return its hash.
    [[nodiscard]] virtual std::expected<Hash, SendError> send(
        BytesView encoded, std::chrono::steady_clock::time_point deadline) = 0;
};

/// Whether transactions are taken now.
/// Thread safety: any.
class TransactionIntake {
public:
    virtual ~TransactionIntake() = default;
    /// Why none is taken; nullopt: they are.
    [[nodiscard]] virtual std::optional<std::string> refusal() const = 0;
};

}  // namespace heddle::node
