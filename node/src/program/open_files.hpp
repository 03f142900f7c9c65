// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How many files and sockets this process may have open.
#pragma once

#include <cstdint>

namespace heddle::node {

/// Raises the limit as far as the system lets an ordinary process. @return what it is then.
std::uint64_t raise_open_file_limit() noexcept;

}  // namespace heddle::node
