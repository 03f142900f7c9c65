// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A node is recorded while clients send it transactions, it is killed and started again, its clock
// jumps and its disk fails; what it did is run once more, on another number of workers, with
// another scheduler, locale and time zone.
// HEDDLE_RERUN_RUNS sets how many such nodes there are, HEDDLE_RERUN_SEED where the dice begin.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node_client.hpp"
#include "program.hpp"
#include "running_node.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::string single(std::string_view text) {
    return R"([")" + std::string{text} + R"("])";
}

struct Head {
    std::uint64_t number = 0;
    std::string hash;
};

Head head_of(const RunningNode& node) {
    const std::string block = node.call("eth_getBlockByNumber", R"(["latest",false])");
    return {std::stoull(text_member(block, "number"), nullptr, 16), text_member(block, "hash")};
}

std::string last_line_of(const Head& head) {
    return "head: block " + std::to_string(head.number) + ", hash " + head.hash;
}

/// Somebody who sends until the node is gone: what is next, what leaves a gap, what is known.
void send_until(const RunningNode& node, const DevAccount& account, std::uint64_t seed,
                std::uint64_t& nonce, const std::atomic<bool>& is_over) {
    std::mt19937_64 random(seed);
    while (!is_over) {
        const std::uint64_t die = random() % 10;
        const std::uint64_t ahead = die == 0 ? 1 + random() % 3 : 0;
        const std::uint64_t back = die == 1 ? std::min<std::uint64_t>(nonce, 1) : 0;
        const SignedTransaction tx = sign_dev_transfer(nonce + ahead - back, account);
        const std::string answer = node.call("eth_sendRawTransaction", single(tx.raw));
        // What was sent ahead before is known, or even in a block.
        const bool is_there = answer.find("result") != std::string::npos ||
                              answer.find("already known") != std::string::npos ||
                              answer.find("nonce too low") != std::string::npos;
        if (ahead == 0 && back == 0 && is_there) ++nonce;
    }
}

/// What the machine does to a node: nothing, a clock that jumps, a disk that fails at some moment.
Variables choose_faults(std::mt19937_64& random, const fs::path& disk) {
    Variables faults;
    if (random() % 2 == 0) faults.emplace_back("HEDDLE_FAULT_CLOCK", std::to_string(random()));
    if (random() % 3 == 0) {
        constexpr const char* kSpans[] = {"once", "on", "short"};
        faults.emplace_back("HEDDLE_FAULT_DIR", disk.native());
        faults.emplace_back("HEDDLE_FAULT_ACTION", "error");
        faults.emplace_back("HEDDLE_FAULT_ERROR", random() % 2 == 0 ? "EIO" : "ENOSPC");
        faults.emplace_back("HEDDLE_FAULT_SPAN", kSpans[random() % 3]);
        faults.emplace_back("HEDDLE_FAULT_AT", std::to_string(1 + random() % 500));
    }
    if (!faults.empty()) faults.emplace_back("LD_PRELOAD", HEDDLE_FAULT_SHIM);
    return faults;
}

/// One for each nonce, until they go.
class Clients {
public:
    Clients(const RunningNode& node, std::mt19937_64& random, std::vector<std::uint64_t>& nonces) {
        for (std::size_t i = 0; i < nonces.size(); ++i)
            threads_.emplace_back([&, i, seed = random()] {
                send_until(node, kDevAccounts[i], seed, nonces[i], is_over_);
            });
    }
    ~Clients() {
        is_over_ = true;
        for (std::thread& thread : threads_)
            thread.join();
    }
    Clients(const Clients&) = delete;
    Clients& operator=(const Clients&) = delete;

private:
    std::atomic<bool> is_over_ = false;
    std::vector<std::thread> threads_;
};

class RerunProgramTest : public testing::Test {
protected:
    [[nodiscard]] std::string data() const { return (folder_.path() / "data").native(); }
    [[nodiscard]] std::string recording() const { return (folder_.path() / "rec").native(); }
    [[nodiscard]] std::vector<std::string> arguments(std::vector<std::string> more = {}) const {
        std::vector<std::string> all{"--dev", "--datadir", data(), "--sync", "1000000"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    [[nodiscard]] std::vector<std::string> recorded(std::vector<std::string> more = {}) const {
        more.insert(more.end(), {"--record", recording(), "--record-limit", "64"});
        return arguments(std::move(more));
    }
    [[nodiscard]] ProgramResult rerun(std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {"rerun", recording()});
        return run_program(more);
    }
    /// The head that the data directory has.
    [[nodiscard]] Head head() const {
        RunningNode node{arguments({"--seal", "command"})};
        const Head head = head_of(node);
        (void)node.program().end();
        return head;
    }
    /// Some blocks under load, and an end at a moment that nobody has chosen.
    void run_and_kill(std::mt19937_64& random, std::vector<std::uint64_t>& nonces,
                      const Variables& faults = {}) {
        const bool has_interval = random() % 2 == 0;
        RunningNode node{recorded(has_interval ? std::vector<std::string>{"--seal", "interval",
                                                                          "--block-time", "15ms"}
                                               : std::vector<std::string>{}),
                         faults};
        if (!faults.empty()) return run_until_failure(node, random, nonces);
        ASSERT_NE(node.port(), 0) << node.program().error();
        const std::uint64_t first = node.number("eth_blockNumber");
        // What was sent last may be lost.
        for (std::size_t i = 0; i < nonces.size(); ++i)
            nonces[i] =
                node.number("eth_getTransactionCount",
                            R"([")" + std::string{kDevAccounts[i].address} + R"(","pending"])");
        const Clients clients(node, random, nonces);
        int waits = 0;
        for (; node.number("eth_blockNumber") < first + 2 && waits < 2'000; ++waits)
            std::this_thread::sleep_for(std::chrono::milliseconds{5});
        EXPECT_LT(waits, 2'000) << "no blocks are made";
        std::this_thread::sleep_for(std::chrono::milliseconds{random() % 200});
        (void)node.program().end(random() % 4 == 0 ? SIGTERM : SIGKILL);
    }

    /// The same, of a node that may end by itself at any moment.
    void run_until_failure(RunningNode& node, std::mt19937_64& random,
                           std::vector<std::uint64_t>& nonces) {
        if (node.port() != 0) {
            // Asking one that has just ended gives no number.
            std::ranges::fill(nonces, 0);
            const Clients clients(node, random, nonces);
            for (std::uint64_t left = 100 + random() % 300; left != 0; --left) {
                if (!node.program().is_running()) break;
                std::this_thread::sleep_for(std::chrono::milliseconds{1});
            }
        }
        const bool has_ended = !node.program().is_running();
        const int code = has_ended ? node.program().wait()
                                   : node.program().end(random() % 4 == 0 ? SIGTERM : SIGKILL);
        EXPECT_THAT(code, testing::AnyOf(0, 3, -1)) << node.program().error();
        if (code == 3) ++failed_disks_;
    }

    TemporaryFolder folder_;
    int failed_disks_ = 0;
};

TEST_F(RerunProgramTest, what_a_killed_node_did_runs_again_the_same) {
    const std::uint64_t runs = setting("HEDDLE_RERUN_RUNS", 3);
    const std::uint64_t first_seed = setting("HEDDLE_RERUN_SEED", 1);
    for (std::uint64_t seed = first_seed; seed < first_seed + runs; ++seed) {
        SCOPED_TRACE("HEDDLE_RERUN_SEED=" + std::to_string(seed));
        fs::remove_all(data());
        fs::remove_all(recording());
        std::mt19937_64 random(seed);
        std::vector<std::uint64_t> nonces(2);
        for (std::uint64_t starts = 1 + random() % 3; starts != 0; --starts)
            ASSERT_NO_FATAL_FAILURE(
                run_and_kill(random, nonces, choose_faults(random, folder_.path())));
        const Head last = head();
        if (last.number == 0) continue;  // a disk failed before there was anything to compare

        constexpr const char* kSchedulers[] = {"serial", "dag", "auto"};
        constexpr const char* kWorkers[] = {"1", "2", "4", "8"};
        ::setenv("LC_ALL", random() % 2 == 0 ? "tr_TR.UTF-8" : "C", 1);
        ::setenv("TZ", random() % 2 == 0 ? "Pacific/Kiritimati" : "UTC", 1);
        const ProgramResult same =
            rerun({"--scheduler", kSchedulers[random() % 3], "--workers", kWorkers[random() % 4],
                   "--to", std::to_string(last.number)});
        ::unsetenv("LC_ALL");
        ::unsetenv("TZ");
        ASSERT_EQ(same.exit_code, 0) << same.out << same.error;
        ASSERT_EQ(same.last_line(), last_line_of(last)) << same.error;
        // At most the block that was on its way into the ledger is beyond its head.
        const ProgramResult whole = rerun();
        ASSERT_EQ(whole.exit_code, 0) << whole.out << whole.error;
        ASSERT_LE(std::stoull(whole.last_line().substr(std::string_view{"head: block "}.size())),
                  last.number + 1);
        // Before, the block after this one was block 0, and nothing was run.
        ASSERT_EQ(rerun({"--to", "18446744073709551615"}).last_line(), whole.last_line());
    }
    std::cout << runs << " runs from seed " << first_seed << ", " << failed_disks_
              << " disks failed\n";
}

TEST_F(RerunProgramTest, begins_with_a_data_directory_or_a_snapshot_and_refuses_a_wrong_one) {
    std::mt19937_64 random(7);
    std::vector<std::uint64_t> nonces(2);
    ASSERT_NO_FATAL_FAILURE(run_and_kill(random, nonces));
    const Head middle = head();
    ASSERT_GT(middle.number, 1u);
    ASSERT_NO_FATAL_FAILURE(run_and_kill(random, nonces));
    const Head last = head();
    const std::vector<std::string> to_last{"--to", std::to_string(last.number)};

    // From where the node was started the second time.
    const std::string snapshot = (folder_.path() / "snapshot").native();
    const ProgramResult dumped =
        rerun({"--to", std::to_string(middle.number), "--dump-state", snapshot});
    ASSERT_EQ(dumped.exit_code, 0) << dumped.out << dumped.error;
    EXPECT_EQ(dumped.last_line(), last_line_of(middle));
    const ProgramResult from_snapshot =
        rerun({"--snapshot", snapshot, "--to", std::to_string(last.number)});
    EXPECT_EQ(from_snapshot.exit_code, 0) << from_snapshot.out << from_snapshot.error;
    EXPECT_EQ(from_snapshot.last_line(), last_line_of(last));

    // In the copy of a data directory that is further on its blocks are taken back.
    const ProgramResult from_data =
        rerun({"--datadir", data(), "--to", std::to_string(last.number)});
    EXPECT_EQ(from_data.exit_code, 0) << from_data.out << from_data.error;
    EXPECT_EQ(from_data.last_line(), last_line_of(last));
    // Before, the copy was copied into itself until names were too long.
    const std::string inside = data() + "/copy";
    EXPECT_EQ(rerun({"--datadir", data(), "--work", inside, "--to", std::to_string(last.number)})
                  .exit_code,
              0);
    for (const auto& entry : fs::directory_iterator(inside))
        EXPECT_EQ(entry.path().filename(), "ledger") << "the rest is the node's";
    fs::remove_all(inside);
    {
        const RunningNode node{arguments({"--seal", "command"})};
        EXPECT_EQ(head_of(node).hash, last.hash);
        const ProgramResult used = rerun({"--datadir", data()});
        EXPECT_EQ(used.exit_code, 4);
        EXPECT_THAT(used.error, HasSubstr("uses it; stop it"));
    }

    // Before, all was run first.
    const ProgramResult there = rerun({"--dump-state", snapshot});
    EXPECT_EQ(there.exit_code, 2);
    EXPECT_EQ(there.out, "");
    EXPECT_THAT(there.error, HasSubstr("--dump-state " + snapshot + ": is there already"));
    const std::string wrong = (folder_.path() / "wrong").native();
    ASSERT_EQ(rerun({"--to", "1", "--dump-state", wrong}).exit_code, 0);
    const ProgramResult refused = rerun({"--snapshot", wrong});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.error, HasSubstr(wrong + ": is of block 1"));
    EXPECT_THAT(refused.error, HasSubstr("it begins after block 0"));
}

TEST_F(RerunProgramTest, a_changed_byte_is_named_and_what_lies_before_is_run) {
    std::mt19937_64 random(9);
    std::vector<std::uint64_t> nonces(1);
    ASSERT_NO_FATAL_FAILURE(run_and_kill(random, nonces));
    const std::string file = recording() + "/segment-00000001.rec";
    std::string content = read_text(file);
    content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 1);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
    const ProgramResult result = rerun();
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.error, HasSubstr(file + " is damaged at byte "));
    EXPECT_THAT(result.last_line(), StartsWith("head: block "));
}

TEST_F(RerunProgramTest,
       says_where_a_recording_ends_that_does_not_reach_as_far_as_it_was_asked_to) {
    std::mt19937_64 random(11);
    std::vector<std::uint64_t> nonces(1);
    ASSERT_NO_FATAL_FAILURE(run_and_kill(random, nonces));
    const Head last = head();
    const ProgramResult reached = rerun({"--to", std::to_string(last.number)});
    EXPECT_EQ(reached.exit_code, 0);
    EXPECT_EQ(reached.error.find("--to"), std::string::npos) << reached.error;
    // Before, it said that the recording ends there.
    const ProgramResult inside = rerun({"--to", "1.1"});
    EXPECT_EQ(inside.exit_code, 0);
    EXPECT_THAT(inside.error, HasSubstr("stopped at 1.1, while block 1 was being made"));
    const ProgramResult beyond = rerun({"--to", std::to_string(last.number + 100)});
    EXPECT_EQ(beyond.exit_code, 0);
    EXPECT_THAT(beyond.error, HasSubstr("--to lies behind the end of the recording, which is at "));
}

TEST_F(RerunProgramTest, leaves_nothing_temporary_when_it_is_told_to_stop) {
    std::mt19937_64 random(12);
    std::vector<std::uint64_t> nonces(1);
    ASSERT_NO_FATAL_FAILURE(run_and_kill(random, nonces));
    const TemporaryFolder temporary;
    RunningProgram run{{"rerun", recording()}, {{"TMPDIR", temporary.path().native()}}};
    while (run.is_running() && fs::is_empty(temporary.path()))
        std::this_thread::sleep_for(std::chrono::microseconds{100});

    // It is about to make a ledger in there.
    EXPECT_EQ(run.end(SIGTERM), 0) << run.error();

    EXPECT_THAT(run.error(), HasSubstr("stopped as asked"));
    EXPECT_TRUE(fs::is_empty(temporary.path()));
}

TEST_F(RerunProgramTest, keeps_no_secrets) {
    const std::string secret =
        folder_.write("jwt", "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff");
    const std::string from{kDevAccounts[0].address};
    {
        RunningNode node{recorded({"--set", "rpc.jwt_secret=" + secret})};
        (void)node.call("eth_sendTransaction",
                        R"([{"from":")" + from + R"(","to":")" + from + R"(","value":"0x1"}])");
        (void)node.program().end();
    }
    const std::vector<std::uint8_t> recipient = *from_hex(from);
    bool has_transaction = false;
    for (const auto& entry : fs::directory_iterator(recording())) {
        const std::string content = read_text(entry.path());
        has_transaction |= content.contains(std::string(recipient.begin(), recipient.end()));
        const std::string key{kDevAccounts[0].secret};
        const std::vector<std::uint8_t> key_bytes = *from_hex(key);
        EXPECT_EQ(content.find(std::string(key_bytes.begin(), key_bytes.end())), std::string::npos);
        EXPECT_EQ(content.find(key), std::string::npos);
        EXPECT_EQ(content.find("00112233445566778899aabb"), std::string::npos);
        EXPECT_EQ(content.find(secret), std::string::npos);
        EXPECT_EQ(content.find(data()), std::string::npos);
    }
    EXPECT_TRUE(has_transaction) << "what was signed with a secret is not there";
}

TEST_F(RerunProgramTest, the_recording_of_another_chain_is_not_gone_on_with) {
    {
        const RunningNode node{recorded()};
    }
    fs::remove_all(data());
    RunningNode other{recorded({"--fork", "cancun"})};
    EXPECT_EQ(other.program().wait(), 2);
    EXPECT_THAT(other.program().error(), HasSubstr("is the recording of another chain"));
}

// Before, what was recorded beside it could not be run: the file was taken for its chain's.
TEST_F(RerunProgramTest, a_genesis_file_of_somebody_elses_is_not_recorded_beside) {
    fs::create_directories(recording());
    const fs::path file = fs::path{recording()} / "genesis.json";
    std::ofstream{file} << "{}";
    RunningNode node{recorded()};
    EXPECT_EQ(node.program().wait(), 2);
    EXPECT_THAT(node.program().error(), HasSubstr(file.string() + " is there"));
    EXPECT_EQ(read_text(file), "{}");
}

}  // namespace
}  // namespace heddle::test
