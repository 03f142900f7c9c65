// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs that the specification extends with zeroes to a fixed length.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <types/bytes.hpp>

namespace heddle::vm::precompiles {

/// The first `Size` bytes of an input, zero-extended; copies only when the input is shorter.
template <std::size_t Size>
class PaddedInput {
public:
    explicit PaddedInput(BytesView input) noexcept : data_(input.data()) {
        if (input.size() < Size) {
            std::ranges::copy(input, padded_.begin());
            data_ = padded_.data();
        }
    }
    // `data_` may point into the object itself.
    PaddedInput(const PaddedInput&) = delete;
    PaddedInput& operator=(const PaddedInput&) = delete;

    [[nodiscard]] const std::uint8_t* data() const noexcept { return data_; }

private:
    const std::uint8_t* data_;
    std::array<std::uint8_t, Size> padded_{};
};

}  // namespace heddle::vm::precompiles
