// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// FinalizeBlock and Commit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <consensus_adapter/block_rules.hpp>

#include "abci_fixture.hpp"
#include "cometbft/validator_updates.hpp"

namespace heddle::consensus_adapter::cometbft {
namespace {

using DecidedBlock = AbciFixture;

TEST_F(DecidedBlock, each_item_has_one_result) {
    Transaction expensive = make_transaction(kTooHighNonce);
    expensive.gas_limit = UINT64_MAX;
    Hash secret;
    secret.bytes[31] = 1;
    ASSERT_TRUE(sign_transaction(expensive, secret));

    const abci::ResponseFinalizeBlock response =
        decide(1, 2'000,
               {preamble(), encoded(make_transaction(0)), Bytes{7}, encoded(expensive),
                encoded(make_transaction(1, {1})), Bytes{}});

    struct Result {
        TransactionCode code;
        std::int64_t wanted;
        std::int64_t used;
    };
    const Result expected[] = {
        {TransactionCode::success, 0, 0},          {TransactionCode::success, 21'000, 21'000},
        {TransactionCode::malformed, 0, 0},        {TransactionCode::not_executable, INT64_MAX, 0},
        {TransactionCode::failed, 21'000, 21'000}, {TransactionCode::malformed, 0, 0}};
    ASSERT_EQ(response.tx_results_size(), 6);
    for (int i = 0; i < 6; ++i) {
        const abci::ExecTxResult& result = response.tx_results(i);
        EXPECT_EQ(result.code(), static_cast<std::uint32_t>(expected[i].code)) << i;
        EXPECT_EQ(result.gas_wanted(), expected[i].wanted) << i;
        EXPECT_EQ(result.gas_used(), expected[i].used) << i;
        EXPECT_EQ(result.data(), "");
        EXPECT_EQ(result.log().empty(), result.code() == 0) << i;
    }
    EXPECT_EQ(response.app_hash(), as_field(host.application.committed().head.hash.view()));
    ASSERT_EQ(decisions.size(), 1u);
    EXPECT_EQ(decisions[0].block, host.application.committed().head);
    EXPECT_EQ(decisions[0].transactions, 2u);
    EXPECT_EQ(decisions[0].left_out, 3u);
    EXPECT_EQ(decisions[0].gas_used, 42'000u);
    EXPECT_EQ(decisions[0].declared, 0u);
}

TEST_F(DecidedBlock, its_header_follows_the_preamble_within_bounds) {
    (void)decide(1, 2'000, {preamble({}, 10 * kGenesisGasLimit)});
    const BlockHeader& header = host.application.last_finalized.start.header;
    EXPECT_EQ(header.beneficiary, address_from_low64(9));
    EXPECT_EQ(header.gas_limit, next_gas_limit(kGenesisGasLimit, 10 * kGenesisGasLimit));
    EXPECT_EQ(header.timestamp, 2'000u);
    EXPECT_EQ(header.extra_data, Bytes(20, 'p'));
    EXPECT_EQ(header.parent_beacon_block_root, Hash{});
    EXPECT_EQ(host.application.last_finalized.start.withdrawals, std::vector<Withdrawal>{});
    EXPECT_EQ(host.application.last_finalized.start.mode, executor::BlockMode::propose);

    // The second in the same second.
    const Hash randao = prev_randao_after(host.application.committed().head);
    (void)decide(2, 2'000, {preamble({}, 0)});
    EXPECT_EQ(host.application.last_finalized.start.header.timestamp, 2'001u);
    EXPECT_EQ(host.application.last_finalized.start.header.prev_randao, randao);
}

TEST_F(DecidedBlock, without_a_preamble_nobody_is_paid_and_the_gas_limit_stays) {
    for (const std::vector<Bytes>& items :
         {std::vector<Bytes>{}, {encoded(make_transaction(0))}, {Bytes{0x80}}}) {
        const auto height = static_cast<std::int64_t>(host.application.committed().head.number) + 1;
        (void)decide(height, 2'000, items);
        EXPECT_EQ(host.application.last_finalized.start.header.beneficiary, Address{});
        EXPECT_EQ(host.application.last_finalized.start.header.gas_limit, kGenesisGasLimit);
    }
}

TEST_F(DecidedBlock, sets_reach_the_executor_where_they_are_as_many_as_transactions) {
    const Bytes tx = encoded(make_transaction(0));
    (void)decide(1, 2'000, {preamble({make_set(1, 1), make_set(2, 2)}), tx, tx});
    EXPECT_EQ(host.application.last_finalized.object_sets,
              (std::vector<ObjectSet>{make_set(1, 1), make_set(2, 2)}));
    EXPECT_EQ(decisions.back().declared, 2u);
    EXPECT_EQ(decisions.back().wrongly_declared, 1u);

    (void)decide(2, 2'000, {preamble({make_set(1, 1)}), tx, tx});
    EXPECT_TRUE(host.application.last_finalized.object_sets.empty());
    EXPECT_EQ(host.application.last_finalized.transactions.size(), 2u);
    EXPECT_EQ(decisions.back().declared, 0u);
}

TEST_F(DecidedBlock, an_access_list_reaches_the_executor) {
    const Bytes tx = encoded(make_transaction(0));
    const Bytes first = encode_preamble(
        {.gas_limit = kGenesisGasLimit, .object_sets = {}, .access_list = make_list(3)});
    (void)decide(1, 2'000, {first, tx, tx, tx});
    EXPECT_EQ(host.application.last_finalized.start.access_list, make_list(3));
    EXPECT_EQ(host.application.last_finalized.start.mode, executor::BlockMode::decided);
    EXPECT_TRUE(decisions.back().has_list);
    EXPECT_TRUE(decisions.back().is_listed);
    EXPECT_TRUE(decisions.back().has_wrong_list);

    // Decided all the same, it is executed without.
    (void)decide(2, 2'000, {first, tx});
    EXPECT_TRUE(host.application.last_finalized.start.access_list.empty());
    EXPECT_FALSE(decisions.back().has_list);
    EXPECT_FALSE(decisions.back().is_listed);
}

TEST_F(DecidedBlock, a_processed_one_gives_the_same_as_one_never_seen) {
    const std::vector<Bytes> items{preamble({make_set(1, 1), make_set(2, 1)}),
                                   encoded(make_transaction(0)), encoded(make_transaction(1))};
    const abci::Response unseen = ask(finalize_request(1, 2'000, items));
    for (int i = 0; i < 10; ++i)
        ASSERT_TRUE(accepts(process_request(1, 2'000, items, std::to_string(i))));
    for (int i = 0; i < 10; ++i) {
        const abci::Response seen = ask(finalize_request(1, 2'000, items, std::to_string(i)));
        EXPECT_EQ(seen.SerializeAsString(), unseen.SerializeAsString());
    }
    // The hash is the engine's word: a list of another length is read itself.
    ASSERT_TRUE(accepts(process_request(1, 2'000, items, "x")));
    const abci::Response other = ask(finalize_request(1, 2'000, {items[0], items[1]}, "x"));
    EXPECT_EQ(other.finalize_block().tx_results_size(), 2);
}

TEST_F(DecidedBlock, it_may_be_decided_again_until_it_is_committed) {
    (void)ask(finalize_request(1, 2'000, {preamble()}, "a"));
    const abci::Response second = ask(finalize_request(1, 3'000, {preamble()}, "b"));
    EXPECT_EQ(exception_of(commit_request()), "");
    EXPECT_EQ(as_field(host.application.committed().head.hash.view()),
              second.finalize_block().app_hash());
    EXPECT_EQ(exception_of(commit_request()),
              "there is nothing to commit: FinalizeBlock comes before Commit");
    EXPECT_EQ(exception_of(finalize_request(1, 3'000, {preamble()})),
              "the block of height 1 is out of turn; expected is height 2");
}

// A validator that runs twice, or signs whatever is asked: CometBFT has the proof decided.
TEST_F(DecidedBlock, what_it_proves_of_validators_is_told) {
    abci::Request request = finalize_request(1, 2'000, {preamble()});
    for (const int type : {1, 2}) {
        abci::Misbehavior& proven = *request.mutable_finalize_block()->add_misbehavior();
        proven.set_type(type);
        proven.mutable_validator()->set_address(std::string(20, '\xab'));
        proven.mutable_validator()->set_power(10);
        proven.set_height(7);
        proven.set_total_voting_power(40);
    }
    const abci::Response told = ask(request);
    EXPECT_THAT(warnings,
                testing::ElementsAre(
                    "block 1 proves that the validator 0xabababababababababababababababababababab "
                    "with 10 of the power 40 has signed two different votes of height 7",
                    "block 1 proves that the validator 0xabababababababababababababababababababab "
                    "with 10 of the power 40 has signed a false block of height 7"));
    request.mutable_finalize_block()->clear_misbehavior();
    EXPECT_EQ(ask(request).SerializeAsString(), told.SerializeAsString());
}

TEST_F(DecidedBlock, one_out_of_turn_drops_what_was_finalized) {
    (void)ask(finalize_request(1, 2'000, {preamble()}));
    EXPECT_NE(exception_of(finalize_request(3, 2'000, {preamble()})), "");
    EXPECT_NE(exception_of(commit_request()), "");
}

TEST_F(DecidedBlock, a_commit_says_what_must_be_kept) {
    host.retain_blocks = 2;
    for (std::int64_t height = 1; height <= 3; ++height) {
        (void)ask(finalize_request(height, 2'000, {}));
        const abci::Response response = ask(commit_request());
        ASSERT_TRUE(response.has_commit());
        EXPECT_EQ(response.commit().retain_height(), height == 3 ? 1 : 0);
    }
}

TEST_F(DecidedBlock, one_that_cannot_be_executed_ends_it) {
    BlockError error;
    error.code = BlockErrorCode::storage_failed;
    error.number = 1;
    error.detail = "the disk is gone";
    host.application.finalize_error = error;

    const std::string said = exception_of(finalize_request(1, 2'000, {preamble()}));
    EXPECT_NE(said.find("the disk is gone"), std::string::npos) << said;
    ASSERT_EQ(failures.size(), 1u);
    EXPECT_EQ(failures[0], said);
    host.application.finalize_error.reset();
    EXPECT_EQ(exception_of(finalize_request(1, 2'000, {preamble()})), said);
    EXPECT_EQ(exception_of(prepare_request(1, 2'000)), said);
    EXPECT_EQ(exception_of(commit_request()), said);
    EXPECT_EQ(failures.size(), 1u) << "told once";
}

TEST_F(DecidedBlock, one_that_cannot_be_kept_ends_it) {
    BlockError error;
    error.code = BlockErrorCode::storage_failed;
    host.application.commit_error = error;
    (void)ask(finalize_request(1, 2'000, {preamble()}));
    EXPECT_NE(exception_of(commit_request()), "");
    EXPECT_EQ(failures.size(), 1u);
    EXPECT_TRUE(decisions.empty());
}

Validator validator(std::uint8_t number, std::int64_t power) {
    return {Bytes(32, number), power};
}

TEST_F(DecidedBlock, validators_change_at_the_end_of_an_epoch_only) {
    host.has_validators = true;
    host.validators.wanted = std::vector<Validator>{validator(1, 10), validator(2, 7)};
    for (std::int64_t height = 1; height <= 8; ++height) {
        abci::Request request = finalize_request(height, 2'000, {preamble()});
        abci::Validator& member = *request.mutable_finalize_block()
                                       ->mutable_decided_last_commit()
                                       ->add_votes()
                                       ->mutable_validator();
        member.set_address(as_field(validator_address(Bytes(32, 1))));
        member.set_power(10);
        const abci::Response response = ask(request);
        ASSERT_TRUE(response.has_finalize_block()) << response.exception().error();
        const auto& updates = response.finalize_block().validator_updates();
        ASSERT_EQ(updates.size(), height % 4 == 0 ? 1 : 0) << height;
        if (!updates.empty()) {
            EXPECT_EQ(updates[0].pub_key().ed25519(), std::string(32, 2));
            EXPECT_EQ(updates[0].power(), 7);
        }
        ASSERT_EQ(exception_of(commit_request()), "");
    }
    EXPECT_TRUE(warnings.empty());
}

TEST_F(DecidedBlock, a_wish_that_cannot_be_fulfilled_changes_nothing_and_is_told_of) {
    host.has_validators = true;
    for (std::int64_t height = 1; height <= 3; ++height)
        (void)decide(height, 2'000, {preamble()});
    for (const auto& wanted :
         {std::expected<std::vector<Validator>, std::string>{std::unexpected("no such contract")},
          std::expected<std::vector<Validator>, std::string>{{validator(1, -1)}}}) {
        host.validators.wanted = wanted;
        warnings.clear();
        const abci::Response response = ask(finalize_request(4, 2'000, {preamble()}));
        EXPECT_EQ(response.finalize_block().validator_updates_size(), 0);
        ASSERT_EQ(warnings.size(), 1u);
        EXPECT_EQ(warnings[0].find("the validators stay as they are: "), 0u) << warnings[0];
    }
}

// Others may have read it, and have told CometBFT so.
TEST_F(DecidedBlock, a_wish_that_this_node_alone_cannot_read_ends_it) {
    host.has_validators = true;
    for (std::int64_t height = 1; height <= 3; ++height)
        (void)decide(height, 2'000, {preamble()});
    host.validators.wanted = std::unexpected("the disk cannot be read");
    host.validators.is_own_fault = true;

    EXPECT_EQ(exception_of(finalize_request(4, 2'000, {preamble()})),
              "no more blocks can be executed: the disk cannot be read");
    EXPECT_NE(exception_of(commit_request()), "");
    EXPECT_TRUE(warnings.empty());
}

TEST_F(DecidedBlock, that_its_fork_has_no_contract_for_ends_it_with_what_to_do) {
    BlockError error;
    error.code = BlockErrorCode::system_contract_missing;
    host.application.finalize_error = error;
    const std::string told = exception_of(finalize_request(1, 2'000, {preamble()}));
    EXPECT_NE(told.find("system contract missing"), std::string::npos) << told;
    EXPECT_NE(told.find("; its fork needs it: the genesis file"), std::string::npos) << told;
}

}  // namespace
}  // namespace heddle::consensus_adapter::cometbft
