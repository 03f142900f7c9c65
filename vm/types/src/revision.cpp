// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/revision.hpp>

#include <types/fork.hpp>

namespace heddle {

std::string_view to_string(Revision revision) noexcept {
    return static_cast<std::size_t>(revision) < kRevisionCount ? fork_of(revision).name : "unknown";
}

}  // namespace heddle
