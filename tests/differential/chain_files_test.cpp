// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain_files.hpp"

#include <gtest/gtest.h>

#include "adversarial_chain.hpp"
#include "formats/chain_config_json.hpp"
#include "formats/genesis_json.hpp"
#include "formats/json.hpp"
#include "program.hpp"

namespace heddle::test {
namespace {

AdversarialChain signed_chain(std::uint64_t seed) {
    AdversarialPlan plan;
    plan.seed = seed;
    plan.blocks = 4;
    plan.max_transactions = 20;
    plan.with_flaws = false;
    plan.is_signed = true;
    return make_adversarial_chain(plan);
}

// What geth is given is the chain that was compared, under every fork.
TEST(ChainFiles, are_the_chain_that_was_generated) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(seed);
        const AdversarialChain chain = signed_chain(seed);
        const std::string text = genesis_json(chain.genesis);
        node::JsonParser parser;
        Genesis read = node::parse_genesis(parser.parse(text, "genesis"));
        if (!chain.genesis.config.terminal_total_difficulty) {
            EXPECT_GT(read.config.terminal_total_difficulty, Uint256{1} << 60);
            read.config.terminal_total_difficulty.reset();
        }
        if (!chain.genesis.config.petersburg_block && read.config.petersburg_block) {
            EXPECT_GT(read.config.petersburg_block, std::uint64_t{1} << 60);
            read.config.petersburg_block.reset();
        }
        read.header.state_root = chain.genesis.header.state_root;
        EXPECT_EQ(node::format_chain_config(read.config),
                  node::format_chain_config(chain.genesis.config));
        EXPECT_EQ(read.header, chain.genesis.header);
        EXPECT_EQ(read.alloc.size(), chain.genesis.alloc.size());
    }
}

TEST(ChainFiles, are_read_by_the_program) {
    const TemporaryFolder folder;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const AdversarialChain chain = signed_chain(seed);
        const Bytes blocks = chain_rlp(chain.blocks);
        const auto genesis = folder.write("genesis.json", genesis_json(chain.genesis));
        const auto file = folder.write("chain.rlp", std::string(blocks.begin(), blocks.end()));
        const auto result = run_program({"replay", "--genesis", genesis, file});
        EXPECT_EQ(result.exit_code, 0) << chain.description << ": " << result.error;
        EXPECT_NE(result.out.find(to_string(header_hash(chain.blocks.back().header))),
                  std::string::npos)
            << result.out;
    }
}

}  // namespace
}  // namespace heddle::test
