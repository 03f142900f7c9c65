// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks that are kept, and shown once backups have them.
#include "replication/primary_role.hpp"

#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comes_true.hpp"
#include "test_chain.hpp"

namespace heddle::node::replication {
namespace {

using consensus_adapter::replication::AcknowledgementOptions;
using consensus_adapter::replication::OnTimeout;
using test::comes_true;
using test::TestChain;
using testing::HasSubstr;
using namespace std::chrono_literals;

class PrimaryRoleTest : public testing::Test {
protected:
    void commit(int count = 1) {
        for (int i = 0; i < count; ++i)
            (void)chain_.commit({});
    }
    [[nodiscard]] std::uint64_t shown() { return chain_.chain().head().header.number; }
    [[nodiscard]] bool is_shown(std::uint64_t number) {
        return comes_true([&] { return shown() == number; });
    }
    [[nodiscard]] std::unique_ptr<PrimaryRole> make(std::size_t acks,
                                                    std::chrono::milliseconds timeout = 10min) {
        return std::make_unique<PrimaryRole>(
            chain_.chain(), files_,
            AcknowledgementOptions{{"b", "c"}, acks, OnTimeout::stop, timeout, 3}, 1);
    }

    TestChain chain_;
    MemberFiles files_{chain_.path("ledger"), "a"};
};

TEST_F(PrimaryRoleTest, shows_a_block_when_enough_backups_have_it) {
    ASSERT_TRUE(chain_.chain().hold_back(0));
    std::vector<std::uint64_t> told;
    std::mutex mutex;
    const auto heads = chain_.chain().heads().subscribe([&](const SharedBlock& block) {
        const std::scoped_lock lock{mutex};
        told.push_back(block->block.header.number);
    });
    const auto role = make(2);
    const auto b = role->join("b");
    const auto c = role->join("c");
    ASSERT_TRUE(b && c);
    EXPECT_EQ(role->join("stranger"), nullptr);
    commit(3);

    EXPECT_FALSE(chain_.chain().block(1)->has_value());
    EXPECT_FALSE(chain_.chain().header(3)->has_value());
    EXPECT_TRUE(chain_.chain().kept_block(3)->has_value());
    EXPECT_EQ(chain_.chain().kept_head().header.number, 3u);
    EXPECT_FALSE(chain_.chain().block_number(chain_.chain().kept_head().hash)->has_value());
    b->acknowledged(3);
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(shown(), 0u);
    c->acknowledged(2);
    EXPECT_TRUE(is_shown(2));
    c->acknowledged(3);
    EXPECT_TRUE(is_shown(3));

    EXPECT_TRUE(chain_.chain().block(3)->has_value());
    EXPECT_TRUE(comes_true([&] { return files_.shown() == 3u; }));
    const std::scoped_lock lock{mutex};
    EXPECT_THAT(told, testing::ElementsAre(1, 2, 3));
}

TEST_F(PrimaryRoleTest, goes_on_from_what_was_shown_before_it_was_started) {
    commit(4);
    ASSERT_TRUE(chain_.chain().hold_back(2));
    EXPECT_EQ(shown(), 2u);
    EXPECT_FALSE(chain_.chain().block(3)->has_value());
    const auto role = make(1);
    EXPECT_EQ(role->tail().number, 4u) << "it may have been acknowledged then";
    const auto b = role->join("b");
    b->acknowledged(4);
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(shown(), 2u) << "no block of this epoch is there yet";
    commit();
    b->acknowledged(5);
    EXPECT_TRUE(is_shown(5));
}

TEST_F(PrimaryRoleTest, counts_only_the_present_session_of_a_backup) {
    ASSERT_TRUE(chain_.chain().hold_back(0));
    const auto role = make(1);
    auto old = role->join("b");
    const auto present = role->join("b");
    commit();
    old->acknowledged(1);
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(shown(), 0u);
    old.reset();
    EXPECT_TRUE(role->status().backups.at(0).is_connected) << "the present one has not left";
    present->acknowledged(1);
    EXPECT_TRUE(is_shown(1));
}

TEST_F(PrimaryRoleTest, lets_the_engine_run_ahead_and_then_wait_no_longer_than_the_policy) {
    ASSERT_TRUE(chain_.chain().hold_back(0));
    const auto role = make(1, 200ms);
    const auto b = role->join("b");
    EXPECT_FALSE(role->wait_for_room().has_value());
    commit(3);
    const auto refusal = role->wait_for_room();
    ASSERT_TRUE(refusal.has_value());
    EXPECT_THAT(*refusal, HasSubstr("block 1 has not been acknowledged by 1 of its backups"));
    EXPECT_THAT(role->refusal().value_or(""), HasSubstr("c is not connected"));
    EXPECT_EQ(role->status().condition, "stopped");
    EXPECT_EQ(shown(), 0u);

    b->acknowledged(3);
    EXPECT_TRUE(is_shown(3));
    EXPECT_FALSE(role->wait_for_room().has_value());
    EXPECT_FALSE(role->refusal().has_value());
}

TEST_F(PrimaryRoleTest, a_fenced_one_makes_and_shows_nothing_more) {
    ASSERT_TRUE(chain_.chain().hold_back(0));
    const auto role = make(1);
    const auto b = role->join("b");
    commit();
    b->acknowledged(1);
    EXPECT_TRUE(is_shown(1));
    commit();

    role->fence();

    EXPECT_EQ(role->tail().number, 1u);
    b->acknowledged(2);
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(shown(), 1u);
    EXPECT_THAT(role->wait_for_room().value_or(""), HasSubstr("fenced"));
    EXPECT_THAT(role->refusal().value_or(""), HasSubstr("not the primary any more"));
    EXPECT_EQ(role->join("c"), nullptr);
}

TEST_F(PrimaryRoleTest, whoever_waits_for_room_is_let_go_when_it_ends) {
    ASSERT_TRUE(chain_.chain().hold_back(0));
    const auto role = make(1);
    commit(3);
    std::thread waiting{
        [&] { EXPECT_THAT(role->wait_for_room().value_or(""), HasSubstr("the node is to end")); }};
    std::this_thread::sleep_for(20ms);
    role->stop();
    waiting.join();
}

}  // namespace
}  // namespace heddle::node::replication
