// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The contracts in C++ do what those in Solidity do, whoever schedules them.
#include <workload/native_contracts.hpp>

#include <map>

#include <gtest/gtest.h>

#include <executor/schedulers.hpp>
#include <ledger/memory_ledger.hpp>
#include <types/block_error.hpp>
#include <types/transaction_error.hpp>
#include <vm/native_code.hpp>
#include <workload/keys.hpp>
#include <workload/random.hpp>
#include <workload/scenario.hpp>
#include <workload/world.hpp>

#include "announced_seed.hpp"
#include "benchmark/chains.hpp"
#include "benchmark/native_cache.hpp"
#include "benchmark/runner.hpp"
#include "building/chain_maker.hpp"
#include "program/error.hpp"

namespace heddle::node::benchmark {
namespace {

using workload::parse_scenario;
using workload::Random;

constexpr const char* kTexts[] = {
    "ycsb:records=60",
    "ycsb:records=2000,reads=0,hot-keys=7,length=20",
    "ycsb:records=200,skew=0.99,stragglers=0.1,straggler-length=200,group=4",
    "tpcc:warehouses=1",
    "tpcc:warehouses=3,remote-orders=0.5,remote-payments=0.5",
    "tpcc:warehouses=2,split=1",
};

std::uint64_t test_seed() {
    return heddle::test::announced_seed(20260101);
}
std::string native(std::string_view text) {
    return std::string{text} + ",native=1";
}
Chain make(const std::string& text, std::uint64_t seed, std::uint32_t txs = 40) {
    return make_chain(*parse_scenario(text), {.blocks = 3, .transactions = txs, .seed = seed});
}

/// A world that runs one transaction after the other, in bytecode or in C++.
class World {
public:
    World(const std::string& text, std::uint64_t seed, std::uint32_t txs)
        : source_(make_scenario(*parse_scenario(text), {.seed = seed, .transactions = txs})),
          genesis_(workload::make_genesis(source_->take_alloc(), {.seed = seed}, kGasLimit)),
          maker_(genesis_, make_code_cache(workload::native_contracts())) {}

    [[nodiscard]] workload::ScenarioSource& source() { return *source_; }
    /// A block of this one transaction. @return its receipt.
    Receipt run(Transaction tx) {
        BlockPlan plan;
        plan.timestamp = workload::kGenesisTimestamp + 12 * (maker_.head().number + 1);
        EXPECT_TRUE(maker_.begin_block(std::move(plan)).has_value());
        const auto added = maker_.add(std::move(tx));
        EXPECT_TRUE(added.has_value()) << to_string(added.error());
        EXPECT_TRUE(maker_.seal().has_value());
        return maker_.receipts().front();
    }
    [[nodiscard]] std::map<Uint256, Uint256> storage(const Address& contract) const {
        std::map<Uint256, Uint256> slots;
        static_cast<const ledger::MemoryState&>(maker_.state())
            .for_each_slot(contract, [&](const Uint256& slot, const Uint256& value) {
                slots.emplace(slot, value);
            });
        return slots;
    }

private:
    static constexpr std::uint64_t kGasLimit = 1'000'000'000;

    std::unique_ptr<workload::ScenarioSource> source_;
    Genesis genesis_;
    ChainMaker maker_;
};

/// Something that may be wrong with the call.
void damage(Transaction& tx, Random& random) {
    // The value is drawn after its place, whatever order a compiler has for arguments.
    const std::uint32_t way = random.below(8);
    const std::size_t index = way >= 2 && way <= 4 ? random.below(8) : 0;
    const auto put_word = [&](const Uint256& value) {
        if (tx.data.size() >= 4 + 32 * (index + 1))
            store_be(value, tx.data.data() + 4 + 32 * index);
    };
    switch (way) {
        case 0:
            tx.data.resize(random.below(static_cast<std::uint32_t>(tx.data.size()) + 1));
            break;
        case 1:
            tx.data[random.below(4)] ^= 1;  // another selector
            break;
        case 2:
            put_word(Uint256{} - Uint256{1 + random.below(3)});
            break;
        case 3:
            put_word(Uint256{1} << (8 * random.below(32)));
            break;
        case 4:
            put_word(random.below(5));
            break;
        case 5:
            tx.value = 1;
            break;
        case 6: {
            const auto at = random.below(static_cast<std::uint32_t>(tx.data.size()));
            tx.data[at] = static_cast<std::uint8_t>(random.below(256));
            break;
        }
        default:
            tx.data.push_back(1);
    }
}

TEST(NativeContracts, leave_what_bytecode_leaves_whatever_they_are_called_with) {
    const std::uint64_t seed = test_seed();
    constexpr std::uint32_t kTransactions = 250;
    std::uint64_t reverted = 0;
    std::uint64_t damaged = 0;
    for (const char* text : kTexts) {
        World bytecode(text, seed, kTransactions);
        World cpp(native(text), seed, kTransactions);
        Random random(seed);
        Address contract;
        for (std::uint32_t i = 0; i < kTransactions; ++i) {
            Transaction tx = bytecode.source().next(Uint256{1'000'000'000}, 0);
            contract = *tx.to;
            // Neither runs out of gas; that differs.
            tx.gas_limit = 16'000'000;
            if (i % 3 == 2) {
                damage(tx, random);
                ++damaged;
            }
            workload::sign(tx, workload::derive_key(seed, "sender", i));

            const Receipt expected = bytecode.run(tx);
            const Receipt receipt = cpp.run(tx);

            ASSERT_EQ(receipt.success, expected.success)
                << text << ", seed " << seed << ", transaction " << i << ": " << to_hex(tx.data);
            ASSERT_EQ(receipt.logs, expected.logs)
                << text << ", seed " << seed << ", transaction " << i << ": " << to_hex(tx.data);
            if (!expected.success) ++reverted;
        }
        EXPECT_EQ(cpp.storage(contract), bytecode.storage(contract)) << text << ", seed " << seed;
        EXPECT_FALSE(bytecode.storage(contract).empty());
    }
    EXPECT_GT(reverted, damaged / 8);
    EXPECT_LT(reverted, damaged);
}

TEST(NativeContracts, touch_what_bytecode_touches_and_take_less_gas) {
    for (const char* text : kTexts) {
        const Chain bytecode = make(text, 5);
        const Chain cpp = make(native(text), 5);
        EXPECT_EQ(cpp.object_sets, bytecode.object_sets) << text;
        for (std::size_t i = 0; i < cpp.blocks.size(); ++i) {
            EXPECT_LT(cpp.blocks[i].header.gas_used, bytecode.blocks[i].header.gas_used) << text;
            EXPECT_NE(cpp.access_lists[i], Bytes{}) << text;
        }
    }
}

/// What the ledger, which computes every state root, has for head after the chain's blocks.
Hash run(const Chain& chain, const std::string& scheduler, executor::ParallelOptions parallel,
         bool has_sets) {
    ledger::MemoryLedger ledger;
    ledger.initialize(chain.genesis);
    executor::Options options;
    options.code_cache = make_code_cache(workload::native_contracts());
    options.parallel = parallel;
    options.parallel.may_outnumber_processors = true;
    const auto executor = executor::make_executor(scheduler, std::move(options));
    executor->start({chain.genesis.config, ledger.state(), ledger, ledger},
                    executor::make_chain_head(chain.first));
    for (std::size_t i = 0; i < chain.blocks.size(); ++i) {
        auto block = executor::make_ordered_block(chain.blocks[i]);
        if (has_sets) block.object_sets = chain.object_sets[i];
        block.start.access_list = has_sets ? Bytes{} : chain.access_lists[i];
        const auto taken = executor::run(*executor, std::move(block));
        if (!taken) ADD_FAILURE() << to_string(taken.error());
    }
    const auto summary = executor->drain();
    if (!summary) ADD_FAILURE() << to_string(summary.error());
    return ledger.head().hash;
}

TEST(NativeContracts, give_the_serial_result_with_every_scheduler_and_number_of_workers) {
    const std::uint64_t seed = test_seed();
    for (const char* text : kTexts) {
        const Chain chain = make(native(text), seed);
        const Hash expected = header_hash(chain.blocks.back().header);
        ASSERT_EQ(run(chain, "serial", {}, false), expected) << text;
        for (const std::string& scheduler : executor::scheduler_names())
            for (const unsigned workers : {1u, 2u, 4u, 8u})
                for (const bool has_delays : {false, true}) {
                    executor::ParallelOptions parallel;
                    parallel.workers = workers;
                    parallel.run_chains_inline = false;
                    parallel.delay_seed = has_delays ? seed + workers : 0;
                    EXPECT_EQ(run(chain, scheduler, parallel, has_delays), expected)
                        << text << ", seed " << seed << ", " << scheduler << ", " << workers;
                }
    }
}

TEST(NativeContracts, do_not_run_for_whoever_does_not_know_them) {
    const Chain chain = make("tpcc:native=1", 3);
    Runner stranger({"serial", "serial", 1, executor::Knowledge::declared}, false);
    EXPECT_THROW((void)stranger.run(make_subject(Chain(chain))), InputError);
}

}  // namespace
}  // namespace heddle::node::benchmark
