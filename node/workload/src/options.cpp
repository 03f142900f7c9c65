// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The names of the workloads.
#include <workload/options.hpp>

#include <array>
#include <utility>

namespace heddle::workload {
namespace {

constexpr std::array<std::pair<std::string_view, Workload>, 6> kNames{{
    {"transfers", Workload::transfers},
    {"erc20", Workload::erc20},
    {"swaps", Workload::swaps},
    {"storage", Workload::storage},
    {"creations", Workload::creations},
    {"mixed", Workload::mixed},
}};

}  // namespace

std::string_view to_string(Workload workload) noexcept {
    for (const auto& [name, value] : kNames)
        if (value == workload) return name;
    return "unknown";
}

std::optional<Workload> workload_from_string(std::string_view text) noexcept {
    for (const auto& [name, value] : kNames)
        if (name == text) return value;
    return std::nullopt;
}

}  // namespace heddle::workload
