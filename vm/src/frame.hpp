// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One message call in progress: the machine state μ and environment I of the Yellow Paper
// (9.3, 9.4), as both interpreters share it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <types/address.hpp>
#include <types/assert.hpp>
#include <types/block.hpp>
#include <types/bytes.hpp>
#include <types/out_of_memory.hpp>
#include <types/transaction.hpp>

#include <vm/status.hpp>

#include "block_hash_memo.hpp"
#include "code.hpp"
#include "gas_schedule.hpp"
#include "instruction.hpp"
#include "keccak_cache.hpp"
#include "modulus_cache.hpp"
#include "oversight.hpp"
#include "transaction_state.hpp"

namespace heddle::vm {

/// Byte-addressed memory of one call depth. Keeps its buffer from call to call.
class Memory {
public:
    Memory() = default;
    ~Memory() { std::free(data_); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    [[nodiscard]] std::uint8_t* data() noexcept { return data_; }
    /// In bytes; a multiple of 32.
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    /// Enlarges to `size` bytes (a multiple of 32), zero-filled.
    void grow(std::uint64_t size) noexcept {
        if (size > capacity_) reallocate(size);
        std::memset(data_ + size_, 0, size - size_);
        size_ = size;
    }
    /// Empties; gives back what is far above the usual.
    void reset() noexcept { shrink(kKeptCapacity); }
    /// The same of one so deep that it is rarely used: keeps next to nothing.
    void give_back() noexcept { shrink(kFirstCapacity); }
    [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }

private:
    static constexpr std::uint64_t kKeptCapacity = 1u << 20;
    static constexpr std::uint64_t kFirstCapacity = 4096;

    void shrink(std::uint64_t kept) noexcept {
        size_ = 0;
        if (capacity_ <= kept) return;
        std::free(data_);
        data_ = nullptr;
        capacity_ = 0;
    }
    void reallocate(std::uint64_t size) noexcept {
        std::uint64_t capacity = capacity_ == 0 ? kFirstCapacity : capacity_ * 2;
        if (capacity < size) capacity = size;
        auto* data = static_cast<std::uint8_t*>(std::realloc(data_, capacity));
        if (data == nullptr) fail_allocation();
        data_ = data;
        capacity_ = capacity;
    }

    std::uint8_t* data_ = nullptr;
    std::uint64_t size_ = 0;
    std::uint64_t capacity_ = 0;
};

enum class CallKind : std::uint8_t { call, call_code, delegate_call, static_call, create, create2 };

/// A message call or creation, asked for (YP 8, 9).
struct Message {
    CallKind kind = CallKind::call;
    bool is_static = false;
    std::uint32_t depth = 0;  // 0: outermost
    std::int64_t gas = 0;
    /// Account whose context it runs in. Of a creation null, or what is known to be created.
    AccountEntry* recipient = nullptr;
    AccountEntry* code_account = nullptr;  // whose code runs; calls only
    Address caller;
    Uint256 value;    // wei, as CALLVALUE gives it
    BytesView input;  // call data, or init code
    Uint256 salt;     // CREATE2
    /// The target's delegate where the target delegates (EIP-7702); its code runs.
    AccountEntry* delegate = nullptr;
    /// State gas that the caller has paid for the account that this brings to life, which comes
    /// back if it fails (EIP-8037). Not looked at before Amsterdam.
    std::int64_t new_account_gas = 0;
};

/// Where a creation creates.
/// @param nonce  The creator's before it.
[[nodiscard]] inline Address created_address(const Message& message, std::uint64_t nonce) noexcept {
    return message.kind == CallKind::create2
               ? create2_address(message.caller, message.salt, keccak256(message.input))
               : create_address(message.caller, nonce);
}

/// Why an interpreter handed control back.
/// `warm`: what the plain interpreter has jumped to is entered often enough to be decoded; `pc` is
/// at the jump destination. `cold`: the fast one has come to where nothing is decoded, at `pc`.
enum class Exit : std::uint8_t { done, call, create, warm, cold };

/// For Frame::decode_after: more than Code::entries() gives.
inline constexpr unsigned kNever = ~0u;

class Machine;

struct Frame {
    // What the interpreters use all the time.
    Uint256* stack_base = nullptr;
    Memory memory;
    const Code* code = nullptr;
    /// With less gas than this the frame has run out of it, or has to ask whether it may go on: see
    /// Oversight.
    std::int64_t look_below = 0;
    TransactionState* state = nullptr;
    const GasSchedule* schedule = nullptr;
    KeccakCache* hashes = nullptr;
    ModulusCache* moduli = nullptr;
    AccountEntry* self = nullptr;
    BytesView return_data;  // of the last call
    bool is_static = false;
    bool is_creation = false;
    Exit exit = Exit::done;
    Status status = Status::success;
    std::uint32_t depth = 0;

    // Where to go on after a call.
    const Instruction* ip = nullptr;  // fast
    std::uint32_t pc = 0;             // plain
    /// Entries of a stretch of code after which it is decoded, or kNever.
    unsigned decode_after = kNever;
    CodeInUse* code_in_use = nullptr;  // null for init code
    Uint256* sp = nullptr;             // one past the top
    std::int64_t gas_left = 0;
    std::int64_t gas_given = 0;    // at its start
    std::int64_t gas_outside = 0;  // kept by its callers
    Machine* machine = nullptr;    // that runs it
    Oversight* oversight = nullptr;

    // Environment.
    Address caller;
    Uint256 value;
    BytesView input;
    const struct TransactionEnv* tx = nullptr;
    BlockHashMemo* block_hashes = nullptr;

    // Result: a range of memory.
    std::uint64_t output_offset = 0;
    std::uint64_t output_size = 0;

    // The call asked for, and where its result goes.
    Message pending;
    std::uint64_t result_offset = 0;
    std::uint64_t result_size = 0;
    /// Why `pending` was refused. For observers, who clear it; nobody else looks at it.
    Status refusal = Status::success;

    Checkpoint checkpoint;
    /// What its callers have used (EIP-8037). Not looked at before Amsterdam.
    StateGas::Caller caller_state_gas;

    /// Code analysed for this frame alone: init code.
    std::unique_ptr<Code> own_code;
    /// What a precompiled contract called at this depth returned.
    Bytes precompile_output;

    /// It is not in use: gives back what it has needed.
    void give_back() noexcept {
        memory.give_back();
        own_code.reset();
        Bytes{}.swap(precompile_output);
    }

    [[nodiscard]] BytesView output() noexcept {
        return output_size == 0 ? BytesView{}
                                : BytesView{memory.data() + output_offset, output_size};
    }
};

/// What is the same for all frames of one transaction.
struct TransactionEnv {
    const BlockEnv* block = nullptr;
    const BlockHashes* block_hashes = nullptr;
    Address origin;
    Uint256 gas_price;  // wei
    const std::vector<Hash>* blob_hashes = nullptr;
    /// Whether the access list is binding (BlockEnv::strict_access_lists).
    bool is_list_binding = false;

    /// Whether a cold account may not be accessed because nobody has declared it. The beneficiary
    /// is known to all, also where it starts cold (before EIP-3651).
    [[nodiscard]] bool forbids(const AccountEntry& cold) const noexcept {
        return is_list_binding && cold.address != block->beneficiary;
    }
    /// The same for a cold slot. A contract that the transaction creates is declared as a whole.
    [[nodiscard]] bool forbids_slots_of(const AccountEntry& account) const noexcept {
        return is_list_binding && !account.is_created;
    }
};

/// As far as geth counts: more than any gas limit pays for.
inline constexpr std::int64_t kMostMemoryWords = 0xffff'ffff;

/// Cost of a memory of `words` words (YP App. H.1), of which there are at most kMostMemoryWords:
/// the square of so many takes all 64 bits.
[[nodiscard]] constexpr std::int64_t memory_cost(std::int64_t words) noexcept {
    HEDDLE_DASSERT(words >= 0 && words <= kMostMemoryWords);
    const auto counted = static_cast<std::uint64_t>(words);
    constexpr auto kDivisor = static_cast<std::uint64_t>(kMemoryQuadraticDivisor);
    return kMemoryWordGas * words + static_cast<std::int64_t>(counted * counted / kDivisor);
}
/// No memory grows beyond this: its cost exceeds every gas limit that a block can have in practice,
/// and a 32-bit bound keeps sizes from overflowing.
inline constexpr std::uint64_t kMaxMemoryBytes = 1ull << 32;

[[nodiscard]] constexpr std::int64_t word_count(std::uint64_t bytes) noexcept {
    return static_cast<std::int64_t>((bytes + 31) / 32);
}

}  // namespace heddle::vm
