// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading logs back that encode_logs() of receipt.hpp has written, for whoever keeps receipts.
// Receipts as they are on the wire are never read: nodes compute them.
#pragma once

#include <vector>

#include <types/receipt.hpp>
#include <types/rlp.hpp>

namespace heddle {

/// The list of logs that comes next. Topics are as many as there are.
[[nodiscard]] rlp::Result<std::vector<Log>> decode_logs(rlp::Reader& reader);

}  // namespace heddle
