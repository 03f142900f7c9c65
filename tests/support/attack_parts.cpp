// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "attack_parts.hpp"

#include "adversarial_programs.hpp"

namespace heddle::test {

using namespace vm;        // opcodes
using namespace vm::test;  // the bytecode DSL

Address victim_at(std::uint64_t i) {
    return address_from_low64(0xbad0'0000 + i);
}

Bytecode good_or_burn(const Bytecode& condition, const Bytecode& good, const Bytecode& burn) {
    const std::size_t loop = condition.size() + 4;
    const Bytecode endless = OP_JUMPDEST + burn + push_sized(2, loop) + OP_JUMP;
    return condition + push_sized(2, loop + endless.size()) + OP_JUMPI + endless + OP_JUMPDEST +
           good;
}
Bytecode step_or_burn(const Bytecode& burn, const Bytecode& more) {
    return good_or_burn(sload(0) + arg(0) + OP_EQ, sstore(0, push(1) + arg(0) + OP_ADD) + more,
                        burn);
}

Bytecode drop(const Bytecode& code) {
    return code + OP_POP;
}

std::vector<Burn> burns() {
    return {
        {"loop", {}},
        {"hashes", drop(push(4'096) + push(0) + OP_KECCAK256)},
        {"one hash", drop(push(400'000) + push(0) + OP_KECCAK256)},
        {"powers", drop(push(~Uint256{}) + push(3) + OP_EXP)},
        {"memory", push(1) + OP_MSIZE + OP_MSTORE},
        {"copies", push(20'000) + push(0) + push(0) + OP_CALLDATACOPY},
        {"logs", push(2'000) + push(0) + OP_LOG0},
        {"cold slots", drop(OP_GAS + Bytecode{OP_SLOAD})},
        {"new slots", push(1) + OP_GAS + OP_SSTORE},
        {"cold accounts", drop(OP_GAS + Bytecode{OP_BALANCE})},
        {"transient storage", push(1) + OP_GAS + OP_TSTORE + drop(OP_GAS + Bytecode{OP_TLOAD})},
        {"deep calls",
         mstore(0, arg(0)) + drop(CallCode{.to = Bytecode{OP_ADDRESS}, .input_size = 32})},
        {"re-entered transient storage",
         mstore(0, arg(0)) + push(1) + (push(0) + Bytecode{OP_TLOAD}) + OP_ADD + push(0) +
             OP_TSTORE + drop(CallCode{.to = Bytecode{OP_ADDRESS}, .input_size = 32})},
        {"creations", mstore(0, Bytecode{OP_GAS}) + drop(push(32) + push(0) + push(0) + OP_CREATE)},
        {"signatures", drop(CallCode{.to = push(1), .input_size = 128})},
        {"returned data", drop(CallCode{.to = push(4), .input_size = 20'000}) + push(20'000) +
                              push(0) + push(0) + OP_RETURNDATACOPY},
        {"block hashes", drop(push(1) + OP_NUMBER + OP_SUB + OP_BLOCKHASH)},
        {"pairings", drop(CallCode{.to = push(8), .input_size = 1'920})},
    };
}

Bytecode count_down(std::uint64_t from) {
    const Bytecode begin = push_sized(2, from);
    return begin + OP_JUMPDEST + push(1) + OP_SWAP1 + OP_SUB + OP_DUP1 +
           push_sized(2, begin.size()) + OP_JUMPI + OP_POP;
}

GenesisAccount contract(const Address& address, const Bytecode& code, const Uint256& balance) {
    return {address, 1, balance, code.bytes(), {}};
}
Bytes words(std::initializer_list<Uint256> values) {
    Bytes data(32 * values.size());
    std::size_t at = 0;
    for (const Uint256& value : values)
        store_be(value, data.data() + 32 * at++);
    return data;
}

Attack on_one(const Bytecode& code) {
    return {.contracts = {contract(victim_at(0), code)},
            .fill = [](Transaction& tx, std::uint64_t i) {
                tx.to = victim_at(0);
                tx.data = words({i});
            }};
}

}  // namespace heddle::test
