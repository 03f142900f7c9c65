// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the fields of a request's header take while it is under way. Private to the server: includes
// Beast.
#pragma once

#include <cstddef>

#include <boost/beast/http/fields.hpp>

namespace heddle::node::rpc {

/// Fields that a header may have; browsers with proxies before them send some forty. One whose name
/// is a letter and that says nothing is sent in four bytes and kept in twenty times as many.
inline constexpr std::size_t kMaxFields = 128;
/// What a field takes beside its text.
inline constexpr std::size_t kFieldBytes = 80;

/// Also of a header that is not complete yet.
[[nodiscard]] inline bool has_too_many_fields(const boost::beast::http::fields& fields) {
    std::size_t count = 0;
    for (auto field = fields.begin(); field != fields.end(); ++field)
        if (++count > kMaxFields) return true;
    return false;
}

/// In bytes.
[[nodiscard]] inline std::size_t memory_of_fields(const boost::beast::http::fields& fields) {
    std::size_t bytes = 0;
    for (const auto& field : fields)
        bytes += kFieldBytes + field.name_string().size() + field.value().size();
    return bytes;
}

}  // namespace heddle::node::rpc
