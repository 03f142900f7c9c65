// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A transaction that makes its machine keep code: it calls many accounts, and comes back to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include <types/block.hpp>
#include <types/transaction.hpp>

#include "fakes.hpp"

namespace heddle::executor::test {

/// Calls one account after the other, all of them three times.
inline Bytes calling_thrice(std::uint64_t first, std::uint64_t behind_last) {
    Bytes code{0x60, 3};  // PUSH1 3: rounds
    const auto push32 = [&](std::uint64_t value) {
        code.resize(code.size() + 33, 0x7f);
        store_be(Uint256{value}, code.data() + code.size() - 32);
    };
    const auto add = [&](std::initializer_list<std::uint8_t> bytes) {
        code.insert(code.end(), bytes);
    };
    add({0x5b});  // JUMPDEST at 2
    push32(first);
    add({0x5b});                                                       // JUMPDEST at 36
    add({0x5f, 0x5f, 0x5f, 0x5f, 0x5f, 0x85, 0x60, 100, 0xf1, 0x50});  // CALL with 100 gas, POP
    add({0x60, 1, 0x01, 0x80});                                        // ADD 1, DUP1
    push32(behind_last);
    add({0x11, 0x60, 36, 0x57, 0x50});                      // GT, JUMPI to 36, POP
    add({0x60, 1, 0x90, 0x03, 0x80, 0x60, 2, 0x57, 0x00});  // SUB 1, JUMPI to 2, STOP
    return code;
}

/// The transaction, valid on the state that it is given, which has what it calls.
struct ThriceCalled {
    static constexpr std::uint64_t kFirst = 1'000'000;  // address of the first account

    /// @param code_bytes  Of each account; different ones, that stop at once and end in their
    ///                    number. From 32 on.
    /// @param index       Of several on one state, which have nothing in common.
    ThriceCalled(FakeState& state, std::uint64_t accounts, std::size_t code_bytes,
                 std::uint64_t index = 0) {
        const Address sender = address_from_low64(0xa + 0x100 * index);
        const Address caller = address_from_low64(0xc + 0x100 * index);
        const std::uint64_t first = index * accounts;
        state.set_balance(sender, Uint256{1} << 100);
        state.deploy(caller, calling_thrice(kFirst + first, kFirst + first + accounts));
        Bytes code(code_bytes);
        for (std::uint64_t i = first; i < first + accounts; ++i) {
            store_be(Uint256{i}, code.data() + code_bytes - 32);
            state.deploy(address_from_low64(kFirst + i), code);
        }
        tx.sender = sender;
        tx.to = caller;
        tx.gas_limit = 10'000'000;
        env.revision = Revision::shanghai;
        env.gas_limit = 30'000'000;
    }

    Transaction tx;
    BlockEnv env;
};

}  // namespace heddle::executor::test
