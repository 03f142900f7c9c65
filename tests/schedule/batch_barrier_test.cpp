// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The barrier of a batch under every interleaving: each unit is run once, one thread knows that all
// of them are over, and sees what was done to them.
#include "workers/batch_barrier.hpp"

#include <array>
#include <cstdint>
#include <memory>

#include <gtest/gtest.h>

#include "aria/reservations.hpp"
#include "checks.hpp"
#include "explored_atomics.hpp"
#include "explorer.hpp"

namespace heddle::executor {
namespace {

using test::Case;
using test::expect_found;
using test::expect_holds;
using test::explore_bounded;
using test::ExploredAtomics;
using test::MakeCase;

/// A wrong turn, to see whether it would be found.
enum class Flaw : std::uint8_t {
    none,
    takes_in_two_steps,    // look, then take
    settles_in_two_steps,  // count, then look
    claims_in_two_steps,   // look, then claim
    counts_late,           // the cursor is there before the count
};

/// BasicBatchBarrier once more, with a flaw.
template <Flaw kFlaw>
class FlawedBarrier {
public:
    [[nodiscard]] bool claim() {
        if constexpr (kFlaw == Flaw::claims_in_two_steps) {
            if (is_claimed_.load()) return false;
            is_claimed_.store(true);
            return true;
        }
        return !is_claimed_.exchange(true);
    }
    void reopen() { is_claimed_.store(false); }
    [[nodiscard]] bool is_open() const { return !is_claimed_.load(); }
    void start(std::uint32_t tasks, std::uint32_t units) {
        if constexpr (kFlaw != Flaw::counts_late) unsettled_.store(tasks);
        cursor_.store(units);
        if constexpr (kFlaw == Flaw::counts_late) unsettled_.store(tasks);
    }
    [[nodiscard]] UnitRange take(std::uint32_t /*most*/, std::uint32_t /*workers*/) {
        std::uint64_t left = cursor_.load();
        for (;;) {
            if (left == 0) return {};
            const auto next = static_cast<std::uint32_t>(left - 1);
            if constexpr (kFlaw == Flaw::takes_in_two_steps) {
                cursor_.store(next);
                return {next, next + 1};
            }
            if (cursor_.compare_exchange_weak(left, next)) return {next, next + 1};
        }
    }
    [[nodiscard]] bool settle() {
        if constexpr (kFlaw == Flaw::settles_in_two_steps) {
            unsettled_.fetch_sub(1);
            return unsettled_.load() == 0;
        }
        return unsettled_.fetch_sub(1) == 1;
    }

private:
    ExploredAtomics::Atomic<std::uint64_t> cursor_{0};
    ExploredAtomics::Atomic<std::uint32_t> unsettled_{0};
    ExploredAtomics::Atomic<bool> is_claimed_{false};
};

/// Two workers run two batches, put together by whoever comes first and ended by whoever settles
/// the last unit. What a batch consists of is not atomic: only the barrier keeps it.
template <typename Barrier>
class TwoBatches final : public Case {
public:
    std::vector<Thread> threads() override {
        return {{"one", [this] { work(); }}, {"other", [this] { work(); }}};
    }
    void at_end() override {
        test::expect(ended_ == kBatches && !is_executing_, "a batch is left behind");
    }

private:
    static constexpr std::uint32_t kUnits = 2;
    static constexpr std::uint32_t kBatches = 2;

    /// One that finds nothing leaves: the other one has something at hand then, and goes on.
    void work() {
        for (;;) {
            const UnitRange range = barrier_.take(1, 2);
            if (!range.is_empty())
                run(range);
            else if (!begin())
                return;
        }
    }
    bool begin() {
        if (begun_.load() == kBatches || !barrier_.is_open() || !barrier_.claim()) return false;
        test::expect(!is_executing_, "a batch was put together while one is executed");
        if (begun_.load() == kBatches) {
            barrier_.reopen();
            return false;
        }
        is_executing_ = true;
        runs_ = {};
        begun_.fetch_add(1);
        barrier_.start(kUnits, kUnits);
        return true;
    }
    void run(const UnitRange& range) {
        for (std::uint32_t unit = range.begin; unit < range.end; ++unit) {
            test::expect(is_executing_, "a unit was taken of no batch");
            test::expect(++runs_[unit] == 1, "a unit was taken twice");
            if (!barrier_.settle()) continue;
            for (const unsigned count : runs_)
                test::expect(count == 1, "a batch has ended before its units");
            is_executing_ = false;
            ++ended_;
            barrier_.reopen();
        }
    }

    Barrier barrier_;
    ExploredAtomics::Atomic<std::uint32_t> begun_{0};
    bool is_executing_ = false;
    std::array<unsigned, kUnits> runs_{};
    std::uint32_t ended_ = 0;
};

template <typename Barrier = BasicBatchBarrier<ExploredAtomics>>
MakeCase two_batches() {
    return [] { return std::make_unique<TwoBatches<Barrier>>(); };
}

TEST(BatchBarrier, runs_each_unit_once_and_ends_each_batch_once) {
    expect_holds(explore_bounded(two_batches(), 3));
    expect_holds(explore_randomly(two_batches(), test::announced_seed(), 20'000));
}

TEST(BatchBarrier, a_model_without_flaw_holds) {
    expect_holds(explore_bounded(two_batches<FlawedBarrier<Flaw::none>>(), 3));
}

TEST(BatchBarrier, taking_in_two_steps_is_found) {
    expect_found(explore_bounded(two_batches<FlawedBarrier<Flaw::takes_in_two_steps>>(), 3), "");
}

TEST(BatchBarrier, settling_in_two_steps_is_found) {
    expect_found(explore_bounded(two_batches<FlawedBarrier<Flaw::settles_in_two_steps>>(), 3), "");
}

TEST(BatchBarrier, claiming_in_two_steps_is_found) {
    expect_found(explore_bounded(two_batches<FlawedBarrier<Flaw::claims_in_two_steps>>(), 3), "");
}

TEST(BatchBarrier, counting_late_is_found) {
    expect_found(explore_bounded(two_batches<FlawedBarrier<Flaw::counts_late>>(), 3), "");
}

/// Three workers reserve the same objects, two of them as their first: segments are made once, and
/// the smallest index stays.
class ThreeReserve final : public Case {
public:
    std::vector<Thread> threads() override {
        return {{"one", [this] { reserve(0); }}, {"two", [this] { reserve(1); }}, {"three", [this] {
                                                                                       reserve(2);
                                                                                   }}};
    }
    void at_end() override {
        test::expect(table_.first(0) == 0, "a greater index has won");
        test::expect(table_.first(3) == 0, "a greater index has won in a segment made on the way");
        test::expect(table_.first(1) == Table::kNobody, "somebody has what nobody reserved");
    }

private:
    using Table = BasicReservations<ExploredAtomics, 1>;

    void reserve(std::uint32_t index) {
        table_.reserve(3, index);
        table_.reserve(0, 2 - index);
    }

    Table table_{1};  // as if there had been a batch
};

TEST(Reservations, of_several_workers_are_the_smallest_indexs) {
    expect_holds(explore_bounded([] { return std::make_unique<ThreeReserve>(); }, 2));
}

}  // namespace
}  // namespace heddle::executor
