// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Chains made to break parallel execution: few hot accounts, results that depend on order, every
// fork, and now and then a block that is not valid. All of it follows from the plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <types/block.hpp>
#include <types/genesis.hpp>
#include <types/revision.hpp>

namespace heddle::test {

struct AdversarialPlan {
    std::uint64_t seed = 1;
    std::uint32_t blocks = 8;
    std::uint32_t max_transactions = 60;  // per block
    /// The rules that the chain ends under: from genesis on or, in one of four, from some block
    /// on. Absent: any, and not always two.
    std::optional<Revision> revision{};
    /// Bit i: kind i of kAdversarialKindTable may occur.
    std::uint64_t kinds = ~std::uint64_t{0};
    /// Whether some seeds have an invalid block in the middle.
    bool with_flaws = true;
    /// Whether all signatures are real, not only those of some seeds, and nothing is in the chain
    /// that other clients are known to do differently. Only without flaws.
    bool is_signed = false;
    /// Whether rewards and withdrawals only go to accounts that live, and fees to one that nobody
    /// names. Whom they bring to life nobody declares, and a scheduler cannot know without looking.
    bool pays_the_living = false;
};

struct AdversarialChain {
    AdversarialPlan plan;
    Genesis genesis;
    std::vector<Block> blocks;
    /// Whether the signatures are real, so that senders can be recovered. Only where no transaction
    /// is flawed.
    bool is_signed = false;
    /// Position in `blocks` of the first that is not valid.
    std::optional<std::size_t> flawed;
    /// One line: forks, flaws, what there is of transactions.
    std::string description;
};

/// Thread safety: pure.
[[nodiscard]] AdversarialChain make_adversarial_chain(const AdversarialPlan& plan);

}  // namespace heddle::test
