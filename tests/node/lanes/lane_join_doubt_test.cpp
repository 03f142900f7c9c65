// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Whoever gives something else than the chain has is named, and nothing of it is kept.
#include <atomic>

#include <ledger/snapshot.hpp>

#include "lane_join_fixture.hpp"

namespace heddle::node {
namespace {

using lanes::JoinPart;

TEST_F(LaneJoinTest, takes_no_block_that_does_not_lead_to_the_trusted_one) {
    begin();
    const lanes::TrustedBlock good = trusted_;
    trusted_.hash.bytes[3] ^= 1;
    EXPECT_THAT(join(), HasSubstr("and lanes.trust_hash is"));
    trusted_ = {kSnapshot, first_->hashes().at(kSnapshot)};
    EXPECT_THAT(join(), HasSubstr("none of a block below 4 (lanes.trust_number)"));
    trusted_ = {kTrusted + 1, good.hash};
    EXPECT_THAT(join(), HasSubstr("has no block 7 (yet)"));
    trusted_ = good;
    lanes::LaneJoinOptions few = options();
    few.max_headers = 1;
    EXPECT_THAT(join(few), HasSubstr("trust one that is at most 1 above it"));
    for (const std::uint64_t number : {kSnapshot, kSnapshot + 1}) {
        server_->tamper([number](const std::string& method, const rpc::Call& call,
                                 std::string& answer) {
            if (method == "debug_getRawHeader" && rpc::uint64_argument(call.params, 0) == number)
                answer[answer.size() / 2] ^= 1;
        });
        expect_refused("gives another block " + std::to_string(number) +
                       " than that which leads to the trusted one");
    }
    server_->tamper([](const std::string& method, const rpc::Call&, std::string& answer) {
        if (method == "debug_getRawHeader") answer = R"("0x")";
    });
    expect_refused("has no block 4 (yet)");
    server_->tamper([](const std::string& method, const rpc::Call&, std::string& answer) {
        if (method == "heddle_snapshots")
            answer = std::regex_replace(answer, std::regex{R"("hash":"0x..)"}, R"("hash":"0x00)");
    });
    expect_refused("which is " + to_string(first_->hashes().at(kSnapshot)) + " in the chain");
}

TEST_F(LaneJoinTest, takes_no_checkpoint_but_that_of_the_block) {
    begin();
    const auto refused = [&](const std::string& why, auto change) {
        MergeCheckpoint wrong = checkpoint();
        change(wrong);
        give(wrong);
        expect_refused(why);
    };
    refused("belongs to another order", [](auto& wrong) { wrong.order.bytes[7] ^= 1; });
    refused("belongs to another order", [](auto& wrong) { wrong.said[40] ^= 1; });
    refused("belongs to another order", [](auto& wrong) { wrong.said.clear(); });
    refused("belongs to block 3", [](auto& wrong) { wrong.block = 3; });
    refused("belongs to block 4", [](auto& wrong) { wrong.block_hash.bytes[0] ^= 1; });
    refused("of 3 lanes led by 1", [](auto& wrong) { wrong.leading = 1; });
    refused("cannot be read", [](auto& wrong) { wrong.feed.resize(wrong.feed.size() / 2); });
    refused("goes on from another cut", [](auto& wrong) {
        wrong.feed.clear();
        homes::LaneFeed(lanes::feed_rules(kLanes, 0)).save(wrong.feed);
    });
    Bytes damaged = encode_checkpoint(checkpoint());
    damaged[damaged.size() / 2] ^= 1;
    give(damaged);
    expect_refused("is no checkpoint of a merge");
    server_->tamper([](const std::string& method, const rpc::Call& call, std::string& answer) {
        if (part_of(method, call) == "checkpoint") answer[answer.size() / 2] ^= 1;
    });
    expect_refused("is not the one that it offers");
}

TEST_F(LaneJoinTest, takes_no_log_that_its_validators_have_not_signed) {
    start_comets();
    begin();
    MergeCheckpoint wrong = checkpoint();
    wrong.log_digests[1].bytes[4] ^= 1;
    give(wrong);
    expect_refused("the log of lane 1 up to height 4 is another one than its validators have");

    // By other validators, who came meanwhile, they are as good.
    comets_[2]->change_after(3, test::keys_of({"lane-2 b", "c"}));
    EXPECT_EQ(join(), "");
    const auto second = start_second();
    round();
    second->wait_for_merged(merged_);
    EXPECT_EQ(second->hashes(), first_->hashes());
}

TEST_F(LaneJoinTest, waits_for_signatures_and_takes_no_header_without) {
    start_comets();
    begin();
    comets_[0]->forget_below(1'000);
    EXPECT_THAT(join(), HasSubstr("lane 0: "));
    expect_nothing_is_there();
    comets_[0]->forget_below(1);
    comets_[0]->sign_by(5, {});
    EXPECT_THAT(join(), HasSubstr("height 5 of lane 0"));
    expect_nothing_is_there();
    comets_[0]->sign_by(5, test::keys_of({"lane-0 a", "lane-0 b"}));
    EXPECT_EQ(join(), "");
}

TEST_F(LaneJoinTest, fetches_a_chunk_again_that_is_not_the_snapshots_but_not_for_ever) {
    begin();
    std::atomic<int> wrong{0};
    const auto damage = [&wrong](int most) {
        return
            [&wrong, most](const std::string& method, const rpc::Call& call, std::string& answer) {
                if (part_of(method, call) == "0x0" && wrong < most) {
                    ++wrong;
                    answer[answer.size() / 2] ^= 1;
                }
            };
    };
    server_->tamper(damage(2));
    EXPECT_EQ(join(), "");
    std::filesystem::remove_all(datadir());
    wrong = 0;
    server_->tamper(damage(1'000));
    expect_refused("gives another chunk 0 than its snapshot of block 4 has, 3 times");
    EXPECT_EQ(wrong, 3);
}

TEST_F(LaneJoinTest, takes_no_state_but_that_of_the_block) {
    begin();
    lanes::JoinSource& source = *first_->engine().joining();
    Bytes chunk = source.part(kSnapshot, {JoinPart::Kind::chunk, 0}, 0).value();
    // Near the end there are codes and values of accounts.
    chunk[chunk.size() - 40] ^= 1;
    auto manifest =
        ledger::decode_manifest(source.part(kSnapshot, {JoinPart::Kind::manifest}, 0).value())
            .value();
    ASSERT_EQ(manifest.chunks.size(), 1u);
    manifest.chunks[0].hash = keccak256(chunk);
    const Bytes other = encode_manifest(manifest);
    server_->tamper([&](const std::string& method, const rpc::Call& call, std::string& answer) {
        if (part_of(method, call) == "manifest") give_part(other, call, answer);
        if (part_of(method, call) == "0x0") give_part(chunk, call, answer);
    });
    expect_refused("is not the state after it");

    // Of a block with the same number that is none of the chain.
    manifest.header.gas_used += 1;
    const Bytes elsewhere = encode_manifest(manifest);
    server_->tamper([&](const std::string& method, const rpc::Call& call, std::string& answer) {
        if (method == "heddle_snapshots")
            answer =
                std::regex_replace(answer, std::regex{R"("manifestBytes":"[^"]*")"},
                                   R"("manifestBytes":")" + to_quantity(elsewhere.size()) + '"');
        if (part_of(method, call) == "manifest") give_part(elsewhere, call, answer);
    });
    expect_refused("is refused");
}

TEST_F(LaneJoinTest, takes_no_chain_of_another_genesis) {
    begin();
    lanes::LaneJoinOptions other = options();
    other.chain.genesis_hash.bytes[0] ^= 1;
    EXPECT_THAT(join(other), HasSubstr("is not the state after it"));
    expect_nothing_is_there();
    other = options();
    other.chain.config.chain_id += 1;
    EXPECT_THAT(join(other), HasSubstr("is refused"));
    expect_nothing_is_there();
    other = options();
    other.leading = 1;
    EXPECT_THAT(join(other), HasSubstr("and this node follows 3 led by 1"));
    expect_nothing_is_there();
}

TEST_F(LaneJoinTest, takes_no_more_than_was_asked_for) {
    begin();
    std::atomic<int> parts{0};
    const auto give_much = [&](const std::string& wanted, std::size_t digits) {
        return [&parts, wanted, digits](const std::string& method, const rpc::Call& call,
                                        std::string& answer) {
            if (part_of(method, call) != wanted) return;
            ++parts;
            answer = "\"0x" + std::string(digits, '0') + '"';
        };
    };
    for (const std::string wanted : {"checkpoint", "manifest", "0x0"}) {
        server_->tamper(give_much(wanted, 2 * lanes::kMostPartBytes + 2));
        expect_refused("bytes of the snapshot of block 4 from byte 0 of");
        server_->tamper(give_much(wanted, 0));
        expect_refused("0 bytes of the snapshot of block 4");
        server_->tamper(give_much(wanted, std::size_t{9} << 20));
        expect_refused("lanes.join: http://127.0.0.1");
    }
    EXPECT_EQ(parts, 9) << "each is asked for once";

    const auto claim = [](const std::string& member, const std::string& value) {
        return [member, value](const std::string& method, const rpc::Call&, std::string& answer) {
            if (method == "heddle_snapshots")
                answer = std::regex_replace(answer, std::regex{'"' + member + R"(":"[^"]*")"},
                                            '"' + member + "\":\"" + value + '"');
        };
    };
    server_->tamper(claim("checkpointBytes", "0xffffffffff"));
    expect_refused("larger than it can be");
    server_->tamper(claim("manifestBytes", "0xffffffff"));
    expect_refused("larger than it can be");
    server_->tamper(claim("chunks", "0x10000000000"));
    expect_refused("larger than it can be");
    server_->tamper([](const std::string& method, const rpc::Call&, std::string& answer) {
        if (method == "heddle_snapshots") answer = "[" + std::string(3'000, ' ') + "1]";
    });
    expect_refused("lanes.join: http://127.0.0.1");
}

TEST_F(LaneJoinTest, ends_at_the_trusted_block_where_it_was_told_a_lie_about_what_waits) {
    const auto [a, b] = apart();
    start_first();
    while (merged_ + 1 < kSnapshot)
        round();
    const homes::Entry both = transfer(a, b);
    const Bytes half = encode(both);
    put(both, home(b));
    round();
    next_[home(b)].push_back(half);
    while (merged_ < kTrusted)
        round();
    serve();
    // As if the half had never come.
    MergeCheckpoint wrong = checkpoint();
    homes::LaneFeed feed(lanes::feed_rules(kLanes, 0));
    for (const auto& lane : lanes_)
        for (std::uint64_t height = 1; height <= kSnapshot; ++height) {
            auto block = homes::decode_lane_block(lane->store()->read(height).value()).value();
            std::erase(block.items, half);
            ASSERT_TRUE(feed.offer(std::move(block)).has_value());
        }
    while (feed.next().has_value()) {
    }
    wrong.feed.clear();
    feed.save(wrong.feed);
    ASSERT_NE(wrong.feed, checkpoint().feed);
    give(wrong);
    EXPECT_EQ(join(), "") << "nobody can see it yet";
    {
        const auto second = start_second();
        wait_until([&] { return !second->failure().empty(); });
        EXPECT_THAT(second->failure(), HasSubstr("was wrong about what waited"));
    }
    EXPECT_THROW((void)start_second(), InputError);
    std::filesystem::remove_all(datadir());
    server_->tamper(nullptr);
    EXPECT_EQ(join(), "");
    const auto second = start_second();
    second->wait_for_merged(kTrusted);
    EXPECT_EQ(second->hashes(), first_->hashes());
}

}  // namespace
}  // namespace heddle::node
