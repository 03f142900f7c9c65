// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Access lists that no header claims, held against what their blocks are known to have changed.
#pragma once

#include <optional>
#include <string>

#include <types/block_access_list.hpp>

#include "durable/block_changes.hpp"

namespace heddle::ledger {

/// Whether a block that changes what its list says leaves the values that are stored of it.
///
/// What a list says of accounts and slots that are afterwards as they were, of the steps in between
/// and of accesses, cannot be told from the changes.
///
/// @param list  In order, see check_form().
/// @return      A sentence that names the first account or slot that would be another; nullopt:
///              there is none.
[[nodiscard]] std::optional<std::string> check_changes(const BlockAccessList& list,
                                                       const BlockChanges& changes);

}  // namespace heddle::ledger
