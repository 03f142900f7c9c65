// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Block access lists (EIP-7928) in JSON: as JSON-RPC answers with them, and as test fixtures have
// them.
#pragma once

#include <types/block_access_list.hpp>

namespace heddle::node {

class JsonView;
class JsonWriter;

/// The form of execution-apis: slots and their values as 32 bytes, every member always there.
void write_block_access_list(const BlockAccessList& list, JsonWriter& json);

/// The form of execution-spec-tests: `slotChanges`, `postValue`, ..., numbers as quantities.
/// Errors: InputError.
[[nodiscard]] BlockAccessList parse_fixture_access_list(const JsonView& json);

}  // namespace heddle::node
