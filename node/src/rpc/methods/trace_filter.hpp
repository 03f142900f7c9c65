// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// trace_filter: traces of a range of blocks, by who called and who was called.
#pragma once

#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// What it borrows of the services outlives it.
[[nodiscard]] Method trace_filter_method(const Services& services);

}  // namespace heddle::node::rpc
