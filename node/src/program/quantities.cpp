// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "program/quantities.hpp"

#include <fmt/format.h>

namespace heddle::node {

std::string format_bytes(std::uint64_t bytes) {
    if (bytes < 1024) return fmt::format("{} B", bytes);
    double value = static_cast<double>(bytes) / 1024;
    const char* unit = "KiB";
    for (const char* next : {"MiB", "GiB", "TiB"}) {
        if (value < 1024) break;
        value /= 1024;
        unit = next;
    }
    return fmt::format("{:.1f} {}", value, unit);
}

std::string format_gas(std::uint64_t gas) {
    constexpr std::uint64_t kMega = 1'000'000;
    if (gas < kMega) return fmt::format("{} gas", gas);
    return fmt::format("{:.1f} Mgas", static_cast<double>(gas) / static_cast<double>(kMega));
}

}  // namespace heddle::node
