// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "history_contract.hpp"

#include <utility>

#include "bytecode.hpp"
#include "chain/dev_chain.hpp"

namespace heddle::node::test {

using namespace vm::test;
using namespace vm;

Bytes history_code() {
    const Uint256 history =
        to_word(address_from_hex("0000f90827f1c53a10cb7a02335b175320002935").value());
    Bytecode code;
    for (const std::uint64_t distance : {1u, 2u, 6u, 7u, 8u, 100u, 255u, 256u, 257u}) {
        code += push(distance) + OP_NUMBER + OP_SUB + OP_BLOCKHASH + push(distance) + OP_SSTORE;
        code += push(distance) + OP_NUMBER + OP_SUB + push(0) + OP_MSTORE + push(0) + push(32) +
                OP_MSTORE;
        code += push(32) + push(32) + push(32) + push(0) + push(history) + OP_GAS + OP_STATICCALL +
                OP_POP + push(32) + OP_MLOAD + push(1000 + distance) + OP_SSTORE;
    }
    code += OP_BASEFEE + OP_PREVRANDAO + OP_XOR + OP_TIMESTAMP + OP_XOR + OP_BLOBBASEFEE + OP_XOR +
            push(Uint256{1} << 64) + OP_NUMBER + OP_ADD + OP_SSTORE;
    return code.bytes();
}

Genesis genesis_with_history() {
    Genesis genesis = dev_genesis();
    genesis.alloc.push_back({kHistoryAddress, 1, {}, history_code(), {}});
    return genesis;
}

void add_large_codes(Genesis& genesis, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
        Bytes code(24'576, static_cast<std::uint8_t>(i));
        code[0] = 0;
        code[1] = static_cast<std::uint8_t>(i >> 8);
        genesis.alloc.push_back({address_from_low64(0xc0de0000 + i), 1, {}, std::move(code), {}});
    }
}

}  // namespace heddle::node::test
