// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a client gets over a local socket.
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include "program/error.hpp"
#include "rpc/transport/message_splitter.hpp"
#include "temporary_folder.hpp"
#include "wire_clients.hpp"

namespace heddle::node::rpc {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using asio::local::stream_protocol;
using std::chrono::milliseconds;
using testing::HasSubstr;

const std::string kEchoA = call_text("test_echo", R"(["a"])");
const std::string kAnswerA = result_text(R"("a")");

class IpcClient {
public:
    explicit IpcClient(const std::string& path) {
        socket_.connect(stream_protocol::endpoint(path));
    }

    void send(std::string_view text) { asio::write(socket_, asio::buffer(text)); }
    void send_no_more() { socket_.shutdown(stream_protocol::socket::shutdown_send); }
    /// One line; empty: the server has ended the connection.
    std::string receive() {
        boost::system::error_code error;
        const std::size_t size =
            asio::read_until(socket_, asio::dynamic_buffer(received_), '\n', error);
        if (error) return {};
        std::string line = received_.substr(0, size - 1);
        received_.erase(0, size);
        return line;
    }

private:
    asio::io_context context_;
    stream_protocol::socket socket_{context_};
    std::string received_;
};

class IpcTest : public testing::Test {
protected:
    [[nodiscard]] ServerOptions options(ServerOptions wanted = {}) const {
        wanted.ipc_path = path_;
        return wanted;
    }
    std::string failure() {
        try {
            const WireServer server(options());
        } catch (const InputError& error) {
            return error.what();
        }
        return "no failure";
    }

    const heddle::test::TemporaryFolder folder_;
    std::string path_ = folder_ / "heddle.ipc";
};

TEST_F(IpcTest, answers_calls_and_batches) {
    const WireServer server(options());
    IpcClient client(path_);

    client.send(kEchoA);
    EXPECT_EQ(client.receive(), kAnswerA);
    client.send("[" + kEchoA + "," + kEchoA + "]\n");
    EXPECT_EQ(client.receive(), "[" + kAnswerA + "," + kAnswerA + "]");
    client.send(call_text("test_echo", R"(["a } ] \" \\"])"));
    EXPECT_EQ(client.receive(), result_text(R"("a } ] \" \\")"));
}

TEST_F(IpcTest, tells_messages_apart_wherever_they_are_cut) {
    const WireServer server(options());
    IpcClient client(path_);

    client.send(kEchoA + kEchoA + "\r\n " + kEchoA);
    for (const char c : kEchoA + kEchoA)
        client.send({&c, 1});

    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(client.receive(), kAnswerA);
}

TEST_F(IpcTest, answers_all_of_many_messages_sent_at_once) {
    const WireServer server(options({.worker_threads = 2}));
    IpcClient client(path_);
    std::string text;
    for (int i = 0; i < 300; ++i)
        text += i % 2 == 0 ? call_text("test_echoHeavy", R"(["a"])") : kEchoA;

    client.send(text);

    for (int i = 0; i < 300; ++i)
        EXPECT_EQ(client.receive(), kAnswerA);
}

// As scripts do it: everything into the socket, its end, and then all that comes out.
TEST_F(IpcTest, answers_all_that_came_before_a_client_said_that_it_sends_no_more) {
    const WireServer server(options({.worker_threads = 2}));
    for (const std::string_view method : {"test_echo", "test_echoHeavy"}) {
        IpcClient client(path_);
        std::string text;
        for (int i = 0; i < 100; ++i)
            text += call_text(std::string{method}, R"(["a"])") + "\n";

        client.send(text + R"({"jsonrpc":)");
        client.send_no_more();

        for (int i = 0; i < 100; ++i)
            ASSERT_EQ(client.receive(), kAnswerA) << method << " " << i;
        EXPECT_EQ(client.receive(), "") << method;
    }
}

TEST_F(IpcTest, has_every_method_and_is_of_this_machine) {
    const WireServer server(options());
    IpcClient client(path_);

    client.send(call_text("test_admin"));
    EXPECT_EQ(client.receive(), result_text(R"("admin")"));
    client.send(call_text("test_isLoopback"));
    EXPECT_EQ(client.receive(), result_text("true"));
}

TEST_F(IpcTest, notifies_after_it_has_named_the_subscription) {
    const WireServer server(options());
    IpcClient client(path_);

    client.send(call_text("test_subscribe"));

    EXPECT_EQ(client.receive(), result_text(R"("subscribed")"));
    EXPECT_EQ(client.receive(), R"("first notification")");
}

TEST_F(IpcTest, ends_with_a_client_whose_text_is_no_message) {
    const WireServer server(options());
    for (const std::string_view text : {"hello", "]", "1", "\"{\""}) {
        IpcClient client(path_);
        client.send(text);
        EXPECT_THAT(client.receive(), HasSubstr(R"("code":-32700)")) << text;
        EXPECT_EQ(client.receive(), "");
    }
    IpcClient client(path_);
    client.send("{]");
    EXPECT_THAT(client.receive(), HasSubstr(R"("code":-32700)"));
}

TEST_F(IpcTest, takes_messages_up_to_a_size_and_in_a_time) {
    const WireServer server(
        options({.max_request_bytes = 1'000, .read_timeout = milliseconds(300)}));
    IpcClient large(path_);
    large.send(call_text("test_echo", "[\"" + std::string(2'000, 'a') + "\"]"));
    EXPECT_THAT(large.receive(), HasSubstr("larger than 1000 bytes"));
    EXPECT_EQ(large.receive(), "");

    IpcClient slow(path_);
    slow.send("{");
    EXPECT_EQ(slow.receive(), "");
    EXPECT_EQ(server.server.counters().timed_out, 1u);
}

TEST_F(IpcTest, does_not_read_on_from_a_client_that_does_not_read) {
    const WireServer server(options({.max_send_queue_bytes = 8 << 20}));
    IpcClient client(path_);
    constexpr int kCalls = 60;

    std::string text;
    for (int i = 0; i < kCalls; ++i)
        text += call_text("test_bytes", "[500000]");
    client.send(text);

    for (int i = 0; i < kCalls; ++i)
        EXPECT_EQ(client.receive().size(), 500'000 + result_text(R"("")").size());
    EXPECT_EQ(server.server.counters().cut_off, 0u);
}

TEST_F(IpcTest, is_open_to_the_user_of_the_node_only_and_leaves_nothing) {
    {
        const WireServer server(options());
        EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    }
    EXPECT_FALSE(fs::exists(path_));
}

TEST_F(IpcTest, replaces_what_a_process_left_that_ended) {
    {
        asio::io_context context;
        const stream_protocol::acceptor left(context, stream_protocol::endpoint(path_));
    }
    ASSERT_TRUE(fs::exists(path_));

    const WireServer server(options());
    IpcClient client(path_);
    client.send(kEchoA);
    EXPECT_EQ(client.receive(), kAnswerA);
}

TEST_F(IpcTest, leaves_alone_what_is_not_its_own) {
    const auto listening = std::make_unique<WireServer>(options());
    EXPECT_THAT(failure(), HasSubstr("another process does"));
    IpcClient client(path_);
    client.send(kEchoA);
    EXPECT_EQ(client.receive(), kAnswerA);

    path_ = folder_ / "letter.txt";
    std::ofstream(path_) << "dear";
    EXPECT_THAT(failure(), HasSubstr("is no socket"));
    EXPECT_TRUE(fs::exists(path_));
    path_ = folder_ / "nowhere/heddle.ipc";
    EXPECT_THAT(failure(), HasSubstr("No such file"));
    path_ = folder_ / std::string(200, 'x');
    EXPECT_THAT(failure(), HasSubstr("at most 107 bytes"));
}

TEST_F(IpcTest, answers_before_it_stops) {
    WireServer server(options());
    IpcClient client(path_);
    client.send(call_text("test_wait"));
    server.methods.gate.wait_for_arrivals(1);

    std::thread stopping([&] { server.server.stop(); });
    server.methods.gate.open();

    EXPECT_EQ(client.receive(), result_text(R"("waited")"));
    EXPECT_EQ(client.receive(), "");
    stopping.join();
}

TEST(MessageSplitter, looks_at_each_byte_once) {
    using Verdict = MessageSplitter::Verdict;
    MessageSplitter splitter;
    const std::string text = R"( {"a":[1,"}]\"",{}]})";
    for (std::size_t size = 0; size < text.size(); ++size)
        ASSERT_EQ(splitter.scan(std::string_view(text).substr(0, size)), Verdict::incomplete);
    EXPECT_EQ(splitter.scan(text + "{"), Verdict::complete);
    EXPECT_EQ(splitter.end(), text.size());
    splitter.restart();
    EXPECT_EQ(splitter.scan("}"), Verdict::malformed);
}

}  // namespace
}  // namespace heddle::node::rpc
