// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What one execution of a transaction ahead of its turn has seen and done, and where those are kept
// that are not in use.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <types/transaction.hpp>
#include <types/uint256.hpp>

#include <vm/transition.hpp>

#include "state/estimates.hpp"
#include "state/versioned_state.hpp"

namespace heddle::executor {

/// An account or slot that an attempt has read, and whose values it saw.
struct AccountRead {
    AccountCell* cell = nullptr;
    AccountStamps stamps;
};
struct SlotRead {
    SlotCell* cell = nullptr;
    Stamp stamp = 0;
};

/// What one execution of a transaction ahead of its turn has left. Buffers are kept from use to
/// use. Invariants: accounts[i] and slots[i] belong to outcome.accesses' entries of the same index.
struct Attempt {
    vm::Outcome outcome;
    std::vector<AccountRead> accounts;
    std::vector<SlotRead> slots;
    /// Cells of the slots that the diff changes, in its order.
    std::vector<SlotCell*> changed_slots;
    /// While it is published and overtaken: under which stamp. Whoever runs the task.
    Stamp stamp = 0;
    /// How long its code ran, in StreamAtomics::ticks(); 0: it was not timed.
    std::int64_t ticks = 0;
    /// The same without what it has waited.
    std::int64_t worked_ticks = 0;
    /// What looking at it ahead of its turn has cost so far (Recall).
    std::uint64_t looked_gas = 0;

    /// It has run to its end, and waits for its turn, as thousands of others may: lets go of what
    /// the transaction returned, which nobody will look at. A kilobyte of that costs a hundred gas,
    /// less than what is executed for nothing takes.
    void drop_output() {
        if (outcome.output.capacity() > kMaxKeptOutput)
            Bytes{}.swap(outcome.output);
        else
            outcome.output.clear();
    }
    /// It is not in use: gives back what few transactions need. What is kept is about 100 KiB at
    /// most, as everything else in it has an entry for each account or slot that was read.
    void trim() {
        looked_gas = 0;
        vm::Outcome& left = outcome;
        const bool is_large =
            accounts.capacity() > kMaxKeptAccounts || slots.capacity() > kMaxKeptSlots ||
            changed_slots.capacity() > kMaxKeptSlots || left.output.capacity() > kMaxKeptOutput ||
            left.accesses.fresh_slots.capacity() > kMaxKeptSlots ||
            left.receipt.logs.capacity() > kMaxKeptLogs;
        if (is_large) {
            Attempt fresh;
            fresh.place = place;
            *this = std::move(fresh);
            return;
        }
        left.receipt.logs.clear();
        if (!left.diff.codes.empty()) left.diff.codes.clear();
    }
    /// Memory that it keeps when it is not in use, itself included.
    [[nodiscard]] std::size_t kept_bytes() const noexcept;

    /// Its place among all that the pool has made.
    std::size_t place = 0;

private:
    static constexpr std::size_t kMaxKeptAccounts = 256;
    static constexpr std::size_t kMaxKeptSlots = 512;
    static constexpr std::size_t kMaxKeptLogs = 64;
    static constexpr std::size_t kMaxKeptOutput = 256;  // bytes
};

/// What an attempt may see of what others have left.
struct Sight {
    /// Nothing is seen that positions from here on have left; 0: from its own on.
    std::uint64_t before = 0;
    /// Attempts that the same view makes one after the other with the same number see each other's
    /// values all the same (AttemptView::add_own()); 0: they do not.
    std::uint64_t unit = 0;
};

/// What is attempted: a transaction whose sender is known, at its place in the stream.
struct AttemptPlace {
    std::uint64_t position = 0;
    const Transaction& tx;
    AccountCell* sender = nullptr;         // null: to be found
    AccountCell* recipient = nullptr;      // null: to be found
    const Estimates* estimates = nullptr;  // null: nobody makes any
    Stamp first_in_flight = 0;             // what is before this is none
    Sight sight = {};
    bool is_behind = false;      // Task::is_behind
    bool is_behind_all = false;  // Task::is_behind_all
};

/// What holds of a transaction whatever it reads, and is checked at its turn.
struct AttemptClaim {
    const Transaction& tx;
    const Uint256& upfront_cost;  // the most that it can cost its sender, in wei
};

/// Attempts not in use, for all workers. Each worker keeps some at hand, see Worker. Of those that
/// were in flight at once, which may have been a whole window, it keeps as many as fit: else what
/// each of them has once been used for would stay for ever.
///
/// Thread safety: any.
class AttemptPool {
public:
    static constexpr std::size_t kBatch = 32;
    /// Of attempts that nobody has, at most. A window full of plain transfers needs about as much.
    static constexpr std::size_t kMaxKeptBytes = std::size_t{32} << 20;
    /// The same for each that may be in flight, where a window holds fewer than usual.
    static constexpr std::size_t kKeptBytesInFlight = std::size_t{2} << 10;

    /// @param window  Most attempts that are in flight at once.
    explicit AttemptPool(std::size_t window = kMaxKeptBytes / kKeptBytesInFlight) noexcept
        : max_kept_bytes_(std::min(window, kMaxKeptBytes / kKeptBytesInFlight) *
                          kKeptBytesInFlight) {}

    /// Moves a batch to `attempts`.
    void take(std::vector<Attempt*>& attempts);
    /// Moves the oldest batch of `attempts` here.
    void give_back(std::vector<Attempt*>& attempts);

    /// Those that there are, in use or not.
    [[nodiscard]] std::size_t size() const {
        const std::lock_guard guard(lock_);
        return all_.size();
    }
    /// Memory of those that are not in use.
    [[nodiscard]] std::size_t kept_bytes() const {
        const std::lock_guard guard(lock_);
        return kept_bytes_;
    }

private:
    /// Under the lock.
    void destroy(const Attempt& attempt) noexcept;

    const std::size_t max_kept_bytes_;  // of attempts that nobody has

    mutable std::mutex lock_;
    std::vector<std::unique_ptr<Attempt>> all_;
    std::vector<Attempt*> free_;
    std::size_t kept_bytes_ = 0;  // of `free_`
};

}  // namespace heddle::executor
