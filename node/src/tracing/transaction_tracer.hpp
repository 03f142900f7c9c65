// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What all tracers of transactions have in common: what they are told, what their output may cost,
// and how it is written. Steps and calls reach them through vm::Tracer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include <types/address.hpp>
#include <types/block.hpp>
#include <types/hash.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>
#include <types/transaction.hpp>

#include <vm/tracer.hpp>
#include <vm/transition.hpp>

#include "formats/json_writer.hpp"

namespace heddle::node {

/// The transaction that is traced. Borrowed: everything lives until the trace is written.
struct TraceSubject {
    const Transaction* tx = nullptr;  // its sender is filled
    const BlockEnv* env = nullptr;
    const StateView* before = nullptr;
    /// Where it stands in the chain; absent for a call.
    struct Place {
        Hash block_hash;
        std::uint64_t block_number = 0;
        Hash transaction_hash;
        std::uint32_t index = 0;
    };
    std::optional<Place> place;
    std::size_t first_log_index = 0;  // logs of the block before it
};

/// How much a request may write, and for how long. Shared by its tracers.
/// Thread safety: none.
class TraceBudget {
public:
    using Clock = std::chrono::steady_clock;
    enum class Verdict : std::uint8_t { within, too_large, too_late };

    /// @param max_bytes  Of output, roughly.
    TraceBudget(std::size_t max_bytes, Clock::time_point deadline)
        : bytes_left_(max_bytes), deadline_(deadline) {}

    /// Something of this size will be written.
    void spend(std::size_t bytes) noexcept {
        if (bytes > bytes_left_)
            verdict_ = Verdict::too_large;
        else
            bytes_left_ -= bytes;
    }
    /// Whether this much may follow; else the budget is exhausted now.
    [[nodiscard]] bool has_room_for(std::size_t bytes) noexcept {
        if (bytes > bytes_left_) verdict_ = Verdict::too_large;
        return bytes <= bytes_left_;
    }
    /// Moves the deadline, of each transaction where a request sets one.
    void set_deadline(Clock::time_point deadline) noexcept { deadline_ = deadline; }
    /// Looks at the clock now and then only.
    [[nodiscard]] bool is_exhausted() noexcept {
        if (verdict_ == Verdict::within && ++questions_ % kQuestionsPerLook == 0)
            if (Clock::now() > deadline_) verdict_ = Verdict::too_late;
        return verdict_ != Verdict::within;
    }
    [[nodiscard]] Verdict verdict() const noexcept { return verdict_; }

private:
    static constexpr std::uint32_t kQuestionsPerLook = 64;

    std::size_t bytes_left_;
    Clock::time_point deadline_;
    std::uint32_t questions_ = 0;
    Verdict verdict_ = Verdict::within;
};

/// One tracer, for one transaction after another: begin(), then the transaction, then end(), then
/// write().
class TransactionTracer : public vm::Tracer {
public:
    explicit TransactionTracer(TraceBudget& budget) : budget_(budget) {}

    /// Forgets the transaction before.
    virtual void begin(const TraceSubject& subject) = 0;
    virtual void end(const vm::Outcome& outcome) = 0;
    /// Appends the trace as one JSON value, in the shape of geth's.
    virtual void write(JsonWriter& out) = 0;

    [[nodiscard]] bool wants_abort() const noexcept final { return budget_.is_exhausted(); }

protected:
    [[nodiscard]] TraceBudget& budget() const noexcept { return budget_; }

private:
    TraceBudget& budget_;  // its owner's, like everything of a request
};

/// The accounts that a transaction has changed, to be found. Borrows the changes.
class ChangesByAddress {
public:
    explicit ChangesByAddress(const StateDiff& diff) {
        for (const AccountChange& change : diff.accounts)
            changes_.emplace(change.address, &change);
    }
    /// Null: it was not changed.
    [[nodiscard]] const AccountChange* find(const Address& address) const noexcept {
        const auto found = changes_.find(address);
        return found == changes_.end() ? nullptr : found->second;
    }

private:
    std::unordered_map<Address, const AccountChange*, AddressHasher> changes_;
};

/// No steps but those that fail.
[[nodiscard]] const vm::OpcodeSet& no_steps() noexcept;

}  // namespace heddle::node
