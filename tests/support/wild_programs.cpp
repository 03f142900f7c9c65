// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "wild_programs.hpp"

#include <cstddef>

#include "precompile_inputs.hpp"

namespace heddle::test {

using namespace vm;        // opcodes
using namespace vm::test;  // the bytecode DSL

// Each draw is a statement of its own: compilers evaluate the operands of an expression in any
// order, and a seed must mean the same program everywhere.

namespace {

constexpr std::uint32_t kMostNested = 2;
/// Where the address of what was created is kept, above what programs use otherwise.
constexpr std::uint64_t kCreatedAt = 0x2e0;
/// 0xff…fe, who calls the contracts of the protocol and logs transfers (EIP-4788, 7708).
const Uint256 kSystemCaller = (Uint256{1} << 160) - Uint256{2};
constexpr Bytecode (*kPush)(const Uint256&) = push;

template <typename T, std::size_t N>
const T& pick(workload::Random& random, const T (&choices)[N]) {
    return choices[random.below(static_cast<std::uint32_t>(N))];
}

}  // namespace

Bytes WildPrograms::program(std::uint32_t statements) {
    Bytecode code;
    for (std::uint32_t left = 1 + random_.below(statements); left > 0; --left)
        code += statement();
    if (one_in(2)) code += end();
    return code.bytes();
}

Bytecode WildPrograms::statement() {
    switch (random_.below(18)) {
        case 0:
        case 1:
        case 2:
            return call();
        case 3:
        case 4:
        case 5:
            return use_storage();
        case 6:
        case 7:
            return create();
        case 8:
            return ask_account();
        case 9:
        case 10:
            return use_memory();
        case 11:
            return ask_block();
        case 12:
        case 13:
            return call_precompile();
        case 14:
            return one_in(2) ? call_itself() : end();
        case 15:
            return one_in(2) || is_repeating_ ? reach_deep() : repeat();
        case 16:
            return is_repeating_ ? use_storage() : repeat();
        default:
            return observe();
    }
}

/// Some of it again and again, until it is done or paid for no more. The count stays on the stack.
Bytecode WildPrograms::repeat() {
    static constexpr std::uint64_t kTimes[] = {2, 2, 3, 5, 9, 20, 60, 1'000};
    const std::uint64_t times = pick(random_, kTimes);
    is_repeating_ = true;
    Bytecode body = statement();
    if (one_in(2)) body += statement();
    is_repeating_ = false;
    const Bytecode count = kPush(1) + OP_SWAP1 + OP_SUB + OP_DUP1;
    // From PC's own position back to the JUMPDEST.
    const Bytecode back = push_sized(2, 1 + body.size() + count.size() + 3);
    return kPush(times) + OP_JUMPDEST + body + count + back + OP_PC + OP_SUB + OP_JUMPI + OP_POP;
}

/// DUPN, SWAPN and EXCHANGE (EIP-8024) with any immediate, on a stack that is deep enough or just
/// not; before Amsterdam undefined. The values tell where they come from.
Bytecode WildPrograms::reach_deep() {
    static constexpr std::uint32_t kDepths[] = {0, 1, 2, 16, 17, 18, 29, 30, 31, 235, 236, 237};
    static constexpr Opcode kOpcodes[] = {OP_DUPN, OP_SWAPN, OP_EXCHANGE};
    const std::size_t depth = one_in(3) ? random_.below(300) : pick(random_, kDepths);
    Bytecode code = depth * Bytecode{OP_PC};
    std::size_t added = 0;
    for (std::uint32_t left = 1 + random_.below(3); left > 0; --left) {
        const Opcode opcode = pick(random_, kOpcodes);
        if (opcode == OP_DUPN) ++added;
        // Mostly one that goes no deeper than there is.
        std::uint32_t immediate = random_.below(256);
        if (depth > 18 && depth < 108 && !one_in(4))
            immediate = 0x80 + random_.below(static_cast<std::uint32_t>(depth) - 17);
        code += Bytecode{opcode} + raw({static_cast<std::uint8_t>(immediate)});
    }
    code += OP_DUP1;
    code += keep();
    return code + (depth + added) * Bytecode{OP_POP};
}

Bytecode WildPrograms::keep() {
    switch (random_.below(8)) {
        case 0:
        case 1:
        case 2:
            return kPush(0) + push(0) + numbered(OP_LOG0, 1);
        case 3:
            return kPush(random_.below(8)) + OP_SSTORE;
        case 4:
            return kPush(random_.below(300)) + OP_MSTORE;
        default:
            return OP_POP;
    }
}

Bytecode WildPrograms::observe() {
    switch (random_.below(4)) {
        case 0:
            if (revision_ < Revision::byzantium) break;
            return Bytecode{OP_RETURNDATASIZE} + push(4 + slot()) + OP_SSTORE;
        case 1:
            return Bytecode{OP_MSIZE} + push(0) + push(0) + numbered(OP_LOG0, 1);
        default:
            break;
    }
    return Bytecode{OP_GAS} + push(0) + push(0) + numbered(OP_LOG0, 1);
}

Bytecode WildPrograms::address() {
    switch (random_.below(16)) {
        case 0:
        case 1:
            return OP_ADDRESS;
        case 2:
            return OP_CALLER;
        case 3:
            return OP_COINBASE;
        case 4:
            return OP_ORIGIN;
        case 5:
        case 6:  // precompiled contracts, and numbers that are of none yet
            return kPush(1 + random_.below(0x13));
        case 7:
            return kPush(one_in(2) ? Uint256{0x100} : kSystemCaller);
        default:
            break;
    }
    const Address& account = accounts_[random_.below(static_cast<std::uint32_t>(accounts_.size()))];
    // What stands above an address does not count.
    if (one_in(16)) return kPush(to_word(account) + (Uint256{0xbad} << 160));
    return push(account);
}

Bytecode WildPrograms::gas() {
    static constexpr std::uint64_t kEdges[] = {0,      1,      100,     700,     2'299,
                                               2'300,  2'301,  5'000,   10'000,  30'000,
                                               50'000, 97'920, 100'000, 183'600, 200'000};
    switch (random_.below(9)) {
        case 0:
            return kPush(Uint256{1} << (std::uint64_t{63} + random_.below(2)));
        case 1:
        case 2:
            return kPush(pick(random_, kEdges));
        case 3: {  // at an edge behind some instructions
            const std::uint64_t edge = pick(random_, kEdges);
            return kPush(edge + random_.below(64));
        }
        case 4: {  // what a few accesses and changes cost together, of any fork
            static constexpr std::uint64_t kPrices[] = {
                100,    2'100,  2'600,  2'900,  3'000,  5'000,  9'000,  9'100,
                10'000, 11'300, 12'000, 20'000, 25'000, 32'000, 97'920, 183'600};
            std::uint64_t sum = random_.below(40);
            for (std::uint32_t count = 1 + random_.below(3); count > 0; --count)
                sum += pick(random_, kPrices);
            return kPush(sum);
        }
        default:
            return OP_GAS;
    }
}

Uint256 WildPrograms::value() {
    if (!one_in(3)) return {};
    return one_in(8) ? Uint256{1} << 200 : Uint256{1 + random_.below(3)};
}

Uint256 WildPrograms::offset() {
    static constexpr std::uint64_t kUsual[] = {0, 0, 1, 31, 32, 33, 64, 100, 200};
    static constexpr std::uint64_t kFar[] = {
        1 << 16,        0xffff'ffff,           0x1'0000'0000,
        0x1f'ffff'ffe0, 0xffff'ffff'ffff'ffe0, 0xffff'ffff'ffff'ffff};
    if (!one_in(16)) return pick(random_, kUsual);
    if (one_in(3)) return one_in(2) ? Uint256::max() : Uint256{1} << 64;
    return pick(random_, kFar);
}

Uint256 WildPrograms::size() {
    static constexpr std::uint64_t kUsual[] = {0, 0, 1, 4, 31, 32, 33, 64, 96, 150};
    static constexpr std::uint64_t kLarge[] = {24'576, 49'153, 131'073, 0xffff'ffff,
                                               0xffff'ffff'ffff'ffff};
    if (!one_in(20)) return pick(random_, kUsual);
    return one_in(4) ? Uint256::max() : Uint256{pick(random_, kLarge)};
}

Opcode WildPrograms::draw_call() {
    static constexpr Opcode kCalls[] = {OP_CALL,     OP_CALL,         OP_CALL,
                                        OP_CALLCODE, OP_DELEGATECALL, OP_STATICCALL};
    std::uint32_t known = 6;
    if (revision_ < Revision::byzantium) known = 5;
    if (revision_ < Revision::homestead) known = 4;
    return kCalls[random_.below(known)];
}

Bytecode WildPrograms::call() {
    CallCode made{.opcode = draw_call(), .to = address()};
    made.gas = gas();
    made.value = kPush(value());
    made.input_offset = offset();
    made.input_size = size();
    made.output_offset = offset();
    made.output_size = size();
    Bytecode code = made;
    code += keep();
    if (revision_ >= Revision::byzantium && one_in(3)) {
        // All of it, or some that may not be there.
        code += one_in(2) ? Bytecode{OP_RETURNDATASIZE} : kPush(size());
        code += kPush(one_in(4) ? offset() : Uint256{});
        code += kPush(0) + OP_RETURNDATACOPY;
    }
    if (one_in(3)) code += observe();
    return code;
}

Bytecode WildPrograms::call_precompile() {
    static constexpr std::uint64_t kPrices[] = {
        15, 60, 150, 200, 375, 500, 600, 3'000, 6'000, 6'900, 45'000, 50'000, 79'000, 113'000};
    const PrecompileInput input = draw_precompile_input(random_);
    CallCode made{.opcode = draw_call(), .to = push(to_word(input.contract))};
    if (one_in(3)) {
        const std::uint64_t price = pick(random_, kPrices);
        made.gas = kPush(price + random_.below(3) - 1);
    }
    made.value = kPush(one_in(4) ? 1 : 0);
    made.input_size = input.data.size();
    made.output_size = std::uint64_t{32} * random_.below(4);
    Bytecode code = store_code(Bytecode{input.data});
    code += made;
    code += keep();
    if (revision_ >= Revision::byzantium) {
        code += Bytecode{OP_RETURNDATASIZE} + push(0) + push(0) + OP_RETURNDATACOPY;
        code += Bytecode{OP_RETURNDATASIZE} + push(0) + OP_KECCAK256;
        code += keep();
    }
    return code + observe();
}

Bytecode WildPrograms::call_itself() {
    CallCode made{.to = OP_ADDRESS};
    if (revision_ < Revision::tangerine_whistle) made.gas = kPush(2) + OP_GAS + OP_DIV;
    made.value = kPush(one_in(3) ? 1 : 0);
    Bytecode code = made;
    return code += keep(), code;
}

Bytecode WildPrograms::create() {
    if (depth_ == kMostNested) return use_storage();
    ++depth_;
    const Bytes init = init_code();
    --depth_;
    const bool is_salted = revision_ >= Revision::constantinople && one_in(2);
    static constexpr std::uint64_t kLarge[] = {49'152, 49'153, 131'072, 131'073};
    const std::uint64_t length = one_in(24) ? pick(random_, kLarge) : init.size();
    Bytecode code = store_code(Bytecode{init});
    if (is_salted) code += kPush(random_.below(2));
    code += kPush(length) + push(0) + push(one_in(4) ? 1 : 0);
    code += is_salted ? OP_CREATE2 : OP_CREATE;
    code += one_in(2) ? use_created() : keep();
    return code + observe();
}

/// The address is on the stack.
Bytecode WildPrograms::use_created() {
    const Bytecode created = kPush(kCreatedAt) + OP_MLOAD;
    Bytecode code = kPush(kCreatedAt) + OP_MSTORE;
    for (std::uint32_t count = 1 + random_.below(2); count > 0; --count) {
        CallCode made{.opcode = draw_call(), .to = created};
        made.value = kPush(one_in(3) ? 1 : 0);
        code += made;
        code += keep();
        if (one_in(3)) code += use_storage();
    }
    if (one_in(3)) code += created + (one_in(2) ? OP_BALANCE : OP_EXTCODESIZE) + OP_POP;
    return code;
}

Bytes WildPrograms::init_code() {
    static constexpr std::uint64_t kSizes[] = {1,      2,      32,     100,   24'576,
                                               24'577, 32'768, 65'536, 65'537};
    Bytecode code;
    switch (random_.below(12)) {
        case 0:
            return {};
        case 1:
            return return_range(0, pick(random_, kSizes)).bytes();
        case 2: {  // EIP-3541; what looks like a delegation among it
            const std::uint32_t prefix = one_in(2) ? 0xef0100 : 0xef0000 + random_.below(3);
            const Bytecode place = kPush(Uint256{prefix} << 232) + push(0) + OP_MSTORE;
            return (place + return_range(0, one_in(2) ? 23 : 1 + random_.below(40))).bytes();
        }
        case 3:
            return revert_range(0, 5).bytes();
        case 4:
            return destroy().bytes();
        case 5: {
            const Uint256 at = slot();
            code = sstore(at, Uint256{random_.below(3)});
            return (code + destroy()).bytes();
        }
        case 6:
            return Bytes{OP_INVALID};
        case 7:
            return program(3);
        case 8:
            code = use_storage();
            break;
        case 9:
            code = destroy();
            break;
        default:
            code = Bytecode{program(3)};
            break;
    }
    return deploy(code).bytes();
}

Bytecode WildPrograms::use_storage() {
    const Uint256 at = slot();
    const Uint256 set = random_.below(3);
    const bool is_transient = revision_ >= Revision::cancun && one_in(3);
    if (!one_in(3)) return kPush(set) + push(at) + (is_transient ? OP_TSTORE : OP_SSTORE);
    return kPush(at) + (is_transient ? OP_TLOAD : OP_SLOAD) + keep();
}

Bytecode WildPrograms::use_memory() {
    static constexpr Opcode kCopies[] = {OP_CALLDATACOPY, OP_CODECOPY, OP_RETURNDATACOPY, OP_MCOPY};
    const Uint256 first = offset();
    const Uint256 second = offset();
    const Uint256 length = size();
    switch (random_.below(6)) {
        case 0:
            return kPush(Uint256::max()) + push(first) + (one_in(2) ? OP_MSTORE : OP_MSTORE8);
        case 1: {
            // Drawn before the expression: in which order it draws is up to the compiler.
            const Opcode load = one_in(2) ? OP_MLOAD : OP_CALLDATALOAD;
            return kPush(first) + load + keep();
        }
        case 2:
            return kPush(length) + push(first) + OP_KECCAK256 + keep();
        case 3:
            return kPush(length) + push(first) + OP_LOG0;
        default:
            break;
    }
    const std::uint32_t known =
        revision_ >= Revision::cancun ? 4 : (revision_ >= Revision::byzantium ? 3 : 2);
    Bytecode code = kPush(length) + push(first) + push(second);
    code += kCopies[random_.below(known)];
    code += kPush(0) + OP_MLOAD;
    return code + keep();
}

Bytecode WildPrograms::ask_account() {
    Bytecode code;
    switch (random_.below(5)) {
        case 0:
            code = address();
            code += OP_BALANCE;
            break;
        case 1:
            code = address();
            code += OP_EXTCODESIZE;
            break;
        case 2:
        case 3:
            code = address();
            code += revision_ >= Revision::constantinople ? OP_EXTCODEHASH : OP_BALANCE;
            break;
        default:
            code = kPush(size());
            code += kPush(offset());
            code += kPush(offset());
            code += address();
            return code + OP_EXTCODECOPY;
    }
    return code + keep();
}

Bytecode WildPrograms::ask_block() {
    static constexpr Opcode kPlain[] = {OP_ORIGIN,      OP_CALLER,   OP_CALLVALUE,  OP_CALLDATASIZE,
                                        OP_CODESIZE,    OP_GASPRICE, OP_COINBASE,   OP_TIMESTAMP,
                                        OP_NUMBER,      OP_GASLIMIT, OP_PREVRANDAO, OP_PC,
                                        OP_SELFBALANCE, OP_CHAINID,  OP_BASEFEE,    OP_BLOBBASEFEE};
    static constexpr std::uint64_t kNumbers[] = {0, 1, 2, 743, 744, 745, 999, 1'000, 1'001};
    static constexpr std::uint64_t kBack[] = {0, 1, 2, 255, 256, 257};
    if (one_in(5)) {
        Bytecode number = kPush(pick(random_, kNumbers));
        // Of the window's both ends, wherever the block stands.
        if (one_in(2)) number = kPush(pick(random_, kBack)) + OP_NUMBER + OP_SUB;
        return number + OP_BLOCKHASH + keep();
    }
    if (revision_ >= Revision::amsterdam && one_in(8)) return Bytecode{OP_SLOTNUM} + keep();
    if (revision_ >= Revision::osaka && one_in(8)) {
        const std::uint32_t shift = random_.below(256);
        return kPush(Uint256::max() >> shift) + OP_CLZ + keep();
    }
    if (revision_ >= Revision::cancun && one_in(8)) {
        const std::uint32_t number = random_.below(3);
        return kPush(number) + OP_BLOBHASH + keep();
    }
    std::uint32_t known = 16;
    if (revision_ < Revision::cancun) known = 15;
    if (revision_ < Revision::london) known = 14;
    if (revision_ < Revision::istanbul) known = 12;
    Bytecode code = kPlain[random_.below(known)];
    return code + keep();
}

Bytecode WildPrograms::destroy() {
    return address() + OP_SELFDESTRUCT;
}

Bytecode WildPrograms::end() {
    const Uint256 length = size();
    const Uint256 from = offset();
    switch (random_.below(6)) {
        case 0:
        case 1:
            return return_range(from, length);
        case 2:
            if (revision_ < Revision::byzantium) break;
            return revert_range(from, length);
        case 3:
            return OP_INVALID;
        case 4:
            return destroy();
        default:
            break;
    }
    return OP_STOP;
}

}  // namespace heddle::test
