// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/abci_application.hpp"

#include <gtest/gtest.h>

#include "abci_fixture.hpp"

namespace heddle::consensus_adapter::cometbft {
namespace {

class AbciApplicationTest : public AbciFixture {
public:
    static abci::Request info_request(const char* version, const char* abci_version) {
        abci::Request request;
        request.mutable_info()->set_version(version);
        request.mutable_info()->set_abci_version(abci_version);
        return request;
    }
    static abci::Request init_request(std::int64_t initial_height = 1) {
        abci::Request request;
        request.mutable_init_chain()->set_chain_id("loom");
        request.mutable_init_chain()->set_initial_height(initial_height);
        request.mutable_init_chain()->set_app_state_bytes("{}");
        return request;
    }
    static abci::Request check_request(const Bytes& tx, int type) {
        abci::Request request;
        request.mutable_check_tx()->set_tx(as_field(tx));
        request.mutable_check_tx()->set_type(type);
        return request;
    }
    std::string head_hash() const {
        return as_field(host.application.committed().head.hash.view());
    }
};

TEST_F(AbciApplicationTest, info_is_what_is_committed) {
    host.has_chain = false;
    abci::Response response = ask(info_request("0.38.26", "2.0.0"));
    EXPECT_EQ(response.info().version(), "0.1.0");
    EXPECT_EQ(response.info().last_block_height(), 0);
    EXPECT_EQ(response.info().last_block_app_hash(), "");

    host.has_chain = true;
    response = ask(info_request("0.38.26", "2.0.0"));
    EXPECT_EQ(response.info().last_block_height(), 0);
    EXPECT_EQ(response.info().last_block_app_hash(), head_hash());

    (void)decide(1, 2'000, {});
    (void)ask(finalize_request(2, 2'000, {}));
    response = ask(info_request("0.38.26", "2.0.0"));
    EXPECT_EQ(response.info().last_block_height(), 1);
    EXPECT_EQ(response.info().last_block_app_hash(), head_hash());
}

TEST_F(AbciApplicationTest, versions_with_other_messages_are_refused_in_one_sentence) {
    for (const auto& [version, abci_version] :
         std::initializer_list<std::pair<const char*, const char*>>{{"0.38.26", "2.0.0"},
                                                                    {"v0.38.0-dev", "2.0.0"},
                                                                    {"0.40.0", "2.0.0"},
                                                                    {"", ""},
                                                                    {"anything", "else"}})
        EXPECT_EQ(exception_of(info_request(version, abci_version)), "") << version;
    EXPECT_TRUE(warnings.empty());

    EXPECT_EQ(exception_of(info_request("1.0.1", "2.1.0")),
              "ABCI 2.1.0 of CometBFT 1.0.1 is not supported, only ABCI 2.0; use CometBFT v0.38 to "
              "v0.40");
    EXPECT_EQ(warnings.size(), 1u);
    EXPECT_EQ(exception_of(info_request("v1.0.1", "")),
              "CometBFT v1.0.1 is not supported: its messages differ; use CometBFT v0.38 to v0.40");
    EXPECT_NE(exception_of(info_request("0.37.4", "1.0.0")), "");
    EXPECT_NE(exception_of(info_request("\x01\xff", "3.0")).find("CometBFT ??"), std::string::npos);
}

TEST_F(AbciApplicationTest, a_chain_begins_as_often_as_asked_until_its_first_block) {
    host.has_chain = false;
    for (int i = 0; i < 3; ++i) {
        const abci::Response response = ask(init_request());
        ASSERT_TRUE(response.has_init_chain()) << response.exception().error();
        EXPECT_EQ(response.init_chain().app_hash(), head_hash());
    }
    EXPECT_EQ(host.started.chain_id, "loom");
    EXPECT_EQ(to_hex(host.started.app_state), "0x7b7d");

    (void)decide(1, 2'000, {});
    EXPECT_EQ(exception_of(init_request()).find("the chain has begun already: block 1"), 0u);
}

TEST_F(AbciApplicationTest, a_chain_that_cannot_begin_says_why) {
    EXPECT_EQ(exception_of(init_request(5)).find("the chain begins at height 5"), 0u);
    EXPECT_NE(exception_of(init_request(0)), "");
    host.begin_error = "another genesis";
    EXPECT_EQ(exception_of(init_request()), "another genesis");
}

TEST_F(AbciApplicationTest, transactions_go_through_the_gate) {
    const Bytes tx = encoded(make_transaction(0));
    for (const int type : {0, 1}) {
        const abci::Response response = ask(check_request(tx, type));
        EXPECT_EQ(response.check_tx().code(), 0u);
        EXPECT_EQ(response.check_tx().gas_wanted(), 21'000);
    }
    EXPECT_EQ(host.gate.admitted, 1u);
    EXPECT_EQ(host.gate.rechecked, 1u);

    const abci::Response refused = ask(check_request({1, 2}, 0));
    EXPECT_EQ(refused.check_tx().code(), 3u);
    EXPECT_NE(refused.check_tx().log(), "");
    EXPECT_EQ(exception_of(check_request(tx, 2)), "CheckTx of the unknown type 2");
    host.has_chain = false;
    EXPECT_NE(exception_of(check_request(tx, 0)), "");
}

TEST_F(AbciApplicationTest, transactions_are_inserted_and_reaped) {
    abci::Request request;
    request.mutable_insert_tx()->set_tx(as_field(encoded(make_transaction(0))));
    EXPECT_EQ(ask(request).insert_tx().code(), 0u);
    request.mutable_insert_tx()->set_tx("?");
    EXPECT_EQ(ask(request).insert_tx().code(), 3u);

    host.gate.outgoing = {{1, 2}, {3}};
    request.mutable_reap_txs();
    const abci::Response response = ask(request);
    ASSERT_EQ(response.reap_txs().txs_size(), 2);
    EXPECT_EQ(response.reap_txs().txs(0), "\x01\x02");
    EXPECT_EQ(ask(request).reap_txs().txs_size(), 0);
}

TEST_F(AbciApplicationTest, only_the_head_can_be_queried) {
    abci::Request request;
    request.mutable_query()->set_path("/store");
    EXPECT_NE(ask(request).query().code(), 0u);
    request.mutable_query()->set_path("/head");
    const abci::Response response = ask(request);
    EXPECT_EQ(response.query().code(), 0u);
    EXPECT_EQ(
        response.query().value(),
        "{\"number\":0,\"hash\":\"" + to_string(host.application.committed().head.hash) + "\"}");
    host.has_chain = false;
    EXPECT_NE(ask(request).query().code(), 0u);
}

TEST_F(AbciApplicationTest, snapshots_go_through_their_host) {
    host.fake_snapshots.offers = {
        {.height = 10, .format = 1, .chunks = 3, .hash = {1}, .metadata = {2, 3}}};
    abci::Request request;
    request.mutable_list_snapshots();
    const abci::Response listed = ask(request);
    ASSERT_EQ(listed.list_snapshots().snapshots_size(), 1);
    const abci::Snapshot snapshot = listed.list_snapshots().snapshots(0);
    EXPECT_EQ(snapshot.height(), 10u);
    EXPECT_EQ(snapshot.chunks(), 3u);
    EXPECT_EQ(snapshot.metadata(), "\x02\x03");

    request.mutable_load_snapshot_chunk()->set_height(10);
    request.mutable_load_snapshot_chunk()->set_chunk(2);
    EXPECT_EQ(ask(request).load_snapshot_chunk().chunk(), (std::string{10, 0, 2}));

    *request.mutable_offer_snapshot()->mutable_snapshot() = snapshot;
    request.mutable_offer_snapshot()->set_app_hash("hash");
    host.fake_snapshots.offer_result = OfferResult::reject_format;
    EXPECT_EQ(ask(request).offer_snapshot().result(), 4);
    EXPECT_EQ(host.fake_snapshots.offered.metadata, (Bytes{2, 3}));
    EXPECT_EQ(host.fake_snapshots.offered_hash, (Bytes{'h', 'a', 's', 'h'}));

    request.mutable_apply_snapshot_chunk()->set_index(2);
    request.mutable_apply_snapshot_chunk()->set_chunk("c");
    request.mutable_apply_snapshot_chunk()->set_sender("peer");
    host.fake_snapshots.outcome = {
        .result = ApplyResult::retry, .refetch_chunks = {0, 2}, .rejects_sender = true};
    const abci::Response applied = ask(request);
    EXPECT_EQ(applied.apply_snapshot_chunk().result(), 3);
    EXPECT_EQ(applied.apply_snapshot_chunk().refetch_chunks_size(), 2);
    ASSERT_EQ(applied.apply_snapshot_chunk().reject_senders_size(), 1);
    EXPECT_EQ(applied.apply_snapshot_chunk().reject_senders(0), "peer");
}

TEST_F(AbciApplicationTest, without_a_host_there_are_no_snapshots) {
    host.has_snapshots = false;
    abci::Request request;
    request.mutable_list_snapshots();
    EXPECT_EQ(ask(request).list_snapshots().snapshots_size(), 0);
    request.mutable_load_snapshot_chunk();
    EXPECT_TRUE(ask(request).has_load_snapshot_chunk());
    request.mutable_offer_snapshot();
    EXPECT_EQ(ask(request).offer_snapshot().result(), 3);
    request.mutable_apply_snapshot_chunk();
    EXPECT_NE(exception_of(request), "");
}

TEST_F(AbciApplicationTest, votes_carry_nothing) {
    abci::Request request;
    request.mutable_extend_vote();
    EXPECT_EQ(ask(request).extend_vote().vote_extension(), "");
    request.mutable_verify_vote_extension();
    EXPECT_EQ(ask(request).verify_vote_extension().status(), 1);
    request.mutable_verify_vote_extension()->set_vote_extension("x");
    EXPECT_EQ(ask(request).verify_vote_extension().status(), 2);
}

TEST_F(AbciApplicationTest, what_is_unknown_is_an_exception) {
    EXPECT_EQ(exception_of({}), "the request is of a kind that is not known here");
    abci::Request later;  // field 99, empty
    ASSERT_TRUE(later.ParseFromString(std::string{"\x9a\x06\x00", 3}));
    EXPECT_EQ(exception_of(later), "the request is of a kind that is not known here");
    abci::Request echo;
    echo.mutable_echo()->set_message("\xff not UTF-8");
    EXPECT_EQ(ask(echo).echo().message(), "\xff not UTF-8");
}

TEST_F(AbciApplicationTest, what_a_host_throws_is_an_exception) {
    options.on_proposal = [](const ProposalReport&) { throw std::runtime_error{"no counter"}; };
    EXPECT_EQ(exception_of(prepare_request(1, 2'000)),
              "an error inside the application: no counter");
}

}  // namespace
}  // namespace heddle::consensus_adapter::cometbft
