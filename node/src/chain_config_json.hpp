// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of a chain as a data directory keeps them, so that it can be used without the genesis
// file. The names are those of geth's `config`; what geth cannot express has names of its own.
#pragma once

#include <string>

#include <types/bytes.hpp>
#include <types/chain_config.hpp>

namespace heddle::node {

[[nodiscard]] std::string format_chain_config(const ChainConfig& config);

/// Inverse of format_chain_config(). Errors: InputError.
/// @param name  Of where the text comes from, for errors.
[[nodiscard]] ChainConfig parse_stored_chain_config(BytesView text, const std::string& name);

}  // namespace heddle::node
