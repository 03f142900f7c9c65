// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What an application that executes and one that only orders answer alike.
#pragma once

#include <cstdint>
#include <string>

#include "cometbft/abci_messages.hpp"

namespace heddle::consensus_adapter::cometbft {

/// Answers what every application answers alike: Echo, Flush, and extensions of votes, into which
/// nothing is put here, so that who does is not running Heddle.
/// @return whether the request was one of these; `response` is as it was where it was not.
[[nodiscard]] bool answer_common(const abci::Request& request, abci::Response& response);

/// What a decided block proves of a validator, for whoever decides who is one: nothing follows from
/// it here. @param height  Of the block.
[[nodiscard]] std::string to_sentence(const abci::Misbehavior& proven, std::int64_t height);

}  // namespace heddle::consensus_adapter::cometbft
