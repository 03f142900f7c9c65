// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "adversarial_programs.hpp"

namespace heddle::test {

using namespace vm;        // opcodes
using namespace vm::test;  // the bytecode DSL

Bytecode arg(unsigned i) {
    return push(std::uint64_t{32} * i) + OP_CALLDATALOAD;
}

Bytecode when(const Bytecode& condition, const Bytecode& body) {
    // From PC's own position: ADD, JUMPI, the body, JUMPDEST.
    return condition + OP_ISZERO + push_sized(2, 3 + body.size()) + OP_PC + OP_ADD + OP_JUMPI +
           body + OP_JUMPDEST;
}

Bytecode add_to_slot(const Bytecode& slot, const Bytecode& amount) {
    return amount + slot + OP_SLOAD + OP_ADD + slot + OP_SSTORE;
}

Bytecode call_with(const Bytecode& to, const Bytecode& value, const std::vector<Bytecode>& words) {
    Bytecode code;
    for (std::size_t i = 0; i < words.size(); ++i)
        code += mstore(32 * i, words[i]);
    // Not all of the gas: before EIP-150 that would be more than there is.
    return code + CallCode{.to = to,
                           .gas = push(2) + OP_GAS + OP_DIV,
                           .value = value,
                           .input_size = 32 * words.size()};
}

namespace {

class ProgramMaker {
public:
    ProgramMaker(const AdversarialCast& cast, Revision revision, workload::Random& random)
        : cast_(cast), revision_(revision), random_(random) {}

    Bytecode make() {
        // Whoever merely pays gets through.
        Bytecode code = when(Bytecode{OP_CALLDATASIZE} + OP_ISZERO, OP_STOP);
        for (std::uint32_t i = 0, count = 3 + random_.below(5); i < count; ++i) {
            const Bytecode condition = value();
            const Bytecode body = statement();
            code += random_.below(3) == 0 ? when(condition, body) : body;
        }
        return code;
    }

private:
    Bytecode slot() {
        switch (random_.below(4)) {
            case 0:
                return push(7) + arg(0) + OP_AND;
            case 1:
                return push(7) + sload(random_.below(4)) + OP_AND;
            default:
                return push(random_.below(4));
        }
    }

    Bytecode account() {
        switch (random_.below(6)) {
            case 0:
                return OP_COINBASE;
            case 1:
                return OP_CALLER;
            case 2:
                return OP_ADDRESS;
            case 3:  // found by a slot
                return push(7) + slot() + OP_SLOAD + OP_AND + push(kFirstNeighbour) + OP_ADD;
            default:
                return push(cast_.hot[random_.below(static_cast<std::uint32_t>(cast_.hot.size()))]);
        }
    }

    Bytecode contract() {
        static constexpr Address kCallees[] = {kCounter, kPool, kMaze, kPayer, kWatcher, kTree};
        return random_.below(2) == 0
                   ? push(kCallees[random_.below(6)])
                   : push(address_from_low64(kFirstProgram + random_.below(kPrograms)));
    }

    /// Something that depends on what came before.
    Bytecode value() {
        switch (random_.below(8)) {
            case 0:
                return account() + OP_BALANCE;
            case 1:
                return account() + OP_EXTCODESIZE;
            case 2:
                if (revision_ >= Revision::constantinople) return account() + OP_EXTCODEHASH;
                return OP_CALLVALUE;
            case 3:
                if (revision_ >= Revision::istanbul) return OP_SELFBALANCE;
                return OP_NUMBER;
            case 4:
                if (revision_ >= Revision::cancun) return push(random_.below(2)) + OP_TLOAD;
                return OP_GASPRICE;
            case 5:
                return push(3) + slot() + OP_SLOAD + OP_MOD;
            case 6:
                if (revision_ >= Revision::amsterdam)
                    return random_.below(2) == 0 ? Bytecode{OP_SLOTNUM} : from_the_deep();
                return OP_TIMESTAMP;
            default:
                return slot() + OP_SLOAD;
        }
    }

    /// A slot's value, brought up from below what DUP and SWAP reach (EIP-8024).
    Bytecode from_the_deep() {
        static constexpr std::uint64_t kDepth = 20;
        Bytecode code = slot() + OP_SLOAD;
        for (std::uint64_t i = 1; i <= kDepth; ++i)
            code += push(i);
        const auto immediate = static_cast<std::uint8_t>(0x80 + random_.below(5));  // 17 to 21
        const auto pair = static_cast<std::uint8_t>(0x80 + random_.below(15));
        code += OP_DUPN + raw({immediate}) + OP_SWAPN + raw({0x82}) + OP_EXCHANGE + raw({pair}) +
                OP_SWAPN + raw({0x83}) + push(96) + OP_MSTORE;
        return code + kDepth * Bytecode{OP_POP} + OP_POP + push(96) + OP_MLOAD;
    }

    // Operands are drawn one by one: compilers evaluate those of an expression in any order, and a
    // seed must mean the same program everywhere.
    Bytecode statement() {
        const auto kind = random_.below(12);
        const Bytecode first = value();
        const Bytecode target = slot();
        const Bytecode who = kind == 2 || kind == 3 ? contract() : account();
        const Uint256 small = random_.below(3);
        const bool is_rare = random_.below(3) == 0;
        switch (kind) {
            case 1:
                return call_with(who, push(small), {}) + OP_POP;
            case 2:
                return call_with(who, push(0), {arg(0), arg(1), first}) + OP_POP;
            case 3:
                return add_to_slot(push(1), call_with(who, push(0), {first, push(1)}));
            case 4:
                return other_call(first);
            case 5:
                return mstore(0, first) + push(3) + push(32) + push(0) + numbered(OP_LOG0, 1);
            case 6:
                if (!is_rare) break;
                return when(first + OP_ISZERO, revert_range(0, 0));
            case 7:
                if (!is_rare) break;
                return when(push(7) + target + OP_SLOAD + OP_MOD + OP_ISZERO,
                            who + OP_SELFDESTRUCT);
            case 8:
                if (revision_ < Revision::cancun) break;
                return first + push(small) + OP_TSTORE;
            case 9:
                return create(deploy(Bytecode{OP_COINBASE} + OP_BALANCE), small) + target +
                       OP_SSTORE;
            case 10:
                return sstore(small, first);
            default:
                break;
        }
        return add_to_slot(target, first);
    }

    /// Foreign code on the own slots and balance, or a look at another's.
    Bytecode other_call(const Bytecode& word) {
        const Opcode kind =
            revision_ >= Revision::byzantium && random_.below(2) == 0
                ? OP_STATICCALL
                : (revision_ >= Revision::homestead ? OP_DELEGATECALL : OP_CALLCODE);
        return mstore(0, arg(0)) + mstore(32, word) +
               CallCode{.opcode = kind,
                        .to = contract(),
                        .gas = push(2) + OP_GAS + OP_DIV,
                        .input_size = 64} +
               OP_POP;
    }

    const AdversarialCast& cast_;
    Revision revision_;
    workload::Random& random_;
};

}  // namespace

Bytecode make_adversarial_program(const AdversarialCast& cast, Revision revision,
                                  workload::Random& random) {
    return ProgramMaker{cast, revision, random}.make();
}

}  // namespace heddle::test
