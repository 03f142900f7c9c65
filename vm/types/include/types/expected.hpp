// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Early return over std::expected. Not an error type: each topic defines its own enum beside the
// functions that fail (see style, "errors").
#pragma once

#include <expected>
#include <utility>

#define HEDDLE_CONCAT_INNER(a, b) a##b
#define HEDDLE_CONCAT(a, b) HEDDLE_CONCAT_INNER(a, b)

/// Evaluates `expression` (a std::expected); on error returns that error from the enclosing
/// function, otherwise binds the value: `HEDDLE_TRY(const auto header, decode_header(bytes));`
#define HEDDLE_TRY(declaration, expression) \
    HEDDLE_TRY_INNER(HEDDLE_CONCAT(heddle_try_, __LINE__), declaration, expression)
#define HEDDLE_TRY_INNER(result, declaration, expression)  \
    auto result = (expression);                            \
    if (!result.has_value()) [[unlikely]]                  \
        return std::unexpected(std::move(result).error()); \
    declaration = *std::move(result)

/// Evaluates `expression` (a std::expected whose value is not needed); on error returns that error.
#define HEDDLE_CHECK(expression) \
    HEDDLE_CHECK_INNER(HEDDLE_CONCAT(heddle_check_, __LINE__), expression)
#define HEDDLE_CHECK_INNER(result, expression)                 \
    do {                                                       \
        auto result = (expression);                            \
        if (!result.has_value()) [[unlikely]]                  \
            return std::unexpected(std::move(result).error()); \
    } while (false)
