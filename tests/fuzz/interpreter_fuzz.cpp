// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include <vm/validate.hpp>

#include "code.hpp"
#include "engine_pair.hpp"
#include "program_generator.hpp"
#include "targets.hpp"

namespace heddle::fuzz {
namespace {

using vm::test::EngineRun;
using vm::test::RecordedState;

constexpr Address kSender = address_from_low64(0x5e4de4);
constexpr std::uint64_t kMaxGas = 400'000;  // execution gas: an input is to take milliseconds
constexpr std::size_t kCacheBytes = std::size_t{1} << 20;

/// Machines live from input to input, as they do in a node: what one transaction leaves behind must
/// not reach the next. The cache is small, so that code is evicted all the time.
struct Machines {
    vm::Evm fast{{vm::Engine::fast, nullptr, vm::make_code_cache(kCacheBytes), 0, true}};
    /// Changes from the plain to the fast interpreter while code runs.
    vm::Evm warming{{vm::Engine::fast, nullptr, vm::make_code_cache(kCacheBytes), 1, true}};
    vm::Evm plain{{vm::Engine::plain, nullptr, vm::make_code_cache(kCacheBytes), 0, true}};
};

void make_world(ByteSource& source, RecordedState& state, BlockEnv& env) {
    ProgramGenerator generator(source);
    state.set_balance(kSender, Uint256{1} << 90);
    for (std::size_t i = 0; i + 1 < std::size(kAccounts); ++i) {
        const Address& address = kAccounts[i];
        if (env.revision >= Revision::prague && source.chance(24)) {
            Bytes designator(std::begin(vm::kDelegationPrefix), std::end(vm::kDelegationPrefix));
            const Address& target = kAccounts[source.below(std::size(kAccounts))];
            designator.insert(designator.end(), target.bytes.begin(), target.bytes.end());
            state.deploy(address, designator);
        } else {
            state.deploy(address, generator.generate(4 + source.below(60)));
        }
        state.set_balance(address, Uint256{source.below(8)});
        for (unsigned slot = source.below(4); slot > 0; --slot)
            state.set_storage(address, Uint256{slot - 1}, Uint256{1 + source.below(2)});
    }
    env.beneficiary = kAccounts[source.below(std::size(kAccounts))];
}

Transaction make_transaction(ByteSource& source, const BlockEnv& env) {
    Transaction tx;
    tx.sender = kSender;
    tx.max_fee_per_gas = Uint256{10};
    tx.max_priority_fee_per_gas = Uint256{10};
    if (env.revision >= Revision::london && source.chance(64)) {
        tx.type = TransactionType::dynamic_fee;
        tx.max_priority_fee_per_gas = Uint256{source.below(4)};
    } else if (env.revision >= Revision::berlin && source.chance(128)) {
        tx.type = TransactionType::access_list;
    }
    if (tx.type != TransactionType::legacy) {
        tx.chain_id = env.chain_id;
        for (unsigned count = source.below(3); count > 0; --count)
            tx.access_list.push_back({kAccounts[source.below(std::size(kAccounts))],
                                      {to_hash(Uint256{source.below(4)})}});
    }
    if (source.chance(24))
        tx.data = ProgramGenerator(source).generate(20);
    else
        tx.to = kAccounts[source.below(std::size(kAccounts))];
    if (tx.to)
        for (unsigned count = source.below(70); count > 0; --count)
            tx.data.push_back(source.byte());
    tx.value = Uint256{source.chance(64) ? source.below(4) : 0u};
    const vm::IntrinsicGas intrinsic = vm::intrinsic_gas(tx, env.revision);
    tx.gas_limit = std::max(intrinsic.gas, intrinsic.floor) +
                   (source.chance(80) ? source.uint16() * 4 : kMaxGas);
    return tx;
}

Uint256 total_balance(const RecordedState& state) {
    Uint256 total;
    for (const auto& [address, account] : state.accounts)
        total = total + account.balance;
    return total;
}

/// Whether another transaction can follow.
bool execute(Machines& machines, RecordedState& state, const BlockEnv& env, Transaction& tx) {
    tx.nonce = state.account(kSender).value_or(Account{}).nonce;
    const auto valid = vm::validate(tx, state, env, vm::BlockGas::whole(env));
    if (!valid) return false;
    EngineRun fast;
    EngineRun warming;
    EngineRun plain;
    vm::test::run_on(machines.fast, state, env, *valid, fast);
    vm::test::run_on(machines.warming, state, env, *valid, warming);
    vm::test::run_on(machines.plain, state, env, *valid, plain);
    if (const std::string what = vm::test::difference(fast, plain); !what.empty()) fail(what);
    if (const std::string what = vm::test::difference(warming, plain); !what.empty())
        fail("while warming up: " + what);
    require(fast.outcome.receipt.gas_used <= tx.gas_limit, "more gas used than bought");
    const Uint256 before = total_balance(state);
    state.apply(fast.outcome.diff);
    require(total_balance(state) <= before, "ether came from nowhere");
    return true;
}

}  // namespace

void interpreter(BytesView input) {
    static Machines machines;
    ByteSource source(input);
    BlockEnv env;
    // Most inputs run under rules that still matter.
    env.revision = static_cast<Revision>(
        source.chance(160) ? static_cast<unsigned>(kLatestRevision) - source.below(4)
                           : source.below(kRevisionCount));
    env.number = 1'000;
    env.timestamp = 1'700'000'000;
    env.gas_limit = 30'000'000;
    env.difficulty = env.revision < Revision::paris ? Uint256{0x20000} : Uint256{};
    env.base_fee_per_gas = Uint256{env.revision >= Revision::london ? 7u : 0u};
    env.blob_base_fee = Uint256{1};
    RecordedState state;
    make_world(source, state, env);
    // Twice: the second finds what the first left in the state and in the machines.
    Transaction tx = make_transaction(source, env);
    if (!execute(machines, state, env, tx)) return;
    tx = make_transaction(source, env);
    (void)execute(machines, state, env, tx);
}

}  // namespace heddle::fuzz
