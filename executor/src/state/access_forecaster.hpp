// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What some transactions are going to hash and read by their access patterns: the hashes of all of
// them are computed side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <types/hash.hpp>
#include <types/keccak_batch.hpp>
#include <types/transaction.hpp>

#include <vm/hash_notes.hpp>

#include "state/access_patterns.hpp"

namespace heddle::executor {

/// Work: kMostHashes, whatever the patterns are; the first transactions get theirs first.
/// Thread safety: none, one thread's.
class AccessForecaster {
public:
    static constexpr std::size_t kMostTransactions = 16;
    /// Of all transactions together: those of a token's transferFrom(), nearly.
    static constexpr std::size_t kMostHashes = 3 * kMostTransactions;

    /// For these, which stay where they are as long as it is asked for them.
    void begin(std::span<const Transaction> transactions, const AccessPatterns& patterns);
    [[nodiscard]] bool is_empty() const noexcept { return is_empty_; }

    /// Of transaction `index`; appends.
    void tell_hashes(std::size_t index, std::vector<vm::KnownHash>& hashes) const;
    /// The same up to `limit` slots altogether, without their values.
    void tell_slots(std::size_t index, std::vector<SlotValue>& slots, std::size_t limit) const;

private:
    struct Forecast {
        const AccessPattern* pattern = nullptr;  // null: nothing is known of the transaction
        std::array<vm::KnownHash, AccessPattern::kMostHashes> hashes;
        std::uint32_t known = 0;  // a bit for each of them that could be computed
    };
    struct Asked {
        std::uint8_t transaction = 0;
        std::uint8_t hash = 0;
    };

    /// Hashes that need only those of lesser depth. @return whether there are deeper ones.
    bool compute(std::uint8_t depth);
    /// nullopt: it cannot be told of this transaction.
    [[nodiscard]] std::optional<Uint256> word_of(std::size_t index, const WordSource& source) const;
    [[nodiscard]] std::optional<vm::ShortInput> input_of(std::size_t index,
                                                         const AccessPattern::Pair& pair) const;

    std::span<const Transaction> transactions_;
    bool is_empty_ = true;
    std::size_t computed_ = 0;  // hashes
    std::array<Forecast, kMostTransactions> forecasts_;
    // Of compute().
    KeccakBatch batch_;
    std::vector<Asked> asked_;
    std::vector<Hash> outputs_;
};

}  // namespace heddle::executor
