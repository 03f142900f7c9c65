// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Readers behind nginx, with the configuration that docs/replication.md gives: one that is killed
// under load costs nobody an answer, and what is written goes to the node that they follow.
// HEDDLE_SOAK_SECONDS says how long readers are killed one after the other.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "child_process.hpp"
#include "members.hpp"
#include "node_client.hpp"
#include "running_node.hpp"

namespace heddle::test {
namespace {

using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

/// What stands in the document between ```nginx and ```.
std::string documented_configuration() {
    const std::string document = read_text(HEDDLE_REPLICATION_DOCUMENT);
    constexpr std::string_view kBegin = "```nginx\n";
    const std::size_t begin = document.find(kBegin);
    if (begin == std::string::npos) return "";
    const std::size_t from = begin + kBegin.size();
    return document.substr(from, document.find("```", from) - from);
}

std::string find_nginx() {
    std::stringstream folders{std::string{std::getenv("PATH")} + ":/usr/sbin"};
    for (std::string folder; std::getline(folders, folder, ':');)
        if (::access((folder + "/nginx").c_str(), X_OK) == 0) return folder + "/nginx";
    return "";
}

class Balancer {
public:
    /// Between two readers; listens on `port`.
    Balancer(const std::string& folder, std::uint16_t port, std::uint16_t first,
             std::uint16_t second) {
        const auto at = [](std::uint16_t number) { return "127.0.0.1:" + std::to_string(number); };
        std::string servers = documented_configuration();
        servers = replace_all(servers, "10.0.0.11:8545", at(first));
        servers = replace_all(servers, "10.0.0.12:8545", at(second));
        servers = replace_all(servers, "listen 8545", "listen " + at(port));
        const std::string file = folder + "/nginx.conf";
        std::ofstream{file} << (::geteuid() == 0 ? "user root;\n" : "") << "daemon off;\n"
                            << "pid " << folder << "/nginx.pid;\nerror_log " << folder
                            << "/nginx.log;\nevents {}\nhttp {\naccess_log off;\n"
                            << "client_body_temp_path " << folder << "/body;\nproxy_temp_path "
                            << folder << "/proxy;\nfastcgi_temp_path " << folder
                            << "/fastcgi;\nuwsgi_temp_path " << folder << "/uwsgi;\nscgi_temp_path "
                            << folder << "/scgi;\n"
                            << servers << "}\n";
        std::string program = find_nginx();
        child_ = fork_child();
        if (child_ != 0) return;
        ::execl(program.c_str(), program.c_str(), "-p", folder.c_str(), "-c", file.c_str(),
                nullptr);
        ::_exit(127);
    }
    ~Balancer() {
        if (child_ <= 0) return;
        ::kill(child_, SIGTERM);
        ::waitpid(child_, nullptr, 0);
    }
    Balancer(const Balancer&) = delete;
    Balancer& operator=(const Balancer&) = delete;

private:
    pid_t child_ = -1;
};

std::string call(std::uint16_t port, std::string_view method, std::string_view params) {
    const std::string body = R"({"jsonrpc":"2.0","id":1,"method":")" + std::string{method} +
                             R"(","params":)" + std::string{params} + "}";
    const std::string response = http(port,
                                      "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                      "Content-Type: application/json\r\nContent-Length: " +
                                          std::to_string(body.size()) + "\r\n\r\n" + body);
    const auto end = response.find("\r\n\r\n");
    return end == std::string::npos ? "" : response.substr(end + 4);
}

/// Threads that ask for a balance, each the next question after the last answer.
class Readers {
public:
    static constexpr std::size_t kThreads = 4;

    explicit Readers(std::uint16_t port) {
        for (std::size_t i = 0; i < kThreads; ++i)
            threads_.emplace_back([this, port] {
                const std::string params =
                    R"([")" + std::string{kDevAccounts[0].address} + R"(","latest"])";
                while (!is_over_) {
                    const std::string answer = call(port, "eth_getBalance", params);
                    (answer.find("\"result\"") != std::string::npos ? good_ : bad_)++;
                }
            });
    }
    ~Readers() { end(); }
    Readers(const Readers&) = delete;
    Readers& operator=(const Readers&) = delete;

    void end() {
        is_over_ = true;
        for (std::thread& thread : threads_)
            if (thread.joinable()) thread.join();
    }
    [[nodiscard]] bool have_asked_more(std::uint64_t count) const {
        const std::uint64_t wanted = good_ + bad_ + count;
        return comes_true([&] { return good_ + bad_ >= wanted; });
    }
    [[nodiscard]] std::uint64_t good() const { return good_; }
    [[nodiscard]] std::uint64_t bad() const { return bad_; }

private:
    std::atomic<bool> is_over_ = false;
    std::atomic<std::uint64_t> good_ = 0;
    std::atomic<std::uint64_t> bad_ = 0;
    std::vector<std::thread> threads_;
};

/// One node that makes blocks, and two that follow it.
class BalancerTest : public testing::Test {
protected:
    void SetUp() override {
        std::ofstream{path("genesis.json")} << kMembersGenesis;
        origin_ = std::make_unique<RunningNode>(std::vector<std::string>{
            "--datadir", path("origin"), "--genesis", path("genesis.json")});
        for (std::size_t i = 0; i < 2; ++i) {
            ports_[i] = free_port();
            start_reader(i);
        }
    }
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_.path() / name).native();
    }
    void start_reader(std::size_t i) {
        const std::string data = path("reader" + std::to_string(i));
        std::vector<std::string> arguments{
            "--datadir", data,
            "--follow",  "ws://127.0.0.1:" + std::to_string(origin_->port()),
            "--set",     "follow.timeout=2s",
            "--set",     "rpc.port=" + std::to_string(ports_[i])};
        if (!std::filesystem::exists(data))
            arguments.insert(arguments.end(), {"--genesis", path("genesis.json")});
        readers_[i] = std::make_unique<RunningNode>(arguments);
        EXPECT_EQ(readers_[i]->port(), ports_[i]) << readers_[i]->program().error();
    }
    /// It hears its origin, and has what that has.
    [[nodiscard]] bool is_level(std::size_t i) const {
        return http_get(ports_[i], "/health/ready").find("200 OK") != std::string::npos;
    }
    /// Through the balancer; and until the origin has it in a block.
    void send(std::uint16_t port, std::uint64_t nonce) const {
        const std::string sent =
            call(port, "eth_sendRawTransaction",
                 "[\"" + sign_dev_transfer(nonce, kDevAccounts[0]).raw + "\"]");
        EXPECT_THAT(sent, HasSubstr("\"result\""));
        EXPECT_TRUE(comes_true([&] {
            return origin_->number("eth_getTransactionCount",
                                   "[\"" + std::string{kDevAccounts[0].address} +
                                       "\",\"latest\"]") == nonce + 1;
        }));
    }

    TemporaryFolder folder_;
    std::unique_ptr<RunningNode> origin_;
    std::uint16_t ports_[2] = {};
    std::unique_ptr<RunningNode> readers_[2];
};

TEST_F(BalancerTest, a_reader_that_does_not_hear_its_origin_is_not_ready_and_still_answers) {
    ASSERT_TRUE(comes_true([&] { return is_level(0); })) << http_get(ports_[0], "/health/ready");
    (void)origin_->program().end(SIGKILL);
    ASSERT_TRUE(comes_true([&] { return !is_level(0); }));
    EXPECT_THAT(http_get(ports_[0], "/health/ready"),
                AllOf(HasSubstr("503 Service Unavailable"), HasSubstr(R"("ready":false)"),
                      HasSubstr("nothing tells it of new blocks")));
    EXPECT_THAT(http_get(ports_[0], "/health"), HasSubstr("200 OK"));
    EXPECT_THAT(call(ports_[0], "eth_chainId", "[]"), HasSubstr("\"result\""));
}

TEST_F(BalancerTest, a_reader_that_is_killed_under_load_costs_nobody_an_answer) {
    if (find_nginx().empty()) GTEST_SKIP() << "nginx is not installed";
    const std::uint16_t port = free_port();
    const Balancer balancer{folder_.path().native(), port, ports_[0], ports_[1]};
    ASSERT_TRUE(comes_true([&] { return is_level(0) && is_level(1); }));
    ASSERT_TRUE(comes_true([&] {
        return call(port, "eth_chainId", "[]").find("\"result\"") != std::string::npos;
    })) << read_text(path("nginx.log"));
    const char* const wanted = std::getenv("HEDDLE_SOAK_SECONDS");
    const auto end = Clock::now() + std::chrono::seconds{
                                        wanted == nullptr ? 0 : std::strtoll(wanted, nullptr, 10)};
    Readers readers{port};
    std::uint64_t nonce = 0;
    std::uint64_t kills = 0;
    do {
        const std::size_t victim = kills % 2;
        ASSERT_TRUE(readers.have_asked_more(100));
        (void)readers_[victim]->program().end(SIGKILL);
        ASSERT_TRUE(readers.have_asked_more(100));
        send(port, nonce++);
        start_reader(victim);
        ASSERT_TRUE(comes_true([&] { return is_level(victim); }));
        // It gets its share again.
        ASSERT_TRUE(comes_true([&] {
            return http_get(ports_[victim], "/metrics")
                       .find("heddle_rpc_call_seconds_count{method=\"eth_getBalance\"}") !=
                   std::string::npos;
        }));
        ++kills;
    } while (Clock::now() < end);
    readers.end();
    EXPECT_LE(readers.bad(), kills * Readers::kThreads) << "more than were on their way";
    std::cout << kills << " readers killed, " << readers.good() << " answers, " << readers.bad()
              << " lost\n";
}

}  // namespace
}  // namespace heddle::test
