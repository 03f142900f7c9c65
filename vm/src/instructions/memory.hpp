// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Stack and memory operations, log operations (YP App. H.2, 50s, 80s to a0s), RETURN and REVERT.
#pragma once

#include "common.hpp"

namespace heddle::vm::instructions {

HEDDLE_BODY bool pop(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    --sp;
    return true;
}
template <int N>
HEDDLE_BODY bool dup(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    put(*sp, sp[-N]);
    ++sp;
    return true;
}
template <int N>
HEDDLE_BODY bool swap(Frame&, Uint256*& sp, std::int64_t&) noexcept {
    Uint256 top;
    put(top, sp[-1]);
    put(sp[-1], sp[-N - 1]);
    put(sp[-N - 1], top);
    return true;
}

/// DUPN, SWAPN, EXCHANGE (EIP-8024); items counted from the top, which is 1.
HEDDLE_BODY void dup_deep(Uint256*& sp, std::uint64_t item) noexcept {
    put(*sp, sp[-static_cast<std::ptrdiff_t>(item)]);
    ++sp;
}
HEDDLE_BODY void swap_deep(Uint256* sp, std::uint64_t first, std::uint64_t second) noexcept {
    Uint256& a = sp[-static_cast<std::ptrdiff_t>(first)];
    Uint256& b = sp[-static_cast<std::ptrdiff_t>(second)];
    Uint256 kept;
    put(kept, a);
    put(a, b);
    put(b, kept);
}

HEDDLE_BODY bool mload(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    if (!ensure_memory(frame, gas, sp[-1], 32)) return false;
    sp[-1] = load_be(frame.memory.data() + sp[-1].low64());
    return true;
}
HEDDLE_BODY bool mstore(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    if (!ensure_memory(frame, gas, sp[-1], 32)) return false;
    store_be(sp[-2], frame.memory.data() + sp[-1].low64());
    sp -= 2;
    return true;
}
HEDDLE_BODY bool mstore8(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    if (!ensure_memory(frame, gas, sp[-1], 1)) return false;
    frame.memory.data()[sp[-1].low64()] = static_cast<std::uint8_t>(sp[-2].low64());
    sp -= 2;
    return true;
}
/// EIP-5656. Operands: target, source, size; the ranges may overlap.
HEDDLE_BODY bool mcopy(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    const Uint256 &target = sp[-1], &source = sp[-2], &size = sp[-3];
    if (!ensure_memory(frame, gas, target < source ? source : target, size) ||
        !charge_words(frame, gas, size, kCopyWordGas))
        return false;
    if (!size.is_zero())
        std::memmove(frame.memory.data() + target.low64(), frame.memory.data() + source.low64(),
                     size.low64());
    sp -= 3;
    return true;
}

template <int Topics>
HEDDLE_BODY bool log(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    if (frame.is_static) return halt(frame, Status::static_mode_violation);
    if (!ensure_memory(frame, gas, sp[-1], sp[-2]) ||
        !charge(frame, gas, kLogByteGas * static_cast<std::int64_t>(sp[-2].low64())))
        return false;
    const BytesView data = memory_view(frame, sp[-1], sp[-2]);
    Log entry{frame.self->address, {}, Bytes(data.begin(), data.end())};
    for (int i = 0; i < Topics; ++i)
        entry.topics.push_back(to_hash(sp[-3 - i]));
    frame.state->add_log(std::move(entry));
    sp -= 2 + Topics;
    return true;
}

template <Status Ending>
HEDDLE_BODY bool leave(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    if (!ensure_memory(frame, gas, sp[-1], sp[-2])) return false;
    frame.output_offset = sp[-2].is_zero() ? 0 : sp[-1].low64();
    frame.output_size = sp[-2].low64();
    sp -= 2;
    return halt(frame, Ending);
}

}  // namespace heddle::vm::instructions
