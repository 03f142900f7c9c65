// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/trie_error.hpp"

#include <fmt/format.h>

namespace heddle::ledger {

std::string_view to_string(TrieErrorCode code) noexcept {
    switch (code) {
        case TrieErrorCode::store_failed:
            return "the store could not be read";
        case TrieErrorCode::node_missing:
            return "the node is missing";
        case TrieErrorCode::node_malformed:
            return "the stored node is damaged";
        case TrieErrorCode::leaf_malformed:
            return "a leaf is damaged or out of place";
        case TrieErrorCode::reference_mismatch:
            return "the contents do not match their hash";
        case TrieErrorCode::count_mismatch:
            return "the number of leaves is wrong";
    }
    return "unknown error";
}

std::string to_string(const TrieError& error) {
    std::string path;
    for (const std::uint8_t nibble : error.path)
        path += "0123456789abcdef"[nibble & 0x0f];
    std::string text = error.owner.is_zero()
                           ? std::string("account trie")
                           : fmt::format("storage trie of {}", to_string(error.owner));
    text += fmt::format(", node at path '{}': {}", path, to_string(error.code));
    if (!error.detail.empty()) text += fmt::format(" ({})", error.detail);
    return text;
}

LedgerError to_ledger_error(const TrieError& error) {
    return {error.cause, to_string(error)};
}

}  // namespace heddle::ledger
