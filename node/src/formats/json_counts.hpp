// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How much there is to go through, of the kind that is expected: an object without members is as
// empty as an array without elements, and where the one stands in place of the other a file is not
// what it is taken for.
#pragma once

#include <cstddef>

#include "formats/json.hpp"

namespace heddle::node {

/// Number of elements; not an array: fails.
[[nodiscard]] inline std::size_t element_count(const JsonView& json) {
    if (!json.is_array()) json.fail("expected an array");
    return json.size();
}

/// Number of members; not an object: fails.
[[nodiscard]] inline std::size_t member_count(const JsonView& json) {
    if (!json.is_object()) json.fail("expected an object");
    return json.size();
}

}  // namespace heddle::node
