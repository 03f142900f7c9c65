// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The reciprocal of the modulus that MULMOD was last given twice running. Code over elliptic curves
// multiplies thousands of times in one field.
#pragma once

#include <types/modulus.hpp>
#include <types/uint256.hpp>

namespace heddle::vm {

/// Thread safety: none; one machine's.
class ModulusCache {
public:
    /// The same as mulmod().
    [[nodiscard]] Uint256 multiply(const Uint256& a, const Uint256& b,
                                   const Uint256& modulus) noexcept {
        if (modulus == current_.value()) [[likely]]
            return current_.multiply(a, b);
        // A modulus seen once is not worth a reciprocal, nor are two that alternate.
        if (modulus != candidate_) {
            candidate_ = modulus;
            return mulmod(a, b, modulus);
        }
        current_ = Modulus(modulus);
        return current_.multiply(a, b);
    }

private:
    Modulus current_;
    Uint256 candidate_;
};

}  // namespace heddle::vm
