// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a block take in memory, for whoever bounds how much of a stream it holds. Not
// what they take on the wire.
#pragma once

#include <cstddef>
#include <vector>

#include <types/object.hpp>
#include <types/receipt.hpp>
#include <types/state_diff.hpp>
#include <types/transaction.hpp>

namespace heddle {

// Bytes, with what they point to. Of a list, what stands in it: it may have room for more. Thread
// safety: const access only.

[[nodiscard]] inline std::size_t held_bytes(const Transaction& tx) noexcept {
    std::size_t bytes = sizeof tx + tx.data.size();
    for (const AccessListEntry& entry : tx.access_list)
        bytes += sizeof entry + entry.storage_keys.size() * sizeof(Hash);
    return bytes + tx.blob_versioned_hashes.size() * sizeof(Hash) +
           tx.authorization_list.size() * sizeof(Authorization);
}

[[nodiscard]] inline std::size_t held_bytes(const Receipt& receipt) noexcept {
    std::size_t bytes = sizeof receipt;
    for (const Log& log : receipt.logs)
        bytes += sizeof log + log.data.size();
    return bytes;
}

[[nodiscard]] inline std::size_t held_bytes(const ObjectSet& set) noexcept {
    return sizeof set + set.accesses().size() * sizeof(Access);
}

[[nodiscard]] inline std::size_t held_bytes(const CodeChange& change) noexcept {
    return sizeof change + change.code.size();
}

[[nodiscard]] inline std::size_t held_bytes(const AccountChange& change) noexcept {
    return sizeof change + change.storage.size() * sizeof(StorageChange);
}

/// Of all of them together.
template <typename Part>
[[nodiscard]] std::size_t held_bytes(const std::vector<Part>& parts) noexcept {
    std::size_t bytes = 0;
    for (const Part& part : parts)
        bytes += held_bytes(part);
    return bytes;
}

[[nodiscard]] inline std::size_t held_bytes(const StateDiff& diff) noexcept {
    return held_bytes(diff.accounts) + held_bytes(diff.codes);
}

}  // namespace heddle
