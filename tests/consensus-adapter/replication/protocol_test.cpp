// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The promises of docs/replication.md, in worlds made of chance.
#include <gtest/gtest.h>

#include "announced_seed.hpp"
#include "protocol_model.hpp"

namespace heddle::consensus_adapter::replication {
namespace {

constexpr int kWorlds = 150;
constexpr int kSteps = 10'000;

struct Outcome {
    std::string violation;
    std::uint64_t shown = 0;
    std::uint64_t promotions = 0;
    std::uint64_t rollbacks = 0;
};

Outcome run_worlds(const ModelOptions& options, std::uint64_t seed) {
    Outcome outcome;
    for (int world = 0; world < kWorlds && outcome.violation.empty(); ++world) {
        ProtocolModel model{options, seed + static_cast<std::uint64_t>(world)};
        for (int step = 0; step < kSteps && model.violation().empty(); ++step)
            model.step();
        if (!model.violation().empty())
            outcome.violation = "world " + std::to_string(world) + ", " + model.violation();
        outcome.shown += model.shown_blocks();
        outcome.promotions += model.promotions();
        outcome.rollbacks += model.rollbacks();
    }
    return outcome;
}

class ProtocolTest : public testing::TestWithParam<ModelOptions> {};

TEST_P(ProtocolTest, nothing_that_was_shown_is_lost_and_nobody_shows_another_block) {
    const Outcome outcome = run_worlds(GetParam(), heddle::test::announced_seed());

    EXPECT_EQ(outcome.violation, "");
    // It was no idle world.
    EXPECT_GT(outcome.shown, kWorlds * 10u);
    EXPECT_GT(outcome.promotions, kWorlds * 2u);
    EXPECT_GT(outcome.rollbacks, kWorlds / 2u);
}
INSTANTIATE_TEST_SUITE_P(Members, ProtocolTest,
                         testing::Values(ModelOptions{2, 1}, ModelOptions{3, 1}, ModelOptions{3, 2},
                                         ModelOptions{4, 1}, ModelOptions{5, 2},
                                         ModelOptions{5, 4}),
                         [](const auto& info) {
                             return "of_" + std::to_string(info.param.members) + "_with_" +
                                    std::to_string(info.param.acks) + "_acknowledgements";
                         });

TEST(ProtocolModel, sees_what_a_forced_promotion_loses) {
    EXPECT_NE(run_worlds({3, 1, true}, heddle::test::announced_seed()).violation, "");
}

}  // namespace
}  // namespace heddle::consensus_adapter::replication
