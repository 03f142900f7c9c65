// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How much is tried ahead of its turn. Attempts pay where they mostly hold; where they do not, they
// take processors and caches from the one thread that gets on. This decides, for whatever policy
// orders the stream, which transactions are not attempted, and bounds what attempts may cost in
// all. Nothing that is decided here changes a result.
//
//   a transaction                    while
//   that names an account waits      changes of the account have overtaken more than about a fifth
//   for those before it that do      of the attempts that read it (AccountCell::unrest), fewer if
//                                    these took long, and the policy orders by objects
//   that names an account is not     the same of those that have waited, or with another policy
//   attempted
//   is not attempted, whatever       more than about a quarter of all attempts was overtaken
//   it is
//   waits for others to be           there is no budget
//   committed
//
// One that came with an object set waits for what the set says in place of all that name the
// account, also where its recipient was seen to lead to such an account, and for a while after a
// quarter of all attempts was overtaken (needs_set()). Else nobody looks at its set.
//
// One in kProbe is attempted in spite of the second and third, and so it is noticed when it is calm
// again. Those that wait for each other tell by what they have read whether they had to.
//
// Of the budget a part is kept for what is near its turn: what is far ahead must not take from it
// what everybody waits for.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "state/attempt.hpp"
#include "state/versioned_state.hpp"
#include "stream/budget.hpp"
#include "stream/gas_pace.hpp"
#include "stream/task.hpp"
#include "stream/window.hpp"

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
        ~Stay() {
            if (!has_left_) workers_.count_.fetch_sub(1, std::memory_order_relaxed);
        }
        Stay(const Stay&) = delete;
        Stay& operator=(const Stay&) = delete;

        /// Where all of them wait, one has to give up, and one is enough.
        /// @return whether it is this one, which waits no longer.
        [[nodiscard]] bool leave_if_all_wait() noexcept {
            unsigned count = workers_.workers_;
            has_left_ = workers_.count_.compare_exchange_strong(count, count - 1,
                                                                std::memory_order_relaxed);
            return has_left_;
        }

    private:
        WaitingWorkers& workers_;
        bool has_left_ = false;
    };

private:
    const unsigned workers_;
    alignas(64) std::atomic<unsigned> count_{0};
};

/// Which position each worker attempts. All of it is a hint, out of date at once.
///
/// Thread safety: any; what a worker attempts is told by itself.
class AttemptsUnderWay {
public:
    explicit AttemptsUnderWay(unsigned workers) : places_(workers) {}

    void begin(unsigned worker, std::uint64_t position) noexcept {
        places_[worker].next.store(position + 1, std::memory_order_relaxed);
    }
    void end(unsigned worker) noexcept { places_[worker].next.store(0, std::memory_order_relaxed); }
    [[nodiscard]] bool has(std::uint64_t position) const noexcept {
        return std::ranges::any_of(places_, [position](const Place& place) {
            return place.next.load(std::memory_order_relaxed) == position + 1;
        });
    }

private:
    /// A line of its own: it is written twice for each attempt, and read by those only who wait.
    struct alignas(64) Place {
        std::atomic<std::uint64_t> next{0};  // the position and one; 0: none
    };
    std::vector<Place> places_;
};

/// Thread safety: what workers and the dispatcher ask any; the rest by whoever commits.
class Speculation {
public:
    /// Gas that an attempt may use without drawing: less than what every transaction pays for
    /// before it executes, so that a first attempt of each is paid for.
    static constexpr std::int64_t kFreeGas = GasPace::kBeforeExecution;

    explicit Speculation(unsigned workers) noexcept
        : workers_(workers), budget_(limit_for(workers, kFirstGas, 0)) {
        set_limit(budget_.limit());
        waited_.reserve(kMostWaited);
    }

    // --- The dispatcher and workers --------------------------------------------------------------
    /// Whether the task should not be attempted ahead of its turn, as far as can be told before.
    [[nodiscard]] bool is_held(const Task& task) const noexcept;
    /// Whether this one is attempted where others of its kind are not.
    [[nodiscard]] static bool is_probe(const Task& task) noexcept {
        return task.position % kProbe == 0;
    }
    /// Whether the task names an account by which transactions should be ordered.
    [[nodiscard]] bool is_restless(const Task& task) const noexcept {
        return is_restless_.load(std::memory_order_relaxed) && names(task, executor::is_restless);
    }
    /// Whether the task is to be ordered by the object set that came with it: whether attempts of
    /// what is like it would be overtaken without that. Finding a set's objects takes time that is
    /// for nothing where attempts hold anyway.
    [[nodiscard]] bool needs_set(const Task& task) const noexcept {
        return had_storm_.load(std::memory_order_relaxed) ||
               (is_restless_.load(std::memory_order_relaxed) &&
                (names(task, executor::is_restless) || leads_to_unrest(task)));
    }
    /// Whether what is decided of transactions that arrive may soon be decided otherwise: then not
    /// many should be waiting for their turn with what was decided of them before.
    [[nodiscard]] bool is_unsettled() const noexcept {
        return is_storm_.load(std::memory_order_relaxed) ||
               is_restless_.load(std::memory_order_relaxed) ||
               is_young_.load(std::memory_order_relaxed);
    }
    /// What executing a transaction takes of late.
    [[nodiscard]] std::int64_t usual_gas() const noexcept {
        return usual_gas_.load(std::memory_order_relaxed);
    }
    /// Sees to it that attempts of the task have drawn so much.
    /// @return false: there is no budget for it; nothing was drawn.
    [[nodiscard]] bool draw(Task& task, std::int64_t gas, const Window& window) noexcept;
    /// Whether that may be worth trying; out of date at once.
    [[nodiscard]] bool may_draw(const Task& task, std::int64_t gas,
                                const Window& window) const noexcept {
        return budget_.left() - (gas - task.drawn_gas) >= kept_from(task, window);
    }
    /// Draws for who looks again and again: nothing is written while there is no budget.
    [[nodiscard]] bool draw_if_left(Task& task, std::int64_t gas, const Window& window) noexcept {
        return may_draw(task, gas, window) && draw(task, gas, window);
    }
    /// What the task has drawn is not going to be used.
    void put_back(Task& task) noexcept {
        if (task.drawn_gas != 0) budget_.put_back(std::exchange(task.drawn_gas, 0));
    }
    /// The same at the task's turn, and on credit: would it end here, all that it has used would be
    /// lost, and others are not attempted ahead of their turn before that has come back.
    [[nodiscard]] bool draw_at_turn(Task& task, std::int64_t gas) noexcept;
    /// At the task's turn: its attempt is going to be committed, whatever comes. What it has drawn
    /// comes back, and others may draw what it has used, which it is going to pay for: a long one
    /// does not keep them waiting.
    void lend(Task& task, std::int64_t gas_used) noexcept {
        budget_.put_back(task.drawn_gas + gas_used);
        task.drawn_gas = -gas_used;
    }
    /// The attempt made of the task has come to nothing: whether another one is to be made.
    /// Then that one is paid for, and what was drawn so far is settled at the task's turn.
    [[nodiscard]] bool begin_another(Task& task) noexcept;
    [[nodiscard]] AttemptsUnderWay& under_way() noexcept { return under_way_; }
    /// Whether what is next to be committed is being attempted: then the stream gets on, however
    /// long that takes. A hint, out of date at once.
    [[nodiscard]] bool is_getting_on(const Window& window) const noexcept {
        return under_way_.has(window.committed());
    }
    /// An attempt of the task was for nothing.
    /// @param ticks  That it took, in StreamAtomics::ticks().
    void note_lost(Task& task, std::int64_t ticks) const noexcept;
    [[nodiscard]] Budget& budget() noexcept { return budget_; }
    [[nodiscard]] const Budget& budget() const noexcept { return budget_; }
    [[nodiscard]] const GasPace& pace() const noexcept { return pace_; }
    /// When all of them wait, nobody is left to bring any.
    [[nodiscard]] WaitingWorkers& waiting() noexcept { return waiting_; }

    // --- Whoever commits, in stream order --------------------------------------------------------
    /// The task's turn has come: what attempts have drawn that were taken back or ended is owed,
    /// whatever becomes of it.
    void forfeit(Task& task) noexcept {
        if (task.forfeited_gas != 0) [[unlikely]]
            budget_.lose(std::exchange(task.forfeited_gas, 0));
    }
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
    /// A new stream; nothing is in flight. What is owed, and what time is worth, is as it was.
    void reset() noexcept;

private:
    static constexpr std::uint64_t kProbe = 32;
    /// Positions for each worker that are near the next one to be committed: the bundles that are
    /// under way and a few of the next ones.
    static constexpr std::uint64_t kNear = 4;
    /// Of the limit, what is kept for them, and what there is on credit.
    static constexpr std::int64_t kKeptPart = 4;
    /// What a transaction that was ordered by an account has read of it counts as recent if it is
    /// no older than so many positions: it would have been in flight.
    static constexpr std::uint64_t kRecent = 64;
    // Of all attempts: what one that was overtaken adds and one that holds takes away, and from
    // where to where there is a storm.
    static constexpr std::int32_t kStep = 3;
    static constexpr std::int32_t kEndedStep = 3;
    static constexpr std::int32_t kCalmStep = 1;
    static constexpr std::int32_t kStorm = 72;
    static constexpr std::int32_t kMost = 96;
    static constexpr std::int32_t kCalm = 36;
    static constexpr std::int32_t kProbeWeight = 8;  // a probe that holds stands for others
    /// Transactions of a stream after which it is known of what kind they are.
    static constexpr std::uint64_t kYouth = 512;
    /// The most that one lost attempt counts for: it may also have waited for a processor, and one
    /// alone must not make an account restless.
    static constexpr std::int64_t kMostLostTurns = 4;
    /// Accounts by which one transaction is known to have waited, at most.
    static constexpr std::size_t kMostWaited = 16;
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
    /// The most that one transaction may have since Osaka (EIP-7825, 2^24), and some: each worker
    /// can attempt one. Before Osaka there are larger ones, of which the same is true where the
    /// stream had one of late.
    static constexpr std::int64_t kMostGas = 17'000'000;

    [[nodiscard]] static std::int64_t limit_for(unsigned workers, std::int64_t gas,
                                                std::int64_t peak) noexcept;
    template <typename Predicate>
    [[nodiscard]] static bool names(const Task& task, Predicate&& is_so) noexcept {
        return (task.recipient != nullptr && is_so(*task.recipient)) ||
               (task.sender != nullptr && is_so(*task.sender));
    }
    [[nodiscard]] static bool has_waited(const Task& task) noexcept {
        return task.is_behind || task.is_behind_all;
    }
    [[nodiscard]] static bool leads_to_unrest(const Task& task) noexcept {
        return task.recipient != nullptr &&
               task.recipient->leads_to_unrest.load(std::memory_order_relaxed);
    }
    [[nodiscard]] static bool is_ordered_by(const Task& task, const AccountCell& cell) noexcept {
        return task.is_behind && (&cell == task.recipient || &cell == task.sender);
    }
    [[nodiscard]] std::int64_t kept_from(const Task& task, const Window& window) const noexcept {
        const bool is_near = task.position < window.committed() + kNear * workers_;
        return is_near ? 0 : kept_.load(std::memory_order_relaxed);
    }
    void set_limit(std::int64_t limit) noexcept;
    void disturb(AccountCell& cell, const Task& task) noexcept;
    void calm(const Task& task, const Attempt& attempt) noexcept;
    void find_waited(const Task& task, const Attempt& attempt) noexcept;
    [[nodiscard]] std::uint32_t unrest_after(const AccountCell& cell,
                                             const Task& task) const noexcept;
    void weigh(std::int32_t change) noexcept;
    void note_usual(std::int64_t gas) noexcept;

    const unsigned workers_;
    Budget budget_;
    GasPace pace_;
    alignas(64) std::atomic<bool> is_storm_{false};
    /// Whether any account may be restless.
    std::atomic<bool> is_restless_{false};
    /// Whether there was a storm, and attempts that were overtaken since, not long ago.
    std::atomic<bool> had_storm_{false};
    /// Whether not much of the stream is committed yet.
    std::atomic<bool> is_young_{true};
    std::atomic<std::int64_t> usual_gas_{1};
    std::atomic<std::int64_t> kept_{0};  // for what is near its turn; of the limit kKeptPart
    AttemptsUnderWay under_way_{workers_};
    WaitingWorkers waiting_{workers_};

    // Whoever commits.
    alignas(64) std::int32_t storm_ = 0;
    std::uint64_t last_unrest_ = 0;  // position
    std::uint64_t left_of_youth_ = kYouth;
    std::int64_t peak_ = 0;
    std::int64_t at_first_ = kFirstGas;  // the limit before much is known, forgotten like the peak
    std::int64_t trust_ = 0;             // attempts that have held of late
    std::int64_t mean_ = 1;
    std::vector<const AccountCell*> waited_;  // of the attempt that is looked at
};

}  // namespace heddle::executor
