// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which forks an adversarial chain goes through, and where: a few changes of rules, one or several
// forks at each and close behind one another, the DAO fork, and forks that change blob parameters
// only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <types/bytes.hpp>
#include <types/chain_config.hpp>
#include <types/genesis.hpp>
#include <types/revision.hpp>
#include <workload/random.hpp>

#include "adversarial_chain.hpp"

namespace heddle::test {

inline constexpr std::uint64_t kAdversarialGenesisTime = 1'000'000;  // seconds
inline constexpr std::uint64_t kAdversarialBlockTime = 13;           // seconds

/// Numbers are those of blocks.
struct AdversarialForks {
    struct Change {
        std::uint64_t block = 0;
        Revision to = Revision::frontier;  // from that block on
    };

    Revision first = Revision::frontier;  // from genesis on
    std::vector<Change> changes;          // ascending; the chain may end before the last ones
    std::optional<std::uint64_t> dao_fork{};
    bool takes_dao_fork = false;
    std::vector<std::uint64_t> blob_forks;  // ascending
};

[[nodiscard]] AdversarialForks draw_adversarial_forks(const AdversarialPlan& plan,
                                                      workload::Random& random);
[[nodiscard]] ChainConfig make_adversarial_config(const AdversarialForks& forks,
                                                  workload::Random& random);
/// What the header of this block must say where the chain takes the DAO fork (EIP-779); else empty.
[[nodiscard]] Bytes adversarial_extra_data(const AdversarialForks& forks, std::uint64_t number);
/// Some of the accounts that the DAO fork takes from, and perhaps the one it gives to.
[[nodiscard]] std::vector<GenesisAccount> make_dao_accounts(workload::Random& random);

}  // namespace heddle::test
