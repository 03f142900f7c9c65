// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The whole state of a development chain as JSON text, in the form in which anvil keeps its own:
// `{"accounts": {address: {"nonce", "balance", "code", "storage"}}}`.
#pragma once

#include <cstddef>
#include <string>

#include <types/bytes.hpp>
#include <types/state_diff.hpp>

#include "chain/chain.hpp"
#include "development/chain_control.hpp"

namespace heddle::node::rpc {

/// The state after the head, with what was set on top of it.
/// Errors: it is longer than `max_bytes`; it cannot be read.
[[nodiscard]] ChainControl::Result<std::string> dump_of(Chain& chain, ChainControl& control,
                                                        std::size_t max_bytes);

/// What is to be set, out of a dump; what else it holds, such as blocks, is not looked at.
/// Errors: InputError, where it is none or is compressed.
[[nodiscard]] StateDiff parse_dump(BytesView bytes);

}  // namespace heddle::node::rpc
