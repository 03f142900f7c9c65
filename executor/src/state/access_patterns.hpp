// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The access patterns of the functions that transactions have called of late. The thread that
// executes looks on at some of the calls and keeps what it has learned to itself; between two
// blocks, while nobody else looks, it publishes that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <types/address.hpp>
#include <types/transaction.hpp>

#include <vm/hash_notes.hpp>

#include "state/access_pattern.hpp"

namespace heddle::executor {

/// What one call does, noted while it is executed.
struct CallNotes {
    static constexpr std::size_t kMostNotes = 32;

    vm::HashNotes hashes{kMostNotes};
    std::vector<SlotValue> read;  // kMostNotes at most

    void clear() noexcept {
        hashes.clear();
        read.clear();
    }
};

/// Bounded, whatever is called: a function takes the place of another one, unless there is nothing
/// to know of it.
/// Thread safety: find() any thread, but not beside publish(); the rest the executing thread.
class AccessPatterns {
public:
    /// Whether the executing thread had better look on while it executes the call: it has not
    /// for long, or never. Not often, whatever is called. Of a transaction that is executed.
    [[nodiscard]] bool wants(const Transaction& tx);
    /// The call has been executed.
    void learn(const Transaction& tx, const CallNotes& notes);
    /// What has been learned is found from here on.
    void publish();

    /// Null: nothing is known of such a call, or there is nothing to know.
    [[nodiscard]] const AccessPattern* find(const Transaction& tx) const noexcept;

private:
    static constexpr std::size_t kFunctions = 256;
    /// Calls of a function after which it is looked at again: its pattern may have changed.
    static constexpr std::uint32_t kCallsBetween = 64;
    /// Calls that are looked at between two publish(): looking on takes as long as a transfer.
    static constexpr std::size_t kMostLearned = 48;

    struct Function {
        Address contract;
        std::uint32_t selector = 0;
        AccessPattern pattern;  // empty: nothing is known
    };
    /// Of a function, for the executing thread alone.
    struct Calls {
        std::uint64_t function = 0;  // its hash
        std::uint32_t count = 0;
    };

    [[nodiscard]] static std::uint64_t hash_of(const Address& contract,
                                               std::uint32_t selector) noexcept;

    std::vector<Function> functions_;  // by hash; none until one is published
    std::array<Calls, kFunctions> calls_;
    std::vector<Function> learned_;  // since publish()
    std::size_t looked_at_ = 0;      // since publish()
};

}  // namespace heddle::executor
