// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/hash.hpp>

namespace heddle {

std::string to_string(const Hash& hash) {
    return to_hex(hash.bytes);
}

std::optional<Hash> hash_from_hex(std::string_view text) noexcept {
    Hash hash;
    if (!decode_hex(text, hash.bytes)) return std::nullopt;
    return hash;
}

}  // namespace heddle
