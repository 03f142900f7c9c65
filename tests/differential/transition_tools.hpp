// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// `heddle t8n` beside go-ethereum's `evm t8n`, on blocks of generated chains.
#pragma once

#include <string>

#include "adversarial_chain.hpp"

namespace heddle::test {

/// Lets both tools execute the first few blocks of a signed chain, each on what the one before has
/// left, with transactions among them that come twice or too early.
/// @return what is different, in the exit code, the result or the body; empty: nothing. Why a
///     transaction was rejected is not compared: several things may be wrong with it.
[[nodiscard]] std::string judge_by_t8n(const std::string& evm, const AdversarialChain& chain);

}  // namespace heddle::test
