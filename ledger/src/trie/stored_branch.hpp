// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A branch of a trie as the store keeps it. The bytes, in this order:
//
//   4     checksum: the first four bytes of Keccak-256 of all that follows
//   1     nibbles in the extension above the branch, 0 to 63 (0: there is none)
//   0-32  those nibbles, two to a byte, high one first; if their number is odd, the last low half
//         is zero
//   2     which children there are, bit n for nibble n, little-endian; two at least
//   2     which of their references are embedded, in the same way
//   then for each child, in the order of the nibbles:
//   1-5   how many leaves are below it: seven bits to a byte, lowest first, the high bit set in all
//         but the last; not zero, no superfluous bytes
//   then for each child, in the order of the nibbles:
//         the hash of its RLP (32 bytes), or its RLP itself if embedded (2 to 31 bytes, a list
//         whose first byte tells its size)
//
// The key under which it is stored is the path at which the extension (or else the branch) begins.
// At most 4 + 1 + 32 + 4 + 16 × 5 + 16 × 32 = 633 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "trie/node_rlp.hpp"

namespace heddle::ledger {

struct StoredBranch {
    NibblePath prefix;
    std::uint16_t children = 0;
    std::uint16_t embedded = 0;
    /// One per child, in the order of the nibbles.
    std::array<std::uint32_t, 16> leaf_counts{};
    std::array<std::uint8_t, 16 * kReferenceSize> references{};

    [[nodiscard]] std::size_t child_count() const noexcept {
        return static_cast<std::size_t>(std::popcount(children));
    }
    [[nodiscard]] std::uint64_t leaf_count() const noexcept;
    /// Of the extension, or of the branch if there is no prefix.
    [[nodiscard]] Reference reference() const;
    /// Hash of the RLP even if that is short: for a root.
    [[nodiscard]] Hash root_hash() const;
};

/// Appends to `out`.
void encode_stored_branch(const StoredBranch& branch, Bytes& out);
/// Strict: nullopt unless encode_stored_branch() could have made exactly these bytes.
[[nodiscard]] std::optional<StoredBranch> decode_stored_branch(BytesView bytes);

}  // namespace heddle::ledger
