// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What an operator has to know of a chain beforehand: one block of it.
#pragma once

#include <cstdint>

#include <types/hash.hpp>

namespace heddle::node::lanes {

struct TrustedBlock {
    std::uint64_t number = 0;
    Hash hash;
};

}  // namespace heddle::node::lanes
