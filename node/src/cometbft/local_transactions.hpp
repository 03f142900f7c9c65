// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What of the pool this node has to tell others of.
#pragma once

#include <vector>

#include "mempool/mempool.hpp"

namespace heddle::node {

/// Own executable transactions (is_own()) in the order in which they became executable, as far as
/// the pool knows it: by arrival, none before an earlier one of its sender. @param content  All.
[[nodiscard]] std::vector<SharedTransaction> local_transactions(const Mempool::Content& content);

}  // namespace heddle::node
