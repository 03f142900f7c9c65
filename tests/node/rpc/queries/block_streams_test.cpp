// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks on their way to followers that are as fast, as slow or as wrong as a test says.
#include "rpc/queries/block_streams.hpp"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "log_methods.hpp"
#include "rpc/methods/heddle_api.hpp"

namespace heddle::node::rpc {
namespace {

using test::log_of;
using test::LogMethods;
using test::RecordingSession;
using testing::HasSubstr;
using namespace std::chrono_literals;

class BlockStreamsTest : public testing::Test {
protected:
    BlockStreamsTest() {
        static_assert(BlockStreams::kMaxWindow > 100);
        streams_ = add_heddle_methods(
            methods_.methods,
            Services{methods_.chain.chain(), methods_.mempool, "heddle/test", {}});
    }
    void commit(int count) {
        for (int i = 0; i < count; ++i)
            (void)methods_.commit({{}});
    }
    std::string subscribe(const std::string& request) {
        return methods_.id("heddle_subscribe", R"(["blocks",)" + request + "]", session_);
    }
    std::string refusal(const std::string& request) {
        return methods_.error("heddle_subscribe", R"(["blocks",)" + request + "]", session_);
    }
    std::string acknowledge(const std::string& id, const std::string& number,
                            const std::shared_ptr<RecordingSession>& session) {
        return methods_.call("heddle_acknowledge", R"([")" + id + R"(",")" + number + R"("])",
                             session);
    }
    /// Numbers of the blocks that came, of which there are so many at least.
    static std::vector<std::uint64_t> numbers(RecordingSession& session, std::size_t count) {
        std::vector<std::uint64_t> found;
        for (const std::string& message : session.messages(count)) {
            const auto at = message.find(R"("number":")") + 10;
            found.push_back(std::stoull(message.substr(at), nullptr, 16));
        }
        return found;
    }
    /// As notifications have it.
    std::string block_text(std::uint64_t number) {
        Bytes encoded;
        encode_block(methods_.chain.chain().block(number)->value().block, encoded);
        return R"("block":")" + to_hex(encoded);
    }
    std::string hash_of(std::uint64_t number) {
        return to_string(methods_.chain.chain().header(number)->value().hash);
    }

    LogMethods methods_;
    std::shared_ptr<BlockStreams> streams_;
    std::shared_ptr<RecordingSession> session_ = std::make_shared<RecordingSession>();
};

TEST_F(BlockStreamsTest, bring_what_is_there_and_then_what_comes) {
    commit(3);
    const std::string id = subscribe(R"({"fromBlock":"0x2"})");
    EXPECT_THAT(numbers(*session_, 2), testing::ElementsAre(2, 3));
    commit(2);
    EXPECT_THAT(numbers(*session_, 4), testing::ElementsAre(2, 3, 4, 5));
    EXPECT_THAT(session_->messages(4).back(),
                testing::AllOf(HasSubstr(block_text(5)), HasSubstr(id),
                               HasSubstr(R"("method":"heddle_subscription")")));
}

TEST_F(BlockStreamsTest, tell_their_followers_when_they_are_ended_and_begin_no_more) {
    commit(2);
    const auto other = std::make_shared<RecordingSession>();
    const std::string id = subscribe(R"({"fromBlock":"0x1"})");
    const std::string other_id =
        methods_.id("heddle_subscribe", R"(["blocks",{"fromBlock":"0x2"}])", other);
    EXPECT_THAT(numbers(*session_, 2), testing::ElementsAre(1, 2));
    EXPECT_THAT(numbers(*other, 1), testing::ElementsAre(2));
    streams_->end("it is another \"chain\" now");
    constexpr std::string_view kLast =
        R"({{"jsonrpc":"2.0","method":"heddle_subscription","params":{{"subscription":"{}",)"
        R"("error":{{"code":-32000,"message":"it is another \"chain\" now"}}}}}})";
    EXPECT_EQ(session_->messages(3).back(), fmt::format(kLast, id));
    EXPECT_EQ(other->messages(2).back(), fmt::format(kLast, other_id));
    EXPECT_THAT(acknowledge(id, "0x2", session_), HasSubstr("false"));
    EXPECT_THAT(refusal(R"({"fromBlock":"0x1"})"), HasSubstr("another"));
    commit(2);
    EXPECT_EQ(session_->messages(3).size(), 3U);
}

TEST_F(BlockStreamsTest, stop_where_nobody_acknowledges) {
    commit(20);
    const std::string id = subscribe(R"({"fromBlock":"0x1","window":"0x4"})");
    EXPECT_THAT(numbers(*session_, 4), testing::ElementsAre(1, 2, 3, 4));
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(session_->messages_so_far().size(), 4u);

    EXPECT_EQ(acknowledge(id, "0x3", session_), "true");

    EXPECT_EQ(numbers(*session_, 7).back(), 7u);
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(session_->messages_so_far().size(), 7u);
    for (std::uint64_t number = 7; number < 20; ++number) {
        (void)session_->messages(number);  // it was sent
        EXPECT_EQ(acknowledge(id, to_quantity(number), session_), "true") << number;
    }
    EXPECT_EQ(numbers(*session_, 20).back(), 20u);
}

TEST_F(BlockStreamsTest, know_acknowledgements_of_their_own_followers_only) {
    commit(3);
    const std::string id = subscribe(R"({"fromBlock":"0x1"})");
    (void)session_->messages(3);
    const auto stranger = std::make_shared<RecordingSession>();
    EXPECT_EQ(acknowledge(id, "0x1", stranger), "false");
    EXPECT_EQ(acknowledge("0x1234", "0x1", session_), "false");
    EXPECT_EQ(acknowledge(id, "0x4", session_), "false") << "it was not sent";
    EXPECT_EQ(methods_.call("heddle_unsubscribe", R"([")" + id + R"("])", stranger), "false");
    EXPECT_EQ(methods_.call("heddle_unsubscribe", R"([")" + id + R"("])", session_), "true");
    EXPECT_EQ(acknowledge(id, "0x1", session_), "false");
    commit(1);
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(session_->messages_so_far().size(), 3u);
}

TEST_F(BlockStreamsTest, begin_behind_a_block_that_both_have) {
    commit(3);
    EXPECT_THAT(refusal(R"({"fromBlock":"0x3","parentHash":")" + hash_of(1) + "\"}"),
                HasSubstr("block 2 is " + hash_of(2) + " here"));
    EXPECT_THAT(refusal(R"({"fromBlock":"0x5"})"), HasSubstr("there is no block 4"));
    EXPECT_THAT(refusal(R"({"fromBlock":"0x0"})"), HasSubstr("blocks are kept from 1 on"));
    EXPECT_THAT(refusal("{}"), HasSubstr("fromBlock"));
    EXPECT_THAT(refusal("7"), HasSubstr("fromBlock"));
    EXPECT_THAT(methods_.error("heddle_subscribe", R"(["blobs",{"fromBlock":"0x1"}])", session_),
                HasSubstr("blocks"));
    EXPECT_THAT(methods_.error("heddle_subscribe", R"(["blocks",{"fromBlock":"0x1"}])"),
                HasSubstr("notifications not supported"));
    (void)subscribe(R"({"fromBlock":"0x4","parentHash":")" + hash_of(3) + "\"}");
    commit(1);
    EXPECT_THAT(numbers(*session_, 1), testing::ElementsAre(4));
}

TEST_F(BlockStreamsTest, end_with_their_connections_and_are_not_too_many) {
    commit(1);
    for (std::size_t i = 0; i < BlockStreams::kMaxStreams; ++i)
        (void)subscribe(R"({"fromBlock":"0x1"})");
    EXPECT_THAT(refusal(R"({"fromBlock":"0x1"})"), HasSubstr("-32005 too many streams"));
    session_->close();
    session_ = std::make_shared<RecordingSession>();
    (void)subscribe(R"({"fromBlock":"0x1"})");
    EXPECT_THAT(numbers(*session_, 1), testing::ElementsAre(1));
}

TEST_F(BlockStreamsTest, of_one_client_make_room_for_those_of_others) {
    commit(1);
    const std::string oldest = subscribe(R"({"fromBlock":"0x2"})");
    std::string newest;
    for (std::size_t i = 1; i < BlockStreams::kMaxStreams; ++i)
        newest = subscribe(R"({"fromBlock":"0x2"})");
    const auto greedy = session_;

    methods_.client = 1;
    session_ = std::make_shared<RecordingSession>();
    (void)subscribe(R"({"fromBlock":"0x1"})");

    EXPECT_THAT(numbers(*session_, 1), testing::ElementsAre(1));
    EXPECT_THAT(greedy->messages(1).back(),
                testing::AllOf(HasSubstr(newest), HasSubstr("another client needs room")));
    methods_.client = 0;
    EXPECT_THAT(methods_.error("heddle_subscribe", R"(["blocks",{"fromBlock":"0x1"}])", greedy),
                HasSubstr("-32005 too many streams"));
    EXPECT_EQ(methods_.call("heddle_unsubscribe", R"([")" + oldest + R"("])", greedy), "true");
}

TEST_F(BlockStreamsTest, go_on_behind_a_chain_that_went_back_although_nobody_acknowledges) {
    methods_.chain.chain().become_development(nullptr);
    commit(2);
    (void)subscribe(R"({"fromBlock":"0x1","window":"0x2"})");
    EXPECT_THAT(numbers(*session_, 2), testing::ElementsAre(1, 2));

    ASSERT_TRUE(methods_.chain.chain().rewind(0, nullptr).has_value());
    (void)methods_.commit({{log_of(1, {})}});

    EXPECT_THAT(numbers(*session_, 3), testing::ElementsAre(1, 2, 1));
    EXPECT_THAT(session_->messages(3).back(), HasSubstr(block_text(1)));
}

/// A chain goes back while blocks are read for followers - the next one is made in the place of one
/// that is being sent - it was never sent.
TEST_F(BlockStreamsTest, bring_each_block_that_stays_however_often_the_chain_goes_back) {
    methods_.chain.chain().become_development(nullptr);
    commit(1);
    const std::string id = subscribe(R"({"fromBlock":"0x1"})");
    (void)session_->messages(1);
    for (std::uint64_t i = 0; i < 300; ++i) {
        (void)methods_.commit({{log_of(i, {})}});
        ASSERT_TRUE(methods_.chain.chain().rewind(1, nullptr).has_value());
    }
    (void)methods_.commit({{log_of(300, {})}});
    const std::string last = block_text(2);
    std::size_t count = 1;
    while (session_->messages(count)[count - 1].find(last) == std::string::npos)
        ++count;
    EXPECT_EQ(acknowledge(id, "0x2", session_), "true");
    commit(1);
    EXPECT_THAT(session_->messages(count + 1)[count], HasSubstr(block_text(3)));
}

/// A follower may begin anew as often as it likes over one connection.
TEST_F(BlockStreamsTest, that_come_and_go_leave_nothing_with_their_connection) {
    commit(1);
    for (int i = 0; i < 100; ++i) {
        const std::string id = subscribe(R"({"fromBlock":"0x1"})");
        EXPECT_EQ(methods_.call("heddle_unsubscribe", R"([")" + id + R"("])", session_), "true");
    }
    EXPECT_EQ(session_->actions(), 1u);

    for (std::size_t i = 0; i < BlockStreams::kMaxStreams; ++i)
        (void)subscribe(R"({"fromBlock":"0x1"})");
    session_->close();
    session_ = std::make_shared<RecordingSession>();
    for (std::size_t i = 0; i < BlockStreams::kMaxStreams; ++i)
        (void)subscribe(R"({"fromBlock":"0x1"})");
}

TEST_F(BlockStreamsTest, keep_each_other_from_nothing) {
    commit(50);
    std::vector<std::shared_ptr<RecordingSession>> sessions;
    for (int i = 0; i < 8; ++i) {
        session_ = sessions.emplace_back(std::make_shared<RecordingSession>());
        // Every second one takes nothing.
        (void)subscribe(i % 2 == 0 ? R"({"fromBlock":"0x1","window":"0x2"})"
                                   : R"({"fromBlock":"0x1"})");
    }
    for (int i = 1; i < 8; i += 2)
        EXPECT_EQ(numbers(*sessions[static_cast<std::size_t>(i)], 50).back(), 50u);
    for (int i = 0; i < 8; i += 2)
        EXPECT_EQ(sessions[static_cast<std::size_t>(i)]->messages(2).size(), 2u);
}

}  // namespace
}  // namespace heddle::node::rpc
