// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A primary and its backups as their operators meet them: machines that die under load, hang, come
// back, and are promoted. HEDDLE_FAILOVERS says how many primaries are killed.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "announced_seed.hpp"
#include "members.hpp"
#include "node_client.hpp"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

const std::string kSender = "[\"" + std::string{kDevAccounts[0].address} + "\",\"latest\"]";

TEST(Replication, backups_have_and_show_what_the_primary_shows) {
    Members members{3, "sync", 2};
    members.start_all();
    for (std::uint64_t nonce = 0; nonce < 5; ++nonce) {
        const std::string hash =
            text_member(send(members, nonce % 2 == 0 ? "a" : "b", nonce), "result");
        ASSERT_TRUE(is_receipt_soon(members, "a", hash)) << members.logs();
    }
    const std::uint64_t head = members.report("a")->shown;
    EXPECT_NE(members.common_hash(head), "") << members.logs();
    const std::string block = members.call("c", "eth_getBlockByNumber", R"(["latest",false])");
    EXPECT_THAT(text_member(block, "extraData"), testing::EndsWith("004550310000000000000001"));
    EXPECT_THAT(http_get(members.port("a"), "/metrics"),
                AllOf(HasSubstr("\nheddle_replication_epoch 1"),
                      HasSubstr("heddle_replication_backup_connected{member=\"c\"} 1")));
    for (const std::string& name : members.names()) {
        EXPECT_EQ(members.node(name).program().end(), 0);
        EXPECT_EQ(run_program({"verify", "--datadir", members.data(name)}).exit_code, 0);
    }
}

TEST(Replication, nothing_is_shown_that_no_backup_has_and_transactions_wait_aloud) {
    Members members{2, "sync", 1, {"replication.timeout=500ms"}};
    members.start_all();
    const std::string first = text_member(send(members, "a", 0), "result");
    ASSERT_TRUE(is_receipt_soon(members, "a", first)) << members.logs();
    const std::uint64_t shown = members.report("a")->shown;

    members.signal("b", SIGSTOP);
    const std::string second = text_member(send(members, "a", 1), "result");
    ASSERT_TRUE(members.is_soon("a", "primary", "stopped")) << members.logs();
    EXPECT_EQ(receipt_block(members, "a", second), "");
    EXPECT_EQ(members.report("a")->shown, shown);
    EXPECT_GT(members.report("a")->kept, shown);
    EXPECT_EQ(members.node("a").number("eth_blockNumber"), shown);
    EXPECT_THAT(text_member(send(members, "a", 2), "message"),
                AllOf(HasSubstr("no transactions are taken"), HasSubstr("b says nothing")));
    EXPECT_THAT(
        members.node("a").program().error(),
        AllOf(HasSubstr("backup b has said nothing for 500 ms"), HasSubstr("no more is made")));

    members.signal("b", SIGCONT);
    ASSERT_TRUE(members.is_soon("a", "primary", "good")) << members.logs();
    EXPECT_TRUE(is_receipt_soon(members, "a", second));
    EXPECT_TRUE(is_receipt_soon(members, "b", second));
    EXPECT_TRUE(is_receipt_soon(members, "a", text_member(send(members, "a", 2), "result")));
}

TEST(Replication, a_dead_backup_degrades_a_chain_that_is_told_so_until_it_is_back) {
    Members members{2, "sync", 1, {"replication.timeout=500ms", "replication.on_timeout=degrade"}};
    members.start_all();
    ASSERT_TRUE(is_receipt_soon(members, "a", text_member(send(members, "a", 0), "result")));

    members.kill("b");
    const std::string alone = text_member(send(members, "a", 1), "result");
    EXPECT_TRUE(is_receipt_soon(members, "a", alone)) << members.logs();
    ASSERT_TRUE(members.is_soon("a", "primary", "degraded"));
    EXPECT_THAT(members.node("a").program().error(),
                AllOf(HasSubstr("backup b is gone"), HasSubstr("shown without any")));

    members.start("b");
    ASSERT_TRUE(members.is_soon("a", "primary", "good")) << members.logs();
    EXPECT_TRUE(is_receipt_soon(members, "b", alone));
}

TEST(Replication, a_primary_that_was_cut_off_is_fenced_and_its_own_blocks_are_taken_back) {
    Members members{3, "sync", 2, {"replication.timeout=500ms"}};
    members.start_all();
    const std::string kept = text_member(send(members, "a", 0), "result");
    ASSERT_TRUE(is_receipt_soon(members, "a", kept)) << members.logs();

    // The primary makes a block that reaches nobody, and hangs.
    members.kill("b");
    members.kill("c");
    const std::string lost = text_member(send(members, "a", 1), "result");
    ASSERT_TRUE(members.is_soon("a", "primary", "stopped")) << members.logs();
    EXPECT_EQ(receipt_block(members, "a", lost), "");
    members.signal("a", SIGSTOP);
    members.start("b");
    members.start("c");
    const auto promoted = members.promote("b");
    ASSERT_EQ(promoted.exit_code, 0) << promoted.error;
    const std::string leader = "b";
    ASSERT_TRUE(members.is_soon("b", "primary", "stopped")) << "it needs both of the others";

    // It comes back, learns of it, and its block is taken back.
    members.signal("a", SIGCONT);
    ASSERT_TRUE(members.is_soon("a", "backup", "good")) << members.logs();
    EXPECT_THAT(members.node("a").program().error(),
                AllOf(HasSubstr("this member is fenced"),
                      HasSubstr("1 block never acknowledged and taken back")));
    ASSERT_TRUE(members.is_soon("b", "primary", "good")) << members.logs();
    // Not before: it was killed, perhaps before it was told that all have this block, and shows it
    // when it has two acknowledgements again.
    EXPECT_TRUE(is_receipt_soon(members, leader, kept)) << members.logs();
    const std::string later = text_member(send(members, leader, 1), "result");
    ASSERT_TRUE(is_receipt_soon(members, leader, later)) << members.logs();
    EXPECT_TRUE(is_receipt_soon(members, "a", later));
    EXPECT_NE(members.common_hash(members.report(leader)->shown), "") << members.logs();
    const std::string block = members.call(
        "a", "eth_getBlockByHash", "[\"" + receipt_block(members, "a", later) + "\",false]");
    EXPECT_THAT(text_member(block, "extraData"), HasSubstr("0045503100000000000000"));
}

TEST(Replication, an_old_primary_that_starts_again_finds_out_by_itself) {
    Members members{2, "async", 1, {"replication.timeout=500ms"}};
    members.start_all();
    const std::string hash = text_member(send(members, "a", 0), "result");
    ASSERT_TRUE(is_receipt_soon(members, "b", hash)) << members.logs();
    members.kill("a");
    ASSERT_EQ(members.promote("b").exit_code, 0);
    ASSERT_TRUE(members.is_soon("b", "primary", "good"));
    const std::string later = text_member(send(members, "b", 1), "result");
    ASSERT_TRUE(is_receipt_soon(members, "b", later));

    members.start("a");

    ASSERT_TRUE(members.is_soon("a", "backup", "good")) << members.logs();
    EXPECT_TRUE(is_receipt_soon(members, "a", later)) << members.logs();
    EXPECT_TRUE(is_receipt_soon(members, "a", hash));
    // What is sent to it goes to the one that leads now.
    EXPECT_TRUE(is_receipt_soon(members, "b", text_member(send(members, "a", 2), "result")));
}

TEST(Replication, async_takes_nothing_back_by_itself_that_was_shown) {
    Members members{2, "async", 1, {"replication.timeout=500ms"}};
    members.start_all();
    ASSERT_TRUE(is_receipt_soon(members, "b", text_member(send(members, "a", 0), "result")));
    members.kill("b");
    const std::string alone = text_member(send(members, "a", 1), "result");
    ASSERT_TRUE(is_receipt_soon(members, "a", alone)) << "shown at once";
    members.kill("a");
    members.start("b");
    ASSERT_EQ(members.promote("b").exit_code, 0);
    ASSERT_TRUE(members.is_soon("b", "primary", "good"));

    members.start("a");

    ASSERT_TRUE(members.is_soon("a", "backup", "diverged")) << members.logs();
    EXPECT_THAT(members.node("a").program().error(),
                AllOf(HasSubstr("Nothing is taken back by itself"), HasSubstr("db rollback --to")));
    EXPECT_NE(receipt_block(members, "a", alone), "") << "it goes on answering with what it has";
    // What it says helps.
    const std::string log = members.node("a").program().error();
    const std::size_t at = log.find("db rollback --to ") + 17;
    const std::string number = log.substr(at, log.find('`', at) - at);
    EXPECT_EQ(members.node("a").program().end(), 0);
    ASSERT_EQ(
        run_program({"db", "rollback", "--to", number, "--datadir", members.data("a")}).exit_code,
        0);
    members.start("a");
    EXPECT_TRUE(members.is_soon("a", "backup", "good")) << members.logs();
}

TEST(Replication, members_answer_only_each_other_and_refuse_what_means_nothing) {
    Members members{3, "sync", 1, {"replication.timeout=500ms"}};
    members.start("a", {"rpc.expose_admin=false"});
    for (const char* method :
         {"heddle_replication", "heddle_promote", "heddle_promise", "heddle_replicate"})
        EXPECT_THAT(members.call("a", method), HasSubstr("-32601")) << method;
    members.start("b");
    EXPECT_THAT(members.call("b", "heddle_replicate", "[{}]"), HasSubstr("notifications"));
    EXPECT_THAT(members.call("b", "heddle_promise", R"([{"epoch":"0x9","candidate":"x",
        "member":"x","members":["a","b","c"],"acks":"0x1"}])"),
                HasSubstr("x is none of the other members"));
    EXPECT_THAT(members.call("b", "heddle_promise", R"([{"epoch":"0x9","candidate":"c",
        "member":"c","members":["b","c"],"acks":"0x1"}])"),
                HasSubstr("must be the same at every member"));
    // The primary is dead and so is the third: one of three is not enough, and fences nobody.
    members.kill("a");
    const auto refused = members.promote("b");
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.error, AllOf(HasSubstr("1 of 3 members have promised, and 2 are needed"),
                                     HasSubstr("a, c could not be asked")));
    EXPECT_EQ(members.report("b")->epoch, 1u) << "nothing was promised";
    const auto forced = members.promote("b", true);
    EXPECT_EQ(forced.exit_code, 0) << forced.error;
    EXPECT_THAT(forced.out, HasSubstr("promised by nobody else"));
}

// Everything is recorded at every member, over a failover: what each of them did runs again the
// same, up to what it has at the end.
TEST(Replication, what_members_did_runs_again_the_same) {
    Members members{3, "sync", 1, {"replication.timeout=500ms"}};
    const auto recording = [&](const std::string& name) { return members.path("rec-" + name); };
    const auto start = [&](const std::string& name) {
        members.start(name, {"record.folder=" + recording(name)});
    };
    for (const std::string& name : members.names())
        start(name);
    std::uint64_t nonce = 0;
    for (; nonce < 5; ++nonce)
        ASSERT_TRUE(is_receipt_soon(members, "a", text_member(send(members, "a", nonce), "result")))
            << members.logs();
    {
        const RunningProgram load{load_of(members, "a", 1)};
        const std::uint64_t before = members.report("a")->shown;
        ASSERT_TRUE(comes_true([&] { return members.report("a")->shown >= before + 5; }))
            << members.logs();
        members.kill("a");
    }
    std::string leader;
    for (const char* name : {"b", "c"})
        if (leader.empty() && members.promote(name).exit_code == 0) leader = name;
    ASSERT_NE(leader, "") << members.logs();
    start("a");
    ASSERT_TRUE(members.is_soon(leader, "primary", "good")) << members.logs();
    ASSERT_TRUE(members.is_soon("a", "backup", "good")) << members.logs();
    for (; nonce < 8; ++nonce)
        ASSERT_TRUE(
            is_receipt_soon(members, "a", text_member(send(members, leader, nonce), "result")))
            << members.logs();
    for (const std::string& name : members.names())
        EXPECT_EQ(members.node(name).program().end(), 0) << members.logs();

    for (const std::string& name : members.names())
        for (const char* const scheduler : {"", "serial", "dag", "auto"}) {
            SCOPED_TRACE(name + " " + scheduler);
            std::vector<std::string> arguments{"rerun", recording(name), "--workers", "2"};
            if (*scheduler != '\0') arguments.insert(arguments.end(), {"--scheduler", scheduler});
            const ProgramResult result = run_program(arguments);
            EXPECT_EQ(result.exit_code, 0) << result.out << result.error;
            EXPECT_THAT(result.out, HasSubstr("acknowledged and shown up to block "));
            const RunningNode kept{{"--datadir", members.data(name), "--seal", "command"}};
            const std::string head = kept.call("eth_getBlockByNumber", R"(["latest",false])");
            EXPECT_EQ(result.last_line(),
                      "head: block " +
                          std::to_string(std::stoull(text_member(head, "number"), nullptr, 16)) +
                          ", hash " + text_member(head, "hash"));
        }
}

TEST(Replication, options_that_mean_nothing_are_refused) {
    const TemporaryFolder folder;
    const std::string secret = folder.write("secret", std::string(64, '7'));
    const std::string genesis = folder.write("genesis.json", std::string{kMembersGenesis});
    const auto failure = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments{
            "node",      "--rpc-port", "0", "--datadir", (folder.path() / "data").native(),
            "--genesis", genesis};
        std::map<std::string, std::string> options{
            {"rpc.jwt_secret", secret},
            {"replication.mode", "sync"},
            {"replication.name", "a"},
            {"replication.members", R"(["a=ws://127.0.0.1:1","b=ws://127.0.0.1:2"])"},
            {"replication.primary", "a"}};
        for (const std::string& option : more)
            options[option.substr(0, option.find('='))] = option.substr(option.find('=') + 1);
        for (const auto& [name, value] : options)
            if (!value.empty()) arguments.insert(arguments.end(), {"--set", name + "=" + value});
        RunningProgram program{arguments};
        EXPECT_EQ(program.wait(), 2) << program.error();
        return program.error();
    };
    EXPECT_THAT(failure({"replication.mode=on"}), HasSubstr("expected off, async or sync"));
    EXPECT_THAT(failure({"rpc.jwt_secret="}), HasSubstr("rpc.jwt_secret: members"));
    EXPECT_THAT(failure({"replication.name=d"}), HasSubstr("d is not among the members"));
    EXPECT_THAT(failure({"replication.primary=d"}), HasSubstr("replication.primary: d"));
    EXPECT_THAT(failure({"replication.acks=2"}), HasSubstr("cannot acknowledge 2 times"));
    EXPECT_THAT(failure({"replication.acks=0"}), HasSubstr("expected 1 or more"));
    EXPECT_THAT(failure({R"(replication.members=["a","b=ws://h:2"])"}), HasSubstr("NAME=ws://"));
    EXPECT_THAT(failure({R"(replication.members=["a=http://h:1","b=ws://h:2"])"}),
                HasSubstr("over WebSocket"));
    EXPECT_THAT(failure({"replication.window=0"}), HasSubstr("expected 1 to 100"));
    EXPECT_THAT(failure({"replication.on_timeout=wait"}), HasSubstr("expected stop or degrade"));
    EXPECT_THAT(failure({"ledger.sync=5s"}), HasSubstr("what is acknowledged is on the disk"));
    EXPECT_THAT(failure({"consensus.extra_data=a text of twenty-one c"}), HasSubstr("20 bytes"));
}

/// Sends transfers to whoever leads, and keeps what it was told about them.
class Client {
public:
    explicit Client(Members& members) : members_(members) {}

    /// Until the member is gone.
    void send_until_gone(const std::string& leader) {
        const std::string count = members_.call(leader, "eth_getTransactionCount", kSender);
        if (count.find("\"result\"") == std::string::npos) return;
        std::uint64_t nonce = std::stoull(text_member(count, "result"), nullptr, 16);
        std::vector<std::string> sent;
        for (;;) {
            const std::string answer = send(members_, leader, nonce);
            if (answer.empty()) return;
            if (answer.find("\"result\"") != std::string::npos) {
                sent.push_back(text_member(answer, "result"));
                ++nonce;
            }
            std::erase_if(sent, [&](const std::string& hash) {
                const std::string block = receipt_block(members_, leader, hash);
                if (block.empty()) return false;
                receipts_.emplace_back(hash, block);
                has_receipts_ = true;
                return true;
            });
        }
    }
    using Receipt = std::pair<std::string, std::string>;  // transaction and block
    [[nodiscard]] const std::vector<Receipt>& receipts() const { return receipts_; }
    /// While it sends as well.
    [[nodiscard]] bool has_receipts() const { return has_receipts_; }

private:
    Members& members_;
    std::vector<Receipt> receipts_;
    std::atomic<bool> has_receipts_ = false;
};

/// Promotes one of the members that are left. @return which; empty: none.
std::string promote_one(Members& members, const std::string& dead) {
    std::string last;
    for (int i = 0; i < 20; ++i) {
        for (const std::string& name : members.names()) {
            if (name == dead) continue;
            const auto promoted = members.promote(name);
            if (promoted.exit_code == 0) return name;
            last = promoted.error;
        }
        std::this_thread::sleep_for(100ms);
    }
    ADD_FAILURE() << last;
    return "";
}

class FailoverTest : public testing::TestWithParam<std::size_t> {};

TEST_P(FailoverTest, every_receipt_that_was_given_is_on_the_promoted_one) {
    const char* const wanted = std::getenv("HEDDLE_FAILOVERS");
    const int failovers = wanted != nullptr ? std::stoi(wanted) : 3;
    std::mt19937_64 random{announced_seed()};
    Members members{3, "sync", GetParam(), {"replication.timeout=2s"}};
    members.start_all();
    Client client{members};
    std::string leader = "a";
    std::size_t checked = 0;
    for (int i = 0; i < failovers; ++i) {
        leader = members.leader();
        ASSERT_NE(leader, "") << members.logs();
        // Beside the client whose receipts count, as much as the machine takes.
        const RunningProgram load{load_of(members, leader, random() % 1'000'000)};
        const auto delay = std::chrono::milliseconds{100 + random() % 900};
        std::thread killer{[&] {
            // Or nobody has been told of anything where the machine is busy with something else.
            if (i == 0) (void)comes_true([&] { return client.has_receipts(); });
            std::this_thread::sleep_for(delay);
            members.kill(leader);
        }};
        client.send_until_gone(leader);
        killer.join();

        const std::string next = promote_one(members, leader);
        ASSERT_NE(next, "") << members.logs();
        members.start(leader);
        // Where a member may be promoted alone, the dead one may have been, by itself, and into a
        // later epoch than those who were left had heard of: then it leads again.
        leader = members.leader();
        ASSERT_NE(leader, "") << members.logs();
        for (; checked < client.receipts().size(); ++checked) {
            const auto& [transaction, block] = client.receipts()[checked];
            // It has the block, and shows it once the first one of its epoch is acknowledged.
            ASSERT_EQ(receipt_block_soon(members, leader, transaction), block)
                << "failover " << i << ": " << transaction << '\n'
                << members.logs();
        }
    }
    // The one that was asked so far may have led for a moment only.
    leader = members.leader_of_all();
    ASSERT_NE(leader, "") << members.logs();
    for (const auto& [transaction, block] : client.receipts())
        ASSERT_EQ(receipt_block_soon(members, leader, transaction), block) << transaction << '\n'
                                                                           << members.logs();
    EXPECT_GT(checked, 0u);
    std::cout << failovers << " primaries killed, " << checked << " receipts, "
              << members.report(leader)->shown << " blocks\n";
    EXPECT_NE(members.common_hash(members.report(leader)->shown), "") << members.logs();
}
INSTANTIATE_TEST_SUITE_P(Acknowledgements, FailoverTest, testing::Values(1, 2));

}  // namespace
}  // namespace heddle::test
