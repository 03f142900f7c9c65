// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Two nodes under CometBFT, whose part the test takes, on a chain that comes to Amsterdam by its
// time: one proposes, both judge, decide and commit, in the messages of ABCI.
#include <cstdint>
#include <optional>
#include <vector>

#include "abci_fixture.hpp"
#include "building/chain_application_fixture.hpp"
#include "cometbft/transaction_gate.hpp"

namespace heddle::node {
namespace {

namespace abci = consensus_adapter::cometbft::abci;
using consensus_adapter::BlockId;
using consensus_adapter::cometbft::AbciApplication;
using consensus_adapter::cometbft::AbciChain;
using consensus_adapter::cometbft::AbciFixture;
using consensus_adapter::cometbft::AbciHost;
using consensus_adapter::cometbft::AbciServerOptions;
using consensus_adapter::cometbft::ChainStart;
using consensus_adapter::cometbft::SnapshotHost;

constexpr std::uint64_t kSecondsPerBlock = 2;
constexpr std::uint64_t kFirst = 4;  // block of Amsterdam
constexpr std::uint64_t kLast = 7;

/// A node that CometBFT speaks to.
class Validator final : public AbciHost {
public:
    explicit Validator(const Genesis& genesis) : node_(genesis) {
        options_.beneficiary = address_from_low64(0xbe);
    }

    // As AbciHost.
    std::optional<AbciChain> chain() override { return AbciChain{&application_, &gate_, nullptr}; }
    std::expected<void, std::string> begin_chain(const ChainStart& /*start*/) override {
        return {};
    }
    std::uint64_t on_committed(const BlockId& /*block*/) override { return 0; }
    SnapshotHost* snapshots() override { return nullptr; }

    abci::Response ask(const abci::Request& request) {
        abci::Response response;
        EXPECT_EQ(abci_.answer(request, response), std::nullopt);
        EXPECT_FALSE(response.has_exception()) << response.exception().error();
        return response;
    }
    void pool(const Transaction& tx) {
        Bytes encoded;
        encode_transaction(tx, encoded);
        const auto added = node_.mempool().add(encoded, Origin::local);
        ASSERT_TRUE(added.has_value()) << added.error().message;
    }
    std::vector<Bytes> propose(std::int64_t height, std::int64_t seconds) {
        const abci::Response response = ask(AbciFixture::prepare_request(height, seconds));
        std::vector<Bytes> items;
        for (const std::string& item : response.prepare_proposal().txs())
            items.emplace_back(item.begin(), item.end());
        return items;
    }
    bool accepts(std::int64_t height, std::int64_t seconds, const std::vector<Bytes>& items) {
        return ask(AbciFixture::process_request(height, seconds, items))
                   .process_proposal()
                   .status() == 1;
    }
    /// @return the app hash.
    std::string decide(std::int64_t height, std::int64_t seconds, const std::vector<Bytes>& items) {
        const abci::Response response = ask(AbciFixture::finalize_request(height, seconds, items));
        (void)ask(AbciFixture::commit_request());
        return response.finalize_block().app_hash();
    }
    ledger::StoredBlock head() {
        return node_.chain().block(node_.chain().head().header.number).value().value();
    }

private:
    heddle::test::RpcNode node_;
    ChainApplication application_{node_.chain(), node_.mempool(), {}};
    GossipGate gate_{node_.mempool()};
    AbciServerOptions options_;
    AbciApplication abci_{*this, options_};
};

class ForkingComet : public testing::Test {
protected:
    [[nodiscard]] std::int64_t time_of(std::uint64_t height) const {
        return static_cast<std::int64_t>(genesis_.header.timestamp + height * kSecondsPerBlock);
    }
    /// The next block, of what the proposer's pool holds.
    void advance(std::uint64_t number) {
        const auto height = static_cast<std::int64_t>(number);
        const std::vector<Bytes> items = proposer_.propose(height, time_of(number));
        ASSERT_TRUE(proposer_.accepts(height, time_of(number), items));
        ASSERT_TRUE(follower_.accepts(height, time_of(number), items));
        const std::string hash = proposer_.decide(height, time_of(number), items);
        EXPECT_EQ(follower_.decide(height, time_of(number), items), hash);
        EXPECT_EQ(follower_.head().block, proposer_.head().block);
    }

    // One second before the fourth block's.
    const Genesis genesis_ = genesis_before_amsterdam(kFirst * kSecondsPerBlock - 1);
    Validator proposer_{genesis_};
    Validator follower_{genesis_};
};

TEST_F(ForkingComet, all_come_to_amsterdam_with_the_same_block) {
    for (std::uint64_t number = 1; number <= kLast; ++number) {
        SCOPED_TRACE(number);
        proposer_.pool(found(0, number - 1, number));
        proposer_.pool(count(1, number - 1));
        advance(number);

        const ledger::StoredBlock block = follower_.head();
        const bool is_amsterdam = number >= kFirst;
        ASSERT_EQ(block.block.header.number, number);
        EXPECT_EQ(block.block.header.block_access_list_hash.has_value(), is_amsterdam);
        EXPECT_EQ(block.block.header.slot_number.has_value(), is_amsterdam);
        ASSERT_EQ(block.receipts.size(), 2u);
        for (const Receipt& receipt : block.receipts)
            EXPECT_TRUE(receipt.success);
    }
}

// The proposal was made for the last block of Osaka and is decided, rounds later, with the time of
// Amsterdam's first: what is in it stays executable or fails, the same everywhere.
TEST_F(ForkingComet, a_proposal_of_before_the_fork_may_be_decided_after_it) {
    for (std::uint64_t number = 1; number < kFirst - 1; ++number)
        advance(number);
    const auto height = static_cast<std::int64_t>(kFirst - 1);
    proposer_.pool(found(0, 0, 1));
    proposer_.pool(transfer(1, 0, 2));
    const std::vector<Bytes> items = proposer_.propose(height, time_of(kFirst - 1));

    const std::int64_t later = time_of(kFirst);
    const std::string hash = proposer_.decide(height, later, items);

    EXPECT_EQ(follower_.decide(height, later, items), hash);
    EXPECT_TRUE(follower_.head().block.header.block_access_list_hash.has_value());
    EXPECT_EQ(follower_.head().receipts.size(), 2u);
    advance(kFirst);
}

TEST_F(ForkingComet, an_empty_block_may_be_the_first_of_amsterdam) {
    for (std::uint64_t number = 1; number <= kLast; ++number)
        advance(number);
    EXPECT_TRUE(follower_.head().block.header.block_access_list_hash.has_value());
}

}  // namespace
}  // namespace heddle::node
