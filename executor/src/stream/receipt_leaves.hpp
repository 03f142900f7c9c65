// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The leaves of a block's receipts trie, hashed while the block runs: by whoever adds the receipts,
// or beside him by others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <types/hash.hpp>
#include <types/ordered_root.hpp>
#include <types/receipt.hpp>

namespace heddle::executor {

class ReceiptLeaves {
public:
    /// @param are_needed  Whether root() will be asked for; without it nothing is hashed.
    void begin(std::size_t receipt_count, bool are_needed);
    /// Room for so many. While nobody hashes.
    void reserve(std::size_t receipt_count);
    [[nodiscard]] bool are_needed() const noexcept { return are_needed_; }

    /// The leaves of `receipts` [begin, end), for which there is room.
    /// Thread safety: for different receipts at once.
    void hash(const Receipt* receipts, std::uint32_t begin, std::uint32_t end,
              OrderedLeaves& hasher);

    /// The root, all leaves being hashed; nullopt where they are not needed.
    [[nodiscard]] std::optional<Hash> root(std::span<const Receipt> receipts) const;

private:
    bool are_needed_ = true;
    std::vector<NodeReference> leaves_;
};

}  // namespace heddle::executor
