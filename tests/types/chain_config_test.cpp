// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/chain_config.hpp>

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(ChainConfig, mainnet_forks_by_number_until_the_merge) {
    const ChainConfig& config = mainnet_config();
    struct Step {
        std::uint64_t first;
        Revision revision;
    };
    for (const Step& step :
         {Step{1'150'000, Revision::homestead}, Step{2'463'000, Revision::tangerine_whistle},
          Step{2'675'000, Revision::spurious_dragon}, Step{4'370'000, Revision::byzantium},
          Step{7'280'000, Revision::petersburg}, Step{9'069'000, Revision::istanbul},
          Step{12'244'000, Revision::berlin}, Step{12'965'000, Revision::london}}) {
        EXPECT_EQ(config.revision(step.first, 0, false), step.revision);
        EXPECT_LT(config.revision(step.first - 1, 0, false), step.revision);
    }
    EXPECT_EQ(config.revision(0, 0, false), Revision::frontier);
    // Time means nothing before the merge.
    EXPECT_EQ(config.revision(15'537'393, 2'000'000'000, false), Revision::london);
}

TEST(ChainConfig, mainnet_forks_by_time_after_the_merge) {
    const ChainConfig& config = mainnet_config();
    struct Step {
        std::uint64_t first;
        Revision revision;
    };
    for (const Step& step :
         {Step{1'681'338'455, Revision::shanghai}, Step{1'710'338'135, Revision::cancun},
          Step{1'746'612'311, Revision::prague}, Step{1'764'798'551, Revision::osaka}}) {
        EXPECT_EQ(config.revision(20'000'000, step.first, true), step.revision);
        EXPECT_LT(config.revision(20'000'000, step.first - 1, true), step.revision);
    }
    EXPECT_EQ(config.revision(15'537'394, 1'663'224'179, true), Revision::paris);
}

TEST(ChainConfig, blob_schedule_follows_forks_and_blob_parameter_forks) {
    const ChainConfig& config = mainnet_config();
    const auto max_at = [&](std::uint64_t time) { return config.blob_parameters(time)->max; };

    EXPECT_EQ(config.blob_parameters(1'710'338'134), nullptr);
    EXPECT_EQ(max_at(1'710'338'135), 6u);
    EXPECT_EQ(max_at(1'746'612'310), 6u);
    EXPECT_EQ(max_at(1'746'612'311), 9u);
    EXPECT_EQ(max_at(1'764'798'551), 9u);
    EXPECT_EQ(max_at(1'765'290'070), 9u);
    EXPECT_EQ(max_at(1'765'290'071), 15u);
    EXPECT_EQ(max_at(1'767'747'671), 21u);
    EXPECT_EQ(max_at(~std::uint64_t{0}), 21u);
}

TEST(ChainConfig, sepolia_starts_at_london) {
    const ChainConfig& config = sepolia_config();

    EXPECT_EQ(config.chain_id, 11'155'111u);
    EXPECT_EQ(config.revision(0, 0, false), Revision::london);
    EXPECT_EQ(config.revision(1'450'409, 1'657'000'000, true), Revision::paris);
    EXPECT_EQ(config.revision(9'000'000, 1'760'427'360, true), Revision::osaka);
    EXPECT_EQ(config.blob_parameters(1'761'607'008)->target, 14u);
}

TEST(ChainConfig, merge_needs_the_known_total_difficulty) {
    EXPECT_EQ(mainnet_config().terminal_total_difficulty,
              uint256_from_string("58750000000000000000000"));
    EXPECT_EQ(mainnet_config().merge_block, 15'537'394u);
    EXPECT_EQ(sepolia_config().terminal_total_difficulty, Uint256{17'000'000'000'000'000});
}

TEST(ChainConfig, forks_that_never_activate_leave_the_one_before) {
    ChainConfig config;
    EXPECT_EQ(config.revision(~std::uint64_t{0}, ~std::uint64_t{0}, false), Revision::frontier);
    EXPECT_EQ(config.revision(~std::uint64_t{0}, ~std::uint64_t{0}, true), Revision::paris);
    EXPECT_EQ(config.blob_parameters(~std::uint64_t{0}), nullptr);

    config.constantinople_block = 5;
    EXPECT_EQ(config.revision(5, 0, false), Revision::constantinople);
    config.cancun_time = 0;
    EXPECT_EQ(config.revision(5, 0, true), Revision::cancun);
    EXPECT_EQ(config.blob_parameters(0), nullptr);
}

}  // namespace
}  // namespace heddle
