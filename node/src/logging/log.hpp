// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a running node says of itself, on standard error: one logger for each component, each with
// a level of its own, as text or as one JSON object a line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <spdlog/logger.h>

namespace heddle::node {

enum class Component : std::uint8_t { node, chain, consensus, mempool, rpc };

struct LogOptions {
    bool is_json = false;
    std::string level = "info";                 // of components without one of their own
    std::map<std::string, std::string> levels;  // by component
};

/// What levels are called, from the one that says most on.
[[nodiscard]] std::vector<std::string> log_levels();

/// Sets up all loggers. Before any other thread logs.
/// Errors: InputError for an unknown level or component.
void configure_logging(const LogOptions& options);

/// Thread safety: any. Before configure_logging() it says nothing below a warning.
[[nodiscard]] spdlog::logger& logger(Component component);

}  // namespace heddle::node
