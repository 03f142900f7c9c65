// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// go-ethereum's programs as judges of what was generated, where they are installed
// (scripts/rivals/build-geth.sh).
#pragma once

#include <optional>
#include <string>

#include "adversarial_chain.hpp"

namespace heddle::test {

/// The program named by the variable, else the one that build-geth.sh made; nullopt: neither.
[[nodiscard]] std::optional<std::string> find_geth();  // HEDDLE_GETH
[[nodiscard]] std::optional<std::string> find_evm();   // HEDDLE_EVM

/// Lets `geth import` judge a signed chain without flaws: it accepts a block only if all that its
/// header claims is right.
/// @return what is wrong, with the end of geth's log; empty: the head is the chain's.
[[nodiscard]] std::string judge_by_geth(const std::string& geth, const AdversarialChain& chain);

/// Lets `evm statetest` judge a file of state tests with `cases` cases.
/// @return what is wrong; empty: every case passed.
[[nodiscard]] std::string judge_by_evm(const std::string& evm, const std::string& file,
                                       std::size_t cases);

}  // namespace heddle::test
