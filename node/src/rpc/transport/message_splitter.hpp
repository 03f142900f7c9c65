// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a JSON message ends in a stream of them that has no other frames, as on a local socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::node::rpc {

/// Counts brackets outside of strings; whether what is between them is JSON, whoever reads it says.
/// Each byte is looked at once.
/// Thread safety: one thread at a time.
class MessageSplitter {
public:
    enum class Verdict : std::uint8_t {
        incomplete,
        complete,   // see end()
        malformed,  // no object and no array begins there
    };

    /// @param text  What has come since the message began: what it was last time, and more.
    [[nodiscard]] Verdict scan(std::string_view text) noexcept;
    /// Behind the message's last byte.
    [[nodiscard]] std::size_t end() const noexcept { return position_; }
    /// For the next message.
    void restart() noexcept { *this = {}; }

private:
    /// @return whether the message ends with this one.
    [[nodiscard]] bool take(char c) noexcept;

    std::size_t position_ = 0;
    std::size_t depth_ = 0;
    bool in_string_ = false;
    bool is_escaped_ = false;
};

}  // namespace heddle::node::rpc
