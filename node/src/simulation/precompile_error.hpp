// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Why a precompiled contract failed that was called directly, in geth's words.
#pragma once

#include <cstdint>
#include <string_view>

#include <types/bytes.hpp>

namespace heddle::node::simulation {

/// What is wrong with the input, as far as its form tells; "out of gas" where nothing is.
/// @param index  As vm::precompile_index() gives it.
[[nodiscard]] std::string_view precompile_error_text(std::uint32_t index, BytesView input);

}  // namespace heddle::node::simulation
