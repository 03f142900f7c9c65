// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How many blocks the judge of paces takes to find the better of two ways, by how much better it is
// and how long streams are; what noise does to that, and what somebody can do who makes the blocks.
#include <algorithm>
#include <cstdint>
#include <ostream>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "pace_judge_fixture.hpp"

namespace heddle::executor {
namespace {

/// By how much the better way is faster, and blocks of a stream; 0: it does not end.
struct Search {
    double ratio;
    int stream;
    int blocks;  // until it is found, at most

    friend void PrintTo(const Search& search, std::ostream* out) {
        *out << search.ratio << " times as fast, streams of " << search.stream;
    }
};

class PaceJudgeSearch : public PaceJudgeTest, public testing::WithParamInterface<Search> {
public:
    /// Runs blocks, in streams as the parameter has them, until the way changes.
    /// @return how many; `most`: it does not.
    int blocks_until_change(const Load& load, int most) {
        for (int i = 0; i < most; ++i) {
            if (run(1, load).changes != 0) return i;
            end_stream_if_due();
        }
        return most;
    }
    int blocks_until_change(const Times& times, int most) {
        return blocks_until_change([times](int) { return times; }, most);
    }
    /// @return what the blocks took, in milliseconds.
    double time_of(int blocks, const Load& load) {
        const std::uint64_t before = now_ns_;
        for (int i = 0; i < blocks; ++i) {
            run(1, load);
            end_stream_if_due();
        }
        return static_cast<double>(now_ns_ - before) / 1e6;
    }
    /// It takes `alone` for the faster one, after blocks of which that was true.
    void mislead() {
        constexpr int kMany = 1'000;
        ASSERT_LT(blocks_until_change({10, 14, 7.5}, kMany), kMany);
    }

private:
    void end_stream_if_due() {
        if (GetParam().stream == 0 || ++in_stream_ < GetParam().stream) return;
        in_stream_ = 0;
        while (!in_flight_.empty())
            end_oldest(kGas);
        judge_.start();
    }

    int in_stream_ = 0;
};

TEST_P(PaceJudgeSearch, finds_the_one_that_is_tried_first) {
    const int most = GetParam().blocks;
    EXPECT_LT(blocks_until_change({10, 14, 10 / GetParam().ratio}, most + 1), most + 1);
}

TEST_P(PaceJudgeSearch, goes_back_to_the_one_of_before) {
    mislead();
    const int most = GetParam().blocks;
    EXPECT_LT(blocks_until_change({10, 14, 10 * GetParam().ratio}, most + 1), most + 1);
}

/// With a judge and a clock of its own.
class Process final : public PaceJudgeSearch {
private:
    void TestBody() override {}
};

/// Of many processes with noise of a fifth up or down in each block.
TEST_P(PaceJudgeSearch, noise_costs_little) {
    constexpr int kProcesses = 40;
    constexpr int kBlocks = 1'000;
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> noise(0.8, 1.2);
    double ms = 0;
    for (int process = 0; process < kProcesses; ++process) {
        Process other;
        other.mislead();
        const auto load = [&](int) {
            return Times{10 * noise(random), 14 * noise(random),
                         10 * GetParam().ratio * noise(random)};
        };
        ms += other.time_of(kBlocks, load);
    }
    EXPECT_LE(ms, 1.07 * 10 * kBlocks * kProcesses) << "the faster way from the first block on: 1";
}

// Whoever makes every block that is tried can have it stay with a way that is slower for all the
// others. It is then as fast as that way, and no slower.
TEST_P(PaceJudgeSearch, who_makes_all_blocks_gets_no_more_than_one_of_the_ways) {
    mislead();
    constexpr int kBlocks = 4'000;
    double alone = 0;
    const auto load = [&](int) {
        const Times times =
            judge_.is_undecided() ? Times{20, 20, 10} : Times{10, 14, 10 * GetParam().ratio};
        alone += times.alone;
        return times;
    };
    const double ms = time_of(kBlocks, load);
    EXPECT_LE(ms, alone * (1 + 2.0 / PaceJudge::kWorth)) << "of two ways that are tried";
}

/// What is lost is more than noise.
class PaceJudgeBesideOthers : public PaceJudgeSearch {};

// Of whoever makes one block in four, and knows when something is tried.
TEST_P(PaceJudgeBesideOthers, who_makes_some_of_the_blocks_does_not_keep_it_wrong) {
    mislead();
    std::mt19937_64 random(1);
    const Times honest{10, 14, 10 * GetParam().ratio};
    const auto load = [&](int) {
        return random() % 4 == 0 && judge_.is_undecided() ? Times{12, 14, 10} : honest;
    };
    EXPECT_LT(blocks_until_change(load, 2'000), 2'000);
}

INSTANTIATE_TEST_SUITE_P(Ratios, PaceJudgeSearch,
                         testing::Values(Search{1.05, 0, 45}, Search{1.1, 0, 45},
                                         Search{1.2, 0, 45}, Search{1.5, 0, 25},
                                         Search{1.05, 20, 121}, Search{1.1, 20, 121},
                                         Search{1.2, 20, 61}, Search{1.5, 20, 61},
                                         Search{1.05, 5, 66}, Search{1.1, 5, 66},
                                         Search{1.2, 5, 36}, Search{1.5, 5, 36}));

INSTANTIATE_TEST_SUITE_P(Ratios, PaceJudgeBesideOthers,
                         testing::Values(Search{1.2, 0, 0}, Search{1.5, 0, 0}, Search{1.2, 20, 0},
                                         Search{1.5, 20, 0}, Search{1.2, 5, 0}, Search{1.5, 5, 0}));

}  // namespace
}  // namespace heddle::executor
