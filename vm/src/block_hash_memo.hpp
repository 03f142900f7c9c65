// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Block hashes that a transaction has asked for. BLOCKHASH costs 20 gas, and what knows the hashes
// may be behind locks that all workers share: asked again and again, these would be what a block is
// busy with. Not for what is true beyond a transaction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <types/state_view.hpp>
#include <types/uint256.hpp>

namespace heddle::vm {

/// Thread safety: none; one machine's.
class BlockHashMemo {
public:
    /// A transaction begins: nothing is known. Complexity: constant.
    /// @param source  Outlives the transaction; gives the same as long as that lasts.
    void begin(const BlockHashes* source) noexcept {
        source_ = source;
        ++transaction_;
    }
    /// @param number  Of a block that BLOCKHASH reaches.
    [[nodiscard]] const Uint256& word_of(std::uint64_t number) noexcept {
        if (entries_ == nullptr) entries_ = std::make_unique<Entries>();
        Entry& entry = (*entries_)[number % kReach];
        if (entry.transaction != transaction_ || entry.number != number)
            entry = {transaction_, number, to_word(source_->block_hash(number))};
        return entry.word;
    }

private:
    static constexpr std::size_t kReach = 256;  // of BLOCKHASH, in blocks
    struct Entry {
        std::uint64_t transaction = 0;  // that has asked; 0: none
        std::uint64_t number = 0;
        Uint256 word;
    };
    using Entries = std::array<Entry, kReach>;

    const BlockHashes* source_ = nullptr;
    std::uint64_t transaction_ = 0;
    std::unique_ptr<Entries> entries_;  // few transactions ask
};

}  // namespace heddle::vm
