// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Making a good block of a chain invalid, in ways that show before, during and after its execution.
#pragma once

#include <string>
#include <vector>

#include <types/block.hpp>
#include <types/transaction.hpp>
#include <workload/random.hpp>

#include "adversarial_transactions.hpp"

namespace heddle::test {

/// Collects, while a block is made, transactions that are invalid at their place by as little as
/// possible; then damages the block with one of them or by its header.
class AdversarialFlaw {
public:
    /// Once the open block has come to a place of interest; more than once does no harm.
    void look(AdversarialStage& stage);

    /// Damages `blocks[at]`, and sometimes the next one too, which must not be what is reported.
    /// @return what was done, in words.
    std::string put_into(std::vector<Block>& blocks, std::size_t at,
                         workload::Random& random) const;

private:
    struct Candidate {
        std::size_t index = 0;
        std::string name;
        Transaction tx;
    };

    static std::string reorder(Block& block, workload::Random& random);
    std::string damage(Block& block, workload::Random& random) const;
    std::string insert(Block& block, const Candidate& candidate) const;

    std::vector<Candidate> candidates_;
};

}  // namespace heddle::test
