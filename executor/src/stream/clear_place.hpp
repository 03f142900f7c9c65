// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the places of the window keep from one transaction to the next.
#pragma once

#include <cstddef>
#include <vector>

namespace heddle::executor {

/// Empties what belongs to a place of the window. There are thousands of places, so that one keeps
/// memory for `kMost` entries only: what a few large transactions needed would add up for ever.
template <typename T>
void clear_place(std::vector<T>& entries) noexcept {
    constexpr std::size_t kMost = 128;
    if (entries.capacity() > kMost)
        std::vector<T>{}.swap(entries);
    else
        entries.clear();
}

}  // namespace heddle::executor
