// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How blocks ran is told by whoever runs them, and being watched changes nothing.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <executor/schedulers.hpp>

#include "building/chain_application_fixture.hpp"
#include "chain/execution_log.hpp"
#include "formats/json.hpp"
#include "rpc/methods/execution_api.hpp"

namespace heddle::node {
namespace {

using testing::HasSubstr;

constexpr std::size_t kSenders = 5;
constexpr std::uint64_t kEach = 4;

/// A chain of one block of counts, which all wait for each other, and transfers, which do not.
struct MadeChain {
    explicit MadeChain(ChainApplicationOptions options)
        : genesis(genesis_with_contracts()),
          node(genesis),
          application(node.chain(), node.mempool(), std::move(options)) {
        for (std::size_t sender = 0; sender < kSenders; ++sender)
            for (std::uint64_t nonce = 0; nonce < kEach; ++nonce)
                add(nonce % 2 == 0 ? count(sender, nonce) : transfer(sender, nonce, sender + 1));
        BlockPlan plan;
        plan.timestamp = node.chain().head().header.timestamp + 1;
        plan.gas_limit = node.chain().head().header.gas_limit;
        plan.beneficiary = address_from_low64(0xfee);
        auto proposal = application.prepare(plan);
        EXPECT_TRUE(proposal.has_value());
        OrderedBlock block;
        block.start.mode = executor::BlockMode::propose;
        block.start.header.timestamp = plan.timestamp;
        block.start.header.beneficiary = plan.beneficiary;
        block.start.header.gas_limit = plan.gas_limit;
        block.transactions = std::move(proposal->transactions);
        block.object_sets = std::move(proposal->object_sets);
        EXPECT_TRUE(application.finalize(std::move(block), Unexecutable::refused).has_value());
        const auto committed = application.commit();
        EXPECT_TRUE(committed.has_value());
        hash = committed->hash;
    }
    void add(const Transaction& tx) {
        Bytes encoded;
        encode_transaction(tx, encoded);
        ASSERT_TRUE(node.mempool().add(encoded, Origin::local).has_value());
    }

    Genesis genesis;
    test::RpcNode node;
    ChainApplication application;
    Hash hash;
};

ChainApplicationOptions options_of(const std::string& scheduler, Builder builder, bool executes,
                                   ExecutionLog* log) {
    ChainApplicationOptions options;
    options.scheduler = scheduler;
    options.builder = builder;
    options.executes_own = executes;
    options.executor.parallel.workers = 2;
    options.executor.parallel.run_chains_inline = false;
    options.executions = log;
    return options;
}

void expect_all_told(const ExecutionLog& log, const Hash& hash, const std::string& who) {
    const auto found = log.find(hash);
    ASSERT_TRUE(found.has_value()) << who;
    EXPECT_EQ(found->figures.transactions, kSenders * kEach) << who;
    EXPECT_GT(found->figures.execution_ns, 0u) << who;
    std::vector<int> finals(kSenders * kEach);
    for (const TransactionRun& run : *found->runs) {
        ASSERT_LT(run.index, finals.size()) << who;
        EXPECT_LE(run.begin_ns, run.end_ns) << who;
        if (run.is_final) ++finals[run.index];
    }
    EXPECT_THAT(finals, testing::Each(1)) << who;
}

TEST(ObservedBlocks, every_scheduler_tells_of_every_transaction_and_makes_the_same_block) {
    for (const std::string& scheduler : executor::scheduler_names()) {
        ExecutionLog log;
        const MadeChain watched{options_of(scheduler, Builder::serial, true, &log)};
        const MadeChain alone{options_of(scheduler, Builder::serial, true, nullptr)};

        EXPECT_EQ(watched.hash, alone.hash) << scheduler;
        expect_all_told(log, watched.hash, scheduler);
    }
}

TEST(ObservedBlocks, both_builders_tell_of_every_transaction_and_make_the_same_block) {
    for (const Builder builder : {Builder::serial, Builder::aria}) {
        const std::string name = builder == Builder::serial ? "serial" : "aria";
        ExecutionLog log;
        const MadeChain watched{options_of("serial", builder, false, &log)};
        const MadeChain alone{options_of("serial", builder, false, nullptr)};

        EXPECT_EQ(watched.hash, alone.hash) << name;
        expect_all_told(log, watched.hash, name);
    }
}

TEST(ObservedBlocks, methods_tell_how_a_block_ran_and_what_orders_it) {
    ExecutionLog log;
    MadeChain chain{options_of("dag", Builder::serial, true, &log)};
    rpc::add_execution_methods(chain.node.methods(), chain.node.services(), &log, {});
    JsonParser parser;

    const std::string ran = chain.node.call("heddle_blockExecution", R"(["0x1"])");
    const JsonView execution = parser.parse(ran, "execution");
    EXPECT_EQ(execution.at("transactions").uint64(), kSenders * kEach);
    EXPECT_EQ(execution.at("hash").hash(), chain.hash);
    EXPECT_GE(execution.at("runs").size(), kSenders * kEach);
    EXPECT_EQ(execution.at("runs").element(0).size(), 6u);

    const std::string ordered = chain.node.call("heddle_blockOrder", R"(["0x1"])");
    const JsonView order = parser.parse(ordered, "order");
    // The counts, each of which adds one to what the one before has left.
    EXPECT_EQ(order.at("criticalPath").size(), kSenders * kEach / 2);
    EXPECT_LT(order.at("criticalGas").uint64(), order.at("totalGas").uint64());
    EXPECT_EQ(order.at("objects").element(0).at("kind").string(), "storage");
    EXPECT_EQ(order.at("objects").element(0).at("address").address(), kCounterAddress);
    EXPECT_EQ(order.at("objects").element(0).at("waiting").uint64(), kSenders * kEach / 2 - 1);

    const std::string history = chain.node.call("heddle_executionHistory", R"(["0x10"])");
    EXPECT_EQ(parser.parse(history, "history").size(), 1u);
    EXPECT_EQ(chain.node.call("heddle_executionHistory", "[16]"), history);
    EXPECT_EQ(chain.node.call("heddle_executionHistory", "[0]"), "[]");
    EXPECT_EQ(chain.node.call("heddle_blockExecution", R"(["0x0"])"), "null");
    EXPECT_EQ(chain.node.call("heddle_blockExecution", R"(["0x99"])"), "null");
    EXPECT_THROW((void)chain.node.call("heddle_blockOrder", R"(["0x99"])"), rpc::RpcError);
    EXPECT_THAT(chain.node.call("heddle_artifacts"), HasSubstr(R"("contracts":[])"));
}

TEST(ObservedBlocks, a_node_that_nobody_watches_says_so) {
    MadeChain chain{options_of("dag", Builder::serial, true, nullptr)};
    rpc::add_execution_methods(chain.node.methods(), chain.node.services(), nullptr, {});

    EXPECT_EQ(chain.node.call("heddle_blockExecution", R"(["0x1"])"), "null");
    EXPECT_EQ(chain.node.call("heddle_executionHistory"), "[]");
    EXPECT_THAT(chain.node.call("heddle_blockOrder", R"(["0x1"])"), HasSubstr("criticalPath"));
}

}  // namespace
}  // namespace heddle::node
