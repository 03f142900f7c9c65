// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "program_generator.hpp"

#include <iterator>

#include "gas_schedule.hpp"

namespace heddle::fuzz {

using namespace vm;  // NOLINT(google-build-using-namespace): opcodes by their names
using test::numbered;
using test::push_sized;

namespace {

const GasSchedule& latest() noexcept {
    return gas_schedule(kLatestRevision);
}

template <std::size_t N>
Opcode pick(ByteSource& source, const Opcode (&opcodes)[N]) noexcept {
    return opcodes[source.below(N)];
}

}  // namespace

Bytes ProgramGenerator::generate(unsigned max_fragments) {
    code_.clear();
    height_ = 0;
    destinations_.clear();
    labels_.clear();
    for (unsigned i = 0; i < max_fragments && !source_.is_used_up(); ++i)
        fragment();
    patch_labels();
    return code_;
}

void ProgramGenerator::emit(const Bytecode& code) {
    code_.insert(code_.end(), code.bytes().begin(), code.bytes().end());
    // Fragments are a PUSH and its operand, or opcodes only.
    if (code.bytes()[0] >= OP_PUSH1 && code.bytes()[0] <= OP_PUSH32)
        ++height_;
    else
        for (const std::uint8_t opcode : code.bytes())
            height_ += latest().opcodes[opcode].stack_change;
}

void ProgramGenerator::push(const Uint256& value) {
    emit(test::push(value));
}

void ProgramGenerator::need(int count) {
    if (source_.chance(1)) return;
    while (height_ < count)
        push_value();
}

void ProgramGenerator::fragment() {
    switch (source_.below(24)) {
        case 0:
        case 1:
        case 2:
            return push_value();
        case 3:
        case 4:
        case 5:
            return compute();
        case 6:
        case 7:
            return rearrange();
        case 8:
        case 9:
            return use_memory();
        case 10:
            destinations_.push_back(code_.size());
            return emit(OP_JUMPDEST);
        case 11:
        case 12:
            return jump();
        case 13:
            return count_down();
        case 14:
            return use_storage();
        case 15:
            return ask_environment();
        case 16:
            return call();
        case 17:
            return create();
        case 18:
            return log();
        case 19:
            return end();
        case 20:
            return use_storage();
        case 21:
            return call();
        default:
            return compute();
    }
}

void ProgramGenerator::push_value() {
    switch (source_.below(8)) {
        case 0:
            emit(OP_PUSH0);
            return;
        case 1: {  // any size, any bytes; the operand may hold a JUMPDEST
            const unsigned size = 1 + source_.below(32);
            emit(push_sized(size, source_.word(size)));
            return;
        }
        case 2: {  // next to a power of two
            const Uint256 power = Uint256{1} << source_.byte();
            push(source_.chance(128) ? power - Uint256{1} : power);
            return;
        }
        case 3:  // negative
            push(Uint256{} - Uint256{source_.byte()});
            return;
        case 4:
            push_label();
            return;
        default:
            push(Uint256{source_.byte()});
            return;
    }
}

void ProgramGenerator::compute() {
    constexpr Opcode kOpcodes[] = {
        OP_ADD, OP_MUL, OP_SUB, OP_DIV, OP_SDIV, OP_MOD, OP_SMOD,   OP_ADDMOD,    OP_MULMOD,
        OP_EXP, OP_LT,  OP_GT,  OP_SLT, OP_SGT,  OP_EQ,  OP_ISZERO, OP_AND,       OP_OR,
        OP_XOR, OP_NOT, OP_SHL, OP_SHR, OP_SAR,  OP_CLZ, OP_BYTE,   OP_SIGNEXTEND};
    const Opcode opcode = pick(source_, kOpcodes);
    need(latest().opcodes[opcode].stack_required);
    if (source_.chance(96)) push_value();  // the pair that the decoder fuses
    emit(opcode);
}

void ProgramGenerator::rearrange() {
    const unsigned n = 1 + source_.below(16);
    if (source_.chance(24)) return reach_deep();
    switch (source_.below(4)) {
        case 0:
            need(1);
            return emit(OP_POP);
        case 1:
            if (height_ < 1 || source_.chance(8)) return emit(numbered(OP_SWAP1, n));
            need(2);
            return emit(numbered(
                OP_SWAP1, 1 + (n - 1) % static_cast<unsigned>(height_ > 1 ? height_ - 1 : 1) % 16));
        default:
            need(1);
            return emit(
                numbered(OP_DUP1, 1 + (n - 1) % static_cast<unsigned>(height_ > 0 ? height_ : 1)));
    }
}

/// DUPN, SWAPN or EXCHANGE (EIP-8024) with any byte behind it; often with what it needs.
void ProgramGenerator::reach_deep() {
    constexpr Opcode kOpcodes[] = {OP_DUPN, OP_SWAPN, OP_EXCHANGE, OP_EXCHANGE};
    const Opcode opcode = pick(source_, kOpcodes);
    const std::uint8_t immediate = source_.byte();
    const DeepOperands operands = deep_operands(opcode, immediate);
    if (source_.chance(200)) need(operands.stack_required());
    emit(opcode);
    code_.push_back(immediate);
}

Uint256 ProgramGenerator::offset() noexcept {
    if (source_.chance(4)) return source_.word(source_.below(33));
    return Uint256{source_.byte()};
}

Uint256 ProgramGenerator::size() noexcept {
    if (source_.chance(3)) return source_.word(source_.below(9));
    return Uint256{source_.byte() % 100u};
}

void ProgramGenerator::use_memory() {
    constexpr Opcode kCopies[] = {OP_CALLDATACOPY, OP_CODECOPY, OP_RETURNDATACOPY, OP_MCOPY};
    switch (source_.below(8)) {
        case 0:
        case 1:
            need(1);
            push(offset());
            return emit(OP_MSTORE);
        case 2:
            need(1);
            push(offset());
            return emit(OP_MSTORE8);
        case 3:
            push(offset());
            return emit(OP_MLOAD);
        case 4:
            push(size());
            push(offset());
            return emit(OP_KECCAK256);
        case 5:
            return emit(source_.chance(128) ? OP_MSIZE : OP_RETURNDATASIZE);
        case 6:
            push(offset());
            return emit(OP_CALLDATALOAD);
        default:
            push(size());
            push(offset());
            push(offset());
            return emit(pick(source_, kCopies));
    }
}

void ProgramGenerator::push_label() {
    emit(push_sized(2, {}));
    labels_.push_back({code_.size() - 2, source_.byte()});
}

void ProgramGenerator::jump() {
    switch (source_.below(6)) {
        case 0:
            push_label();
            return emit(OP_JUMP);
        case 1:  // the triple that the decoder fuses
            need(1);
            emit(OP_ISZERO);
            push_label();
            return emit(OP_JUMPI);
        case 2:  // a destination that is known only when it runs
            need(1);
            push_label();
            push(Uint256{});
            emit(OP_ADD);
            return emit(OP_JUMPI);
        case 3:  // to wherever the stack says
            if (source_.chance(200)) return count_down();
            need(2);
            return emit(source_.chance(128) ? OP_JUMP : OP_JUMPI);
        default:
            need(1);
            push_label();
            return emit(OP_JUMPI);
    }
}

/// A loop that ends: memory holds its counter.
void ProgramGenerator::count_down() {
    push(Uint256{source_.byte() % 16u});
    push(Uint256{0x20});
    emit(OP_MSTORE);
    const std::size_t start = code_.size();
    destinations_.push_back(start);
    emit(OP_JUMPDEST);
    const int height = height_;
    fragment();
    for (; height_ > height; --height_)
        code_.push_back(OP_POP);
    push(Uint256{1});
    push(Uint256{0x20});
    emit(OP_MLOAD);
    emit(OP_SUB);
    emit(OP_DUP1);
    push(Uint256{0x20});
    emit(OP_MSTORE);
    emit(push_sized(2, Uint256{start}));
    emit(OP_JUMPI);
}

void ProgramGenerator::use_storage() {
    constexpr Opcode kOpcodes[] = {OP_SLOAD, OP_SSTORE, OP_SSTORE, OP_TLOAD, OP_TSTORE};
    const Opcode opcode = pick(source_, kOpcodes);
    if (opcode == OP_SSTORE || opcode == OP_TSTORE) {
        if (source_.chance(160))
            push(Uint256{source_.below(3)});
        else
            need(1);
    }
    push(Uint256{source_.below(4)});
    emit(opcode);
}

void ProgramGenerator::push_address() {
    switch (source_.below(8)) {
        case 0:  // precompiled contracts
            return push(Uint256{source_.below(0x13)});
        case 1:
            return emit(OP_ADDRESS);
        case 2:
            return emit(source_.chance(128) ? OP_COINBASE : OP_ORIGIN);
        case 3:
            need(1);
            return;
        default:
            return emit(test::push(kAccounts[source_.below(std::size(kAccounts))]));
    }
}

void ProgramGenerator::ask_environment() {
    constexpr Opcode kPlain[] = {OP_ADDRESS,  OP_ORIGIN,       OP_CALLER,      OP_CALLVALUE,
                                 OP_CODESIZE, OP_GASPRICE,     OP_COINBASE,    OP_TIMESTAMP,
                                 OP_NUMBER,   OP_GASLIMIT,     OP_PREVRANDAO,  OP_CHAINID,
                                 OP_BASEFEE,  OP_PC,           OP_SELFBALANCE, OP_BLOBBASEFEE,
                                 OP_GAS,      OP_CALLDATASIZE, OP_SLOTNUM};
    constexpr Opcode kOfAccount[] = {OP_BALANCE, OP_EXTCODESIZE, OP_EXTCODEHASH};
    switch (source_.below(5)) {
        case 0:
            push_address();
            return emit(pick(source_, kOfAccount));
        case 1:
            push(size());
            push(offset());
            push(offset());
            push_address();
            return emit(OP_EXTCODECOPY);
        case 2:
            push(Uint256{source_.byte() + 800u});
            return emit(OP_BLOCKHASH);
        default:
            return emit(pick(source_, kPlain));
    }
}

void ProgramGenerator::call() {
    constexpr Opcode kOpcodes[] = {OP_CALL, OP_CALL, OP_CALLCODE, OP_DELEGATECALL, OP_STATICCALL};
    const Opcode opcode = pick(source_, kOpcodes);
    push(size());
    push(offset());
    push(size());
    push(offset());
    if (opcode == OP_CALL || opcode == OP_CALLCODE)
        push(Uint256{source_.chance(96) ? source_.below(4) : 0u});
    push_address();
    if (source_.chance(128))
        emit(OP_GAS);
    else
        push(Uint256{source_.uint16()});
    emit(opcode);
}

/// Init code comes from memory: mostly a few instructions put there just before.
void ProgramGenerator::create() {
    const bool is_salted = source_.chance(100);
    Uint256 length = size();
    if (source_.chance(30)) {  // of zeros, up to more than a code may be (EIP-7954)
        const Uint256 code_size = source_.uint16() + std::uint64_t{source_.below(64)};
        Bytes init = test::return_range({}, code_size).bytes();
        length = Uint256{init.size()};
        init.resize(32);
        emit(push_sized(32, load_be(init.data())));
        push(Uint256{});
        emit(OP_MSTORE);
    } else if (source_.chance(200)) {
        const unsigned count = 1 + source_.below(32);
        emit(push_sized(32, source_.word(count) << (std::uint64_t{8} * (32 - count))));
        push(Uint256{});
        emit(OP_MSTORE);
        if (source_.chance(200)) length = Uint256{32};
    }
    if (is_salted) push(Uint256{source_.below(2)});
    push(length);
    push(Uint256{source_.chance(32) ? 1u : 0u});
    push(Uint256{source_.chance(64) ? 1u : 0u});
    emit(is_salted ? OP_CREATE2 : OP_CREATE);
}

void ProgramGenerator::log() {
    const unsigned topics = source_.below(5);
    need(static_cast<int>(topics));
    push(size());
    push(offset());
    emit(numbered(OP_LOG0, topics));
}

void ProgramGenerator::end() {
    switch (source_.below(10)) {
        case 0:
            return emit(OP_STOP);
        case 1:
        case 2:
            push(size());
            push(offset());
            return emit(OP_RETURN);
        case 3:
            push(size());
            push(offset());
            return emit(OP_REVERT);
        case 4:
            push_address();
            return emit(OP_SELFDESTRUCT);
        case 5:
            return emit(OP_INVALID);
        case 6:  // anything at all, often undefined or a PUSH that swallows what follows
            code_.push_back(source_.byte());
            return;
        case 7:  // many of one kind: the stack overflows, blocks get long
            for (unsigned count = source_.byte(); count > 0; --count)
                emit(OP_DUP1);
            return;
        default:
            return push_value();
    }
}

/// Now that all destinations are known.
void ProgramGenerator::patch_labels() {
    for (const Label& label : labels_) {
        // One choice in sixteen is a place that may be no destination.
        std::size_t target = std::size_t{3} * label.choice;
        if (!destinations_.empty() && label.choice % 16 != 15)
            target = destinations_[label.choice % destinations_.size()];
        code_[label.position] = static_cast<std::uint8_t>(target >> 8);
        code_[label.position + 1] = static_cast<std::uint8_t>(target);
    }
}

}  // namespace heddle::fuzz
