// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A member as others see it before it has started. Whole members are in tests/integration.
#include "replication/replication.hpp"

#include <condition_variable>
#include <mutex>

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

}  // namespace
}  // namespace heddle::node::replication
