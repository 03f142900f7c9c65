// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/cometbft/abci_server.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <mutex>
#include <random>
#include <thread>

#include <sys/un.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "abci_client.hpp"
#include "announced_seed.hpp"
#include "fake_chain.hpp"

namespace heddle::consensus_adapter::cometbft {
namespace {

class AbciServerTest : public testing::Test {
public:
    AbciServerTest() {
        options.address = "tcp://127.0.0.1:0";
        options.on_warning = [this](const std::string& text) {
            const std::scoped_lock lock{mutex};
            warnings.push_back(text);
        };
    }
    void start() {
        auto started = AbciServer::start(host, options);
        ASSERT_TRUE(started.has_value()) << started.error();
        server = std::move(*started);
    }
    std::vector<std::string> all_warnings() {
        const std::scoped_lock lock{mutex};
        return warnings;
    }

    FakeHost host;
    AbciServerOptions options;
    std::mutex mutex;
    std::vector<std::string> warnings;  // guarded by mutex
    std::unique_ptr<AbciServer> server;
};

abci::Request finalize_request(std::int64_t height) {
    abci::Request request;
    request.mutable_finalize_block()->set_height(height);
    return request;
}
abci::Request commit_request() {
    abci::Request request;
    request.mutable_commit();
    return request;
}
abci::Request check_request(const Bytes& tx) {
    abci::Request request;
    request.mutable_check_tx()->set_tx(as_field(tx));
    return request;
}

TEST_F(AbciServerTest,
       transactions_that_come_together_are_looked_at_together_and_answered_in_order) {
    start();
    AbciClient client{server->address()};
    Bytes bytes;
    const auto send_later = [&bytes](const abci::Request& request) {
        const Bytes framed = frame(request);
        bytes.insert(bytes.end(), framed.begin(), framed.end());
    };
    constexpr int kMany = 150;
    for (int i = 0; i < kMany; ++i) {
        if (i % 50 == 49) send_later(echo_request(std::to_string(i)));
        // Every seventh is none.
        send_later(check_request(i % 7 == 6 ? Bytes{1} : encoded(make_transaction(0))));
    }
    abci::Request recheck = check_request(encoded(make_transaction(0)));
    recheck.mutable_check_tx()->set_type(1);
    send_later(recheck);
    ASSERT_TRUE(client.send(bytes));
    for (int i = 0; i < kMany; ++i) {
        if (i % 50 == 49) EXPECT_EQ(client.receive()->echo().message(), std::to_string(i));
        const auto response = client.receive();
        ASSERT_TRUE(response.has_value() && response->has_check_tx()) << i;
        EXPECT_EQ(response->check_tx().code(), i % 7 == 6 ? 3u : 0u) << i;
    }
    EXPECT_TRUE(client.receive()->has_check_tx());
    EXPECT_EQ(host.gate.admitted, static_cast<std::size_t>(kMany));
    EXPECT_EQ(host.gate.rechecked, 1u);
    EXPECT_GT(host.gate.most_at_once, 1u);
    EXPECT_LE(host.gate.most_at_once, 64u);
}

// What is wrong with the stream does not hide what came before it.
TEST_F(AbciServerTest, transactions_before_a_broken_message_are_answered) {
    start();
    AbciClient client{server->address()};
    Bytes bytes;
    for (int i = 0; i < 3; ++i) {
        const Bytes framed = frame(check_request(encoded(make_transaction(0))));
        bytes.insert(bytes.end(), framed.begin(), framed.end());
    }
    append_length(2, bytes);
    bytes.insert(bytes.end(), {0xff, 0xff});
    ASSERT_TRUE(client.send(bytes));
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(client.receive()->has_check_tx()) << i;
    EXPECT_TRUE(client.receive()->has_exception());
    EXPECT_EQ(client.receive(), std::nullopt);
}

TEST_F(AbciServerTest, a_request_is_answered_wherever_its_bytes_are_split) {
    start();
    AbciClient client{server->address()};
    const Bytes bytes = frame(echo_request("warp"));
    for (std::size_t split = 0; split <= bytes.size(); ++split) {
        ASSERT_TRUE(client.send(BytesView{bytes}.first(split)));
        ASSERT_TRUE(client.send(BytesView{bytes}.subspan(split)));
        const auto response = client.receive();
        ASSERT_TRUE(response.has_value());
        EXPECT_EQ(response->echo().message(), "warp");
    }
}

TEST_F(AbciServerTest, the_bytes_of_an_answer_are_cometbfts) {
    start();
    AbciClient client{server->address()};
    // Request{echo: {message: "hi"}}, Request{flush: {}}.
    ASSERT_TRUE(client.send(Bytes{0x06, 0x0a, 0x04, 0x0a, 0x02, 'h', 'i', 0x02, 0x12, 0x00}));
    const auto echo = client.receive();
    ASSERT_TRUE(echo.has_value());
    // Response{echo: {message: "hi"}}, Response{flush: {}}.
    EXPECT_EQ(to_hex(as_bytes(echo->SerializeAsString())), "0x12040a026869");
    const auto flush = client.receive();
    ASSERT_TRUE(flush.has_value());
    EXPECT_EQ(to_hex(as_bytes(flush->SerializeAsString())), "0x1a00");
}

TEST_F(AbciServerTest, pipelined_requests_of_many_connections_are_answered_in_order) {
    start();
    constexpr int kClients = 6;
    constexpr int kRequests = 400;
    const std::uint64_t seed = heddle::test::announced_seed();
    std::vector<std::thread> threads;
    threads.reserve(kClients);
    for (int number = 0; number < kClients; ++number)
        threads.emplace_back([&, number] {
            std::mt19937_64 random{seed + static_cast<std::uint64_t>(number)};
            AbciClient client{server->address()};
            std::thread writer{[&] {
                Bytes pending;
                for (int i = 0; i < kRequests; ++i) {
                    const Bytes next =
                        frame(i % 50 == 49 ? flush_request() : echo_request(std::to_string(i)));
                    pending.insert(pending.end(), next.begin(), next.end());
                    const std::size_t count = random() % (pending.size() + 1);
                    EXPECT_TRUE(client.send(BytesView{pending}.first(count)));
                    pending.erase(pending.begin(),
                                  pending.begin() + static_cast<std::ptrdiff_t>(count));
                }
                EXPECT_TRUE(client.send(pending));
            }};
            for (int i = 0; i < kRequests; ++i) {
                const auto response = client.receive();
                if (!response.has_value()) {
                    ADD_FAILURE() << "closed at " << i;
                    break;
                }
                if (i % 50 == 49)
                    EXPECT_TRUE(response->has_flush()) << i;
                else
                    EXPECT_EQ(response->echo().message(), std::to_string(i));
            }
            writer.join();
        });
    for (std::thread& thread : threads)
        thread.join();
}

TEST_F(AbciServerTest, transactions_are_checked_while_a_block_is_executed) {
    std::promise<void> checked;
    options.on_decision = [&](const DecisionReport&) { checked.get_future().wait(); };
    start();
    AbciClient consensus{server->address()};
    AbciClient mempool{server->address()};
    AbciClient query{server->address()};
    ASSERT_TRUE(consensus.send(finalize_request(1)));
    ASSERT_TRUE(consensus.receive()->has_finalize_block());
    ASSERT_TRUE(consensus.send(commit_request()));

    // Commit does not end before these do.
    const auto answer = mempool.call(check_request(encoded(make_transaction(0))));
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->check_tx().gas_wanted(), 21'000);
    abci::Request info;
    info.mutable_info();
    EXPECT_TRUE(query.call(info)->has_info());
    checked.set_value();
    EXPECT_TRUE(consensus.receive()->has_commit());
}

TEST_F(AbciServerTest, consensus_calls_of_all_connections_run_one_at_a_time) {
    start();
    std::atomic<std::size_t> answered = 0;
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int number = 0; number < 4; ++number)
        threads.emplace_back([&] {
            AbciClient client{server->address()};
            for (int i = 0; i < 50; ++i) {
                const auto height =
                    static_cast<std::int64_t>(host.application.committed().head.number) + 1;
                answered += client.call(finalize_request(height)).has_value() ? 1 : 0;
                answered += client.call(commit_request()).has_value() ? 1 : 0;
                answered += client.call(check_request({1})).has_value() ? 1 : 0;
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(answered, 4u * 150u);
    EXPECT_GE(host.application.committed().head.number, 50u);
}

TEST_F(AbciServerTest, an_exception_does_not_end_the_connection) {
    start();
    AbciClient client{server->address()};
    ASSERT_TRUE(client.send(Bytes{0x00}));  // a request of no kind
    EXPECT_TRUE(client.receive()->has_exception());
    EXPECT_TRUE(client.call(commit_request())->has_exception());
    EXPECT_EQ(client.call(echo_request("still"))->echo().message(), "still");
}

TEST_F(AbciServerTest, bytes_that_are_no_requests_end_the_connection) {
    options.max_message_bytes = 1'000;
    start();
    const std::vector<Bytes> streams{
        {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},  // endless length
        {0xe9, 0x07},                                                        // 1001
        {0x02, 0x0a, 0x7f},                                                  // truncated inside
        {0x03, 0xff, 0xff, 0xff},                                            // garbage
    };
    for (const Bytes& stream : streams) {
        AbciClient client{server->address()};
        ASSERT_TRUE(client.send(frame(echo_request("first"))));
        ASSERT_TRUE(client.send(stream));
        EXPECT_EQ(client.receive()->echo().message(), "first");
        const auto response = client.receive();
        ASSERT_TRUE(response.has_value());
        EXPECT_NE(response->exception().error(), "");
        EXPECT_FALSE(client.receive().has_value());
    }
    EXPECT_EQ(all_warnings().size(), streams.size());
    AbciClient client{server->address()};
    EXPECT_TRUE(client.call(echo_request(std::string(990, 'x')))->has_echo());
}

TEST_F(AbciServerTest, a_stream_that_ends_inside_a_message_is_let_go) {
    start();
    AbciClient client{server->address()};
    ASSERT_TRUE(client.send(Bytes{0x20, 0x0a}));
    client.end();
    EXPECT_FALSE(client.receive().has_value());
}

TEST_F(AbciServerTest, large_messages_pass) {
    start();
    AbciClient client{server->address()};
    const std::string large(std::size_t{20} << 20, 'x');
    for (int i = 0; i < 2; ++i) {
        const auto response = client.call(echo_request(large));
        ASSERT_TRUE(response.has_value());
        EXPECT_TRUE(response->echo().message() == large);
    }
}

TEST_F(AbciServerTest, connections_beyond_the_limit_are_turned_away) {
    options.max_connections = 2;
    start();
    auto first = std::make_unique<AbciClient>(server->address());
    AbciClient second{server->address()};
    ASSERT_TRUE(first->call(echo_request("1")).has_value());
    ASSERT_TRUE(second.call(echo_request("2")).has_value());
    AbciClient third{server->address()};
    EXPECT_FALSE(third.call(echo_request("3")).has_value());

    // One that has ended makes room; the server learns of it in its own time.
    first->end();
    EXPECT_FALSE(first->receive().has_value());
    first.reset();
    while (true) {
        AbciClient fourth{server->address()};
        if (fourth.call(echo_request("4")).has_value()) break;
    }
    EXPECT_TRUE(second.call(echo_request("2")).has_value());
}

TEST_F(AbciServerTest, it_stops_with_connections_idle_and_inside_a_message) {
    start();
    AbciClient idle{server->address()};
    ASSERT_TRUE(idle.call(echo_request("1")).has_value());
    AbciClient half{server->address()};
    ASSERT_TRUE(half.call(echo_request("1")).has_value());
    ASSERT_TRUE(half.send(Bytes{0x20, 0x0a}));
    AbciClient fresh{server->address()};

    server->stop();
    EXPECT_FALSE(idle.receive().has_value());
    EXPECT_FALSE(half.receive().has_value());
    EXPECT_FALSE(fresh.receive().has_value());
    server->stop();
}

TEST_F(AbciServerTest, what_is_being_executed_when_it_stops_is_answered) {
    std::promise<void> committing;
    std::promise<void> go_on;
    options.on_decision = [&](const DecisionReport&) {
        committing.set_value();
        go_on.get_future().wait();
    };
    start();
    AbciClient client{server->address()};
    ASSERT_TRUE(client.call(finalize_request(1))->has_finalize_block());
    ASSERT_TRUE(client.send(commit_request()));
    committing.get_future().wait();
    std::thread stopping{[this] { server->stop(); }};
    go_on.set_value();
    EXPECT_TRUE(client.receive()->has_commit());
    stopping.join();
    EXPECT_FALSE(client.receive().has_value());
}

TEST_F(AbciServerTest, it_stops_although_a_client_reads_nothing) {
    start();
    AbciClient client{server->address()};
    // More than the sockets' buffers hold, so that the server is stuck in writing.
    const Bytes request = frame(echo_request(std::string(std::size_t{64} << 20, 'x')));
    ASSERT_TRUE(client.send(request));
    client.wait_for_answer();
    server->stop();
}

TEST_F(AbciServerTest, a_failure_is_told_after_the_exception) {
    BlockError error;
    error.code = BlockErrorCode::storage_failed;
    host.application.finalize_error = error;
    std::promise<std::string> failure;
    options.on_failure = [&](const std::string& text) { failure.set_value(text); };
    start();
    AbciClient client{server->address()};
    const auto response = client.call(finalize_request(1));
    ASSERT_TRUE(response.has_value());
    EXPECT_EQ(response->exception().error(), failure.get_future().get());
}

TEST_F(AbciServerTest, an_address_in_use_is_an_error) {
    start();
    options.address = server->address();
    const auto second = AbciServer::start(host, options);
    ASSERT_FALSE(second.has_value());
    EXPECT_NE(second.error().find("the address is in use"), std::string::npos) << second.error();
    options.address = "tcp://203.0.113.1:1";
    EXPECT_FALSE(AbciServer::start(host, options).has_value());
}

class AbciUnixSocket : public AbciServerTest {
public:
    AbciUnixSocket() {
        path = std::filesystem::temp_directory_path() /
               ("heddle-abci-" + std::to_string(::getpid()) + ".sock");
        std::filesystem::remove(path);
        options.address = "unix://" + path.string();
    }
    ~AbciUnixSocket() override { std::filesystem::remove(path); }

    std::filesystem::path path;
};

TEST_F(AbciUnixSocket, serves_and_takes_its_file_away) {
    start();
    EXPECT_EQ(server->address(), options.address);
    AbciClient client{server->address()};
    EXPECT_EQ(client.call(echo_request("weft"))->echo().message(), "weft");
    server->stop();
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(AbciUnixSocket, one_left_by_a_dead_process_is_replaced) {
    const int left = ::socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_GE(left, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.string().copy(address.sun_path, sizeof(address.sun_path) - 1);
    ASSERT_EQ(::bind(left, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    ::close(left);
    ASSERT_TRUE(std::filesystem::exists(path));

    start();
    AbciClient client{server->address()};
    EXPECT_TRUE(client.call(echo_request("weft")).has_value());
}

TEST_F(AbciUnixSocket, one_that_is_alive_is_left_alone) {
    start();
    const auto second = AbciServer::start(host, options);
    ASSERT_FALSE(second.has_value());
    EXPECT_NE(second.error().find("another process listens there"), std::string::npos);
    AbciClient client{server->address()};
    EXPECT_TRUE(client.call(echo_request("weft")).has_value());
}

TEST_F(AbciUnixSocket, a_file_that_is_no_socket_is_left_alone) {
    std::filesystem::create_directory(path);
    const auto started = AbciServer::start(host, options);
    ASSERT_FALSE(started.has_value());
    EXPECT_NE(started.error().find("no socket"), std::string::npos) << started.error();
    EXPECT_TRUE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace heddle::consensus_adapter::cometbft
