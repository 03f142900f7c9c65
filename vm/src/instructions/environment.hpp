// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Keccak, environment and block information (YP App. H.2, 20s, 30s and 40s).
#pragma once

#include "common.hpp"

namespace heddle::vm::instructions {

HEDDLE_BODY bool keccak(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    if (!ensure_memory(frame, gas, sp[-1], sp[-2]) ||
        !charge_words(frame, gas, sp[-2], kKeccakWordGas))
        return false;
    sp[-2] = to_word(frame.hashes->hash(memory_view(frame, sp[-1], sp[-2])));
    --sp;
    return true;
}

HEDDLE_BODY bool push(Uint256*& sp, const Uint256& value) noexcept {
    *sp++ = value;
    return true;
}

HEDDLE_BODY bool address(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    return push(sp, to_word(frame.self->address));
}
HEDDLE_BODY bool origin(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    return push(sp, to_word(frame.tx->origin));
}
HEDDLE_BODY bool caller(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    return push(sp, to_word(frame.caller));
}
HEDDLE_BODY bool callvalue(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    return push(sp, frame.value);
}
HEDDLE_BODY bool calldataload(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    const Uint256 offset = sp[-1];
    const BytesView input = frame.input;
    if (!offset.fits_uint64() || offset.low64() >= input.size()) {
        sp[-1] = {};
    } else if (input.size() - offset.low64() >= 32) [[likely]] {
        sp[-1] = load_be(input.data() + offset.low64());
    } else {
        std::uint8_t word[32] = {};
        std::memcpy(word, input.data() + offset.low64(), input.size() - offset.low64());
        sp[-1] = load_be(word);
    }
    return true;
}
HEDDLE_BODY bool calldatasize(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    return push(sp, Uint256{frame.input.size()});
}

/// Operands: memory offset, source offset, size.
HEDDLE_BODY bool copy(Frame& frame, Uint256*& sp, std::int64_t& gas, BytesView source) noexcept {
    if (!ensure_memory(frame, gas, sp[-1], sp[-3]) ||
        !charge_words(frame, gas, sp[-3], kCopyWordGas))
        return false;
    copy_to_memory(frame, sp[-1], sp[-2], sp[-3], source);
    sp -= 3;
    return true;
}
HEDDLE_BODY bool calldatacopy(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    return copy(frame, sp, gas, frame.input);
}
HEDDLE_BODY bool codesize(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    return push(sp, Uint256{frame.code->bytes().size()});
}
HEDDLE_BODY bool codecopy(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    return copy(frame, sp, gas, frame.code->bytes());
}
HEDDLE_BODY bool gasprice(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    return push(sp, frame.tx->gas_price);
}
HEDDLE_BODY bool returndatasize(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    return push(sp, Uint256{frame.return_data.size()});
}
/// Reading past the end is an exceptional halt here, not zero-fill (EIP-211).
HEDDLE_BODY bool returndatacopy(Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    if (!ensure_memory(frame, gas, sp[-1], sp[-3]) ||
        !charge_words(frame, gas, sp[-3], kCopyWordGas))
        return false;
    const Uint256 &offset = sp[-2], &size = sp[-3];
    const std::uint64_t available = frame.return_data.size();
    if (!offset.fits_uint64() || offset.low64() > available ||
        size.low64() > available - offset.low64())
        return halt(frame, Status::return_data_out_of_bounds);
    copy_to_memory(frame, sp[-1], offset, size, frame.return_data);
    sp -= 3;
    return true;
}

HEDDLE_BODY bool coinbase(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    return push(sp, to_word(frame.tx->block->beneficiary));
}
HEDDLE_BODY bool timestamp(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    return push(sp, Uint256{frame.tx->block->timestamp});
}
HEDDLE_BODY bool number(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    return push(sp, Uint256{frame.tx->block->number});
}
/// DIFFICULTY before Paris (EIP-4399).
HEDDLE_BODY bool prevrandao(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    return push(sp, frame.schedule->at_least(Revision::paris)
                        ? to_word(frame.tx->block->prev_randao)
                        : frame.tx->block->difficulty);
}
HEDDLE_BODY bool gaslimit(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    return push(sp, Uint256{frame.tx->block->gas_limit});
}
HEDDLE_BODY bool chainid(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    return push(sp, Uint256{frame.tx->block->chain_id});
}
HEDDLE_BODY bool basefee(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    return push(sp, frame.tx->block->base_fee_per_gas);
}
HEDDLE_BODY bool blobhash(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    const std::vector<Hash>& hashes = *frame.tx->blob_hashes;
    const Uint256& index = sp[-1];
    sp[-1] = index.fits_uint64() && index.low64() < hashes.size() ? to_word(hashes[index.low64()])
                                                                  : Uint256{};
    return true;
}
HEDDLE_BODY bool blobbasefee(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    return push(sp, frame.tx->block->blob_base_fee);
}
HEDDLE_BODY bool slotnum(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    return push(sp, Uint256{frame.tx->block->slot_number});
}
HEDDLE_BODY bool blockhash(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    const std::uint64_t current = frame.tx->block->number;
    const Uint256 number = sp[-1];
    const bool is_known =
        number.fits_uint64() && number.low64() < current && current - number.low64() <= 256;
    put(sp[-1], is_known ? frame.block_hashes->word_of(number.low64()) : Uint256{});
    return true;
}

HEDDLE_BODY bool msize(Frame& frame, Uint256*& sp, std::int64_t&) noexcept {
    return push(sp, Uint256{frame.memory.size()});
}
HEDDLE_BODY bool gas(Frame&, Uint256*& sp, std::int64_t& gas_left) noexcept {
    return push(sp, Uint256{static_cast<std::uint64_t>(gas_left)});
}

}  // namespace heddle::vm::instructions
