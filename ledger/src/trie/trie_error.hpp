// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What can go wrong when a part of a trie is read from the store. An error always names the node:
// the trie it belongs to and its path.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include <ledger/ledger_error.hpp>

#include "trie/nibbles.hpp"

namespace heddle::ledger {

enum class TrieErrorCode : std::uint8_t {
    store_failed,        // the store could not be read
    node_missing,        // a node that must be stored is not
    node_malformed,      // stored bytes that are no node, or do not match their checksum
    leaf_malformed,      // a leaf outside the prefix asked for, out of order or without a value
    reference_mismatch,  // what was read does not have the hash that refers to it
    count_mismatch,      // what was read has more or fewer leaves than the node above says
};
[[nodiscard]] std::string_view to_string(TrieErrorCode code) noexcept;

struct TrieError {
    TrieErrorCode code = TrieErrorCode::store_failed;
    Hash owner;          // KEC(address) of the storage trie's account; zero: the account trie
    Nibbles path;        // of the node, from the root
    std::string detail;  // what the store said; may be empty
    /// Of a store that failed: why. A disk that could not be read says nothing of what is on it.
    LedgerErrorCode cause = LedgerErrorCode::corrupt;
};
/// One sentence that names the node.
[[nodiscard]] std::string to_string(const TrieError& error);
/// What it means for the ledger: a trie finds fault only with what it reads.
[[nodiscard]] LedgerError to_ledger_error(const TrieError& error);
/// What a trie gave, for those to whom it is the ledger's.
template <typename T>
[[nodiscard]] std::expected<T, LedgerError> from_trie(std::expected<T, TrieError> result) {
    if (!result.has_value()) return std::unexpected(to_ledger_error(result.error()));
    if constexpr (std::is_void_v<T>)
        return {};
    else
        return *std::move(result);
}

}  // namespace heddle::ledger
