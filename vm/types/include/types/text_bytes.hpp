// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a text and back, for what is hashed, stored or parsed in the other form. Nothing is
// copied or checked; hexadecimal text is in bytes.hpp.
#pragma once

#include <cstdint>
#include <string_view>

#include <types/bytes.hpp>

namespace heddle {

/// Borrows the text.
[[nodiscard]] inline BytesView bytes_of(std::string_view text) noexcept {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Borrows the bytes, which need not be UTF-8.
[[nodiscard]] inline std::string_view text_of(BytesView bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace heddle
