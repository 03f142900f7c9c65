// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What instruction bodies share. A body works on the frame, the stack pointer (one past the top)
// and the gas left; static gas and stack bounds were checked before it. It returns false when the
// frame stops there: halted, or waiting for a call.
#pragma once

#include <cstdint>

#include <types/address.hpp>
#include <types/uint256.hpp>

#include "frame.hpp"

#define HEDDLE_BODY [[gnu::always_inline]] inline

namespace heddle::vm::instructions {

HEDDLE_BODY bool halt(Frame& frame, Status status) noexcept {
    frame.exit = Exit::done;
    frame.status = status;
    return false;
}

/// There is less gas than Frame::look_below: it does not suffice, or it has to be asked whether the
/// frame goes on. @return false: halted.
[[nodiscard]] bool may_go_on(Frame& frame, std::int64_t gas) noexcept;

/// Copies a stack item in four 64-bit moves. Arithmetic writes items word by word; a vector move of
/// an item just written so would wait for the stores to retire (they cannot be forwarded to a wider
/// load), which costs more than most instructions do. The barrier keeps compilers from merging
/// them.
HEDDLE_BODY void put(Uint256& to, const Uint256& from) noexcept {
    std::uint64_t w0 = from.words[0], w1 = from.words[1], w2 = from.words[2], w3 = from.words[3];
    asm("" : "+r"(w0), "+r"(w1), "+r"(w2), "+r"(w3));
    to.words[0] = w0;
    to.words[1] = w1;
    to.words[2] = w2;
    to.words[3] = w3;
}

/// Enlarges memory to cover `end` bytes (at most kMaxMemoryBytes) and pays for it.
/// @return the gas left; negative where the frame has halted.
[[nodiscard]] std::int64_t grow_memory(Frame& frame, std::int64_t gas, std::uint64_t end) noexcept;

/// Makes `size` > 0 bytes at `offset` usable.
HEDDLE_BODY bool ensure_memory(Frame& frame, std::int64_t& gas, const Uint256& offset,
                               std::uint64_t size) noexcept {
    if (offset.fits_uint64() && offset.low64() <= kMaxMemoryBytes) [[likely]] {
        const std::uint64_t end = offset.low64() + size;
        if (end <= frame.memory.size()) [[likely]]
            return true;
        if (end <= kMaxMemoryBytes) [[likely]] {
            gas = grow_memory(frame, gas, end);
            return gas >= 0;
        }
    }
    return halt(frame, Status::out_of_gas);
}

/// The same for a size from the stack; nothing to do for size zero, whatever the offset.
HEDDLE_BODY bool ensure_memory(Frame& frame, std::int64_t& gas, const Uint256& offset,
                               const Uint256& size) noexcept {
    if (size.is_zero()) return true;
    if (!size.fits_uint64() || size.low64() > kMaxMemoryBytes) [[unlikely]]
        return halt(frame, Status::out_of_gas);
    return ensure_memory(frame, gas, offset, size.low64());
}

HEDDLE_BODY bool charge(Frame& frame, std::int64_t& gas, std::int64_t cost) noexcept {
    gas -= cost;
    if (gas < frame.look_below) [[unlikely]]
        return may_go_on(frame, gas);
    return true;
}

/// `size` was accepted by ensure_memory().
HEDDLE_BODY bool charge_words(Frame& frame, std::int64_t& gas, const Uint256& size,
                              std::int64_t per_word) noexcept {
    return charge(frame, gas, per_word * word_count(size.low64()));
}

/// A range of memory; empty for size zero.
HEDDLE_BODY BytesView memory_view(Frame& frame, const Uint256& offset,
                                  const Uint256& size) noexcept {
    return size.is_zero() ? BytesView{}
                          : BytesView{frame.memory.data() + offset.low64(), size.low64()};
}

/// Growing the state (EIP-8037). Nothing is executed for it that would have to be asked for.
/// @return false: halted, as the gas does not suffice.
HEDDLE_BODY bool charge_state(Frame& frame, std::int64_t& gas, std::int64_t cost) noexcept {
    if (!frame.state->state_gas().charge(cost, gas)) return halt(frame, Status::out_of_gas);
    frame.look_below = frame.oversight->look_below(frame.gas_outside);
    return true;
}
/// What was paid for has not come to be, or is gone again.
HEDDLE_BODY void refill_state(Frame& frame, std::int64_t& gas, std::int64_t amount) noexcept {
    frame.state->state_gas().refill(amount, gas);
    frame.look_below = frame.oversight->look_below(frame.gas_outside);
}

/// Finds an account and charges for it if it is cold (EIP-2929). Null when the frame ends there:
/// the gas does not suffice, or the account had to be declared.
/// @param beside  What else is due before the account may be looked at, in gas.
HEDDLE_BODY AccountEntry* access_account(Frame& frame, std::int64_t& gas, const Address& address,
                                         std::int64_t beside = 0) noexcept {
    AccountEntry& entry = frame.state->account_entry(address);
    if (!entry.is_warm && frame.schedule->cold_account != 0) {
        if (frame.tx->forbids(entry)) {
            halt(frame, Status::undeclared_access);
            return nullptr;
        }
        if (!charge(frame, gas, frame.schedule->cold_account + beside)) return nullptr;
        frame.state->warm_account(entry);
    } else if (beside != 0 && !charge(frame, gas, beside)) {
        return nullptr;
    }
    frame.state->ensure_loaded(entry);
    return &entry;
}

/// Copies `source[source_offset …]` into memory, zero-filled past its end. The range is ensured.
HEDDLE_BODY void copy_to_memory(Frame& frame, const Uint256& offset, const Uint256& source_offset,
                                const Uint256& size, BytesView source) noexcept {
    if (size.is_zero()) return;
    std::uint8_t* target = frame.memory.data() + offset.low64();
    const std::uint64_t wanted = size.low64();
    std::uint64_t available = 0;
    if (source_offset.fits_uint64() && source_offset.low64() < source.size()) {
        available = source.size() - source_offset.low64();
        if (available > wanted) available = wanted;
        std::memcpy(target, source.data() + source_offset.low64(), available);
    }
    std::memset(target + available, 0, wanted - available);
}

}  // namespace heddle::vm::instructions
