// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams to backups, which bring more than those to followers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "log_methods.hpp"
#include "rpc/queries/block_streams.hpp"

namespace heddle::node::replication {
namespace {

using rpc::BlockStreams;
using test::RecordingSession;
using test::TestChain;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class RecordingBackup final : public BackupSession {
public:
    explicit RecordingBackup(bool& has_ended) : has_ended_(has_ended) {}
    ~RecordingBackup() override { has_ended_ = true; }
    void acknowledged(std::uint64_t number) override { numbers.push_back(number); }
    std::vector<std::uint64_t> numbers;

private:
    bool& has_ended_;
};

class BackupStreamsTest : public testing::Test {
protected:
    void SetUp() override { ASSERT_TRUE(chain_.chain().hold_back(0)); }
    TestChain chain_;
    bool has_ended_ = false;
    std::shared_ptr<RecordingSession> session_ = std::make_shared<RecordingSession>();
};

TEST_F(BackupStreamsTest, bring_blocks_that_are_not_shown_and_then_say_that_they_are) {
    BlockStreams streams{chain_.chain()};
    (void)chain_.commit({});
    const auto follower = std::make_shared<RecordingSession>();
    (void)streams.add(follower, {.from = 1});
    auto backup = std::make_shared<RecordingBackup>(has_ended_);
    const std::string id = streams.add(session_, {.from = 1, .backup = backup});

    EXPECT_THAT(session_->messages(1).back(),
                AllOf(HasSubstr(R"("head":"0x1","acknowledged":"0x0","number":"0x1")"),
                      HasSubstr("\"block\"")));
    EXPECT_TRUE(follower->messages_so_far().empty());
    EXPECT_TRUE(streams.acknowledge(session_.get(), id, 1));
    EXPECT_THAT(backup->numbers, testing::ElementsAre(1));
    EXPECT_FALSE(streams.acknowledge(session_.get(), id, 2)) << "it was not sent";
    EXPECT_TRUE(streams.acknowledge(session_.get(), id, 0)) << "a sign of life";

    chain_.chain().show_up_to(1);

    EXPECT_THAT(session_->messages(2).back(),
                AllOf(HasSubstr(R"("head":"0x1","acknowledged":"0x1")"), Not(HasSubstr("block"))));
    EXPECT_THAT(follower->messages(1).back(),
                AllOf(HasSubstr(R"("number":"0x1")"), Not(HasSubstr("acknowledged"))));
}

TEST_F(BackupStreamsTest, bring_a_block_before_it_is_kept_to_a_backup_that_waits_with_it) {
    BlockStreams streams{chain_.chain()};
    const auto other = std::make_shared<RecordingSession>();
    const auto add = [&](const std::shared_ptr<RecordingSession>& session, bool ahead) {
        return streams.add(
            session,
            {.from = 1, .backup = std::make_shared<RecordingBackup>(has_ended_), .ahead = ahead});
    };
    (void)add(session_, true);
    (void)add(other, false);
    // Told after the stream was: the block is not kept before this has returned.
    const auto made = chain_.chain().made().subscribe([&](const SharedBlock& block) {
        EXPECT_THAT(session_->messages(1).back(),
                    AllOf(HasSubstr(R"("head":"0x0","acknowledged":"0x0","number":"0x1")"),
                          HasSubstr("\"block\"")));
        EXPECT_TRUE(other->messages_so_far().empty());
        EXPECT_EQ(chain_.chain().kept_head().header.number + 1, block->block.header.number);
    });
    (void)chain_.commit({});

    EXPECT_THAT(session_->messages(2).back(),
                AllOf(HasSubstr(R"("head":"0x1","acknowledged":"0x0")"), Not(HasSubstr("block"))));
    EXPECT_THAT(other->messages(1).back(),
                AllOf(HasSubstr(R"("head":"0x1","acknowledged":"0x0","number":"0x1")"),
                      HasSubstr("\"block\"")));
}

TEST_F(BackupStreamsTest, end_the_session_with_their_connection) {
    BlockStreams streams{chain_.chain()};
    auto backup = std::make_shared<RecordingBackup>(has_ended_);
    (void)streams.add(session_, {.from = 1, .backup = std::move(backup)});
    EXPECT_FALSE(has_ended_);
    session_->close();
    EXPECT_TRUE(has_ended_);
}

TEST_F(BackupStreamsTest, followers_do_not_keep_backups_out) {
    BlockStreams streams{chain_.chain()};
    for (std::size_t i = 0; i < BlockStreams::kMaxStreams; ++i)
        (void)streams.add(session_, {.from = 1});
    EXPECT_THROW((void)streams.add(session_, {.from = 1}), rpc::RpcError);
    (void)streams.add(session_,
                      {.from = 1, .backup = std::make_shared<RecordingBackup>(has_ended_)});
    EXPECT_FALSE(has_ended_);
}

}  // namespace
}  // namespace heddle::node::replication
