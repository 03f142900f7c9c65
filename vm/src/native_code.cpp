// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/native_code.hpp>

#include <array>
#include <utility>

#include <types/assert.hpp>
#include <vm/opcode.hpp>

#include "code_cache.hpp"
#include "frame.hpp"
#include "instructions/state_access.hpp"

namespace heddle::vm {
namespace {

std::int64_t static_gas(const Frame& frame, unsigned opcode) noexcept {
    return frame.schedule->opcodes[opcode].gas;
}

}  // namespace

const Address& NativeCall::caller() const noexcept {
    return frame_.caller;
}
const Uint256& NativeCall::value() const noexcept {
    return frame_.value;
}
BytesView NativeCall::input() const noexcept {
    return frame_.input;
}

bool NativeCall::charge(std::int64_t gas) noexcept {
    HEDDLE_ASSERT(gas >= 0);
    return instructions::charge(frame_, frame_.gas_left, gas);
}

std::optional<Uint256> NativeCall::load(const Uint256& slot) noexcept {
    if (!charge(static_gas(frame_, OP_SLOAD))) return std::nullopt;
    std::array<Uint256, 1> stack{slot};
    Uint256* sp = stack.data() + stack.size();
    if (!instructions::sload(frame_, sp, frame_.gas_left)) return std::nullopt;
    return stack[0];
}

bool NativeCall::store(const Uint256& slot, const Uint256& value) noexcept {
    if (!charge(static_gas(frame_, OP_SSTORE))) return false;
    std::array<Uint256, 2> stack{value, slot};
    Uint256* sp = stack.data() + stack.size();
    return instructions::sstore(frame_, sp, frame_.gas_left);
}

std::optional<Hash> NativeCall::keccak(BytesView data) noexcept {
    if (!charge(static_gas(frame_, OP_KECCAK256) + kKeccakWordGas * word_count(data.size())))
        return std::nullopt;
    return frame_.hashes->hash(data);
}

bool NativeCall::log(std::initializer_list<Hash> topics, BytesView data) noexcept {
    HEDDLE_ASSERT(topics.size() <= 4);
    if (frame_.is_static) return instructions::halt(frame_, Status::static_mode_violation);
    const auto opcode = static_cast<unsigned>(OP_LOG0 + topics.size());
    const auto size = static_cast<std::int64_t>(data.size());
    if (!charge(static_gas(frame_, opcode) + kLogByteGas * size)) return false;
    frame_.state->add_log({frame_.self->address, topics, Bytes(data.begin(), data.end())});
    return true;
}

void NativeCall::give(const Uint256& output) noexcept {
    constexpr std::uint64_t kSize = 32;
    std::int64_t& gas = frame_.gas_left;
    if (!instructions::ensure_memory(frame_, gas, Uint256{}, kSize)) return;
    store_be(output, frame_.memory.data());
    frame_.output_offset = 0;
    frame_.output_size = kSize;
}

bool NativeCall::revert() noexcept {
    if (frame_.status == Status::success) frame_.status = Status::revert;
    return false;
}

std::shared_ptr<CodeCache> make_code_cache(std::size_t max_bytes,
                                           std::unique_ptr<CodeCacheLock> lock,
                                           std::span<const NativeCode* const> natives) {
    return std::make_shared<CodeCache>(max_bytes, std::move(lock), natives);
}

}  // namespace heddle::vm
