// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What attacks on attempts are put together of: contracts that do one thing where a condition holds
// and burn their gas where it does not, and whoever calls them. Private to attack_chains.cpp and
// the files beside it.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <types/block.hpp>
#include <types/genesis.hpp>
#include <types/transaction.hpp>

#include "attack_chains.hpp"
#include "bytecode.hpp"

namespace heddle::test {

/// What a transaction may burn.
inline constexpr std::uint64_t kAttackGas = 12'000'000;

[[nodiscard]] Address victim_at(std::uint64_t i);

/// One attack while its chain is being made.
struct Attack {
    Revision revision = Revision::prague;
    std::vector<GenesisAccount> contracts{};
    /// Fills in the i-th transaction of the chain; sender, prices and gas are there.
    std::function<void(Transaction& tx, std::uint64_t i)> fill{};
    bool has_one_sender = false;
    std::optional<Address> beneficiary{};   // of all blocks; absent: one that nobody looks at
    std::vector<Withdrawal> withdrawals{};  // in each block
};
using NamedAttacks = std::vector<std::pair<std::string, std::function<Attack()>>>;

/// What is done out of order, again and again. Each leaves the stack as it was.
struct Burn {
    const char* name;
    vm::test::Bytecode code;
};
[[nodiscard]] std::vector<Burn> burns();

[[nodiscard]] vm::test::Bytecode drop(const vm::test::Bytecode& code);
/// `good` where `condition` leaves something else than zero, otherwise `burn` until no gas is left.
[[nodiscard]] vm::test::Bytecode good_or_burn(const vm::test::Bytecode& condition,
                                              const vm::test::Bytecode& good,
                                              const vm::test::Bytecode& burn);
/// Goes on from where the transaction before it has stopped: the step must be its call data.
[[nodiscard]] vm::test::Bytecode step_or_burn(const vm::test::Bytecode& burn,
                                              const vm::test::Bytecode& more = {});
/// The beginning of a program that counts down, for 26 gas each: 300,000 if not said otherwise. For
/// most of the time nobody knows that what a transaction looks at after it matters.
/// @param from  16 bits.
[[nodiscard]] vm::test::Bytecode count_down(std::uint64_t from = 12'000);

[[nodiscard]] GenesisAccount contract(const Address& address, const vm::test::Bytecode& code,
                                      const Uint256& balance = {});
[[nodiscard]] Bytes words(std::initializer_list<Uint256> values);
/// Everybody takes a step in one contract.
[[nodiscard]] Attack on_one(const vm::test::Bytecode& code);

/// On balances and nonces, and on what is remembered of transactions before.
/// A chain of what the attack's transactions do, one after the other.
[[nodiscard]] AdversarialChain make_attack(std::string_view name, const Attack& attack,
                                           const AttackPlan& plan);

[[nodiscard]] NamedAttacks account_attacks();
/// On accounts that come to life, on code and contracts that are made, on fees.
[[nodiscard]] NamedAttacks object_attacks();
/// On what blocks do themselves, on delegations, on one that all wait for.
[[nodiscard]] NamedAttacks block_attacks();
/// On what shows only at the end of long work, or of a long chain of calls.
[[nodiscard]] NamedAttacks end_attacks();
/// On what Amsterdam has brought: gas for state that comes back, logs of transfers, larger codes.
[[nodiscard]] NamedAttacks amsterdam_attacks();
/// Each pays the next one. One of block_attacks().
[[nodiscard]] Attack transfers_in_a_ring();

}  // namespace heddle::test
