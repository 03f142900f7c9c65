// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How much gas may be spent on attempts of which nobody knows yet whether they hold.
//
//   limit = left + drawn by attempts that are not decided + owed for those that did not hold
//
//   event                                   left      undecided   owed      who
//   an attempt draws                        less      more                  its worker
//   one draws at its turn, on credit        below 0   more                  its worker
//   it is not made after all                more      less                  its worker
//   at its turn it holds for good, and      more      below 0               its worker
//   lends what it uses until it is committed
//   its turn: it holds                      more      less                  the committer
//   its turn: it does not                             less        more      the committer
//   a transaction is committed, own gas     more                  less      the committer
//
// So what did not hold is never more than the limit, the credit, and what was committed since,
// whatever is attempted by whom: nothing is drawn that is not left, but by the one that has its
// turn, and what is lent is less than what the lender then commits. Where its chain is refused
// instead, the loan is called in and its own gas is owed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "workers/atomics.hpp"

namespace heddle::executor {

/// Drawing takes first and looks then, and gives back what was not there: two that draw at once may
/// both be refused, and never both get what was there for one. No data is handed over by it, so the
/// operations are relaxed; a worker that sees an old amount sees too much only in left(), which
/// is a hint.
///
/// Thread safety: draw(), put_back() and left() any; the rest by one thread at a time, in stream
/// order.
template <typename Atomics>
class BasicBudget {
public:
    /// Gas that comes back is put together until it is this much.
    static constexpr std::int64_t kBatch = 16'384;

    explicit BasicBudget(std::int64_t limit) noexcept : left_(limit), limit_(limit) {}

    /// @param gas   Not negative.
    /// @param kept  So much must be left for others; negative: a credit.
    /// @return false: nothing was drawn.
    [[nodiscard]] bool draw(std::int64_t gas, std::int64_t kept = 0) noexcept {
        if (left_.fetch_sub(gas, std::memory_order_relaxed) - gas >= kept) return true;
        left_.fetch_add(gas, std::memory_order_relaxed);
        return false;
    }
    /// What has been drawn and is not going to be used. Below zero: what was lent is called in.
    void put_back(std::int64_t drawn) noexcept {
        left_.fetch_add(drawn, std::memory_order_relaxed);
    }
    /// What may be drawn; out of date at once.
    [[nodiscard]] std::int64_t left() const noexcept {
        return left_.load(std::memory_order_relaxed);
    }

    /// What an attempt has drawn: it holds.
    void give_back(std::int64_t drawn) noexcept { returned_ += drawn; }
    /// The same: it does not.
    void lose(std::int64_t drawn) noexcept { owed_ += drawn; }
    /// A transaction is committed that took this much.
    void pay(std::int64_t own) noexcept {
        const std::int64_t paid = std::min(own, owed_);
        owed_ -= paid;
        returned_ += paid;
        if (returned_ >= kBatch) flush();
    }
    void set_limit(std::int64_t limit) noexcept {
        returned_ += limit - limit_;
        limit_ = limit;
        flush();
    }
    /// Lets all of it be drawn.
    void flush() noexcept {
        if (returned_ == 0) return;
        left_.fetch_add(returned_, std::memory_order_relaxed);
        returned_ = 0;
    }
    /// Nothing is undecided: a new stream. What is owed stays owed, or whoever brings it about that
    /// streams begin again and again could have as much lost in each.
    void reset() noexcept {
        returned_ = 0;
        left_.store(limit_ - owed_, std::memory_order_relaxed);
    }

    [[nodiscard]] std::int64_t limit() const noexcept { return limit_; }
    [[nodiscard]] std::int64_t owed() const noexcept { return owed_; }

private:
    alignas(64) typename Atomics::template Atomic<std::int64_t> left_;
    alignas(64) std::int64_t limit_;
    std::int64_t owed_ = 0;
    std::int64_t returned_ = 0;  // not in `left_` yet
};

using Budget = BasicBudget<StreamAtomics>;

}  // namespace heddle::executor
