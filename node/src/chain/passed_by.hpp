// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// By which nodes a question came that is being answered. Whom a chain that forks another one asks
// for it is told, so that nodes which fork each other in a circle know a question that comes round.
#pragma once

#include <string_view>

namespace heddle::node {

/// Thread safety: of the thread that made it. Scopes nest: the innermost counts.
class PassedBy {
public:
    /// @param names  As the header CDN-Loop has them (RFC 8586); outlive the scope. Empty: nobody
    ///               has passed the question on.
    explicit PassedBy(std::string_view names) noexcept;
    ~PassedBy();
    PassedBy(const PassedBy&) = delete;
    PassedBy& operator=(const PassedBy&) = delete;

    /// Of the calling thread; empty where it answers no question.
    [[nodiscard]] static std::string_view names() noexcept;

private:
    const std::string_view outer_;
};

}  // namespace heddle::node
