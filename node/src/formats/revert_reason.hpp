// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What revert data says, where it is one of Solidity's built-in errors.
#pragma once

#include <optional>
#include <string>

#include <types/bytes.hpp>

namespace heddle::node {

/// The reason of Error(string), or that of Panic(uint256) in geth's words. Bytes that are no UTF-8
/// are replaced. nullopt: neither, or not as the ABI encodes it.
[[nodiscard]] std::optional<std::string> revert_reason(BytesView data);

}  // namespace heddle::node
