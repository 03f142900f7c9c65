// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which blocks of strangers are worth decoding. A transaction of ten bytes takes hundreds when it
// is decoded, so that bytes alone bound no memory; gas does, as far as headers follow each other.
// What passes may be wrong in any way; what does not is wrong, or is there already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include <types/block.hpp>

#include <consensus_adapter/block_source.hpp>
#include <consensus_adapter/paid_block.hpp>

namespace heddle::consensus_adapter {

/// Thread safety: one caller at a time.
class GasPlausibility {
public:
    /// Nothing is known of the chain.
    GasPlausibility() noexcept = default;
    /// @param head            The last block of the chain; nullopt: not known, nothing follows it.
    /// @param head_gas_limit  Of that block, where it is known.
    GasPlausibility(std::optional<std::uint64_t> head,
                    std::optional<std::uint64_t> head_gas_limit) noexcept;

    struct Decoded {
        Block block;
        std::size_t transaction_count = 0;  // more than there are in `block`: it is its header
    };
    struct Refusal {
        ContentFault fault = ContentFault::malformed_block;
        std::string reason;
    };
    /// Decodes a block. Of a large one that is not the next by its number and gas limit, for which
    /// whoever executes it rejects it, or that is there already, the header alone.
    /// Errors: malformed_block; too_many_transactions where the gas limit cannot pay for them.
    [[nodiscard]] std::expected<Decoded, Refusal> decode(BytesView bytes) const;

    /// What holds for blocks that are further on, as far as it is known.
    [[nodiscard]] GasBound bound() const noexcept;

    /// The block goes to whoever executes it, or is passed over because it is there already.
    void pass(const BlockHeader& header) noexcept;

private:
    /// The block before the one that comes next, as far as it is known.
    struct Parent {
        std::uint64_t number = 0;
        std::optional<std::uint64_t> gas_limit;
        bool has_base_fee = false;
    };
    /// Whether it is a block of the chain already, which nobody executes again.
    [[nodiscard]] bool is_there(const BlockHeader& header) const noexcept;
    /// Whether the header can be the next one, by number and gas limit.
    [[nodiscard]] bool can_follow(const BlockHeader& header) const noexcept;

    const std::optional<std::uint64_t> head_;
    std::optional<Parent> parent_;
    bool is_broken_ = false;  // a block that passed could not follow: nothing behind it counts
};

}  // namespace heddle::consensus_adapter
