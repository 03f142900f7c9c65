// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What an execution gave, behind heddle_result.
#pragma once

#include <heddle.h>

#include <mutex>
#include <string>
#include <vector>

#include <types/bytes.hpp>
#include <types/receipt.hpp>

#include "changes.hpp"

/// Immutable once a caller has it, but for what is encoded when first asked for.
struct heddle_result {
    /// Complete but for what points into this object.
    heddle_summary summary{};
    std::vector<heddle::Receipt> receipts;
    heddle_changes changes;
    heddle::Bytes header;
    heddle::Bytes access_list;
    heddle::Bytes output;
    std::string ending;

    /// Thread safety: any.
    [[nodiscard]] const heddle::Bytes& encoded_receipt(std::size_t index) const;

private:
    mutable std::once_flag once_;
    mutable std::vector<heddle::Bytes> encoded_;
};
