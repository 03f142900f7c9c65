// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Validators under CometBFT, whose part the test takes, in the messages of ABCI: what comes to each
// of them is recorded, and runs again without it.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "abci_fixture.hpp"
#include "cometbft/transaction_gate.hpp"
#include "program.hpp"

#include "recorded_node.hpp"

namespace heddle::node {
namespace {

namespace abci = consensus_adapter::cometbft::abci;
namespace fs = std::filesystem;
using consensus_adapter::BlockId;
using consensus_adapter::cometbft::AbciApplication;
using consensus_adapter::cometbft::AbciChain;
using consensus_adapter::cometbft::AbciFixture;
using consensus_adapter::cometbft::AbciHost;
using consensus_adapter::cometbft::AbciServerOptions;
using consensus_adapter::cometbft::ChainStart;
using consensus_adapter::cometbft::SnapshotHost;

class RecordedValidator final : public AbciHost {
public:
    RecordedValidator(const fs::path& folder, const Genesis& genesis, bool proposes_lists)
        : node_(folder, genesis) {
        options_.beneficiary = address_from_low64(0xbe);
        options_.proposes_lists = proposes_lists;
    }

    // As AbciHost.
    std::optional<AbciChain> chain() override {
        return AbciChain{&node_.engine(), &gate_, nullptr};
    }
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
    /// @return the code of the answer.
    std::uint32_t check(BytesView tx, bool is_recheck = false) {
        abci::Request request;
        request.mutable_check_tx()->set_tx(consensus_adapter::cometbft::as_field(tx));
        request.mutable_check_tx()->set_type(is_recheck ? 1 : 0);
        return ask(request).check_tx().code();
    }
    std::vector<Bytes> propose(std::int64_t height, std::int64_t seconds) {
        std::vector<Bytes> items;
        const abci::Response response = ask(AbciFixture::prepare_request(height, seconds));
        for (const std::string& item : response.prepare_proposal().txs())
            items.emplace_back(item.begin(), item.end());
        return items;
    }
    bool accepts(std::int64_t height, std::int64_t seconds, const std::vector<Bytes>& items,
                 const std::string& hash) {
        return ask(AbciFixture::process_request(height, seconds, items, hash))
                   .process_proposal()
                   .status() == 1;
    }
    std::string decide(std::int64_t height, std::int64_t seconds, const std::vector<Bytes>& items,
                       const std::string& hash) {
        const std::string app_hash =
            ask(AbciFixture::finalize_request(height, seconds, items, hash))
                .finalize_block()
                .app_hash();
        (void)ask(AbciFixture::commit_request());
        return app_hash;
    }
    BlockId head() {
        const ledger::StoredHeader head = node_.chain().head();
        return {head.header.number, head.hash};
    }

private:
    RecordedNode node_;
    GossipGate gate_{node_.mempool()};
    AbciServerOptions options_;
    AbciApplication abci_{*this, options_};
};

/// A network of two, on a chain that comes to Amsterdam meanwhile, where access lists are decided.
class RecordedValidatorsTest : public testing::Test {
protected:
    static constexpr std::uint64_t kBlocks = 14;
    static constexpr std::uint64_t kSecondsPerBlock = 2;

    [[nodiscard]] fs::path home(int validator) const {
        return folder_.path() / ("validator" + std::to_string(validator));
    }
    void start(bool proposes_lists) {
        for (int i = 0; i < 2; ++i)
            validators_[i] = std::make_unique<RecordedValidator>(home(i), genesis_, proposes_lists);
    }
    /// Gossip: not everything comes to everybody at once, and some of it is nothing.
    void gossip() {
        for (int i = 0; i < 2; ++i) {
            for (const Bytes& encoded : late_[i])
                (void)validators_[i]->check(encoded);
            late_[i].clear();
        }
        for (int i = 0; i < 6; ++i) {
            const std::size_t from = random_() % 3;
            const std::uint64_t nonce = nonces_[from]++;
            Bytes encoded;
            encode_transaction(random_() % 2 == 0 ? transfer(from, nonce, 5) : count(from, nonce),
                               encoded);
            for (int to = 0; to < 2; ++to)
                if (random_() % 4 != 0)
                    (void)validators_[to]->check(encoded);
                else
                    late_[to].push_back(encoded);
            (void)validators_[0]->check(encoded, true);
        }
        (void)validators_[1]->check(Bytes{0xc0});
    }
    /// What somebody proposes who is not honest: things that cannot be executed, and no sets.
    std::vector<Bytes> bad_list(const std::vector<Bytes>& honest) {
        std::vector<Bytes> items = honest;
        Bytes encoded;
        encode_transaction(transfer(4, 1'000'000, 5), encoded);
        items.push_back(encoded);
        return items;
    }
    void advance(std::uint64_t number) {
        const auto height = static_cast<std::int64_t>(number);
        const auto seconds =
            static_cast<std::int64_t>(genesis_.header.timestamp + number * kSecondsPerBlock);
        gossip();
        RecordedValidator& proposer = *validators_[number % 2];
        std::vector<Bytes> items = proposer.propose(height, seconds);
        const bool has_bad_list = number % 5 == 0 && !items.empty();
        if (has_bad_list) items = bad_list(items);
        if (number % 3 == 0) {  // a round that came to nothing, and one that is refused
            (void)proposer.accepts(height, seconds - 1, items, "first");
            EXPECT_FALSE(proposer.accepts(height, seconds, {Bytes{0x05, 0xff}}, "nonsense"));
        }
        for (auto& validator : validators_)
            if (number % 4 != 0) (void)validator->accepts(height, seconds, items, "second");
        const std::string hash = validators_[0]->decide(height, seconds, items, "second");
        EXPECT_EQ(validators_[1]->decide(height, seconds, items, "second"), hash);
    }
    void run_again() {
        for (int i = 0; i < 2; ++i) {
            const BlockId head = validators_[i]->head();
            validators_[i].reset();
            for (const char* const scheduler : {"", "serial", "dag", "auto"})
                for (const unsigned workers : {1U, 4U}) {
                    SCOPED_TRACE(std::string{scheduler} + " on " + std::to_string(workers));
                    RerunOptions options;
                    options.workers = workers;
                    if (*scheduler != '\0') options.scheduler = scheduler;
                    const RerunResult result = rerun_recording(
                        home(i) / "recording", folder_.path() / std::to_string(++fresh_), genesis_,
                        options);
                    EXPECT_EQ(result.report.differences, 0u)
                        << to_string(result.report.first.value_or(Difference{}));
                    EXPECT_EQ(result.report.stopped, "");
                    EXPECT_EQ(result.report.head, head);
                    EXPECT_GT(result.report.transactions, 2 * kBlocks);
                }
        }
    }

    const Genesis genesis_ = genesis_before_amsterdam(kBlocks / 2 * kSecondsPerBlock);
    heddle::test::TemporaryFolder folder_;
    std::unique_ptr<RecordedValidator> validators_[2];
    std::mt19937_64 random_{11};
    std::uint64_t nonces_[3] = {};
    std::vector<Bytes> late_[2];  // for each validator
    int fresh_ = 0;
};

TEST_F(RecordedValidatorsTest, with_object_sets_run_again_the_same) {
    start(false);
    for (std::uint64_t number = 1; number <= kBlocks; ++number)
        advance(number);
    EXPECT_EQ(validators_[0]->head(), validators_[1]->head());
    run_again();
}

TEST_F(RecordedValidatorsTest, with_access_lists_and_restarts_run_again_the_same) {
    start(true);
    for (std::uint64_t number = 1; number <= kBlocks; ++number) {
        if (number == 4 || number == 11) {
            for (auto& validator : validators_)
                validator.reset();
            start(true);
        }
        advance(number);
    }
    EXPECT_EQ(validators_[0]->head(), validators_[1]->head());
    run_again();
}

}  // namespace
}  // namespace heddle::node
