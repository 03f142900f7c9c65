// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The blooms of a block's receipts, several hashes side by side (keccak_batch.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/keccak_batch.hpp>
#include <types/receipt.hpp>

namespace heddle {

/// Makes blooms of one receipt after the other. The same few contracts and events are in most logs,
/// so hashes are remembered: comparing an address or topic costs a twentieth of hashing it.
///
/// Thread safety: none.
class BloomMaker {
public:
    /// The receipt gets logs_bloom() of its logs, whatever it had, not later than with finish();
    /// until then it stays where it is.
    void fill(Receipt& receipt);
    void finish();

private:
    static constexpr std::size_t kEntries = 512;
    static constexpr std::size_t kTogether = 64;  // hashed at once: a multiple of what fits
    static constexpr std::size_t kMostWaiting = 1'024;
    static constexpr std::uint32_t kKnown = ~std::uint32_t{0};

    /// Direct-mapped: a newer item displaces an older one.
    struct Entry {
        std::array<std::uint64_t, 4> words{};  // of the item, filled up with zeros
        std::size_t size = 0;                  // of the item in bytes; 0: the entry is free
        Hash hash;
        std::uint32_t in_batch = kKnown;  // the hash is yet to come, with this number
    };
    struct Waiting {
        std::uint32_t in_batch;
        LogsBloom* bloom;
    };

    void add(BytesView item, LogsBloom& bloom);

    std::unique_ptr<Entry[]> entries_;  // made when first needed
    KeccakBatch batch_;
    std::array<Entry*, kTogether> owners_;  // of the batch, in its order
    std::vector<Waiting> waiting_;          // for hashes of the batch
};

/// Gives each receipt logs_bloom() of its logs. Thread safety: any.
void fill_blooms(std::span<Receipt> receipts);

}  // namespace heddle
