// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What happens where malloc and its like have no memory: the same as where operator new has none.
#pragma once

namespace heddle {

/// Asks the process's new-handler, which need not return. Errors: std::bad_alloc.
[[noreturn]] void fail_allocation();

}  // namespace heddle
