// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How a merged block becomes blocks of the chain: what goes into which, and that who begins anew in
// the middle goes on as who did not.
#include "lanes/merged_chain.hpp"

#include <array>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "../../consensus-adapter/lanes/entry_maker.hpp"
#include "../cometbft/test_node.hpp"
#include "announced_seed.hpp"
#include "chain/dev_chain.hpp"
#include "temporary_folder.hpp"

namespace heddle::node::lanes {
namespace {

namespace homes = consensus_adapter::lanes;
using homes::MergedBlock;
using homes::OrderedEntry;

constexpr std::size_t kLanes = 3;

/// JUMPDEST PUSH0 JUMP: runs until the gas is gone.
constexpr std::array<std::uint8_t, 3> kBurner{0x5b, 0x5f, 0x56};
const Address kBurnerAddress = address_from_low64(0xb0);
const Address kDepositsAddress = address_from_low64(0xde);

/// Logs a DepositEvent without data, which no block may have (EIP-6110), when little gas is left:
/// JUMPDEST PUSH2 20,000 GAS GT PUSH0 JUMPI, then PUSH32 PUSH0 PUSH0 LOG1.
Bytes malformed_deposits() {
    Bytes code{0x5b, 0x61, 0x4e, 0x20, 0x5a, 0x11, 0x5f, 0x57, 0x7f};
    const Hash event =
        *hash_from_hex("0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5");
    code.insert(code.end(), event.bytes.begin(), event.bytes.end());
    code.insert(code.end(), {0x5f, 0x5f, 0xa1, 0x00});
    return code;
}

Genesis genesis_with(std::uint64_t gas_limit) {
    Genesis genesis = dev_genesis(Revision::osaka);
    genesis.header.gas_limit = gas_limit;
    genesis.alloc.push_back({kBurnerAddress, 1, {}, {kBurner.begin(), kBurner.end()}, {}});
    genesis.config.deposit_contract_address = kDepositsAddress;
    genesis.alloc.push_back({kDepositsAddress, 1, {}, malformed_deposits(), {}});
    return genesis;
}

/// Fails from the given block on, as if the process had ended, and counts what is executed.
class EndingApplication final : public consensus_adapter::Application {
public:
    EndingApplication(Application& inner, std::uint64_t last) : inner_(inner), last_(last) {}
    [[nodiscard]] unsigned executions() const noexcept { return executions_; }
    [[nodiscard]] consensus_adapter::Committed committed() const override {
        return inner_.committed();
    }
    [[nodiscard]] std::expected<consensus_adapter::Proposal, BlockError> prepare(
        const consensus_adapter::BlockPlan& plan) override {
        return inner_.prepare(plan);
    }
    [[nodiscard]] std::expected<void, consensus_adapter::ProposalError> process(
        const consensus_adapter::BlockPlan& plan, consensus_adapter::Proposal& proposal) override {
        return inner_.process(plan, proposal);
    }
    [[nodiscard]] std::expected<consensus_adapter::FinalizedBlock, BlockError> finalize(
        consensus_adapter::OrderedBlock block,
        consensus_adapter::Unexecutable unexecutable) override {
        ++executions_;
        if (committed().head.number >= last_) return std::unexpected(BlockError{});
        return inner_.finalize(std::move(block), unexecutable);
    }
    [[nodiscard]] std::expected<consensus_adapter::BlockId, BlockError> commit() override {
        return inner_.commit();
    }

private:
    Application& inner_;
    const std::uint64_t last_;
    unsigned executions_ = 0;
};

class MergedChainTest : public testing::Test {
protected:
    static constexpr std::uint64_t kGasLimit = 1'000'000;

    static MergedChainRules rules() { return {homes::make_even_ranges(kLanes), {}}; }
    static OrderedEntry ordered(const Transaction& tx) {
        static std::uint64_t id = 0;
        const homes::RangeDirectory directory{homes::make_even_ranges(kLanes)};
        Transaction known = tx;
        known.sender = recover_sender(tx);
        homes::Entry entry = homes::test::make_entry(
            homes::place(directory, homes::test::transfer_objects(known)), known, ++id);
        return {std::move(entry.placement), entry.digest, std::move(entry.payload)};
    }
    static MergedBlock merged(std::uint64_t number, const std::vector<Transaction>& transactions) {
        MergedBlock block;
        block.number = number;
        block.time_ms = 1'000 * (2'000'000'000 + number);
        block.cut.heights.assign(kLanes, number);
        for (const Transaction& tx : transactions)
            block.order.push_back(ordered(tx));
        return block;
    }
    /// Of somebody who owns nothing.
    static Transaction unpaid(std::uint64_t nonce, std::uint64_t gas_limit) {
        Transaction tx = homes::test::unsigned_transfer(nonce, dev_accounts()[0].address);
        tx.gas_limit = gas_limit;
        return homes::test::signed_with(tx, homes::test::secret_of(200));
    }
    static std::vector<std::size_t> sizes(const Chain& chain) {
        std::vector<std::size_t> result;
        for (std::uint64_t i = 1; i <= chain.head().header.number; ++i)
            result.push_back(chain.block(i).value()->block.transactions.size());
        return result;
    }

    const heddle::test::TemporaryFolder folder_;
};

TEST_F(MergedChainTest, makes_no_blocks_of_what_nobody_can_pay_for) {
    test::TestNode node(folder_ / "data", genesis_with(kGasLimit));
    MergedChain chain(node.chain(), node.application(), rules());
    std::vector<Transaction> transactions;
    for (std::uint64_t nonce = 0; nonce < 50; ++nonce)
        transactions.push_back(unpaid(nonce, kGasLimit));
    transactions.push_back(test::call(0, 0, dev_accounts()[1].address, {}, 21'000));

    ASSERT_TRUE(chain.execute(merged(1, transactions)).has_value());

    EXPECT_EQ(sizes(node.chain()), std::vector<std::size_t>{1});
    EXPECT_EQ(chain.report().left_out, 50u);
}

TEST_F(MergedChainTest, makes_no_blocks_of_gas_that_is_asked_for_and_not_used) {
    test::TestNode node(folder_ / "data", genesis_with(kGasLimit));
    MergedChain chain(node.chain(), node.application(), rules());
    std::vector<Transaction> transactions;
    for (std::uint64_t nonce = 0; nonce < 12; ++nonce)
        transactions.push_back(
            test::call(0, nonce, dev_accounts()[1].address, {}, kGasLimit - 300'000));

    ASSERT_TRUE(chain.execute(merged(1, transactions)).has_value());

    EXPECT_EQ(sizes(node.chain()), std::vector<std::size_t>{12});
}

TEST_F(MergedChainTest, cuts_where_the_gas_is_used) {
    test::TestNode node(folder_ / "data", genesis_with(kGasLimit));
    MergedChain chain(node.chain(), node.application(), rules());
    std::vector<Transaction> transactions;
    for (std::uint64_t nonce = 0; nonce < 7; ++nonce)
        transactions.push_back(test::call(0, nonce, kBurnerAddress, {}, 300'000));

    ASSERT_TRUE(chain.execute(merged(1, transactions)).has_value());

    EXPECT_EQ(sizes(node.chain()), (std::vector<std::size_t>{3, 3, 1}));
}

TEST_F(MergedChainTest, loses_nothing_to_the_bytes_of_a_block) {
    test::TestNode node(folder_ / "data", genesis_with(300'000'000));
    MergedChain chain(node.chain(), node.application(), rules());
    std::vector<Transaction> transactions;
    for (std::uint64_t nonce = 0; nonce < 100; ++nonce)  // 12.8 MB; a block has room for 8 MiB
        transactions.push_back(
            test::call(0, nonce, dev_accounts()[1].address, Bytes(128'000), 1'310'000));

    ASSERT_TRUE(chain.execute(merged(1, transactions)).has_value());

    EXPECT_EQ(sizes(node.chain()), (std::vector<std::size_t>{65, 35}));
    EXPECT_EQ(chain.report().left_out, 0u);
}

TEST_F(MergedChainTest, loses_nothing_to_what_no_block_may_have) {
    test::TestNode node(folder_ / "data", genesis_with(kGasLimit));
    MergedChain chain(node.chain(), node.application(), rules());
    std::vector<Transaction> transactions;
    // Each takes all of a block's gas, and nobody pays for it: in parts of their own, and, as they
    // ask for less, several in a part.
    transactions.push_back(test::call(1, 0, kDepositsAddress, {}, kGasLimit));
    for (std::uint64_t nonce = 0; nonce < 10; ++nonce) {
        transactions.push_back(test::call(0, nonce, dev_accounts()[1].address, {}, 100'000));
        if (nonce == 3)
            transactions.push_back(test::call(2, 0, kDepositsAddress, {}, 2 * kGasLimit / 3));
        if (nonce == 4)
            transactions.push_back(test::call(3, 0, kDepositsAddress, {}, 2 * kGasLimit / 3));
    }

    ASSERT_TRUE(chain.execute(merged(1, transactions)).has_value());

    EXPECT_EQ(sizes(node.chain()), std::vector<std::size_t>{10});
    EXPECT_EQ(chain.report().left_out, 3u);
}

TEST_F(MergedChainTest, executes_a_bounded_number_of_what_no_block_may_have) {
    test::TestNode node(folder_ / "data", genesis_with(kGasLimit));
    EndingApplication counting(node.application(), 1);
    MergedChain chain(node.chain(), counting, rules());
    std::vector<Transaction> transactions;
    for (std::uint64_t i = 0; i < 200; ++i)  // no two are the same
        transactions.push_back(test::call(i % 10, 0, kDepositsAddress, {}, kGasLimit - i));
    transactions.push_back(test::call(0, 0, dev_accounts()[1].address, {}, 21'000));

    ASSERT_TRUE(chain.execute(merged(1, transactions)).has_value());

    EXPECT_EQ(node.head().number, 1u);
    EXPECT_EQ(chain.report().left_out + chain.report().transactions, 201u);
    // One for each number of parts (1, 2, 3, 5, 8, 12, 18, 27, 41, 62, 93, 140, 200), and those
    // that are once more.
    EXPECT_LE(counting.executions(), 13u + kMostRepeats);
}

/// Merged blocks of all kinds of transactions, some of which are there twice or come too early.
std::vector<std::vector<Transaction>> random_orders(std::mt19937_64& random,
                                                    std::uint64_t gas_limit) {
    const auto below = [&random](std::uint64_t bound) { return random() % bound; };
    std::array<std::uint64_t, 10> nonces{};
    std::vector<std::vector<Transaction>> orders;
    for (std::size_t block = 0; block < 3; ++block) {
        std::vector<Transaction>& order = orders.emplace_back();
        const std::uint64_t count = 20 + below(20);
        while (order.size() < count) {
            const std::size_t from = below(nonces.size());
            const std::uint64_t kind = below(9);
            if (kind == 8) {
                order.push_back(test::call(from, nonces[from], kDepositsAddress, {},
                                           30'000 + below(gas_limit)));
            } else if (kind == 0) {
                order.push_back(homes::test::signed_with(
                    homes::test::unsigned_transfer(below(3), dev_accounts()[0].address),
                    homes::test::secret_of(200)));
            } else if (kind == 1) {
                if (!order.empty()) order.push_back(order[below(order.size())]);
            } else if (kind == 2) {
                order.push_back(test::call(from, nonces[from] + 1, kBurnerAddress, {}, 50'000));
            } else if (kind < 6) {
                order.push_back(test::call(from, nonces[from]++, kBurnerAddress, {},
                                           100'000 + below(gas_limit / 4)));
            } else {
                order.push_back(test::call(from, nonces[from]++, dev_accounts()[5].address, {},
                                           21'000 + below(gas_limit / 2)));
            }
        }
    }
    return orders;
}

TEST_F(MergedChainTest, goes_on_as_others_wherever_it_ended) {
    std::mt19937_64 random(heddle::test::announced_seed());
    const auto orders = random_orders(random, kGasLimit);
    std::vector<MergedBlock> blocks;
    for (std::size_t i = 0; i < orders.size(); ++i)
        blocks.push_back(merged(i + 1, orders[i]));
    test::TestNode whole(folder_ / "whole", genesis_with(kGasLimit));
    {
        MergedChain chain(whole.chain(), whole.application(), rules());
        for (const MergedBlock& block : blocks)
            ASSERT_TRUE(chain.execute(block).has_value());
        // Who has all blocks already finds them to be those.
        MergedChain again(whole.chain(), whole.application(), rules());
        for (const MergedBlock& block : blocks)
            ASSERT_TRUE(again.execute(block).has_value());
        EXPECT_EQ(again.last_block(), whole.head().number);
    }
    ASSERT_GT(whole.head().number, blocks.size());

    const std::uint64_t step = 1 + whole.head().number / 8;
    for (std::uint64_t end = random() % step; end < whole.head().number; end += step) {
        test::TestNode node(folder_ / std::to_string(end), genesis_with(kGasLimit));
        EndingApplication ending(node.application(), end);
        MergedChain first(node.chain(), ending, rules());
        for (const MergedBlock& block : blocks)
            if (!first.execute(block).has_value()) break;
        ASSERT_EQ(node.head().number, end);
        MergedChain second(node.chain(), node.application(), rules());
        for (const MergedBlock& block : blocks)
            ASSERT_TRUE(second.execute(block).has_value());
        EXPECT_EQ(node.head().hash, whole.head().hash) << "it had ended after block " << end;
    }
}

}  // namespace
}  // namespace heddle::node::lanes
