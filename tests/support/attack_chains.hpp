// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Valid chains of ordinary transactions that are cheap in order and as dear as can be out of order:
// what a transaction does depends on what the one before it left, and one that finds something
// older burns all of its gas. Made by seed, for the tests that count work and for attack_bench.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <types/object.hpp>

#include "adversarial_chain.hpp"

namespace heddle::test {

/// In all blocks of an attack: some have an account of their own for each.
inline constexpr std::uint32_t kMostAttackTransactions = 8'192;

struct AttackPlan {
    std::uint64_t seed = 1;
    std::uint32_t blocks = 2;
    std::uint32_t transactions = 200;       // per block, as far as its gas limit has room for them
    std::optional<Revision> revision = {};  // absent: the attack's own
};

/// What make_attack() knows, one line each in attack_chains.cpp.
[[nodiscard]] const std::vector<std::string>& attack_names();

/// Thread safety: pure. Errors: an unknown name ends the program.
[[nodiscard]] AdversarialChain make_attack(std::string_view name, const AttackPlan& plan);

/// What a proposer says of the objects of each transaction.
enum class Lie : std::uint8_t {
    says_nothing,   // no sets
    truth,          // what serial execution recorded
    empty,          // that there are none
    hot,            // all that is true, and that everybody writes one slot that nobody uses
    exchanged,      // the set of another transaction
    huge,           // some thousand slots that nobody uses
    without_slots,  // all that is true but storage
};
inline constexpr Lie kLies[] = {Lie::says_nothing, Lie::truth, Lie::empty,        Lie::hot,
                                Lie::exchanged,    Lie::huge,  Lie::without_slots};
[[nodiscard]] std::string_view to_string(Lie lie) noexcept;

using AttackSets = std::vector<std::vector<ObjectSet>>;  // by block, then transaction

/// @param truth  As recorded.
[[nodiscard]] AttackSets tell(Lie lie, const AttackSets& truth, std::uint64_t seed);

}  // namespace heddle::test
