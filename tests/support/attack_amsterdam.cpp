// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/validate.hpp>

#include "adversarial_programs.hpp"
#include "attack_parts.hpp"

namespace heddle::test {
namespace {

using namespace vm;        // opcodes
using namespace vm::test;  // the bytecode DSL

constexpr std::uint64_t kMostExecuted = 16'777'216;  // gas of a transaction (EIP-7825)
constexpr std::uint64_t kStateByte = 1'530;          // gas (EIP-8037)
constexpr std::uint64_t kNewAccount = 120 * kStateByte;

Address giant_at(std::uint64_t i) {
    return address_from_low64(0x61a7'0000 + i);
}

/// All that a transaction may execute with, and so much for state beside it.
Attack with_reservoir(Attack attack, std::uint64_t reservoir) {
    attack.fill = [fill = attack.fill, reservoir](Transaction& tx, std::uint64_t i) {
        fill(tx, i);
        tx.gas_limit = kMostExecuted + reservoir;
    };
    return attack;
}

/// What the contract and whoever gets the fees have by then is noted by everybody, and changed by
/// everybody.
Attack on_all_balances() {
    Attack attack =
        on_one(OP_SELFBALANCE + Bytecode{OP_COINBASE} + OP_BALANCE + OP_ADD + arg(0) + OP_SSTORE);
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        tx.to = victim_at(0);
        tx.value = 1;
        tx.data = words({i % 16});
    };
    return attack;
}

/// Two contracts call each other with one wei each time: as many logs (EIP-7708) as calls. What is
/// deepest is undone.
Attack of_transfers_deep_down() {
    constexpr std::uint64_t kLevels = 60;
    const auto next = [](std::uint64_t to) {
        return when(
            arg(0),
            mstore(0, push(1) + arg(0) + OP_SUB) +
                drop(CallCode{.to = push(victim_at(to)), .value = push(1), .input_size = 32}));
    };
    const Bytecode down = next(2) + OP_SELFBALANCE + arg(0) + OP_SSTORE;
    const Bytecode up = next(1) + when(push(15) + arg(0) + OP_EQ, revert_range(0, 0));
    Attack attack = on_one(good_or_burn(
        sload(0) + arg(0) + OP_EQ,
        sstore(0, push(1) + arg(0) + OP_ADD) + mstore(0, push(kLevels)) +
            drop(CallCode{.to = push(victim_at(1)), .value = push(1), .input_size = 32}),
        burns()[0].code));
    attack.contracts.front().balance = 1'000'000;
    attack.contracts.push_back(contract(victim_at(1), down, 1'000'000));
    attack.contracts.push_back(contract(victim_at(2), up, 1'000'000));
    return attack;
}

/// Codes of 64 KiB (EIP-7954), all of it jump destinations, each entered once in a transaction.
Attack of_giants() {
    constexpr std::size_t kMostCode = 65'536;
    constexpr std::uint64_t kGiants = 48;
    constexpr std::uint64_t kCalled = 12;
    Bytecode all;
    for (std::uint64_t i = 0; i < kCalled; ++i)
        all += drop(CallCode{.to = push(kGiants) + push(kCalled) + arg(0) + OP_MUL + push(i) +
                                   OP_ADD + OP_MOD + push(giant_at(0)) + OP_ADD});
    Attack attack = on_one(step_or_burn(burns()[0].code, all));
    for (std::uint64_t i = 0; i < kGiants; ++i) {
        Bytecode code = push_sized(3, kMostCode - 8) + OP_JUMP + push(i);
        code += (kMostCode - 8 - code.size()) * Bytecode{OP_JUMPDEST};
        code += OP_JUMPDEST + Bytecode{OP_STOP};
        attack.contracts.push_back(contract(giant_at(i), code));
    }
    return attack;
}

/// Init code as long as it may be (EIP-7954), another one each time, which jumps to its end and
/// reverts there: what is paid for the account comes back.
Attack of_long_init_code() {
    constexpr std::uint64_t kMostInitCode = 131'072;
    constexpr std::uint64_t kEnd = 0x5b'6000'6000'fd;  // JUMPDEST, PUSH1 0, PUSH1 0, REVERT
    const Bytecode once = store_code(push_sized(3, kMostInitCode - 6) + OP_JUMP) +
                          mstore(32, OP_GAS) + mstore(kMostInitCode - 32, push(kEnd)) +
                          push(kMostInitCode) + push(0) + push(0) + OP_CREATE;
    return on_one(step_or_burn(drop(once), 4 * drop(once)));
}

/// Each makes a contract that is gone when the transaction ends and leaves its balance there
/// (EIP-8246), at the same address, for the next one to find.
Attack of_balances_left_behind() {
    const Bytecode init = sstore(0, push(1)) + OP_ADDRESS + OP_SELFDESTRUCT;
    Attack attack = on_one(step_or_burn(burns()[0].code, drop(create2(init, 7, 1))));
    attack.contracts.front().balance = 1'000'000;
    return attack;
}

/// Items far below the top of the stack (EIP-8024).
Attack far_down_the_stack() {
    constexpr std::size_t kDepth = 236;
    const Bytecode reach = Bytecode{OP_DUPN} + raw({0x5a}) + OP_SWAPN + raw({0x5a}) + OP_EXCHANGE +
                           raw({0x9d}) + OP_POP;
    const Bytecode code = kDepth * Bytecode{OP_PC} + 200 * reach + kDepth * Bytecode{OP_POP};
    return on_one(step_or_burn(code, code));
}

/// Slots that are set and cleared at once: what they were paid with comes back to where it is from,
/// the reservoir or what is executed with, and pays for the next ones.
Attack of_slots_for_a_moment(std::uint64_t reservoir) {
    const Bytecode once = Bytecode{OP_GAS} + push(1) + numbered(OP_DUP1, 2) + OP_SSTORE + push(0) +
                          OP_SWAP1 + OP_SSTORE;
    return with_reservoir(on_one(step_or_burn(once, 40 * once)), reservoir);
}

/// Creations that have gas for all of the code that they leave but its last byte: what the account
/// was paid with comes back.
Attack of_code_but_its_last_byte() {
    constexpr std::uint64_t kSize = 200;  // so that a block has room for hundreds
    constexpr std::uint64_t kWords = (kSize + 31) / 32;
    constexpr std::uint64_t kExecuted = 2 * 3 + 3 * kWords + 6 * kWords;  // memory, hashing
    Attack attack;
    attack.fill = [](Transaction& tx, std::uint64_t i) {
        tx.to.reset();
        tx.data = return_range(0, kSize).bytes();
        tx.gas_limit = intrinsic_gas(tx, Revision::amsterdam).gas + kExecuted + kNewAccount +
                       kStateByte * kSize - (i % 8 == 0 ? 0 : 1);
    };
    return attack;
}

}  // namespace

NamedAttacks amsterdam_attacks() {
    NamedAttacks list = {
        {"all balances", on_all_balances},
        {"transfers deep down", of_transfers_deep_down},
        {"giants", of_giants},
        {"long init code", of_long_init_code},
        {"balances left behind", of_balances_left_behind},
        {"far down the stack", far_down_the_stack},
        {"slots for a moment", [] { return of_slots_for_a_moment(0); }},
        {"slots by reservoir", [] { return of_slots_for_a_moment(10'000'000); }},
        {"code but its last byte", of_code_but_its_last_byte},
    };
    for (auto& [name, make] : list)
        make = [make = std::move(make)] {
            Attack attack = make();
            attack.revision = Revision::amsterdam;
            return attack;
        };
    return list;
}

}  // namespace heddle::test
