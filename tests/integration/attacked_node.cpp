// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "attacked_node.hpp"

#include <algorithm>
#include <iostream>
#include <sstream>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace heddle::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::size_t kMoreKilobytes = 256 << 10;  // what an attack may cost at most
/// Who has not taken an answer by then is cut off (rpc::ServerOptions::write_timeout).
constexpr std::chrono::seconds kWriteTimeout{30};

std::vector<std::string> arguments(std::vector<std::string> more) {
    // Each heavy call holds the answer that it makes: the bound is that of two processors.
    more.insert(more.begin(), {"--dev", "--seal", "interval", "--block-time", "500ms", "--set",
                               "rpc.heavy_calls=2"});
    return more;
}

double seconds(std::chrono::steady_clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
}

}  // namespace

std::string call_of(std::string_view code, std::string_view method) {
    return rpc_body(method, R"([{"gas":"0x7fffffffffffffff","data":"0x)" + std::string{code} +
                                R"("},"latest"])");
}

std::string simulation_of(std::string_view code, int blocks) {
    const std::string call = R"({"data":"0x)" + std::string{code} + R"("})";
    std::string calls = call;
    for (int i = 1; i < 10; ++i)
        calls += "," + call;
    const std::string block = R"({"calls":[)" + calls + "]}";
    std::string all = block;
    for (int i = 1; i < blocks; ++i)
        all += "," + block;
    return rpc_body("eth_simulateV1", R"([{"blockStateCalls":[)" + all + R"(]},"latest"])");
}

std::size_t count_of(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

std::vector<Connection> open_many(std::uint16_t port, std::size_t count) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    std::vector<Connection> connections;
    for (std::size_t i = 0; i < count; ++i) {
        Connection connection{port};
        if (connection.is_open()) connections.push_back(std::move(connection));
    }
    return connections;
}

bool open_websocket(Connection& connection) {
    connection.send(
        "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n");
    return connection.receive_response().starts_with("HTTP/1.1 101");
}

std::string websocket_text(std::string_view text) {
    std::string frame{'\x81'};  // a whole text; what follows is its length, and that it is masked
    if (text.size() < 126) {
        frame += static_cast<char>(0x80 | text.size());
    } else {
        frame += '\xfe';
        frame += static_cast<char>(text.size() >> 8);
        frame += static_cast<char>(text.size() & 0xff);
    }
    frame.append(4, '\0');  // the mask
    return frame.append(text);
}

AttackedNode::AttackedNode(std::vector<std::string> more) : node_(arguments(std::move(more))) {
    wait_for_receipt(send("00", 100'000));
    memory_before_ = resident_kilobytes();
    watch_ = std::thread{[this] { watch(); }};
    timekeeper_ = std::thread{[this] { keep_time(); }};
    // Who is a good client is seen before the attack begins.
    while (answers_ == 0 && !is_over_)
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
}

AttackedNode::~AttackedNode() {
    is_over_ = true;
    if (watch_.joinable()) watch_.join();
    timekeeper_.join();
}

std::string AttackedNode::ask_body(const std::string& body) const {
    Connection connection{port()};
    connection.send(post_request(body));
    return body_of(connection.receive_response());
}

std::string AttackedNode::send(std::string_view code, std::uint64_t gas) {
    Transaction tx;
    tx.nonce = nonce_++;
    tx.gas_limit = gas;
    tx.data = from_hex(code).value();
    const SignedTransaction signed_tx = sign_for_dev(std::move(tx), kDevAccounts.front());
    EXPECT_THAT(ask("eth_sendRawTransaction", "[\"" + signed_tx.raw + "\"]"),
                HasSubstr(signed_tx.hash));
    return signed_tx.hash;
}

void AttackedNode::wait_for_receipt(const std::string& hash) const {
    while (ask("eth_getTransactionReceipt", "[\"" + hash + "\"]").find(R"("blockHash")") ==
           std::string::npos)
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
}

std::string AttackedNode::execute(std::string_view code, std::uint64_t gas) {
    std::string hash = send(code, gas);
    wait_for_receipt(hash);
    return hash;
}

void AttackedNode::fill_blocks_with_logs(int transactions, std::uint64_t gas) {
    std::string hash;
    for (int i = 0; i < transactions; ++i)
        hash = send(kManyLogs, gas);
    wait_for_receipt(hash);
}

void AttackedNode::wait_for_blocks(std::uint64_t count) const {
    const std::uint64_t wanted = head_ + count;
    while (head_ < wanted && !is_over_)
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
}

void AttackedNode::attack(int clients, const std::vector<std::string>& bodies) const {
    std::atomic<std::size_t> results = 0;
    std::atomic<std::size_t> errors = 0;
    std::atomic<std::size_t> silences = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < clients; ++i) {
        threads.emplace_back([&, i] {
            Connection connection{port()};
            for (std::size_t j = 0; j < bodies.size();) {
                const std::string& body = bodies[(j + static_cast<std::size_t>(i)) % bodies.size()];
                const auto sent = Clock::now();
                const auto ran_before = run_time_.load();
                connection.send(post_request(body));
                const std::string response = connection.receive_response();
                // Where the test was not let run, it is the one that did not take the answer: the
                // node does to it what it does to others that do not read.
                const bool has_stood_still = Clock::now() - sent >= kWriteTimeout &&
                                             run_time_.load() - ran_before < kWriteTimeout;
                if (response.empty() && has_stood_still) {
                    connection = Connection{port()};
                    continue;
                }
                ++j;
                if (response.find(R"("error")") != std::string::npos)
                    ++errors;
                else if (response.find(R"("result")") != std::string::npos)
                    ++results;
                else
                    ++silences;
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    std::cout << results << " results, " << errors << " errors\n" << std::flush;
    EXPECT_EQ(silences, 0U);
}

void AttackedNode::expect_unharmed() {
    is_over_ = true;
    watch_.join();
    const double expected = seconds(watched_) / seconds(kBlockTime);
    std::cout << answers_ << " answers, " << blocks_ << " blocks in " << seconds(watched_)
              << " s, at most " << seconds(longest_wait_) << " s between two; memory "
              << memory_before_ / 1024 << " MiB before, at most " << most_memory_ / 1024 << " MiB\n"
              << std::flush;
    EXPECT_GT(answers_, 0U);
    // A machine that does other things too delays everything; an attack that works stops blocks.
    EXPECT_GE(static_cast<double>(blocks_) * 4 + 4, expected);
    EXPECT_LE(most_memory_, memory_before_ + kMoreKilobytes);

    const SignedTransaction transfer = sign_dev_transfer(nonce_, kDevAccounts.front());
    EXPECT_THAT(ask("eth_sendRawTransaction", "[\"" + transfer.raw + "\"]"),
                HasSubstr(transfer.hash));
    wait_for_receipt(transfer.hash);
    EXPECT_EQ(
        node_.text("eth_getBalance", R"(["0x0000000000000000000000000000000000001234","latest"])"),
        "0x1");
    EXPECT_THAT(http_get(port(), "/health"), StartsWith("HTTP/1.1 200"));
    EXPECT_EQ(node_.program().end(SIGTERM), 0) << node_.program().error();
}

void AttackedNode::watch() {
    Connection connection{port()};
    const std::string question = post_request(rpc_body("eth_blockNumber"));
    auto last_block = Clock::now();
    std::uint64_t first = 0;
    while (!is_over_) {
        if (!connection.send(question)) break;
        const std::string number = text_member(connection.receive_response(), "result");
        if (number.empty()) break;
        const std::uint64_t head = std::stoull(number, nullptr, 16);
        const auto now = Clock::now();
        if (++answers_ == 1) first = head;
        if (head != head_) {
            longest_wait_ = std::max(longest_wait_, now - last_block);
            last_block = now;
        }
        head_ = head;
        blocks_ = head - first;
        watched_ = run_time_;
        most_memory_ = std::max(most_memory_, resident_kilobytes());
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    EXPECT_TRUE(is_over_) << "the node closed the connection of a good client";
    is_over_ = true;
}

void AttackedNode::keep_time() {
    constexpr Clock::duration kMostOfABeat = std::chrono::milliseconds{100};
    for (auto last = Clock::now(); !is_over_;) {
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
        const auto now = Clock::now();
        run_time_ = run_time_.load() + std::min(now - last, kMostOfABeat);
        last = now;
    }
}

std::size_t AttackedNode::resident_kilobytes() const {
    // The test holds the process until the end, so that the number stays its own.
    std::istringstream lines{read_text("/proc/" + std::to_string(process_) + "/status")};
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("VmRSS:")) return std::stoull(line.substr(6));
    return 0;
}

}  // namespace heddle::test
