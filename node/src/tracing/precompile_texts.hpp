// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Why precompiled contracts refused their input, in geth's words. The contracts themselves only say
// that they did; which check failed first is found by asking them about parts of the input.
#pragma once

#include <cstdint>
#include <string>

#include <types/bytes.hpp>

namespace heddle::node {

/// Why the contract has failed with this input, though its gas was paid.
/// @param index  vm::precompile_index() of it; 0 where another one stands in its place.
[[nodiscard]] std::string precompile_text(std::uint32_t index, BytesView input);

}  // namespace heddle::node
