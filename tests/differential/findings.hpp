// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What was found is kept as files that anybody can run again.
#pragma once

#include <string>

#include "adversarial_chain.hpp"

namespace heddle::test {

/// Writes genesis.json, chain.rlp and what.txt to a folder of its own below build/differential.
/// @return the folder.
std::string keep_chain(const AdversarialChain& chain, const std::string& what);
/// The same with statetest.json.
std::string keep_state_tests(const std::string& name, const std::string& json,
                             const std::string& what);

}  // namespace heddle::test
