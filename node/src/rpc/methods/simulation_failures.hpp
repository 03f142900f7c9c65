// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How failures of simulations reach the caller of a method: their codes in JSON-RPC, and the data
// of a revert.
#pragma once

#include "rpc/envelope/method.hpp"
#include "simulation/deadline.hpp"
#include "simulation/failure.hpp"

namespace heddle::node::rpc {

/// As go-ethereum numbers them.
[[nodiscard]] int code_of(simulation::FailureKind kind) noexcept;

/// Of a call; what it executes is counted for its client.
[[nodiscard]] simulation::Deadline deadline_of(const Call& call) noexcept;

/// Calls `handler` and makes an RpcError of a simulation's Failure, worded alike.
[[nodiscard]] Handler with_failures_told(Handler handler);

}  // namespace heddle::node::rpc
