// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a caller asks for when it wants a trace, and the tracer that does it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "formats/json.hpp"
#include "tracing/struct_logger.hpp"
#include "tracing/transaction_tracer.hpp"

namespace heddle::node {

/// The options of debug_trace…, as far as all of its methods have them.
struct TraceConfig {
    /// Absent: struct logs.
    std::optional<std::string> tracer;
    /// For the tracer; parsed where it is made.
    std::optional<JsonView> tracer_config;
    StructLoggerOptions struct_logger;
    /// As text, e.g. "10s"; see parse_duration().
    std::optional<std::string> timeout;
};

/// Members of other names ("reexec", "overrides") are ignored. Errors: InputError.
[[nodiscard]] TraceConfig parse_trace_config(const JsonView& json);

/// Text like "300ms", "1.5s" or "1m30s". Errors: InputError.
[[nodiscard]] std::chrono::nanoseconds parse_duration(std::string_view text);

/// Errors: InputError for a tracer that is not there and for options that do not fit.
[[nodiscard]] std::unique_ptr<TransactionTracer> make_tracer(const TraceConfig& config,
                                                             TraceBudget& budget);

}  // namespace heddle::node
