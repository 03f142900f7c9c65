// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Bytecode as tests write it: `push(1) + push(2) + OP_ADD`. Says what it means, checks nothing:
// invalid programs are as easy to write as valid ones.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/uint256.hpp>
#include <vm/opcode.hpp>

namespace heddle::vm::test {

class Bytecode {
public:
    Bytecode() = default;
    Bytecode(Opcode opcode) : bytes_{opcode} {}  // NOLINT(google-explicit-constructor): the DSL
    explicit Bytecode(Bytes bytes) : bytes_(std::move(bytes)) {}

    [[nodiscard]] const Bytes& bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }

    Bytecode& operator+=(const Bytecode& other) {
        bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
        return *this;
    }
    /// `count` copies one behind the other.
    friend Bytecode operator*(std::size_t count, const Bytecode& code) {
        Bytecode result;
        for (std::size_t i = 0; i < count; ++i)
            result += code;
        return result;
    }

private:
    Bytes bytes_;
};

[[nodiscard]] inline Bytecode operator+(Bytecode a, const Bytecode& b) {
    a += b;
    return a;
}
/// Without it, two opcodes would add up as numbers.
[[nodiscard]] inline Bytecode operator+(Opcode a, Opcode b) {
    return Bytecode{a} + Bytecode{b};
}

/// DUP2, SWAP3, LOG1 and the like: `numbered(OP_DUP1, 2)` is DUP2.
[[nodiscard]] inline Bytecode numbered(Opcode first, unsigned number) {
    return static_cast<Opcode>(first + number - (first == OP_LOG0 ? 0u : 1u));
}

[[nodiscard]] inline Bytecode raw(std::initializer_list<std::uint8_t> bytes) {
    return Bytecode{Bytes(bytes)};
}
[[nodiscard]] inline Bytecode from_hex_code(std::string_view digits) {
    return Bytecode{from_hex(digits).value()};
}

/// PUSH of exactly `size` bytes, 1 to 32.
[[nodiscard]] inline Bytecode push_sized(unsigned size, const Uint256& value) {
    std::uint8_t word[32];
    store_be(value, word);
    Bytes bytes{static_cast<std::uint8_t>(OP_PUSH1 + size - 1)};
    bytes.insert(bytes.end(), word + 32 - size, word + 32);
    return Bytecode{std::move(bytes)};
}
/// The shortest PUSH1 to PUSH32, so that the code runs in every revision.
[[nodiscard]] inline Bytecode push(const Uint256& value) {
    const unsigned size = byte_width(value);
    return push_sized(size == 0 ? 1 : size, value);
}
[[nodiscard]] inline Bytecode push(const Address& address) {
    return push_sized(20, to_word(address));
}

[[nodiscard]] inline Bytecode mstore(const Uint256& offset, const Bytecode& value) {
    return value + push(offset) + OP_MSTORE;
}
[[nodiscard]] inline Bytecode sstore(const Uint256& slot, const Bytecode& value) {
    return value + push(slot) + OP_SSTORE;
}
[[nodiscard]] inline Bytecode sstore(const Uint256& slot, const Uint256& value) {
    return sstore(slot, push(value));
}
[[nodiscard]] inline Bytecode sload(const Uint256& slot) {
    return push(slot) + OP_SLOAD;
}
[[nodiscard]] inline Bytecode return_range(const Uint256& offset, const Uint256& size) {
    return push(size) + push(offset) + OP_RETURN;
}
[[nodiscard]] inline Bytecode revert_range(const Uint256& offset, const Uint256& size) {
    return push(size) + push(offset) + OP_REVERT;
}
/// Returns the top of the stack as one word.
[[nodiscard]] inline Bytecode return_top() {
    return push(0) + OP_MSTORE + return_range(0, 32);
}

/// A call with its operands; what is not set is zero.
struct CallCode {
    Opcode opcode = OP_CALL;
    Bytecode to;
    Bytecode gas = OP_GAS;
    Bytecode value = push(0);
    Uint256 input_offset = {};
    Uint256 input_size = {};
    Uint256 output_offset = {};
    Uint256 output_size = {};

    operator Bytecode() const {  // NOLINT(google-explicit-constructor): the DSL
        const bool takes_value = opcode == OP_CALL || opcode == OP_CALLCODE;
        return push(output_size) + push(output_offset) + push(input_size) + push(input_offset) +
               (takes_value ? value : Bytecode{}) + to + gas + opcode;
    }
};
[[nodiscard]] inline Bytecode call(const Address& to, const Uint256& value = {}) {
    return CallCode{.opcode = OP_CALL, .to = push(to), .value = push(value)};
}
[[nodiscard]] inline Bytecode call(Opcode opcode, const Address& to) {
    return CallCode{.opcode = opcode, .to = push(to)};
}

/// Writes `code` to memory from offset 0, zero-filled to whole words.
[[nodiscard]] inline Bytecode store_code(const Bytecode& code) {
    Bytecode result;
    for (std::size_t i = 0; i < code.size(); i += 32) {
        std::uint8_t word[32] = {};
        for (std::size_t j = 0; j < 32 && i + j < code.size(); ++j)
            word[j] = code.bytes()[i + j];
        result += push_sized(32, load_be(word)) + push(i) + OP_MSTORE;
    }
    return result;
}
/// Init code that deploys `runtime`.
[[nodiscard]] inline Bytecode deploy(const Bytecode& runtime) {
    return store_code(runtime) + return_range(0, runtime.size());
}
/// CREATE of `init`; leaves the address on the stack.
[[nodiscard]] inline Bytecode create(const Bytecode& init, const Uint256& value = {}) {
    return store_code(init) + push(init.size()) + push(0) + push(value) + OP_CREATE;
}
/// CREATE2 of `init`; leaves the address on the stack.
[[nodiscard]] inline Bytecode create2(const Bytecode& init, const Uint256& salt,
                                      const Uint256& value = {}) {
    return store_code(init) + push(salt) + push(init.size()) + push(0) + push(value) + OP_CREATE2;
}

}  // namespace heddle::vm::test
