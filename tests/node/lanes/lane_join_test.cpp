// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// New nodes that begin by a running one.
#include <atomic>
#include <set>

#include "lane_join_fixture.hpp"

namespace heddle::node {
namespace {

TEST_F(LaneJoinTest, begins_by_a_running_node_in_place_of_height_1) {
    const auto [a, b] = apart();
    for (const auto& lane : lanes_)
        lane->retain(2);
    start_first();
    while (merged_ + 1 < kSnapshot)
        round();
    // A half waits at the snapshot, and what comes after it as well.
    const homes::Entry both = transfer(a, b);
    put(both, home(b));
    round();
    while (merged_ < kTrusted)
        round();
    serve();

    ASSERT_EQ(join(), "");
    const auto second = start_second();
    next_[home(b)].push_back(encode(both));
    round();
    round();
    second->wait_for_merged(merged_);

    EXPECT_EQ(second->hashes(), first_->hashes());
    EXPECT_EQ(second->failure(), "");
    EXPECT_EQ(second->engine().status().lanes[0].kept, merged_);
    EXPECT_EQ(second->engine().status().waiting, 0u);
    EXPECT_FALSE(homes::LaneLogReader::open(datadir() + "/lanes/lane-0.log").has_value())
        << "it has no block below the snapshot";
}

TEST_F(LaneJoinTest, goes_on_with_a_chain_that_others_can_join_by) {
    begin();
    ASSERT_EQ(join(), "");
    LanesNodeOptions options;
    options.snapshot_interval = 2;
    LanesNode second(datadir(), lanes_, options, genesis_);
    for (int i = 0; i < 3; ++i)
        round();
    second.wait_for_merged(merged_);
    second.engine().joining()->wait_idle();
    ASSERT_FALSE(second.engine().joining()->offers().empty());
    const test::JoinServer server(second);
    lanes::LaneJoinOptions joining = this->options();
    joining.source = server.endpoint();
    joining.trusted = {merged_, first_->hashes().at(merged_)};
    joining.chain.ledger.directory = folder_ / "third";
    joining.folder = folder_ / "third/lanes";
    ASSERT_EQ(join(joining), "");
    LanesNode third(folder_ / "third", lanes_, {}, genesis_);
    third.wait_for_merged(merged_);
    EXPECT_EQ(third.hashes(), first_->hashes());
}

TEST_F(LaneJoinTest, goes_on_with_the_chunk_that_is_missing) {
    make_large();
    begin();
    std::stop_source stop;
    std::atomic<int> first_chunks{0};
    server_->tamper([&](const std::string& method, const rpc::Call& call, std::string&) {
        if (part_of(method, call) == "0x0") ++first_chunks;
        if (part_of(method, call) == "0x1") stop.request_stop();
    });
    EXPECT_EQ(join(stop.get_token()), "stopped");
    EXPECT_FALSE(ledger::DurableLedger::exists(datadir()));
    const int before = first_chunks;
    EXPECT_EQ(before, 10) << "a chunk has 10 parts";
    EXPECT_EQ(join(), "");
    EXPECT_EQ(first_chunks, before) << "it was there";
    const auto second = start_second();
    round();
    second->wait_for_merged(merged_);
    EXPECT_EQ(second->hashes(), first_->hashes());
}

TEST_F(LaneJoinTest, ends_what_had_only_its_end_to_come) {
    make_large();
    begin();
    std::stop_source stop;
    server_->tamper([&](const std::string& method, const rpc::Call& call, std::string&) {
        // The last part of the last chunk: it is applied, and then the stop is seen.
        if (part_of(method, call) == "0x2") stop.request_stop();
    });
    EXPECT_EQ(join(stop.get_token()), "stopped");
    server_->tamper(nullptr);
    EXPECT_EQ(join(), "");
}

TEST_F(LaneJoinTest, begins_again_by_another_snapshot_where_one_goes) {
    begin({.snapshot_interval = 2, .snapshots_kept = 3});
    std::atomic<bool> is_gone = false;
    server_->tamper([&](const std::string& method, const rpc::Call& call, std::string& answer) {
        if (method == "heddle_snapshots" && is_gone)
            answer = "[" + answer.substr(answer.rfind("{\"number\""));
        if (part_of(method, call) != "manifest") return;
        if (rpc::uint64_argument(call.params, 0) != 4) return;
        is_gone = true;
        throw rpc::RpcError(rpc::Code::not_found, "no more");
    });
    EXPECT_EQ(join(), "");
    const auto second = start_second();
    EXPECT_EQ(second->hashes().size(), 3u) << "of block 2";
    second->wait_for_merged(kTrusted);
    EXPECT_EQ(second->hashes(), first_->hashes());
}

TEST_F(LaneJoinTest, asks_again_who_does_not_answer_and_says_so_in_the_end) {
    begin();
    std::atomic<int> asked{0};
    server_->tamper([&](const std::string& method, const rpc::Call&, std::string&) {
        if (method == "heddle_snapshots" && ++asked < 4)
            throw rpc::RpcError(rpc::Code::limit_exceeded, "busy");
    });
    EXPECT_EQ(join(), "");
    EXPECT_EQ(asked, 4);
    std::filesystem::remove_all(datadir());
    server_->tamper([&](const std::string&, const rpc::Call&, std::string&) {
        throw rpc::RpcError(rpc::Code::limit_exceeded, "busy");
    });
    EXPECT_THAT(join(), HasSubstr("heddle_snapshots: busy"));
    lanes::LaneJoinOptions nobody = options();
    nobody.source = follow::parse_endpoint("http://127.0.0.1:1", "nobody");
    EXPECT_THAT(join(nobody), HasSubstr("lanes.join: http://127.0.0.1:1"));
}

TEST_F(LaneJoinTest, keeps_as_many_snapshots_and_checkpoints_as_it_should) {
    begin({.snapshot_interval = 1, .snapshots_kept = 2});
    round();
    first_->engine().joining()->wait_idle();
    round();
    first_->engine().joining()->wait_idle();
    const auto offers = first_->engine().joining()->offers();
    ASSERT_EQ(offers.size(), 2u);
    EXPECT_GT(offers[0].number, offers[1].number);
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "first/lanes/joining"))
        files += entry.is_regular_file() ? 1 : 0;
    // Those of blocks whose snapshot was left out, because another was being written, are not kept;
    // one is that of a snapshot that is being written, one may be on its way to the disk.
    EXPECT_GE(files, 2u);
    EXPECT_LE(files, 4u);
    // A start offers what is there, which is newer where another block was merged meanwhile.
    server_.reset();
    first_.reset();
    std::set<std::string> kept;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "first/lanes/joining"))
        kept.insert(entry.path().filename().string());
    start_first({.snapshot_interval = 1'000, .snapshots_kept = 2});  // makes no others
    first_->engine().joining()->wait_idle();
    const auto again = first_->engine().joining()->offers();
    ASSERT_EQ(again.size(), 2u);
    EXPECT_GE(again[1].number, offers[1].number);
    for (const auto& offer : again)
        EXPECT_TRUE(kept.contains(std::to_string(offer.number) + ".checkpoint")) << offer.number;
}

}  // namespace
}  // namespace heddle::node
