// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Chains whose blocks have one transaction each, or none, so that nobody else's accesses are in a
// block's access list (EIP-7928): what the transaction is said to have accessed, and what not for
// want of gas, is all that the list says beside the block's own calls. Most transactions have gas
// for one of their instructions, however deep in calls, and hardly a unit more or less.
#pragma once

#include <cstdint>

#include "adversarial_chain.hpp"

namespace heddle::test {

/// Under Amsterdam's rules from genesis on, with real signatures.
/// Thread safety: pure.
[[nodiscard]] AdversarialChain make_lone_transactions(std::uint64_t seed, std::uint32_t blocks);

}  // namespace heddle::test
