// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state_test_edges.hpp"

#include <cstddef>
#include <iterator>
#include <utility>

#include "bytecode.hpp"

namespace heddle::test {

using namespace vm;        // opcodes
using namespace vm::test;  // the bytecode DSL

namespace {

constexpr std::size_t kMostBorders = 10'000;
constexpr Address kSystemCaller = [] {
    Address address;
    address.bytes.fill(0xff);
    address.bytes[19] = 0xfe;
    return address;
}();

}  // namespace

Bytes draw_descent(workload::Random& random, WildPrograms& programs) {
    static constexpr Opcode kCalls[] = {OP_CALL, OP_CALL, OP_CALLCODE, OP_DELEGATECALL,
                                        OP_STATICCALL};
    const std::uint64_t bottom = 1'019 + random.below(8);
    const Opcode opcode = kCalls[random.below(std::size(kCalls))];
    // GAS - GAS / 64 - 5,000
    CallCode made{.opcode = opcode, .to = OP_ADDRESS};
    made.gas = push(5'000) + push(64) + OP_GAS + OP_DIV + OP_GAS + OP_SUB + OP_SUB;
    made.input_size = made.output_size = 32;
    Bytecode down = push(1) + OP_ADD + push(0) + OP_MSTORE + made;
    switch (random.below(4)) {
        case 0:
            down += push(0) + push(0) + numbered(OP_LOG0, 1);
            break;
        case 1:
            down += push(0) + OP_MSTORE + return_range(0, 32);
            break;
        case 2:
            down += push(0) + OP_SSTORE;
            break;
        default:
            break;
    }
    down += OP_STOP;
    const Bytecode count = push(0) + OP_CALLDATALOAD + OP_DUP1 + push_sized(2, bottom) + OP_GT;
    // Behind ISZERO, PUSH2 with its operand and JUMPI.
    const Bytecode jump = OP_ISZERO + push_sized(2, count.size() + 5 + down.size()) + OP_JUMPI;
    return (count + jump + down + OP_JUMPDEST + OP_POP + Bytecode{programs.program(4)}).bytes();
}

std::vector<GenesisAccount> draw_reserved_accounts(workload::Random& random,
                                                   WildPrograms& programs) {
    static constexpr Address kReserved[] = {
        address_from_low64(0),    address_from_low64(1),     address_from_low64(2),
        address_from_low64(3),    address_from_low64(4),     address_from_low64(6),
        address_from_low64(5),    address_from_low64(8),     address_from_low64(9),
        address_from_low64(0xa),  address_from_low64(0xb),   address_from_low64(0x11),
        address_from_low64(0x12), address_from_low64(0x100), kSystemCaller};
    std::vector<GenesisAccount> accounts;
    for (const Address& address : kReserved) {
        GenesisAccount account{address, 0, {}, {}, {}};
        switch (random.below(10)) {
            case 0:
            case 1:
                break;
            case 2:
                account.balance = Uint256{1};
                break;
            case 3:
                account.nonce = 1;
                account.code = programs.program(3);
                break;
            default:
                continue;
        }
        accounts.push_back(std::move(account));
    }
    return accounts;
}

void BorderTracer::on_step(const TraceStep& step, Status) noexcept {
    if (step.depth == 1 && borders_.size() < kMostBorders)
        borders_.push_back({step.gas_left, step.gas_cost});
}

std::uint64_t draw_border(workload::Random& random, const BorderTracer& tracer,
                          std::uint64_t gas_limit) {
    if (tracer.borders().empty()) return 0;
    const auto count = static_cast<std::uint32_t>(tracer.borders().size());
    const BorderTracer::Border& border = tracer.borders()[random.below(count)];
    const std::int64_t needed = random.below(4) == 0 ? 2'300 : border.gas_cost;
    const std::int64_t more = needed + random.below(3) - 1 - border.gas_left;
    const auto limit = static_cast<std::int64_t>(gas_limit) + more;
    return limit < 0 ? 0 : static_cast<std::uint64_t>(limit);
}

}  // namespace heddle::test
