// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "gas_programs.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <types/assert.hpp>

#include <vm/limits.hpp>
#include <vm/opcode.hpp>

#include "bytecode.hpp"
#include "hard_precompile_inputs.hpp"

namespace heddle::bench {
namespace {

using namespace vm;
using namespace vm::test;

/// Of an unrolled loop: as much as fits beside the rest, and no more than pays.
constexpr std::size_t kLoopBytes = 8'192;
const Uint256 kOnes = ~Uint256{};

/// `before`, then `body` again and again.
Bytes loop(const Bytecode& before, const Bytecode& body) {
    Bytecode code = before;
    const std::size_t start = code.size();
    code += OP_JUMPDEST;
    code += std::max<std::size_t>(1, kLoopBytes / body.size()) * body;
    code += push_sized(2, Uint256{start}) + OP_JUMP;
    return code.bytes();
}

class Programs {
public:
    void add(std::string name, const Bytecode& before, const Bytecode& body, Bytes call_data = {}) {
        programs_.push_back({std::move(name), loop(before, body), std::move(call_data)});
    }
    [[nodiscard]] std::vector<GasProgram> take() { return std::move(programs_); }

private:
    std::vector<GasProgram> programs_;
};

/// What reads memory, or costs more than its arithmetic, has programs of its own.
bool is_plain(Opcode opcode) {
    constexpr std::array kOthers{OP_MLOAD,    OP_BLOCKHASH, OP_BLOBHASH, OP_CALLDATALOAD,
                                 OP_TLOAD,    OP_JUMPDEST,  OP_DUPN,     OP_SWAPN,
                                 OP_EXCHANGE, OP_KECCAK256, OP_EXP};
    return kOpcodes[opcode].flow == OpcodeFlow::straight &&
           std::ranges::find(kOthers, opcode) == kOthers.end();
}

void add_plain(Programs& programs) {
    for (std::size_t number = 0; number < kOpcodes.size(); ++number) {
        const OpcodeFacts& facts = kOpcodes[number];
        if (facts.mnemonic.empty()) continue;
        const auto opcode = static_cast<Opcode>(number);
        const std::string name{facts.mnemonic};
        const bool is_push = opcode >= OP_PUSH1 && opcode <= OP_PUSH32;
        const bool is_dup = opcode >= OP_DUP1 && opcode <= OP_DUP16;
        const bool is_swap = opcode >= OP_SWAP1 && opcode <= OP_SWAP16;
        if (is_push) {
            const auto size = static_cast<unsigned>(opcode - OP_PUSH1 + 1);
            if (size == 1 || size == 32) programs.add(name, {}, push_sized(size, kOnes) + OP_POP);
        } else if (is_dup || is_swap) {
            if (opcode == OP_DUP16) programs.add(name, 17 * push(7), OP_DUP16 + OP_POP);
            if (opcode == OP_SWAP16) programs.add(name, 17 * push(7), OP_SWAP16);
        } else if (!is_plain(opcode)) {
            continue;
        } else if (facts.stack_required == 0 && facts.stack_change == 1) {
            programs.add(name, {}, opcode + OP_POP);
        } else if (facts.stack_required == 1 && facts.stack_change == 0) {
            programs.add(name, push(kOnes), opcode);
        } else if (facts.stack_required == 2 && facts.stack_change == -1) {
            programs.add(name, push(kOnes) + push(3), OP_DUP2 + OP_DUP2 + opcode + OP_POP);
        }
    }
    for (const auto& [opcode, name] :
         {std::pair{OP_LT, "LT"}, {OP_GT, "GT"}, {OP_SLT, "SLT"}, {OP_SGT, "SGT"}, {OP_EQ, "EQ"}}) {
        // What loops and checks compare mostly has upper halves of zero.
        programs.add(std::string{name} + " of small numbers", push(1'000) + push(3),
                     OP_DUP2 + OP_DUP2 + opcode + OP_POP);
        programs.add(std::string{name} + " of what it has left", push(kOnes),
                     4 * Bytecode{OP_DUP1} + 3 * Bytecode{opcode} + OP_POP);
    }
    programs.add("JUMPDEST", {}, OP_JUMPDEST);
    programs.add("GAS", {}, OP_GAS + OP_POP);
    programs.add("SELFBALANCE", {}, OP_SELFBALANCE + OP_POP);
    programs.add("JUMPI, not taken", {}, push(0) + push(0) + OP_JUMPI);
    // Five bytes further than PC.
    programs.add("JUMP to a computed place", {}, OP_PC + push(5) + OP_ADD + OP_JUMP + OP_JUMPDEST);
}

/// Divisors by width: the worst one has the most steps that cannot be skipped.
void add_arithmetic(Programs& programs) {
    const Uint256 dividend = kOnes - Uint256{0x1234'5678'9abc'def0};
    for (const unsigned bits : {64U, 65U, 128U, 129U, 192U, 193U, 255U}) {
        const Uint256 divisor = (Uint256{1} << (bits - 1)) + Uint256{0x1357'9bdf};
        const std::string width = " by " + std::to_string(bits) + " bits";
        const Bytecode operands = push(divisor) + push(dividend);
        for (const auto& [opcode, name] : {std::pair{OP_DIV, "DIV"}, {OP_SMOD, "SMOD"}})
            programs.add(name + width, operands, OP_DUP2 + OP_DUP2 + opcode + OP_POP);
        for (const auto& [opcode, name] : {std::pair{OP_ADDMOD, "ADDMOD"}, {OP_MULMOD, "MULMOD"}})
            programs.add(name + width, push(divisor) + push(dividend) + push(dividend - 1),
                         3 * numbered(OP_DUP1, 3) + opcode + OP_POP);
    }
    for (const unsigned bytes : {1U, 8U, 32U}) {
        const Uint256 exponent = bytes == 32 ? kOnes : (Uint256{1} << (8 * bytes)) - 1;
        programs.add("EXP by " + std::to_string(bytes) + " bytes", push(exponent) + push(kOnes),
                     OP_DUP2 + OP_DUP2 + OP_EXP + OP_POP);
    }
}

/// Sizes in bytes: none, a word, a little more than fits a block of Keccak-256, many.
constexpr std::array<std::uint64_t, 5> kSizes{0, 32, 136, 1'024, 32'768};

Bytecode memory_of(std::uint64_t bytes) {
    return mstore(Uint256{bytes}, push(kOnes));
}

void add_memory(Programs& programs) {
    const Bytecode ready = memory_of(131'072);
    programs.add("MLOAD", ready + push(0x1001), OP_DUP1 + OP_MLOAD + OP_POP);
    programs.add("MSTORE", ready + push(0x1001), OP_DUP1 + OP_DUP1 + OP_MSTORE);
    programs.add("MSTORE8", ready + push(0x1001), OP_DUP1 + OP_DUP1 + OP_MSTORE8);
    programs.add("MSTORE, growing", push(0), OP_DUP1 + OP_DUP1 + OP_MSTORE + push(32) + OP_ADD);
    programs.add("CALLDATALOAD", push(1), OP_DUP1 + OP_CALLDATALOAD + OP_POP, Bytes(64, 0xff));
    for (const std::uint64_t size : kSizes) {
        const std::string bytes = " of " + std::to_string(size) + " bytes";
        programs.add("KECCAK256" + bytes, ready, push(size) + push(1) + OP_KECCAK256 + OP_POP);
        const Bytecode copied = push(size) + push(1) + push(0x10001);
        programs.add("CALLDATACOPY" + bytes, ready, copied + OP_CALLDATACOPY, Bytes(40'000, 0xff));
        programs.add("CODECOPY" + bytes, ready, copied + OP_CODECOPY);
        programs.add("MCOPY" + bytes, ready, copied + OP_MCOPY);
        programs.add("MCOPY, overlapping," + bytes, ready,
                     push(size) + push(1) + push(33) + OP_MCOPY);
        programs.add("LOG0" + bytes, ready, push(size) + push(1) + OP_LOG0);
    }
    programs.add("LOG4", ready, 4 * push(kOnes) + push(0) + push(0) + OP_LOG4);
    // The identity contract's answer is what is copied.
    programs.add(
        "RETURNDATACOPY of 1024 bytes",
        ready + CallCode{.opcode = OP_STATICCALL, .to = push(4), .input_size = 2'048} + OP_POP,
        push(1'024) + push(1) + push(0x10001) + OP_RETURNDATACOPY);
}

/// One behind the other, from `first` on; `use` finds the number on the stack and leaves nothing.
void add_each(Programs& programs, std::string name, std::uint64_t first, const Bytecode& use) {
    programs.add(std::move(name), push(first), OP_DUP1 + use + push(1) + OP_ADD);
}

void add_state(Programs& programs, const Limits& limits) {
    const Bytecode self = Bytecode{OP_ADDRESS};
    for (const auto& [opcode, name] : {std::pair{OP_BALANCE, "BALANCE"},
                                       {OP_EXTCODESIZE, "EXTCODESIZE"},
                                       {OP_EXTCODEHASH, "EXTCODEHASH"},
                                       {OP_SLOAD, "SLOAD"},
                                       {OP_TLOAD, "TLOAD"},
                                       {OP_BLOCKHASH, "BLOCKHASH"},
                                       {OP_BLOBHASH, "BLOBHASH"}})
        programs.add(std::string{name} + ", warm", self, OP_DUP1 + opcode + OP_POP);
    add_each(programs, "BALANCE, cold", kFirstPlainAccount, OP_BALANCE + OP_POP);
    add_each(programs, "EXTCODEHASH, cold", kFirstContract, OP_EXTCODEHASH + OP_POP);
    add_each(programs, "EXTCODESIZE, cold, largest code", kFirstContract, OP_EXTCODESIZE + OP_POP);
    add_each(programs, "EXTCODECOPY, cold, largest code", kFirstContract,
             push(limits.max_code_bytes) + push(0) + push(0) + numbered(OP_DUP1, 4) +
                 OP_EXTCODECOPY + OP_POP);
    add_each(programs, "EXTCODECOPY, cold, 1 byte", kFirstContract,
             push(1) + push(0) + push(0) + numbered(OP_DUP1, 4) + OP_EXTCODECOPY + OP_POP);
    add_each(programs, "SLOAD, cold", 1, OP_SLOAD + OP_POP);
    add_each(programs, "SSTORE, cold, new", std::uint64_t{1} << 40, Bytecode{OP_DUP1} + OP_SSTORE);
    add_each(programs, "SSTORE, cold, of what is there", 1, push(0) + OP_SWAP1 + OP_SSTORE);
    programs.add("SSTORE, warm, dirty", push(kOnes) + push(0),
                 OP_DUP1 + OP_DUP1 + OP_SSTORE + push(1) + OP_ADD + OP_DUP1 + push(0) + OP_SSTORE);
    add_each(programs, "TLOAD, each another", 1, OP_TLOAD + OP_POP);
    add_each(programs, "TSTORE, each another", 1, Bytecode{OP_DUP1} + OP_TSTORE);
    programs.add("TSTORE, one", push(1), OP_DUP1 + OP_DUP1 + OP_TSTORE);
}

/// A call with nothing in it; the address is on the stack and stays.
Bytecode call_of(Opcode opcode, std::uint64_t value = 0) {
    const bool takes_value = opcode == OP_CALL || opcode == OP_CALLCODE;
    const unsigned depth = takes_value ? 6 : 5;
    return 4 * push(0) + (takes_value ? push(value) : Bytecode{}) + numbered(OP_DUP1, depth) +
           OP_GAS + opcode + OP_POP;
}

void add_calls(Programs& programs, const Limits& limits) {
    for (const auto& [opcode, name] : {std::pair{OP_CALL, "CALL"},
                                       {OP_CALLCODE, "CALLCODE"},
                                       {OP_DELEGATECALL, "DELEGATECALL"},
                                       {OP_STATICCALL, "STATICCALL"}}) {
        const std::string text{name};
        programs.add(text + ", warm, no code", push(kFirstPlainAccount), call_of(opcode));
        programs.add(text + ", warm, a contract", push(kFirstContract), call_of(opcode));
        programs.add(text + ", cold, largest code", push(kFirstContract),
                     call_of(opcode) + push(1) + OP_ADD);
    }
    programs.add("CALL, cold, largest code to look through for destinations", push(kFirstJumper),
                 call_of(OP_CALL) + push(1) + OP_ADD);
    programs.add("CALL, cold, no code", push(kFirstPlainAccount),
                 call_of(OP_CALL) + push(1) + OP_ADD);
    programs.add("CALL with value, warm", push(kFirstPlainAccount), call_of(OP_CALL, 1));
    programs.add("CALL with value, to a new account", push(Uint256{1} << 100),
                 call_of(OP_CALL, 1) + push(1) + OP_ADD);
    programs.add("CALL of itself, as deep as it goes", OP_ADDRESS, call_of(OP_CALL));
    programs.add("CREATE, no code", {}, 3 * push(0) + OP_CREATE + OP_POP);
    const Bytecode init_bytes = push(limits.max_init_code_bytes);
    programs.add("CREATE, largest init code", {},
                 init_bytes + push(0) + push(0) + OP_CREATE + OP_POP);
    programs.add("CREATE2, largest init code", push(0),
                 OP_DUP1 + init_bytes + push(0) + push(0) + OP_CREATE2 + OP_POP + push(1) + OP_ADD);
    // Code of zeros.
    const Bytecode creation =
        push_sized(3, Uint256{limits.max_code_bytes}) + push_sized(1, Uint256{}) + OP_RETURN;
    Bytes first_word = creation.bytes();
    first_word.resize(32);
    programs.add("CREATE of a contract of the largest code",
                 mstore(0, push_sized(32, load_be(first_word.data()))),
                 push(creation.size()) + push(0) + push(0) + OP_CREATE + OP_POP);
}

/// Much to look through for jump destinations, of each contract another one: it stops at once.
Bytes contract_code(std::uint64_t number, std::size_t code_bytes) {
    Bytes code(code_bytes, OP_JUMPDEST);
    code[0] = OP_STOP;
    for (std::size_t i = 0; i < 8; ++i)
        code[1 + i] = static_cast<std::uint8_t>(number >> (8 * i));
    return code;
}

/// Jumps to its last byte but one. Of any byte before it only those before that one tell whether it
/// is an opcode, so all of them have to be looked at.
Bytes jumping_code(std::uint64_t number, std::size_t code_bytes) {
    HEDDLE_ASSERT(code_bytes % 2 == 0);
    Bytes code(code_bytes, OP_PUSH1);
    const Bytecode start = push_sized(8, Uint256{number}) + push_sized(2, Uint256{code_bytes - 2}) +
                           OP_JUMP + OP_JUMPDEST;
    std::ranges::copy(start.bytes(), code.begin());
    HEDDLE_ASSERT(start.size() % 2 == 0);
    code[code_bytes - 2] = OP_JUMPDEST;
    code[code_bytes - 1] = OP_STOP;
    return code;
}

}  // namespace

std::vector<GasProgram> gas_programs(Revision revision) {
    Programs programs;
    add_plain(programs);
    add_arithmetic(programs);
    add_memory(programs);
    add_state(programs, limits(revision));
    add_calls(programs, limits(revision));
    return programs.take();
}

void add_accounts(ledger::MemoryState& state, std::uint64_t contracts, Revision revision) {
    const std::size_t code_bytes = limits(revision).max_code_bytes;
    for (std::uint64_t i = 0; i < kPlainAccounts; ++i) {
        GenesisAccount account;
        account.address = address_from_low64(kFirstPlainAccount + i);
        account.balance = Uint256{1};
        state.add(account);
    }
    for (std::uint64_t i = 0; i < contracts; ++i) {
        GenesisAccount account;
        account.address = address_from_low64(kFirstContract + i);
        account.nonce = 1;
        account.code = contract_code(i, code_bytes);
        state.add(account);
        account.address = address_from_low64(kFirstJumper + i);
        account.code = jumping_code(i, code_bytes);
        state.add(account);
    }
}

std::vector<PrecompileCall> precompile_calls() {
    std::vector<PrecompileCall> calls{
        {"ecrecover", 1, kEcrecover},
        {"ecrecover, no signature", 1, noise(128, 1)},
        {"point evaluation", 0x0a, kPointEvaluation},
        {"bn254 add", 6, bn_point(1) + bn_point(2)},
        {"bn254 mul", 7, bn_point(1) + std::string(64, 'f')},
        {"bls12 g1 add", 0x0b, bls_g1(1) + bls_g1(2)},
        {"bls12 g2 add", 0x0d, bls_g2(1) + bls_g2(2)},
        {"bls12 map fp to g1", 0x10, zeroes(17) + noise(47, 1)},
        {"bls12 map fp2 to g2", 0x11, zeroes(17) + noise(47, 1) + zeroes(17) + noise(47, 2)},
        {"p256 verify", kP256VerifyIndex, kP256},
    };
    for (const std::size_t size : {0U, 55U, 64U, 1'024U, 65'536U}) {
        const std::string bytes = ", " + std::to_string(size) + " bytes";
        calls.push_back({"sha256" + bytes, 2, noise(size, 1)});
        calls.push_back({"ripemd160" + bytes, 3, noise(size, 1)});
        calls.push_back({"identity" + bytes, 4, noise(size, 1)});
    }
    for (const std::size_t size : {1U, 32U, 33U, 64U, 128U, 192U, 256U, 512U, 1'024U}) {
        const std::string bytes = ", " + std::to_string(size) + " bytes";
        const std::string ones(2 * size, 'f');
        calls.push_back({"modexp, full exponent" + bytes, 5, modexp(size, ones)});
        calls.push_back({"modexp, exponent 2" + bytes, 5, modexp(size, "02")});
        calls.push_back({"modexp, exponent 65537" + bytes, 5, modexp(size, "010001")});
        std::string even = modexp(size, ones);
        even.back() = '0';
        calls.push_back({"modexp, even modulus" + bytes, 5, even});
    }
    for (const std::uint32_t rounds : {1U, 12U, 1'000'000U}) {
        std::string text = number(rounds).substr(56);
        calls.push_back(
            {"blake2f, " + std::to_string(rounds) + " rounds", 9, text + noise(208, 1) + "01"});
    }
    for (const int pairs : {0, 1, 2, 8, 32})
        calls.push_back({"bn254 pairing, " + std::to_string(pairs) + " pairs", 8,
                         repeat_pairs(pairs, [](auto seed) { return bn_point(seed) + kBnG2; })});
    for (const int pairs : {1, 2, 16, 128}) {
        const std::string text = ", " + std::to_string(pairs) + " pairs";
        const auto with_scalar = [](auto point) {
            return [point](auto seed) { return point(seed) + std::string(64, 'f'); };
        };
        calls.push_back({"bls12 g1 msm" + text, 0x0c, repeat_pairs(pairs, with_scalar(bls_g1))});
        calls.push_back({"bls12 g2 msm" + text, 0x0e, repeat_pairs(pairs, with_scalar(bls_g2))});
        calls.push_back({"bls12 pairing" + text, 0x0f, repeat_pairs(pairs, [](auto seed) {
                             return bls_g1(seed) + bls_g2(seed);
                         })});
    }
    return calls;
}

}  // namespace heddle::bench
