// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What an account signs when it is asked to sign structured data (EIP-712).
#pragma once

#include <types/hash.hpp>

#include "formats/json.hpp"

namespace heddle::node::rpc {

/// The hash that is signed for `{types, primaryType, domain, message}`. Without a type
/// `EIP712Domain` the domain's type is made of the members that are there; a member that holds a
/// structure may be null, and then counts as 32 zero bytes, as wallets have it.
/// Errors: InputError with the place, for data that does not fit its types.
/// Thread safety: pure.
[[nodiscard]] Hash typed_data_hash(const JsonView& typed_data);

}  // namespace heddle::node::rpc
