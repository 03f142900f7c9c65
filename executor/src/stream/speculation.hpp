// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How much is tried ahead of its turn. Attempts pay where they mostly hold; where they do not, they
// take processors and caches from the one thread that gets on. This decides, for whatever policy
// orders the stream, which transactions are not attempted, and bounds what attempts may cost in
// all. Nothing that is decided here changes a result.
//
//   a transaction is not attempted   while
//   that touches an account          changes of the account have overtaken more than about a fifth
//                                    of the attempts that read it (AccountCell::unrest)
//   whatever it is                   more than about a quarter of all attempts was overtaken, or
//                                    the budget is spent
//
// One in kProbe is attempted in spite of the first two, and so it is noticed when it is calm again.
#pragma once

#include <atomic>
#include <cstdint>

#include "state/attempt.hpp"
#include "state/versioned_state.hpp"
#include "stream/budget.hpp"
#include "stream/gas_pace.hpp"
#include "stream/task.hpp"

namespace heddle::executor {

/// How many workers wait for budget. Thread safety: any.
class WaitingWorkers {
public:
    explicit WaitingWorkers(unsigned workers) noexcept : workers_(workers) {}

    /// One of them waits.
    class Stay {
    public:
        explicit Stay(WaitingWorkers& workers) noexcept : workers_(workers) {
            workers_.count_.fetch_add(1, std::memory_order_relaxed);
        }
        ~Stay() { workers_.count_.fetch_sub(1, std::memory_order_relaxed); }
        Stay(const Stay&) = delete;
        Stay& operator=(const Stay&) = delete;

    private:
        WaitingWorkers& workers_;
    };

    /// Out of date at once.
    [[nodiscard]] bool are_all() const noexcept {
        return count_.load(std::memory_order_relaxed) >= workers_;
    }

private:
    const unsigned workers_;
    alignas(64) std::atomic<unsigned> count_{0};
};

/// Thread safety: what workers and the dispatcher ask any; the rest by whoever commits.
class Speculation {
public:
    /// Gas that an attempt may use without drawing: less than what every transaction pays for
    /// before it executes, so that a first attempt of each is paid for.
    static constexpr std::int64_t kFreeGas = GasPace::kBeforeExecution;

    explicit Speculation(unsigned workers) noexcept
        : workers_(workers), budget_(limit_for(workers, kFirstGas)) {}

    // --- The dispatcher and workers --------------------------------------------------------------
    /// Whether the task should not be attempted ahead of its turn, as far as can be told before.
    [[nodiscard]] bool is_held(const Task& task) const noexcept;
    /// Whether this one is attempted where others of its kind are not.
    [[nodiscard]] static bool is_probe(const Task& task) noexcept {
        return task.position % kProbe == 0;
    }
    /// Whether there is budget for a transaction as they are of late; out of date at once.
    [[nodiscard]] bool has_budget() const noexcept {
        return budget_.left() >= usual_gas_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] Budget& budget() noexcept { return budget_; }
    [[nodiscard]] const Budget& budget() const noexcept { return budget_; }
    [[nodiscard]] const GasPace& pace() const noexcept { return pace_; }
    /// When all of them wait, nobody is left to bring any.
    [[nodiscard]] WaitingWorkers& waiting() noexcept { return waiting_; }

    // --- Whoever commits, in stream order --------------------------------------------------------
    /// The attempt holds.
    void accepted(const Task& task, const Attempt& attempt) noexcept;
    /// It does not; or it was ended.
    /// @param by  Whose change overtook it; null: not known, or it was not overtaken.
    void lost(const Task& task, AccountCell* by) noexcept;
    /// It was ended, by nobody that is known: there was no budget for it.
    void ended() noexcept { weigh(kEndedStep); }
    /// The task is committed.
    /// @param gas    What executing it took, as vm::Supervisor counts.
    /// @param ticks  The same, see GasPace::note().
    void committed(const Task& task, std::uint64_t gas, std::int64_t ticks) noexcept;
    /// What has come back may be used.
    void flush() noexcept { budget_.flush(); }
    /// A new stream; nothing is in flight.
    void reset() noexcept;

private:
    static constexpr std::uint64_t kProbe = 32;
    // Of all attempts: what one that was overtaken adds and one that holds takes away, and from
    // where to where there is a storm.
    static constexpr std::int32_t kStep = 3;
    static constexpr std::int32_t kEndedStep = 3;
    static constexpr std::int32_t kCalmStep = 1;
    static constexpr std::int32_t kStorm = 72;
    static constexpr std::int32_t kMost = 96;
    static constexpr std::int32_t kCalm = 36;
    static constexpr std::int32_t kProbeWeight = 8;  // a probe that holds stands for others
    /// Positions after which no account counts as restless any more.
    static constexpr std::uint64_t kMemory = 16'384;

    /// With each transaction, the most that one has taken of late is forgotten by such a part.
    static constexpr std::int64_t kForget = 512;
    static constexpr std::int64_t kMeanOf = 16;  // transactions, about
    // Of the limit, for each worker: gas, and how often the most that a transaction has taken. Out
    // of order much is undecided for long, and it pays as long as attempts hold: each that does
    // brings the limit nearer to the most, each that was overtaken halves the way.
    static constexpr std::int64_t kFirstGas = 1'000'000;
    static constexpr std::int64_t kLeast = 100'000;
    static constexpr std::int64_t kLeastPeaks = 4;
    static constexpr std::int64_t kMostPeaks = 32;
    static constexpr std::int64_t kHoldsForPeak = 8;
    static constexpr std::int64_t kMostGas = 8'000'000;

    [[nodiscard]] static std::int64_t limit_for(unsigned workers, std::int64_t gas) noexcept;
    void disturb(AccountCell& cell, const Task& task) noexcept;
    void calm(const Task& task, const Attempt& attempt) noexcept;
    void weigh(std::int32_t change) noexcept;
    void note_usual(std::int64_t gas) noexcept;

    const unsigned workers_;
    Budget budget_;
    GasPace pace_;
    alignas(64) std::atomic<bool> is_storm_{false};
    /// Whether any account may be restless.
    std::atomic<bool> is_restless_{false};
    std::atomic<std::int64_t> usual_gas_{1};
    WaitingWorkers waiting_{workers_};

    // Whoever commits.
    alignas(64) std::int32_t storm_ = 0;
    std::uint64_t last_unrest_ = 0;  // position
    std::int64_t peak_ = 0;
    std::int64_t at_first_ = kFirstGas;  // the limit before much is known, forgotten like the peak
    std::int64_t trust_ = 0;             // attempts that have held of late
    std::int64_t mean_ = 1;
};

}  // namespace heddle::executor
