// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "precompiles/contracts.hpp"
#include "precompiles/curves/curves.h"
#include "precompiles/padded_input.hpp"

namespace heddle::vm::precompiles {
namespace {

constexpr std::size_t kPairSize = 192;

}  // namespace

std::int64_t bn254_add_cost(BytesView, Revision revision) noexcept {
    return revision >= Revision::istanbul ? 150 : 500;
}

std::int64_t bn254_mul_cost(BytesView, Revision revision) noexcept {
    return revision >= Revision::istanbul ? 6000 : 40000;
}

std::int64_t bn254_pairing_cost(BytesView input, Revision revision) noexcept {
    const auto pairs = static_cast<std::int64_t>(input.size() / kPairSize);
    return revision >= Revision::istanbul ? 45000 + 34000 * pairs : 100000 + 80000 * pairs;
}

bool bn254_add(BytesView input, Revision, Bytes& output) noexcept {
    output.resize(64);
    return heddle_bn254_add(PaddedInput<128>{input}.data(), output.data()) == HEDDLE_CURVES_OK;
}

bool bn254_mul(BytesView input, Revision, Bytes& output) noexcept {
    output.resize(64);
    return heddle_bn254_mul(PaddedInput<96>{input}.data(), output.data()) == HEDDLE_CURVES_OK;
}

bool bn254_pairing(BytesView input, Revision, Bytes& output) noexcept {
    if (input.size() % kPairSize != 0) return false;
    const auto status = heddle_bn254_pairing(input.data(), input.size() / kPairSize);
    if (status == HEDDLE_CURVES_INVALID) return false;
    output.resize(32);
    output[31] = status == HEDDLE_CURVES_OK ? 1 : 0;
    return true;
}

}  // namespace heddle::vm::precompiles
