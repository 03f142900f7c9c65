// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A GMP integer that frees itself and reads and writes big-endian bytes.
#pragma once

#include <cstdint>
#include <span>

#include <gmp.h>

#include <types/bytes.hpp>

namespace heddle::vm::precompiles {

class GmpInteger {
public:
    GmpInteger() noexcept { mpz_init(value_); }
    explicit GmpInteger(BytesView bytes) noexcept : GmpInteger() { load(bytes, bytes.size()); }
    ~GmpInteger() { mpz_clear(value_); }
    GmpInteger(const GmpInteger&) = delete;
    GmpInteger& operator=(const GmpInteger&) = delete;

    /// Reads `present` as the first bytes of a number of `length` bytes; the others are zeroes.
    void load(BytesView present, std::uint64_t length) noexcept {
        mpz_import(value_, present.size(), 1, 1, 1, 0, present.data());
        if (present.size() < length && mpz_sgn(value_) != 0)
            mpz_mul_2exp(value_, value_, 8 * (length - present.size()));
    }

    /// Writes the value right-aligned into `out`, which is zeroes and long enough.
    void store(std::span<std::uint8_t> out) const noexcept {
        if (mpz_sgn(value_) == 0) return;
        const std::size_t size = (mpz_sizeinbase(value_, 2) + 7) / 8;
        mpz_export(out.data() + (out.size() - size), nullptr, 1, 1, 1, 0, value_);
    }

    [[nodiscard]] mpz_ptr get() noexcept { return value_; }
    [[nodiscard]] mpz_srcptr get() const noexcept { return value_; }

private:
    mpz_t value_;
};

}  // namespace heddle::vm::precompiles
