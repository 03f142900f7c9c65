// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/assert.hpp>

#include "adversarial_programs.hpp"
#include "attack_parts.hpp"

namespace heddle::test {
namespace {

using namespace vm;        // opcodes
using namespace vm::test;  // the bytecode DSL

constexpr Address kSink = address_from_low64(0x51'4c00);

Address heir_at(std::uint64_t i) {
    return address_from_low64(0xbe1'0000 + i);
}

/// One wei comes in, and the next transaction pays it out: cover that is there in order only. What
/// only moves a balance is seen by nobody ahead of its turn.
Attack on_cover() {
    const Bytecode pay = CallCode{.to = push(kSink), .value = arg(0)};
    Attack attack = on_one(good_or_burn(pay, OP_STOP, burns()[1].code));
    attack.contracts.push_back(contract(kSink, OP_STOP));
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        tx.to = victim_at(0);
        tx.value = Uint256{1 - i % 2};
        tx.data = words({Uint256{i % 2}});
    };
    return attack;
}

/// Each creates an account, whose address shows how many were created before.
Attack on_creators_nonce() {
    const Bytecode make = push(0) + push(0) + push(0) + OP_CREATE;
    Attack attack = on_one(good_or_burn(make + arg(0) + OP_EQ, OP_STOP, burns()[1].code));
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        tx.to = victim_at(0);
        tx.data = words({to_word(create_address(victim_at(0), i + 1))});
    };
    return attack;
}

/// Most transactions take long and hold, so that much may be undecided when the others come.
Attack on_trust() {
    constexpr std::uint64_t kPeriod = 40;
    constexpr std::uint64_t kSteps = 8;
    Attack attack = on_one(step_or_burn(burns()[0].code));
    attack.contracts.push_back(contract(victim_at(1), count_down() + OP_STOP));
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        const std::uint64_t at = i % kPeriod;
        const bool steps = at >= kPeriod - kSteps;
        tx.to = victim_at(steps ? 0 : 1);
        if (steps) tx.data = words({Uint256{i / kPeriod * kSteps + at - (kPeriod - kSteps)}});
    };
    return attack;
}

/// Each sender has from the one before it what its own transaction can cost, to the wei.
Attack hand_to_hand() {
    constexpr std::uint64_t kMost = kMostAttackTransactions + 1;
    const Uint256 cost = Uint256{21'000} * (Uint256{1} << 40);
    Attack attack;
    attack.contracts.push_back({heir_at(0), 0, cost * Uint256{kMost}, {}, {}});
    attack.fill = [cost](Transaction& tx, std::uint64_t i) {
        HEDDLE_ASSERT(i + 1 < kMost);
        tx.sender = heir_at(i);
        tx.nonce = 0;
        tx.gas_limit = 21'000;
        tx.to = heir_at(i + 1);
        tx.value = cost * Uint256{kMost - i - 1};
    };
    return attack;
}

/// Balances of which two together are more than 256 bits have room for: where sums begin anew, more
/// does not cover what less does. Every other payment leaves nothing for what is paid out of it.
Attack on_full_balances() {
    const Bytecode pay = CallCode{.to = push(kSink), .value = arg(0)};
    const Bytecode note = pay + push(1) + OP_ADD + arg(1) + OP_SSTORE;
    Attack attack;
    attack.contracts.push_back(contract(victim_at(0), note));
    attack.contracts.push_back(contract(kSink, OP_STOP));
    for (std::uint64_t i = 0; i < kMostAttackTransactions; ++i)
        attack.contracts.push_back({heir_at(i), 0, Uint256::max(), {}, {}});
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        HEDDLE_ASSERT(i < kMostAttackTransactions);
        tx.sender = heir_at(i);
        tx.nonce = 0;
        tx.gas_limit = 200'000;
        tx.to = victim_at(0);
        tx.value = Uint256{1} << 255;
        tx.data = words({Uint256{i % 2 * 5}, Uint256{i}});
    };
    return attack;
}

}  // namespace

NamedAttacks account_attacks() {
    return {{"cover", on_cover},
            {"creator's nonce", on_creators_nonce},
            {"slot at last",
             [] {
                 return on_one(good_or_burn(count_down() + sload(0) + arg(0) + OP_EQ,
                                            sstore(0, push(1) + arg(0) + OP_ADD), burns()[1].code));
             }},
            {"trust", on_trust},
            {"hand to hand", hand_to_hand},
            {"full balances", on_full_balances}};
}

}  // namespace heddle::test
