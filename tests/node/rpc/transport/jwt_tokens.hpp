// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Tokens for tests of jwt.hpp.
#pragma once

#include <string>
#include <string_view>

#include <types/bytes.hpp>

namespace heddle::node::rpc {

/// A token with these parts, signed with HMAC-SHA-256 whatever its header says.
[[nodiscard]] std::string make_token(std::string_view claims, BytesView secret,
                                     std::string_view header = R"({"alg":"HS256","typ":"JWT"})");

}  // namespace heddle::node::rpc
