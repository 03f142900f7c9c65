// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/hash.hpp>

#include "adversarial_programs.hpp"
#include "attack_parts.hpp"

namespace heddle::test {
namespace {

using namespace vm;        // opcodes
using namespace vm::test;  // the bytecode DSL

Address heir_at(std::uint64_t i) {
    return address_from_low64(0x4e1'0000 + i);
}

/// Two steps in a contract of their own, and then what holds: too few are overtaken for the stream
/// to stop attempting, and none of the contracts is known for it.
Attack on_pairs() {
    constexpr std::uint64_t kPeriod = 6;
    constexpr std::uint64_t kPairs = 256;
    Attack attack;
    for (std::uint64_t pair = 0; pair < kPairs; ++pair)
        attack.contracts.push_back(contract(victim_at(pair), step_or_burn(burns()[0].code)));
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        const std::uint64_t pair = i / kPeriod;
        const std::uint64_t at = i % kPeriod;
        if (at < 2) {
            tx.to = victim_at(pair % kPairs);
            tx.data = words({Uint256{2 * (pair / kPairs) + at}});
        } else {
            tx.to = heir_at(i);
            tx.value = 1;
            tx.gas_limit = 21'000;
        }
    };
    return attack;
}

/// Each step makes a contract at the same address, which writes and is gone when the transaction
/// ends (EIP-6780).
Attack made_for_a_moment() {
    const Bytecode init = sstore(0, push(1)) + OP_CALLER + OP_SELFDESTRUCT;
    return on_one(step_or_burn(burns()[0].code, drop(create2(init, 7))));
}

/// Each brings an account to life, and burns where the one before has not.
Attack on_existence() {
    const Bytecode bring = drop(CallCode{.to = arg(1), .value = push(1)});
    Attack attack;
    attack.contracts.push_back(contract(
        victim_at(0), good_or_burn(arg(0) + OP_EXTCODEHASH, bring, burns()[1].code), 1'000'000));
    attack.contracts.push_back({heir_at(0), 0, 1, {}, {}});
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        tx.to = victim_at(0);
        tx.data = words({to_word(heir_at(i)), to_word(heir_at(i + 1))});
    };
    return attack;
}

/// The same of code that each deploys.
Attack on_new_code() {
    const Bytecode init = deploy(OP_STOP);
    const Bytecode make =
        drop(store_code(init) + arg(1) + push(init.size()) + push(0) + push(0) + OP_CREATE2);
    Attack attack = on_one(good_or_burn(arg(0) + OP_EXTCODESIZE, make, burns()[1].code));
    attack.fill = [hash = keccak256(init.bytes())](Transaction& tx, std::uint64_t i) {
        const Address before =
            i == 0 ? victim_at(0) : create2_address(victim_at(0), Uint256{i - 1}, hash);
        tx.to = victim_at(0);
        tx.data = words({to_word(before), Uint256{i}});
    };
    return attack;
}

/// Contracts that are not made after all, one after the other at the same address.
Attack on_one_address() {
    const Bytecode init = revert_range(0, 0);
    const Bytecode once = drop(create2(init, 7));
    const Bytecode begin = push_sized(2, 60);
    return on_one(begin + OP_JUMPDEST + once + push(1) + OP_SWAP1 + OP_SUB + OP_DUP1 +
                  push_sized(2, begin.size()) + OP_JUMPI + OP_POP);
}

/// Each step leaves code in a call that is undone. From Amsterdam on what that was paid with comes
/// back (EIP-8037): a hundred times what is executed.
Attack on_undone_growth() {
    const Bytecode init = return_range(0, 4'000);
    Attack attack = on_one(step_or_burn(burns()[0].code, drop(CallCode{.to = push(victim_at(1))})));
    attack.contracts.push_back(contract(victim_at(1), create(init) + revert_range(0, 0)));
    return attack;
}

/// Creations that fail: what the account was paid with before they begin comes back.
Attack of_contracts_that_revert() {
    Attack attack;
    attack.fill = [](Transaction& tx, std::uint64_t /*i*/) {
        tx.to.reset();
        tx.data = revert_range(0, 0).bytes();
    };
    return attack;
}

/// One call in so many that somebody looks on at reads what the sender has in as many mappings as a
/// pattern has room for; the others read nothing, but have all of it read for them (ADR 40).
Attack on_promised_slots() {
    constexpr std::uint64_t kLookedAtEach = 64;
    constexpr std::uint64_t kMappings = 6;
    Bytecode all;
    for (std::uint64_t i = 0; i < kMappings; ++i)
        all += mstore(0, OP_CALLER) + mstore(32, push(i)) + push(64) + push(0) + OP_KECCAK256 +
               OP_SLOAD + OP_POP;
    const Bytecode begin = arg(0) + push_sized(2, 3 + 3 + 1 + 1) + OP_JUMPI + OP_STOP;
    Attack attack = on_one(begin + OP_JUMPDEST + all);
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        tx.to = victim_at(0);
        tx.data = words({Uint256{i % kLookedAtEach == 0 ? 1u : 0u}});
        tx.gas_limit = 60'000;
    };
    return attack;
}

/// Everybody notes what the beneficiary of all fees has by then.
Attack on_fees() {
    Attack attack = on_one(Bytecode{OP_COINBASE} + OP_BALANCE + arg(0) + OP_SSTORE);
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        tx.to = victim_at(0);
        tx.max_priority_fee_per_gas = Uint256{i % 3};
        tx.data = words({Uint256{i}});
    };
    return attack;
}

}  // namespace

NamedAttacks object_attacks() {
    return {{"pairs", on_pairs},
            {"made for a moment", made_for_a_moment},
            {"existence", on_existence},
            {"new code", on_new_code},
            {"creations at one address", on_one_address},
            {"undone growth", on_undone_growth},
            {"contracts that revert", of_contracts_that_revert},
            {"promised slots", on_promised_slots},
            {"fees", on_fees}};
}

}  // namespace heddle::test
