// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Linked into a program of tests: its interpreter uses the handlers that every processor can run.
#include "handlers.hpp"

namespace heddle::vm {
namespace {

[[maybe_unused]] const bool kIsPortable = [] {
    use_portable_handlers();
    return true;
}();

}  // namespace
}  // namespace heddle::vm
