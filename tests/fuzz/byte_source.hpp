// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Choices taken from fuzz input, byte by byte, so that a small change of the input is a small
// change of what is made from it. Zeros once the input is used up.
#pragma once

#include <cstddef>
#include <cstdint>

#include <types/bytes.hpp>
#include <types/uint256.hpp>

namespace heddle::fuzz {

class ByteSource {
public:
    explicit ByteSource(BytesView input) noexcept : input_(input) {}

    [[nodiscard]] bool is_used_up() const noexcept { return position_ == input_.size(); }
    std::uint8_t byte() noexcept { return is_used_up() ? std::uint8_t{0} : input_[position_++]; }
    std::uint64_t uint16() noexcept {
        const std::uint64_t high = byte();
        return high << 8 | byte();
    }
    /// Below `bound`, which is 1 to 256.
    unsigned below(unsigned bound) noexcept { return byte() % bound; }
    /// True in `n` of 256 cases; never once the input is used up, unless `n` is 256.
    bool chance(unsigned n) noexcept { return 255u - byte() < n; }
    Uint256 word(unsigned size) noexcept {
        Uint256 value;
        for (unsigned i = 0; i < size; ++i)
            value = value << 8 | Uint256{byte()};
        return value;
    }

private:
    BytesView input_;
    std::size_t position_ = 0;
};

}  // namespace heddle::fuzz
