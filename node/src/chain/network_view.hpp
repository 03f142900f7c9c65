// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the methods tell of the network that a node is part of, whatever makes it one.
#pragma once

#include <cstdint>
#include <optional>

namespace heddle::node {

/// Heights of a node that takes blocks which others have decided without it.
struct SyncProgress {
    std::uint64_t starting = 0;  // where it was when it began
    std::uint64_t highest = 0;   // the highest that is known
};

/// Thread safety: any.
class NetworkView {
public:
    virtual ~NetworkView() = default;
    /// Connected now.
    [[nodiscard]] virtual std::uint64_t peers() const = 0;
    /// Whether it can be told of by others.
    [[nodiscard]] virtual bool is_listening() const = 0;
    /// nullopt: it takes part in deciding blocks, or follows right behind.
    [[nodiscard]] virtual std::optional<SyncProgress> catching_up() const = 0;
};

}  // namespace heddle::node
