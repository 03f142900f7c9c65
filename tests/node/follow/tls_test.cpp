// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Questions to nodes over TLS: whom one believes, and what is said of those whom one does not.
#include "follow/tls_trust.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "follow/rpc_connection.hpp"
#include "hostile_server.hpp"
#include "lanes/join_client.hpp"
#include "program/error.hpp"
#include "service/lane_options.hpp"
#include "service/node_config.hpp"
#include "tls_server.hpp"

namespace heddle::node::follow {
namespace {

using consensus_adapter::follow::FollowError;
using consensus_adapter::follow::FollowFault;
using test::Certificate;
using test::HostileServer;
using test::http_answer;
using test::make_certificate;
using test::rpc_answer;
using test::TlsServer;
using testing::AllOf;
using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr ConnectionLimits kLimits{.timeout = 60s, .max_answer_bytes = 64 * 1024};
constexpr std::string_view kQuestion = R"({"id":1})";

/// An authority of the test's own, in a file, and a server that has a certificate of it.
class Tls : public testing::Test {
protected:
    void SetUp() override {
        const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
        file_ = testing::TempDir() + "heddle-" + test->name() + ".pem";
        std::ofstream{file_} << authority_.text;
    }
    void TearDown() override { std::filesystem::remove(file_); }

    [[nodiscard]] Certificate certificate(const std::string& hosts) const {
        return make_certificate({.name = "a node", .hosts = hosts}, &authority_);
    }
    /// Answers each question with it, over HTTP.
    static void echo(TlsServer::Stream& stream) {
        for (;;) {
            std::string text;
            boost::asio::read_until(stream, boost::asio::dynamic_buffer(text), kQuestion);
            const std::string answer = http_answer(text.substr(text.find("\r\n\r\n") + 4));
            boost::asio::write(stream, boost::asio::buffer(answer));
        }
    }
    static std::expected<std::string, FollowError> ask(const Endpoint& endpoint,
                                                       ConnectionLimits limits = kLimits) {
        RpcConnection connection(endpoint, limits, {});
        return connection.ask(std::string{kQuestion});
    }
    static void expect_fault(const Endpoint& endpoint, FollowFault fault, const std::string& text,
                             ConnectionLimits limits = kLimits) {
        const auto answer = ask(endpoint, limits);
        ASSERT_FALSE(answer.has_value());
        EXPECT_EQ(answer.error().fault, fault) << answer.error().sentence;
        EXPECT_THAT(answer.error().sentence, AllOf(HasSubstr(text), HasSubstr("https://")));
    }

    const Certificate authority_ =
        make_certificate({.name = "an authority", .is_authority = true}, nullptr);
    std::string file_;
};

TEST_F(Tls, a_node_answers_whose_certificate_is_for_its_name) {
    const TlsServer server(certificate("DNS:localhost"), echo);
    RpcConnection connection(server.endpoint("localhost", file_), kLimits, {});

    for (int i = 0; i < 3; ++i) {
        const auto answer = connection.ask(std::string{kQuestion});
        ASSERT_TRUE(answer.has_value()) << answer.error().sentence;
        EXPECT_EQ(*answer, kQuestion);
    }

    EXPECT_EQ(connection.connections(), 1U) << "the connection stays open";
    EXPECT_EQ(server.told_name(), "localhost");
}

TEST_F(Tls, a_node_answers_whose_certificate_is_for_its_address) {
    const TlsServer server(certificate("IP:127.0.0.1"), echo);

    const auto answer = ask(server.endpoint("127.0.0.1", file_));

    ASSERT_TRUE(answer.has_value()) << answer.error().sentence;
    EXPECT_EQ(server.told_name(), "") << "addresses are not told";
}

TEST_F(Tls, a_node_answers_over_a_websocket) {
    namespace beast = boost::beast;
    const TlsServer server(certificate("DNS:localhost"), [](TlsServer::Stream& stream) {
        beast::websocket::stream<TlsServer::Stream&> socket(stream);
        socket.accept();
        for (;;) {
            beast::flat_buffer buffer;
            socket.read(buffer);
            socket.text(true);
            socket.write(boost::asio::buffer(beast::buffers_to_string(buffer.data()) + "!"));
            socket.write(boost::asio::buffer(std::string_view{"more"}));
        }
    });
    Endpoint endpoint = server.endpoint("localhost", file_);
    endpoint.is_websocket = true;
    RpcConnection connection(endpoint, kLimits, {});

    const auto answer = connection.ask(std::string{kQuestion});
    ASSERT_TRUE(answer.has_value()) << answer.error().sentence;
    EXPECT_EQ(*answer, std::string{kQuestion} + "!");
    const auto notification = connection.receive();
    ASSERT_TRUE(notification.has_value()) << notification.error().sentence;
    EXPECT_EQ(*notification, "more");
}

TEST_F(Tls, a_certificate_for_another_host_is_refused) {
    const TlsServer server(certificate("DNS:example.org,IP:127.0.0.2"), echo);

    expect_fault(server.endpoint("localhost", file_), FollowFault::refused, "hostname mismatch");
    expect_fault(server.endpoint("127.0.0.1", file_), FollowFault::refused, "IP address mismatch");
}

TEST_F(Tls, a_certificate_that_has_expired_or_is_not_valid_yet_is_refused) {
    const auto made = [&](long begins, long ends) {
        return make_certificate(
            {.name = "a node", .hosts = "DNS:localhost", .begins = begins, .ends = ends},
            &authority_);
    };
    const TlsServer expired(made(-7200, -3600), echo);
    const TlsServer early(made(3600, 7200), echo);

    expect_fault(expired.endpoint("localhost", file_), FollowFault::refused,
                 "certificate has expired");
    expect_fault(early.endpoint("localhost", file_), FollowFault::refused,
                 "certificate is not yet valid");
}

TEST_F(Tls, an_authority_that_nobody_named_is_not_believed) {
    const TlsServer server(certificate("DNS:localhost"), echo);
    const TlsServer of_itself(
        make_certificate({.name = "a node", .hosts = "DNS:localhost"}, nullptr), echo);

    expect_fault(server.endpoint("localhost", ""), FollowFault::refused, "--source-ca");
    expect_fault(of_itself.endpoint("localhost", file_), FollowFault::refused, "self-signed");
}

TEST_F(Tls, lanes_and_who_is_joined_by_have_the_authorities_of_lanes_ca) {
    const TlsServer server(certificate("DNS:localhost"), [](TlsServer::Stream& stream) {
        std::string text;
        boost::asio::read_until(stream, boost::asio::dynamic_buffer(text), "heddle_snapshots");
        boost::asio::write(stream, boost::asio::buffer(rpc_answer("[]")));
    });
    const std::string url =
        "https://localhost:" + std::to_string(server.endpoint("localhost", "").port);
    NodeConfig config;
    config.lanes.addresses = {url};
    config.lanes.comets = {"http://127.0.0.1:1"};
    config.lanes.join = url;
    config.lanes.trust_number = 1;
    config.lanes.trust_hash = "0x" + std::string(64, '1');
    const auto offers = [](const Endpoint& endpoint) {
        return lanes::JoinClient(endpoint, {}).offers();
    };

    const auto distrusted = offers(join_origin(config));
    ASSERT_FALSE(distrusted.has_value());
    EXPECT_THAT(distrusted.error().sentence, HasSubstr("--source-ca"));

    set_option("lanes.ca=" + file_, config);
    const auto trusted = offers(join_origin(config));
    ASSERT_TRUE(trusted.has_value()) << trusted.error().sentence;
    EXPECT_TRUE(trusted->empty());
    const auto of_lane = offers(lane_options(config).lanes.at(0));
    EXPECT_TRUE(of_lane.has_value()) << of_lane.error().sentence;

    config.lanes.ca = file_ + ".absent";
    try {
        (void)lane_options(config);
        FAIL() << "a file that is not there is refused";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("lanes.ca"), HasSubstr(config.lanes.ca)));
    }
}

TEST_F(Tls, a_server_that_never_answers_a_handshake_is_given_up) {
    const HostileServer silent(
        [](HostileServer::Peer& peer, const std::string&) { return peer.send(http_answer("{}")); });
    Endpoint endpoint = silent.endpoint();
    endpoint.is_encrypted = true;

    // It waits for the end of a header that never comes, so that time ends it.
    expect_fault(endpoint, FollowFault::timed_out, "did not answer within",
                 {.timeout = 300ms, .max_answer_bytes = 1024});
}

TEST_F(Tls, a_server_that_answers_a_handshake_in_plain_text_is_named) {
    namespace asio = boost::asio;
    asio::io_context context;
    asio::ip::tcp::acceptor acceptor(context, {asio::ip::make_address("127.0.0.1"), 0});
    std::jthread thread([&] {
        asio::ip::tcp::socket socket(context);
        acceptor.accept(socket);
        asio::write(socket, asio::buffer(std::string_view{"HTTP/1.1 400 Bad Request\r\n\r\n"}));
        boost::system::error_code ended;
        char byte = 0;
        while (!ended)
            (void)socket.read_some(asio::buffer(&byte, 1), ended);
    });
    Endpoint endpoint;
    endpoint.host = "127.0.0.1";
    endpoint.port = acceptor.local_endpoint().port();
    endpoint.is_encrypted = true;

    expect_fault(endpoint, FollowFault::misunderstood, "does not speak TLS");
}

TEST_F(Tls, versions_before_1_2_are_not_spoken) {
    TlsServer server(certificate("DNS:localhost"), echo);
    SSL_CTX* const settings = server.context().native_handle();
    SSL_CTX_set_security_level(settings, 0);
    SSL_CTX_set_min_proto_version(settings, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(settings, TLS1_1_VERSION);

    expect_fault(server.endpoint("localhost", file_), FollowFault::misunderstood,
                 "does not speak TLS");
}

TEST_F(Tls, an_answer_that_is_cut_short_is_none) {
    const TlsServer server(certificate("DNS:localhost"), [](TlsServer::Stream& stream) {
        std::string text;
        boost::asio::read_until(stream, boost::asio::dynamic_buffer(text), kQuestion);
        boost::asio::write(stream,
                           boost::asio::buffer(std::string_view{"HTTP/1.1 200 OK\r\n\r\n{"}));
    });  // which ends the connection without saying so

    expect_fault(server.endpoint("localhost", file_), FollowFault::unreachable,
                 "closed the connection");
}

TEST_F(Tls, a_file_without_certificates_is_named) {
    std::ofstream{file_} << "nothing";

    try {
        check_trust(file_, "forking.ca");
        ADD_FAILURE() << "it was taken";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("forking.ca"), HasSubstr(file_)));
    }
    EXPECT_THROW(check_trust("/nowhere.pem", "follow.ca"), std::runtime_error);
    EXPECT_NO_THROW(check_trust("", "follow.ca"));
}

}  // namespace
}  // namespace heddle::node::follow
