// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/read_scope.hpp"

#include <algorithm>
#include <utility>

namespace heddle::node {
namespace {

thread_local ReadScope* innermost = nullptr;

}  // namespace

ReadScope::ReadScope(Mode mode, TimePoint deadline) noexcept
    : mode_(mode),
      deadline_(innermost == nullptr ? deadline : std::min(deadline, innermost->deadline_)),
      outer_(std::exchange(innermost, this)) {}

ReadScope::~ReadScope() {
    innermost = outer_;
}

ReadScope::Mode ReadScope::mode() noexcept {
    return innermost == nullptr ? Mode::wait : innermost->mode_;
}

ReadScope::TimePoint ReadScope::deadline() noexcept {
    return innermost == nullptr ? TimePoint::max() : innermost->deadline_;
}

bool ReadScope::is_failed() noexcept {
    return innermost != nullptr && innermost->has_failed();
}

void ReadScope::fail(std::string why) {
    if (innermost != nullptr && innermost->failure_.empty()) innermost->failure_ = std::move(why);
}

bool ReadScope::postpones() noexcept {
    if (innermost == nullptr || innermost->mode_ != Mode::hurry) return false;
    innermost->is_postponed_ = true;
    return true;
}

void ReadScope::miss(const MissingRead& read) {
    if (innermost == nullptr) return;
    if (innermost->missing_.size() < kMostMissing) innermost->missing_.push_back(read);
}

}  // namespace heddle::node
