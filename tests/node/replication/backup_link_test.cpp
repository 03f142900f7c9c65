// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A backup and a leader that sends what a test says.
#include "replication/backup_link.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hostile_server.hpp"
#include "rpc/envelope/arguments.hpp"
#include "test_chain.hpp"

namespace heddle::node::replication {
namespace {

using consensus_adapter::replication::first_state;
using consensus_adapter::replication::Member;
using test::TestChain;
using testing::HasSubstr;
using namespace std::chrono_literals;

/// Answers as a leader in epoch 1 whose chain has whatever the backup has.
class ScriptedLeader {
public:
    ScriptedLeader() {
        server.on("heddle_replicate", [this](const rpc::Call& call, JsonWriter& out) {
            const std::scoped_lock lock{mutex_};
            session_ = call.session;
            ++sessions_;
            asks_ahead_ = call.params.at(0).at("ahead").boolean();
            out.begin_object();
            out.key("epoch");
            out.quantity(std::uint64_t{1});
            out.key("subscription");
            out.string("0x1");
            out.end_object();
            changed_.notify_all();
        });
        server.on("heddle_acknowledge", [this](const rpc::Call& call, JsonWriter& out) {
            const std::scoped_lock lock{mutex_};
            acknowledged_.push_back(call.params.at(1).uint64());
            changed_.notify_all();
            out.boolean(true);
        });
        server.start();
    }
    ~ScriptedLeader() {
        const std::scoped_lock lock{mutex_};
        session_.reset();
    }

    void wait_for_session(int count) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return sessions_ >= count; });
    }
    /// What the backup says after it has read all that was sent: two signs of life later.
    std::uint64_t next_acknowledgement() {
        std::unique_lock lock{mutex_};
        const std::size_t before = acknowledged_.size();
        changed_.wait(lock, [&] { return acknowledged_.size() >= before + 2; });
        return acknowledged_.back();
    }
    /// @param block  Null: none, only how far the leader is.
    void tell(std::uint64_t kept, const SharedBlock& block = nullptr) {
        std::string text =
            R"({"jsonrpc":"2.0","method":"heddle_subscription","params":{"subscription":"0x1",)"
            R"("result":{"acknowledged":"0x0","head":")" +
            to_quantity(kept) + '"';
        if (block) {
            Bytes encoded;
            encode_block(block->block, encoded);
            text += R"(,"number":")" + to_quantity(block->block.header.number) + R"(","block":")" +
                    to_hex(encoded) + '"';
        }
        const std::scoped_lock lock{mutex_};
        session_->send(text + "}}}");
    }
    [[nodiscard]] bool asks_ahead() {
        const std::scoped_lock lock{mutex_};
        return asks_ahead_;
    }

    follow::test::PoliteServer server;

private:
    std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    std::shared_ptr<rpc::Session> session_;
    int sessions_ = 0;
    bool asks_ahead_ = false;
    std::vector<std::uint64_t> acknowledged_;
};

class BackupLinkTest : public testing::Test {
protected:
    /// An empty block on the head of `chain`.
    static SharedBlock make(TestChain& chain, std::uint64_t gas_limit = 30'000'000) {
        return chain.commit({.gas_limit = gas_limit, .gas_used = 0});
    }
    void SetUp() override { ASSERT_TRUE(chain_.chain().hold_back(0)); }
    BackupLinkOptions options() {
        return {.leader = "a",
                .endpoint = leader_.server.endpoint(true),
                .limits = {.timeout = 60s, .max_answer_bytes = 1 << 20},
                .timeout = 2s,
                .on_other_branch = [](std::uint64_t) { ADD_FAILURE(); },
                .on_failure = [](const std::string& why) { ADD_FAILURE() << why; }};
    }
    std::unique_ptr<BackupLink> link() { return link(options()); }
    std::unique_ptr<BackupLink> link(BackupLinkOptions options) {
        return std::make_unique<BackupLink>(chain_.chain(), files_, stream_, member_,
                                            std::move(options));
    }
    [[nodiscard]] std::uint64_t kept() { return chain_.chain().kept_head().header.number; }

    ScriptedLeader leader_;
    // Of a fork whose blocks need no system contracts, which these chains have not.
    TestChain origin_{Revision::cancun};  // the leader's
    TestChain chain_{Revision::cancun};
    Mempool mempool_{{}, chain_.chain()};
    MemberFiles files_{chain_.path("ledger"), "b"};
    Member member_{{"b", {"a", "b"}, 1}, first_state("b", "a"), files_};
    follow::ChainStream stream_{chain_.chain(), mempool_, {}};
};

TEST_F(BackupLinkTest, keeps_a_block_no_sooner_than_its_leader_has_it) {
    const auto link = this->link();
    leader_.wait_for_session(1);
    EXPECT_TRUE(leader_.asks_ahead());
    const SharedBlock block = make(origin_);
    leader_.tell(0, block);
    EXPECT_EQ(leader_.next_acknowledgement(), 0u);
    EXPECT_EQ(kept(), 0u);

    leader_.tell(1);
    EXPECT_EQ(leader_.next_acknowledgement(), 1u);
    EXPECT_EQ(chain_.chain().kept_head().hash, block->hash);
    EXPECT_EQ(chain_.chain().head().header.number, 0u) << "nobody has acknowledged it";
}

TEST_F(BackupLinkTest, drops_what_it_holds_with_its_session) {
    const auto link = this->link();
    leader_.wait_for_session(1);
    leader_.tell(0, make(origin_));
    leader_.tell(0, make(origin_));  // of which the leader cannot have the one before
    leader_.wait_for_session(2);
    EXPECT_THAT(link->status().error, testing::AnyOf("", HasSubstr("block 2")));
    EXPECT_EQ(leader_.next_acknowledgement(), 0u);
    EXPECT_EQ(kept(), 0u);

    // A leader that has lost its block makes another one.
    TestChain after_loss{Revision::cancun};
    const SharedBlock other = make(after_loss, 29'999'999);
    leader_.tell(1, other);
    EXPECT_EQ(leader_.next_acknowledgement(), 1u);
    EXPECT_EQ(chain_.chain().kept_head().hash, other->hash);
}

/// Answers as a leader on whose chain there is what the backup has up to a block.
class LeaderOfAnotherBranch {
public:
    explicit LeaderOfAnotherBranch(std::uint64_t last_common) {
        server.on("heddle_replicate", [last_common](const rpc::Call& call, JsonWriter& out) {
            const JsonView locator = call.params.at(0).at("locator");
            for (std::size_t i = 0; i < locator.size(); ++i) {
                const std::uint64_t number = locator.element(i).at("number").uint64();
                if (number > last_common) continue;
                out.begin_object();
                out.key("epoch");
                out.quantity(std::uint64_t{1});
                out.key("common");
                out.quantity(number);
                return out.end_object();
            }
            throw rpc::RpcError(rpc::Code::server_error, "none of those blocks is on this chain");
        });
        server.start();
    }
    follow::test::PoliteServer server;
};

class OtherBranchTest : public BackupLinkTest {
protected:
    /// Up to where this member is to go back, by itself; nullopt: it does not.
    std::optional<std::uint64_t> common_with(LeaderOfAnotherBranch& leader) {
        std::atomic<std::uint64_t> common = kNone;
        auto options = this->options();
        options.endpoint = leader.server.endpoint(true);
        options.on_other_branch = [&](std::uint64_t number) { common = number; };
        const auto link = this->link(std::move(options));
        while (link->status().error.empty())  // which says that it is on another branch, or why not
            std::this_thread::yield();
        link->stop();
        if (common == kNone) return std::nullopt;
        return common;
    }

private:
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};
};

// Behind 64 blocks that were not shown yet, a full window, the next block that the leader was asked
// for lay far below: what was shown seemed to be on no chain but this one.
TEST_F(OtherBranchTest, takes_back_no_more_than_was_never_shown_however_much_that_is) {
    constexpr std::uint64_t kBlocks = 140;
    for (std::uint64_t i = 0; i < kBlocks; ++i)
        (void)make(chain_);
    for (const std::uint64_t not_shown : {100u, 65u, 64u, 63u, 1u}) {
        chain_.chain().show_up_to(kBlocks - not_shown);
        LeaderOfAnotherBranch leader{kBlocks - not_shown};
        EXPECT_EQ(common_with(leader), kBlocks - not_shown);
    }
}

TEST_F(OtherBranchTest, finds_the_first_block_where_the_leader_has_no_later_one) {
    for (int i = 0; i < 70; ++i)
        (void)make(chain_);
    LeaderOfAnotherBranch leader{0};
    EXPECT_EQ(common_with(leader), 0u);
}

}  // namespace
}  // namespace heddle::node::replication
