// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The supervisor with stand-ins for both programs: scripts that write down what happens to them.
#include "network/supervisor.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "child_process.hpp"
#include "program.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

using namespace std::chrono_literals;
using Stage = Supervisor::Stage;
namespace fs = std::filesystem;

constexpr const char* kNode = R"(#!/usr/bin/env python3
import os, signal, socket, sys
path, events = sys.argv[1:3]
def note(text):
    with open(events, "a") as file: file.write(text + "\n")
def stop(*_):
    note("node stopped")
    os.unlink(path)
    sys.exit(0)
signal.signal(signal.SIGTERM, stop)
signal.signal(signal.SIGUSR1, lambda *_: sys.exit(2))
note("node started")
print("node talks", flush=True)
if os.path.exists(path): os.unlink(path)
server = socket.socket(socket.AF_UNIX)
server.bind(path)
server.listen()
note("node accepts")
while True: server.accept()[0].close()
)";

constexpr const char* kComet = R"(#!/bin/sh
trap 'echo "comet stopped" >>"$1"; exit 0' TERM
echo "comet talks"
echo "comet started" >>"$1"
while :; do sleep 0.01; done
)";

/// A process that is gone, or whose parent has not been told yet.
bool has_ended(pid_t pid) {
    const std::string status = test::read_text("/proc/" + std::to_string(pid) + "/stat");
    const std::size_t name = status.rfind(") ");
    return name == std::string::npos || status[name + 2] == 'Z';
}

/// Folder, scripts and a supervisor of them.
class SupervisorTest : public ::testing::Test {
protected:
    std::string script(const std::string& name, const std::string& text) {
        const std::string path = folder_.write(name, text);
        fs::permissions(path, fs::perms::owner_all);
        return path;
    }

    SupervisorOptions options() {
        SupervisorOptions options;
        options.node_command = {script("node", kNode), socket(), events_file()};
        options.comet_command = {script("comet", kComet), events_file()};
        options.abci_address = "unix://" + socket();
        options.logs = folder_.path() / "logs";
        options.first_delay = 1ms;
        options.longest_delay = 4ms;
        options.on_event = [this](const std::string& event) { said_ += event + "\n"; };
        return options;
    }

    [[nodiscard]] std::string socket() const { return (folder_.path() / "abci").string(); }
    [[nodiscard]] std::string events_file() const { return (folder_.path() / "events").string(); }
    [[nodiscard]] std::string events() const { return test::read_text(events_file()); }
    [[nodiscard]] const std::string& said() const { return said_; }
    [[nodiscard]] const fs::path& folder() const { return folder_.path(); }

    static void drive(Supervisor& supervisor, const std::function<bool()>& until) {
        while (!until())
            supervisor.step(5ms);
    }
    /// Until both have come so far that they can be told to stop.
    void drive_to_running(Supervisor& supervisor, std::uint64_t comet_starts = 1) {
        drive(supervisor, [&] {
            std::size_t seen = 0;
            const std::string text = events();
            for (std::size_t at = text.find("comet started"); at != std::string::npos;
                 at = text.find("comet started", at + 1))
                ++seen;
            return supervisor.stage() == Stage::running && seen >= comet_starts;
        });
    }
    static void drive_to_end(Supervisor& supervisor) {
        while (supervisor.step(5ms)) {
        }
    }

private:
    test::TemporaryFolder folder_;
    std::string said_;
};

TEST_F(SupervisorTest, cometbft_is_started_when_the_node_accepts) {
    Supervisor supervisor{options()};

    drive_to_running(supervisor);

    EXPECT_EQ(events(), "node started\nnode accepts\ncomet started\n");
}

TEST_F(SupervisorTest, cometbft_is_stopped_before_the_node) {
    Supervisor supervisor{options()};
    drive_to_running(supervisor);

    supervisor.request_stop();
    drive_to_end(supervisor);

    EXPECT_EQ(events(), "node started\nnode accepts\ncomet started\ncomet stopped\nnode stopped\n");
    EXPECT_FALSE(supervisor.failure().has_value());
}

TEST_F(SupervisorTest, cometbft_alone_is_started_again_when_it_dies) {
    Supervisor supervisor{options()};
    drive_to_running(supervisor);

    ::kill(supervisor.comet_pid(), SIGKILL);
    drive_to_running(supervisor, 2);

    EXPECT_EQ(supervisor.comet_starts(), 2U);
    EXPECT_EQ(supervisor.node_starts(), 1U);
}

TEST_F(SupervisorTest, both_are_started_again_when_the_node_dies) {
    Supervisor supervisor{options()};
    drive_to_running(supervisor);

    ::kill(supervisor.node_pid(), SIGKILL);
    drive_to_running(supervisor, 2);

    EXPECT_EQ(supervisor.comet_starts(), 2U);
    EXPECT_EQ(supervisor.node_starts(), 2U);
    EXPECT_EQ(events(),
              "node started\nnode accepts\ncomet started\ncomet stopped\n"
              "node started\nnode accepts\ncomet started\n");
}

TEST_F(SupervisorTest, both_are_started_again_when_both_die) {
    Supervisor supervisor{options()};
    drive_to_running(supervisor);

    ::kill(supervisor.comet_pid(), SIGKILL);
    ::kill(supervisor.node_pid(), SIGKILL);
    while (!has_ended(supervisor.comet_pid()) || !has_ended(supervisor.node_pid()))
        std::this_thread::sleep_for(1ms);
    drive_to_running(supervisor, 2);

    EXPECT_EQ(supervisor.comet_starts(), 2U);
    EXPECT_EQ(supervisor.node_starts(), 2U);
}

TEST_F(SupervisorTest, a_stop_while_the_node_starts_is_obeyed) {
    SupervisorOptions options = this->options();
    options.node_command = {script("slow", "#!/bin/sh\nexec sleep 1000\n")};
    Supervisor supervisor{std::move(options)};
    drive(supervisor, [&] { return supervisor.stage() == Stage::node_starting; });

    supervisor.request_stop();
    drive_to_end(supervisor);

    EXPECT_EQ(supervisor.comet_starts(), 0U);
    EXPECT_EQ(supervisor.node_pid(), 0);
}

TEST_F(SupervisorTest, a_stop_before_anything_was_started_starts_nothing) {
    Supervisor supervisor{options()};

    supervisor.request_stop();
    drive_to_end(supervisor);

    EXPECT_EQ(supervisor.node_starts(), 0U);
}

TEST_F(SupervisorTest, a_missing_program_is_named_and_tried_again) {
    SupervisorOptions options = this->options();
    options.comet_command = {(folder() / "nowhere").string()};
    Supervisor supervisor{std::move(options)};

    drive(supervisor, [&] { return said().find("failed 3 times") != std::string::npos; });

    EXPECT_NE(said().find("nowhere cannot be started: No such file"), std::string::npos) << said();
    EXPECT_EQ(supervisor.comet_starts(), 0U);
    EXPECT_EQ(supervisor.node_starts(), 1U);
}

TEST_F(SupervisorTest, what_fails_at_once_is_started_less_and_less_often) {
    SupervisorOptions options = this->options();
    options.node_command = {script("broken", "#!/bin/sh\nexit 1\n")};
    Supervisor supervisor{std::move(options)};

    drive(supervisor, [&] { return supervisor.node_starts() == 4; });

    EXPECT_NE(said().find("heddle failed 2 times in a row"), std::string::npos) << said();
    EXPECT_EQ(supervisor.comet_starts(), 0U);
}

TEST_F(SupervisorTest, a_wrong_configuration_is_not_tried_again) {
    SupervisorOptions options = this->options();
    options.node_command = {script("wrong", "#!/bin/sh\nexit 2\n")};
    Supervisor supervisor{std::move(options)};

    drive_to_end(supervisor);

    EXPECT_TRUE(supervisor.failure().has_value());
    EXPECT_EQ(supervisor.node_starts(), 1U);
}

TEST_F(SupervisorTest, a_node_that_has_run_is_started_again_whatever_its_exit_code) {
    Supervisor supervisor{options()};
    drive_to_running(supervisor);

    ::kill(supervisor.node_pid(), SIGUSR1);  // exit code 2
    drive(supervisor, [&] { return supervisor.failure() || supervisor.node_starts() == 2; });

    EXPECT_FALSE(supervisor.failure().has_value());
}

TEST_F(SupervisorTest, a_stopped_program_is_woken_to_end) {
    Supervisor supervisor{options()};
    drive_to_running(supervisor);

    ::kill(supervisor.comet_pid(), SIGSTOP);
    supervisor.request_stop();
    drive_to_end(supervisor);

    EXPECT_NE(events().find("comet stopped"), std::string::npos) << said();
}

TEST_F(SupervisorTest, nothing_is_started_beside_another_program_at_the_address) {
    Supervisor first{options()};
    drive_to_running(first);
    Supervisor second{options()};

    drive(second, [&] { return said().find("another program listens") != std::string::npos; });

    EXPECT_EQ(second.node_starts(), 0U);
}

// Before, the supervisor ended, with the exit code after which systemd starts nothing again.
TEST_F(SupervisorTest, what_the_system_has_no_descriptors_for_is_started_later) {
    Supervisor supervisor{options()};
    struct rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    const int next = ::dup(STDIN_FILENO);
    ASSERT_GE(next, 0);
    ::close(next);
    struct rlimit scarce = limit;
    scarce.rlim_cur = static_cast<rlim_t>(next) + 1;  // enough to see that nobody accepts
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &scarce), 0);
    drive(supervisor, [&] { return said().find("failed 2 times in a row") != std::string::npos; });
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_NE(said().find("cannot be started: Too many open files"), std::string::npos) << said();

    drive_to_running(supervisor);

    EXPECT_FALSE(supervisor.failure().has_value());
}

// A stop - the machine sleeps, or the supervisor and its programs are frozen together, for longer
// than the grace period - the node was killed on waking, before it could end.
TEST_F(SupervisorTest, time_in_which_it_does_not_run_is_none_that_a_program_was_given_to_end) {
    auto now = std::chrono::steady_clock::time_point{};
    SupervisorOptions options = this->options();
    options.comet_command.front() =
        script("stubborn",
               "#!/bin/sh\ntrap '' TERM\necho 'comet started' >>\"$1\"\n"
               "while :; do sleep 0.01; done\n");
    options.comet_grace = 10s;
    options.clock = [&now] { return now; };
    Supervisor supervisor{std::move(options)};
    drive_to_running(supervisor);
    supervisor.request_stop();

    now += 1h;
    supervisor.step(0ms);
    EXPECT_EQ(said().find("is killed"), std::string::npos) << said();
    for (int i = 0; i < 10; ++i) {
        now += 1s;
        supervisor.step(0ms);
    }
    EXPECT_NE(said().find("is killed"), std::string::npos) << said();
    drive_to_end(supervisor);
}

TEST_F(SupervisorTest, what_does_not_end_is_killed) {
    SupervisorOptions options = this->options();
    options.comet_command = {
        script("deaf",
               "#!/bin/sh\ntrap '' TERM\necho 'comet started' >>\"$1\"\nwhile :; do sleep "
               "0.01; done\n"),
        events_file()};
    options.comet_grace = 20ms;
    Supervisor supervisor{std::move(options)};
    drive_to_running(supervisor);

    supervisor.request_stop();
    drive_to_end(supervisor);

    EXPECT_NE(said().find("cometbft does not end: it is killed"), std::string::npos) << said();
    EXPECT_NE(events().find("node stopped"), std::string::npos);
}

// Its process stays where its consensus has ended, e.g. because the disk was full for a moment.
TEST_F(SupervisorTest, cometbft_is_started_again_when_it_has_given_up) {
    SupervisorOptions options = this->options();
    options.comet_command = {
        script("gives_up",
               "#!/bin/sh\ntrap 'exit 0' TERM\necho 'comet started' >>\"$1\"\n"
               "[ $(grep -c 'comet started' \"$1\") -gt 1 ] ||"
               " echo 'E[2026-11-29|20:11:28.925] CONSENSUS FAILURE!!!  module=consensus'\n"
               "while :; do sleep 0.01; done\n"),
        events_file()};
    Supervisor supervisor{std::move(options)};
    drive_to_running(supervisor, 2);

    EXPECT_EQ(supervisor.comet_starts(), 2U);
    EXPECT_EQ(supervisor.node_starts(), 1U);
    EXPECT_NE(said().find("cometbft has given up"), std::string::npos) << said();
}

// The first one ends within a line, the second gives up with its first one and would end by itself.
TEST_F(SupervisorTest, what_cometbft_says_is_not_taken_for_more_of_what_an_earlier_one_said) {
    SupervisorOptions options = this->options();
    options.comet_command = {
        script("gives_up",
               "#!/bin/sh\ntrap 'exit 0' TERM\necho 'comet started' >>\"$1\"\n"
               "starts=$(grep -c 'comet started' \"$1\")\n"
               "[ $starts -gt 1 ] || { printf 'I[2026-11-29|20:11:28.900] exec'; exit 1; }\n"
               "[ $starts -gt 2 ] ||"
               " echo 'E[2026-11-29|20:11:28.925] CONSENSUS FAILURE!!!  module=consensus'\n"
               "for i in $(seq 1000); do sleep 0.01; done\n"),
        events_file()};
    Supervisor supervisor{std::move(options)};

    drive_to_running(supervisor, 3);

    EXPECT_NE(said().find("cometbft has given up"), std::string::npos) << said();
}

TEST(ComplaintFinder, finds_the_beginning_of_a_line_in_parts_of_any_size) {
    const std::string before = "I[2026-11-29|20:11:28.900] executed block   height=10\n";
    for (const std::string line :
         {"E[2026-11-29|20:11:28.925] CONSENSUS FAILURE!!!    module=consensus err=\"full\"\n",
          R"({"_msg":"CONSENSUS FAILURE!!!","err":"full","level":"error"})"
          "\n",
          // A start from a snapshot while a validator does not answer; nothing else follows it.
          "E[2026-11-30|19:07:29.369] State sync failed    module=statesync err=\"no witnesses\"\n",
          R"({"_msg":"State sync failed","err":"no witnesses","level":"error"})"
          "\n",
          // The same while its disk is full.
          "E[2026-11-30|19:07:29.369] Failed to bootstrap node with new state  err=\"full\"\n",
          R"({"_msg":"Failed to store last seen commit","err":"full","level":"error"})"
          "\n",
          "E[2026-11-30|19:07:29.369] Failed to switch to block sync  err=\"full\"\n"}) {
        ComplaintFinder at_once;
        EXPECT_FALSE(at_once.finds_in(before));
        EXPECT_TRUE(at_once.finds_in(line + before));
        EXPECT_FALSE(at_once.finds_in(before)) << "it is told once";
        ComplaintFinder bit_by_bit;
        std::size_t found = 0;
        for (const char& c : before + line + before)
            found += bit_by_bit.finds_in({&c, 1}) ? 1 : 0;
        EXPECT_EQ(found, 1U);
    }
}

// Others choose their names, and what they send.
TEST(ComplaintFinder, is_not_taken_in_by_what_others_say) {
    ComplaintFinder finder;
    for (const char* line :
         {"E[2026-11-29|20:11:28.925] Error dialing peer  err=\"] CONSENSUS FAILURE!!!\"\n",
          "I[2026-11-29|20:11:28.925] CONSENSUS FAILURE!!!\n", "CONSENSUS FAILURE!!!\n",
          "E[2026-11-29|20:11:28.925] Error dialing peer  err=\"] State sync failed\"\n",
          R"({"_msg":"a peer","moniker":"\"_msg\":\"CONSENSUS FAILURE!!!"})"
          "\n"})
        EXPECT_FALSE(finder.finds_in(line)) << line;
    EXPECT_FALSE(finder.finds_in(std::string(100'000, '!')));
}

TEST_F(SupervisorTest, what_the_programs_say_is_in_their_logs) {
    Supervisor supervisor{options()};
    drive_to_running(supervisor);

    supervisor.request_stop();
    drive_to_end(supervisor);

    EXPECT_EQ(test::read_text(folder() / "logs/heddle.log"), "node talks\n");
    EXPECT_EQ(test::read_text(folder() / "logs/cometbft.log"), "comet talks\n");
}

TEST_F(SupervisorTest, the_programs_end_with_a_killed_supervisor) {
    const std::string pids = (folder() / "pids").string();
    SupervisorOptions options = this->options();
    const pid_t child = test::fork_child();
    if (child == 0) {
        Supervisor supervisor{std::move(options)};
        drive_to_running(supervisor);
        std::ofstream(pids + ".new") << supervisor.node_pid() << ' ' << supervisor.comet_pid();
        fs::rename(pids + ".new", pids);
        while (true)
            supervisor.step(5ms);
    }
    while (!fs::exists(pids))
        std::this_thread::sleep_for(1ms);
    std::ifstream stream{pids};
    pid_t node = 0;
    pid_t comet = 0;
    stream >> node >> comet;

    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);

    while (!has_ended(node) || !has_ended(comet))
        std::this_thread::sleep_for(1ms);
    EXPECT_EQ(events().find("stopped"), std::string::npos) << events();
}

TEST(RestartDelay, doubles_with_quick_failures_up_to_a_limit) {
    RestartDelay delay{500ms, 3s, 10s};

    EXPECT_EQ(delay.after_failure(1s), 0ms);
    EXPECT_EQ(delay.after_failure(1s), 500ms);
    EXPECT_EQ(delay.after_failure(1s), 1s);
    EXPECT_EQ(delay.after_failure(1s), 2s);
    EXPECT_EQ(delay.after_failure(1s), 3s);
    EXPECT_EQ(delay.after_failure(1s), 3s);
    EXPECT_EQ(delay.failures_in_a_row(), 6U);
}

TEST(RestartDelay, begins_anew_after_a_good_run) {
    RestartDelay delay{500ms, 3s, 10s};
    (void)delay.after_failure(1s);
    (void)delay.after_failure(1s);

    EXPECT_EQ(delay.after_failure(10s), 0ms);
    EXPECT_EQ(delay.after_failure(1s), 500ms);
}

TEST(RotatingLog, keeps_so_many_files_of_about_that_size) {
    const test::TemporaryFolder folder;
    const fs::path path = folder.path() / "logs/a.log";
    RotatingLog log{path, 4, 3};

    for (const char* text : {"1111", "2222", "3333", "4444", "55"})
        EXPECT_TRUE(log.write(text));

    EXPECT_EQ(test::read_text(path), "55");
    EXPECT_EQ(test::read_text(path.string() + ".1"), "4444");
    EXPECT_EQ(test::read_text(path.string() + ".2"), "3333");
    EXPECT_FALSE(fs::exists(path.string() + ".3"));
}

TEST(RotatingLog, goes_on_where_an_earlier_one_ended) {
    const test::TemporaryFolder folder;
    const fs::path path = folder.path() / "a.log";
    {
        EXPECT_TRUE((RotatingLog{path, 100, 3}.write("before ")));
    }

    EXPECT_TRUE((RotatingLog{path, 100, 3}.write("after")));

    EXPECT_EQ(test::read_text(path), "before after");
}

TEST(SupervisorAddress, an_address_that_is_none_is_refused) {
    for (const char* address : {"", "127.0.0.1:1", "tcp://", "tcp://127.0.0.1", "tcp://127.0.0.1:x",
                                "tcp://127.0.0.1:70000", "tcp://nowhere:1", "unix://"})
        EXPECT_THROW((void)is_accepting(address), InputError) << address;
}

}  // namespace
}  // namespace heddle::node
