// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Results of JSON-RPC methods whose values differ from node to node, checked for their form: which
// members there are and what they look like, after the schemas of ethereum/execution-apis.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace boost::json {
class value;
}

namespace heddle::test {

/// Checks a result against the schema of its method.
/// @return the place and kind of the first problem; nullopt: the form is right. A method without a
///         schema here is a problem.
[[nodiscard]] std::optional<std::string> find_schema_problem(std::string_view method,
                                                             const boost::json::value& result);

}  // namespace heddle::test
