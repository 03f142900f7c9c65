// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/passed_by.hpp"

#include <utility>

namespace heddle::node {
namespace {

thread_local std::string_view innermost;

}  // namespace

PassedBy::PassedBy(std::string_view names) noexcept : outer_(std::exchange(innermost, names)) {}

PassedBy::~PassedBy() {
    innermost = outer_;
}

std::string_view PassedBy::names() noexcept {
    return innermost;
}

}  // namespace heddle::node
