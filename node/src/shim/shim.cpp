// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "shim/shim.hpp"

#include <fmt/format.h>

namespace heddle::node {

std::string to_string(const LogicalTime& time) {
    return fmt::format("{}.{}", time.height, time.index);
}

std::string_view to_string(PoolStep step) noexcept {
    switch (step) {
        case PoolStep::chose:
            return "candidates are chosen";
        case PoolStep::removed:
            return "a transaction is taken out";
        case PoolStep::shown:
            return "the ledger shows the block";
        case PoolStep::followed:
            return "the pool follows the block";
    }
    return "an unknown step";
}

Shim& pass_through() noexcept {
    static Shim shim;
    return shim;
}

}  // namespace heddle::node
