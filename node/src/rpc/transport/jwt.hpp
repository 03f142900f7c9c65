// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON Web Tokens as execution clients ask for them: HS256 (RFC 7519, RFC 7518 3.2), issued within
// a minute of now.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <types/bytes.hpp>

namespace heddle::node::rpc {

enum class JwtError : std::uint8_t {
    none,
    malformed,        // not three parts of base64url, or not JSON
    wrong_algorithm,  // anything but HS256
    wrong_signature,
    missing_issue_time,
    stale,   // issued more than a minute ago
    future,  // issued more than a minute from now
    expired,
};
[[nodiscard]] std::string_view to_string(JwtError error) noexcept;

/// Checks a token, signature first.
/// @param now  Since 1970, UTC.
[[nodiscard]] JwtError check_jwt(std::string_view token, BytesView secret,
                                 std::chrono::seconds now);

/// A token that check_jwt() takes for a minute. @param now  As there.
[[nodiscard]] std::string make_jwt(BytesView secret, std::chrono::seconds now);

}  // namespace heddle::node::rpc
