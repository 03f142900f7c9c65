// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A member as others see it before it has started. Whole members are in tests/integration.
#include "replication/replication.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hostile_server.hpp"
#include "rpc/envelope/arguments.hpp"
#include "test_chain.hpp"

namespace heddle::node::replication {
namespace {

using consensus_adapter::replication::first_state;
using consensus_adapter::replication::Role;
using namespace std::chrono_literals;

/// Leads in some epoch, and has the blocks that a backup has.
class LeadingMember {
public:
    explicit LeadingMember(std::uint64_t epoch) {
        server.on("heddle_replicate", [this, epoch](const rpc::Call&, JsonWriter& out) {
            const std::scoped_lock lock{mutex_};
            ++sessions_;
            out.begin_object();
            out.key("epoch");
            out.quantity(epoch);
            out.key("subscription");
            out.string("0x1");
            out.end_object();
        });
        server.on("heddle_acknowledge", [this](const rpc::Call&, JsonWriter& out) {
            const std::scoped_lock lock{mutex_};
            ++acknowledgements_;
            changed_.notify_all();
            out.boolean(true);
        });
        server.start();
    }

    void wait_for_acknowledgement() {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return acknowledgements_ != 0; });
    }
    [[nodiscard]] int sessions() {
        const std::scoped_lock lock{mutex_};
        return sessions_;
    }

    follow::test::PoliteServer server;

private:
    std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    int sessions_ = 0;
    int acknowledgements_ = 0;
};

// Its port is open before it starts. It followed the new leader at once, with nothing that blocks
// could go into, and ended with the first of them.
TEST(ReplicationBeforeStart, a_promise_is_kept_and_its_candidate_followed_from_the_start_on) {
    const Membership own{"b", {"a", "b", "c"}, 1};
    const Membership theirs{"c", own.members, own.acks};
    const std::uint64_t epoch = theirs.next_epoch(1);
    LeadingMember leader{epoch};
    test::TestChain chain{Revision::cancun};
    ASSERT_TRUE(chain.chain().hold_back(0));
    Mempool mempool{{}, chain.chain()};
    MemberFiles files{chain.path("ledger"), own.name};
    const MemberState state = first_state(own.name, "a");
    ReplicationSettings settings;
    settings.membership = own;
    settings.first_leader = "a";
    for (const std::string& member : own.members)
        settings.addresses.emplace(member, leader.server.endpoint(true));
    settings.timeout = 60s;
    settings.limits = {.timeout = 60s, .max_answer_bytes = 1 << 20};
    Replication replication(std::move(settings), chain.chain(), mempool, KeptMember{files, state},
                            {.on_restart = [](std::optional<std::uint64_t>) { ADD_FAILURE(); },
                             .on_failure = [](const std::string& why) { ADD_FAILURE() << why; }});

    const auto promised = replication.promise({epoch, theirs.name, theirs});
    ASSERT_TRUE(promised.has_value()) << promised.error();
    EXPECT_EQ(promised->state, (MemberState{epoch, theirs.name, Role::backup}));
    const auto sent = replication.send(Bytes{1}, std::chrono::steady_clock::now() + 60s);
    ASSERT_FALSE(sent.has_value());
    EXPECT_THAT(sent.error().message, testing::HasSubstr("no member leads"));
    EXPECT_EQ(leader.sessions(), 0);

    replication.start({});
    leader.wait_for_acknowledgement();
    EXPECT_EQ(leader.sessions(), 1);
}

/// A primary, in epoch 1.
class LeadingReplication : public testing::Test {
protected:
    void SetUp() override { ASSERT_TRUE(chain_.chain().hold_back(0)); }
    [[nodiscard]] std::unique_ptr<Replication> make() {
        ReplicationSettings settings;
        settings.membership = own_;
        settings.first_leader = own_.name;
        settings.timeout = 1h;
        settings.limits = {.timeout = 60s, .max_answer_bytes = 1 << 20};
        return std::make_unique<Replication>(
            std::move(settings), chain_.chain(), mempool_, KeptMember{files_, state_},
            ReplicationEvents{.on_restart = [](std::optional<std::uint64_t>) {},
                              .on_failure = [](const std::string& why) { ADD_FAILURE() << why; }});
    }
    [[nodiscard]] ReplicateRequest request(const MemberState& state) {
        return {theirs_,
                state,
                chain_.chain().ledger().block_hash(0),
                {{0, chain_.chain().ledger().block_hash(0)}}};
    }

    const Membership own_{"a", {"a", "b", "c"}, 1};
    const Membership theirs_{"c", own_.members, own_.acks};
    const MemberState state_ = first_state("a", "a");
    const MemberState next_{theirs_.next_epoch(1), "c", Role::backup};
    test::TestChain chain_;
    Mempool mempool_{{}, chain_.chain()};
    MemberFiles files_{chain_.path("ledger"), own_.name};
};

// A member that knows a higher epoch asks for blocks - its leader asks for the promise of the same
// one before the primary is fenced for the first - the promise was given with a chain that the
// primary might still have shown more of.
TEST_F(LeadingReplication, a_promise_of_an_epoch_that_was_heard_of_is_given_by_nobody_who_shows) {
    constexpr int kRounds = 50;
    for (int round = 0; round < kRounds; ++round) {
        const auto replication = make();
        std::vector<std::jthread> threads;
        for (int i = 0; i < 3; ++i)  // whoever fences waits for them
            threads.emplace_back([&](const std::stop_token& stop) {
                while (!stop.stop_requested())
                    (void)replication->primary()->status();
            });
        threads.emplace_back([&] { EXPECT_FALSE(replication->admit(request(next_)).has_value()); });
        while (replication->status().state.epoch == 1)
            std::this_thread::yield();

        const auto promised = replication->promise({next_.epoch, "c", theirs_});

        ASSERT_TRUE(promised.has_value()) << promised.error();
        ASSERT_EQ(promised->condition, "fenced") << "round " << round;
    }
}

// A backup is let in - the primary hears of a higher epoch - the backup was told that the primary
// leads in that one, and kept it as the leader that it promised.
TEST_F(LeadingReplication, whoever_is_let_in_is_told_the_epoch_that_this_member_leads_in) {
    constexpr int kRounds = 50;
    ReplicateRequest joining = request(state_);
    joining.membership = {"b", own_.members, own_.acks};
    // A block that is not here, so that it is told of the newest common one.
    joining.locator.insert(joining.locator.begin(), {1, Hash{}});
    for (int round = 0; round < kRounds; ++round) {
        const auto replication = make();
        std::atomic<std::uint64_t> admissions{0};
        std::vector<std::jthread> backups;
        for (int i = 0; i < 4; ++i)
            backups.emplace_back([&] {
                while (const auto admitted = replication->admit(joining)) {
                    EXPECT_EQ(admitted->common, 0u);
                    EXPECT_EQ(admitted->epoch, 1u) << "round " << round;
                    ++admissions;
                }
            });
        while (admissions < 100)
            std::this_thread::yield();
        EXPECT_FALSE(replication->admit(request(next_)).has_value());
    }
}

}  // namespace
}  // namespace heddle::node::replication
