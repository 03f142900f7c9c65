// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/overwritten_slots.hpp"

#include <utility>

namespace heddle::node {
namespace {

thread_local bool expects_them = false;

}  // namespace

OverwrittenSlots::OverwrittenSlots() noexcept : was_expected_(std::exchange(expects_them, true)) {}

OverwrittenSlots::~OverwrittenSlots() {
    expects_them = was_expected_;
}

bool OverwrittenSlots::are_expected() noexcept {
    return expects_them;
}

Uint256 OverwrittenSlots::value() noexcept {
    // Neither a time nor a hash.
    return ~Uint256{} - Uint256{0xfade};
}

}  // namespace heddle::node
