// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs of precompiled contracts that get somewhere: points on their curves, pairings that come to
// one, signatures that recover, lengths at the edges of their prices. And what is next to them: a
// byte less or more, a bit flipped, a number as large as its modulus.
#pragma once

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <workload/random.hpp>

namespace heddle::test {

struct PrecompileInput {
    Address contract;
    Bytes data;  // mostly some 1,000 bytes at most; 36,864 of a long sum
};

[[nodiscard]] PrecompileInput draw_precompile_input(workload::Random& random);

}  // namespace heddle::test
