// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The inspect command: shows what orders the transactions of a block, and so why it did or did not
// scale. Blocks come from chain files (executed up to the one asked for), from a file with its own
// pre-state, or from a sidecar of object sets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "inputs/chain_input.hpp"
#include "program/error.hpp"

namespace heddle::node {

struct InspectOptions {
    ChainInput input;     // `sets`: the sidecar to show, in place of a chain
    std::string witness;  // file; empty: none
    std::string datadir;  // empty: none
    std::string rpc;      // URL of a node; empty: none
    std::optional<std::uint64_t> block;
    std::optional<std::uint32_t> workers;  // that are drawn
    bool traces_schedule = false;
    std::string scheduler;  // that is traced, with its settings; empty: the usual one
    std::string beside;     // another one; empty: none
    enum class Format : std::uint8_t { text, json, html, dot, svg } format = Format::text;
    std::string out;  // file; empty: standard output
};

/// Errors: InputError. A block that is wrong is reported, and exit code 1.
[[nodiscard]] ExitCode inspect(const InspectOptions& options);

}  // namespace heddle::node
