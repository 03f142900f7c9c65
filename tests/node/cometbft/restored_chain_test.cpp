// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A node that began with a snapshot comes to the same blocks as one that executed all of them, and
// says of what it does not have that it does not have it.
#include <cstdint>
#include <iostream>

#include "bytecode.hpp"
#include "cometbft/owned_validators.hpp"
#include "cometbft/state_sync.hpp"
#include "cometbft/validator_contract.hpp"
#include "history_contract.hpp"
#include "rpc/envelope/json_rpc.hpp"
#include "rpc/methods/all_methods.hpp"
#include "rpc/queries/services.hpp"
#include "temporary_folder.hpp"
#include "test_node.hpp"
#include "validator_calls.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::BlockId;
using consensus_adapter::cometbft::ApplyResult;
using consensus_adapter::cometbft::OfferResult;
using heddle::test::set_validator_call;
using heddle::test::TemporaryFolder;
using test::kHistoryAddress;
using test::TestNode;

const ValidatorContractConfig kValidators{address_from_low64(0x5a), 4};

class RestoredChainTest : public testing::Test {
protected:
    static Genesis genesis(std::uint64_t accounts = 0) {
        Genesis genesis = test::genesis_with_history();
        genesis.alloc.push_back(owned_validators_account(
            kValidators.address, dev_accounts()[1].address, std::vector{validator(1, 10)}));
        for (std::uint64_t i = 0; i < accounts; ++i)
            genesis.alloc.push_back({address_from_low64(0xacc'0000'0000 + i), 0, i + 1, {}, {}});
        return genesis;
    }
    static consensus_adapter::cometbft::Validator validator(std::uint8_t name, std::int64_t power) {
        return {Bytes(32, name), power};
    }
    /// Up to this block, which a snapshot is made of.
    void grow(std::uint64_t last) {
        SnapshotStoreOptions options;
        options.folder = snapshot_folder(folder_ / "first");
        options.interval = last;
        store_.emplace(first_->chain(), options);
        store_->wait_idle();
        while (first_->head().number < last)
            store_->on_committed(first_->decide({test::call(0, nonce_++, kHistoryAddress)}));
        store_->wait_idle();
    }
    void restore() {
        StateSyncOptions options;
        options.ledger.directory = folder_ / "second";
        options.ledger.memory_bytes = std::size_t{64} << 20;
        options.config = first_->chain().config();
        options.validators = kValidators;
        options.genesis_hash = first_->ledger().block_hash(0);
        options.on_restored = [&]() -> std::expected<void, std::string> {
            second_.emplace(folder_ / "second");
            return {};
        };
        StateSync sync(options);
        const auto offers = store_->list();
        ASSERT_EQ(offers.size(), 1u);
        ASSERT_EQ(sync.offer(offers[0], first_->head().hash.view()), OfferResult::accept);
        for (std::uint32_t i = 0; i < offers[0].chunks; ++i) {
            const Bytes chunk = store_->load_chunk(offers[0].height, offers[0].format, i);
            ASSERT_EQ(sync.apply(i, chunk).result, ApplyResult::accept);
        }
        ASSERT_TRUE(second_.has_value());
        ASSERT_EQ(second_->head(), first_->head());
    }
    void go_on_together(int blocks) {
        for (int i = 0; i < blocks; ++i) {
            std::vector<Transaction> transactions{test::call(0, nonce_++, kHistoryAddress)};
            if (i % 3 == 0)
                transactions.push_back(test::call(
                    1, owner_nonce_++, kValidators.address,
                    set_validator_call(validator(static_cast<std::uint8_t>(i + 1), i)), 500'000));
            const BlockId here = first_->decide(transactions);
            const BlockId there = second_->decide(transactions);
            ASSERT_EQ(here, there);
            ASSERT_TRUE(first_->chain().head_block()->receipts.at(0).success);
        }
    }

    static std::string ask(TestNode& node, const std::string& method, const std::string& params) {
        const rpc::Services services{node.chain(), node.mempool(), "heddle/test", {}};
        rpc::MethodTable methods;
        rpc::add_all_methods(methods, services);
        return rpc::Responder(methods).answer(
            R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}", {},
            std::chrono::steady_clock::now() + std::chrono::seconds{120});
    }

    TemporaryFolder folder_;
    std::optional<TestNode> first_;
    std::optional<SnapshotStore> store_;
    std::optional<TestNode> second_;
    std::uint64_t nonce_ = 0;
    std::uint64_t owner_nonce_ = 0;
};

TEST_F(RestoredChainTest, comes_to_the_same_blocks_whatever_they_ask_of_those_before) {
    first_.emplace(folder_ / "first", genesis(), kValidators);
    grow(300);
    restore();

    go_on_together(20);

    const auto here = ValidatorContract(first_->chain(), kValidators).read();
    const auto there = ValidatorContract(second_->chain(), kValidators).read();
    ASSERT_TRUE(here.has_value() && there.has_value());
    EXPECT_EQ(*here, *there);
    EXPECT_EQ(here->size(), 7u);
    EXPECT_EQ(validator_contract_of(second_->ledger()), kValidators);
}

TEST_F(RestoredChainTest, comes_to_the_same_blocks_from_a_young_chain) {
    first_.emplace(folder_ / "first", genesis(), kValidators);
    grow(1);
    restore();

    go_on_together(12);
}

TEST_F(RestoredChainTest, goes_on_after_its_own_restart_and_offers_snapshots_itself) {
    first_.emplace(folder_ / "first", genesis(), kValidators);
    grow(280);
    restore();
    go_on_together(2);
    second_.reset();
    second_.emplace(folder_ / "second");
    go_on_together(2);

    SnapshotStoreOptions options;
    options.folder = snapshot_folder(folder_ / "second");
    options.interval = 1;
    SnapshotStore store(second_->chain(), options);
    store.wait_idle();
    store.on_committed(second_->decide({}));
    store.wait_idle();
    const auto writer = first_->chain().begin_snapshot();
    (void)first_->decide({});
    SnapshotStoreOptions again = options;
    again.folder = folder_ / "again";
    SnapshotStore other(first_->chain(), again);
    other.wait_idle();
    other.on_committed(first_->head());
    other.wait_idle();

    ASSERT_EQ(store.list().size(), 1u);
    ASSERT_EQ(other.list().size(), 1u);
    EXPECT_EQ(store.list()[0].hash, other.list()[0].hash) << "equal chains, equal snapshots";
}

TEST_F(RestoredChainTest, a_hundred_thousand_accounts_are_restored) {
    first_.emplace(folder_ / "first", genesis(100'000), kValidators);
    // Something for the tables to be brought up to.
    for (std::uint64_t block = 0; block < 20; ++block) {
        std::vector<Transaction> transfers;
        for (std::uint64_t i = 0; i < 500; ++i)
            transfers.push_back(test::call(2, 500 * block + i,
                                           address_from_low64(0xacc'0000'0000 + 200 * i + block),
                                           {}, 21'000));
        (void)first_->decide(std::move(transfers));
    }
    grow(24);
    restore();

    go_on_together(3);

    const SnapshotStoreStats stats = store_->stats();
    using Milliseconds = std::chrono::duration<double, std::milli>;
    std::cout << "100,000 accounts: the committing thread waited "
              << Milliseconds(stats.last_begin).count() << " ms, writing took "
              << Milliseconds(stats.last_write).count() << " ms\n";
    EXPECT_EQ(stats.made, 1u);
}

TEST_F(RestoredChainTest, answers_calls_about_ancestors_as_every_node_does) {
    first_.emplace(folder_ / "first", genesis(), kValidators);
    grow(300);
    restore();
    go_on_together(2);

    for (const std::uint64_t distance : {1u, 2u, 3u, 9u, 10u, 200u, 250u, 256u, 257u}) {
        // Init code that returns the hash.
        using namespace vm::test;
        using namespace vm;
        const Bytecode code = push(distance) + OP_NUMBER + OP_SUB + OP_BLOCKHASH + push(0) +
                              OP_MSTORE + push(32) + push(0) + OP_RETURN;
        const std::string params = R"([{"data":")" + to_hex(code.bytes()) + R"("},"latest"])";
        const std::string here = ask(*first_, "eth_call", params);
        EXPECT_EQ(here, ask(*second_, "eth_call", params)) << distance;
        const Hash expected =
            distance <= 256 ? first_->ledger().block_hash(302 - distance) : Hash{};
        EXPECT_NE(here.find(to_string(expected)), std::string::npos) << here;
    }
}

TEST_F(RestoredChainTest, says_of_blocks_below_the_snapshot_that_they_are_not_there) {
    first_.emplace(folder_ / "first", genesis(), kValidators);
    grow(300);
    restore();
    go_on_together(2);
    const auto ask = [&](const std::string& method, const std::string& params) {
        return RestoredChainTest::ask(*second_, method, params);
    };
    const auto is_null = [](const std::string& answer) {
        return answer.find(R"("result":null)") != std::string::npos;
    };
    const auto is_error = [](const std::string& answer) {
        return answer.find(R"("error")") != std::string::npos;
    };

    for (const char* number : {"\"0x1\"", "\"0x20\"", "\"0x100\""}) {
        const std::string block = number;
        EXPECT_TRUE(is_null(ask("eth_getBlockByNumber", "[" + block + ",true]"))) << block;
        EXPECT_TRUE(is_null(ask("eth_getBlockReceipts", "[" + block + "]"))) << block;
        const std::string balance =
            ask("eth_getBalance", "[\"" + to_string(kHistoryAddress) + "\"," + block + "]");
        EXPECT_TRUE(is_error(balance)) << balance;
        const std::string proof =
            ask("eth_getProof", "[\"" + to_string(kHistoryAddress) + "\",[]," + block + "]");
        EXPECT_TRUE(is_error(proof)) << proof;
        const std::string logs =
            ask("eth_getLogs", "[{\"fromBlock\":" + block + ",\"toBlock\":" + block + "}]");
        EXPECT_TRUE(is_error(logs) || logs.find(R"("result":[])") != std::string::npos) << logs;
        const std::string called =
            ask("eth_call", "[{\"to\":\"" + to_string(kHistoryAddress) + "\"}," + block + "]");
        EXPECT_TRUE(is_error(called)) << called;
    }
    for (const char* number : {"\"0x12c\"", "\"latest\"", "\"0x12d\""}) {
        const std::string block = number;
        EXPECT_FALSE(is_error(ask("eth_getBlockByNumber", "[" + block + ",true]")));
        EXPECT_FALSE(is_null(ask("eth_getBlockByNumber", "[" + block + ",true]"))) << block;
        EXPECT_FALSE(is_error(ask(
            "eth_getProof", "[\"" + to_string(kHistoryAddress) + "\",[\"0x1\"]," + block + "]")));
    }
}

}  // namespace
}  // namespace heddle::node
