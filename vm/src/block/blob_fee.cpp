// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include <vm/block.hpp>
#include <vm/validate.hpp>

namespace heddle::vm {

namespace {
/// What carrying a blob costs the execution layer, in gas (EIP-7918).
constexpr std::uint64_t kBlobBaseCost = 8'192;

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) noexcept {
    return a + b < a ? ~std::uint64_t{0} : a + b;
}

/// The sum of a price's series while it is made, lowest word first. Below 2^256 times a word, so
/// that a term of it times another word fits as well.
using Wide = std::array<std::uint64_t, 6>;

void multiply(Wide& a, std::uint64_t factor) noexcept {
    std::uint64_t carry = 0;
    for (std::uint64_t& word : a) {
        const uint128 product = uint128{word} * factor + carry;
        word = static_cast<std::uint64_t>(product);
        carry = static_cast<std::uint64_t>(product >> 64);
    }
}

void divide(Wide& a, std::uint64_t divisor) noexcept {
    uint128 rest = 0;
    for (std::size_t i = a.size(); i-- > 0;) {
        rest = rest << 64 | a[i];
        a[i] = static_cast<std::uint64_t>(rest / divisor);
        rest %= divisor;
    }
}

void add(Wide& a, const Wide& b) noexcept {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const uint128 sum = uint128{a[i]} + b[i] + carry;
        a[i] = static_cast<std::uint64_t>(sum);
        carry = static_cast<std::uint64_t>(sum >> 64);
    }
}

}  // namespace

Uint256 blob_base_fee(std::uint64_t excess_blob_gas,
                      std::uint64_t base_fee_update_fraction) noexcept {
    // The sum of EIP-4844's fake_exponential with factor 1. Ends early where the price leaves 256
    // bits: for absurd excesses the series would take longer than anybody can wait.
    if (base_fee_update_fraction == 0) return Uint256::max();
    Wide sum{};
    Wide term{base_fee_update_fraction};
    for (std::uint64_t i = 1; term != Wide{}; ++i) {
        add(sum, term);
        if ((uint128{sum[5]} << 64 | sum[4]) >= base_fee_update_fraction) return Uint256::max();
        multiply(term, excess_blob_gas);
        divide(term, base_fee_update_fraction);
        divide(term, i);
    }
    divide(sum, base_fee_update_fraction);
    Uint256 price;
    std::copy_n(sum.begin(), std::size(price.words), std::begin(price.words));
    return price;
}

std::uint64_t next_excess_blob_gas(const BlockHeader& parent, std::uint64_t timestamp,
                                   const ChainConfig& config) noexcept {
    const BlobParameters* blobs = config.blob_parameters(timestamp);
    if (blobs == nullptr) return 0;
    const std::uint64_t excess = parent.excess_blob_gas.value_or(0);
    const std::uint64_t used = parent.blob_gas_used.value_or(0);
    const std::uint64_t target = blobs->target * kGasPerBlob;
    const std::uint64_t total = saturating_add(excess, used);
    if (total < target) return 0;

    const bool has_reserve_price =
        config.osaka_time.has_value() && *config.osaka_time <= timestamp && blobs->max != 0;
    if (has_reserve_price) {
        // EIP-7918: while blobs are cheaper than the execution they need, their price only rises.
        // Compared without products, which may have more than 256 bits.
        static_assert(kGasPerBlob % kBlobBaseCost == 0);
        const Uint256 base_fee = parent.base_fee_per_gas.value_or(Uint256{});
        const Uint256 blob_fee = blob_base_fee(excess, blobs->base_fee_update_fraction);
        if (!base_fee.is_zero() &&
            (base_fee - Uint256{1}) / Uint256{kGasPerBlob / kBlobBaseCost} >= blob_fee) {
            const uint128 share = uint128{used} * (blobs->max - blobs->target) / blobs->max;
            return saturating_add(excess, static_cast<std::uint64_t>(share));
        }
    }
    return total - target;
}

}  // namespace heddle::vm
