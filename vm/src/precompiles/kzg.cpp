// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstdint>

#include "precompiles/contracts.hpp"
#include "precompiles/curves/curves.h"
#include "precompiles/sha256.hpp"

namespace heddle::vm::precompiles {
namespace {

constexpr std::uint8_t kVersionedHashVersion = 0x01;

/// FIELD_ELEMENTS_PER_BLOB and BLS_MODULUS, a word each (EIP-4844): what a valid proof returns.
constexpr std::array<std::uint8_t, 64> kSuccess{
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0x10, 0x00,
    0x73, 0xed, 0xa7, 0x53, 0x29, 0x9d, 0x7d, 0x48, 0x33, 0x39, 0xd8, 0x08, 0x09, 0xa1, 0xd8, 0x05,
    0x53, 0xbd, 0xa4, 0x02, 0xff, 0xfe, 0x5b, 0xfe, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01,
};

}  // namespace

/// Input: versioned hash, z, y (32 bytes each), commitment, proof (48 bytes each).
bool point_evaluation(BytesView input, Revision, Bytes& output) noexcept {
    if (input.size() != 192) return false;
    const BytesView versioned_hash = input.first(32);
    const BytesView commitment = input.subspan(96, 48);

    std::array<std::uint8_t, 32> expected{};
    sha256_digest(commitment, expected);
    expected[0] = kVersionedHashVersion;
    if (!std::ranges::equal(versioned_hash, expected)) return false;

    const std::uint8_t* const data = input.data();
    if (heddle_kzg_verify_proof(data + 96, data + 32, data + 64, data + 144) != HEDDLE_CURVES_OK)
        return false;
    output.assign(kSuccess.begin(), kSuccess.end());
    return true;
}

}  // namespace heddle::vm::precompiles
