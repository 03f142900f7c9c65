// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "follow/rpc_connection.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "follow/source_stream.hpp"
#include "follow/tls_trust.hpp"

namespace heddle::node::follow {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;
using consensus_adapter::follow::FollowError;
using consensus_adapter::follow::FollowFault;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// How long one waits without looking whether to stop.
constexpr milliseconds kSlice{100};
constexpr std::size_t kMaxQuote = 300;
/// Of an HTTP answer, that is kept beside its body: its header, the heads of its chunks with what
/// they are extended by, and what comes after the last one.
constexpr std::size_t kMaxAroundBody = std::size_t{64} << 10;
constexpr std::string_view kLoopField = "CDN-Loop";

/// By the other side.
bool is_closed(const error_code& error) {
    return error == http::error::end_of_stream || error == asio::error::eof ||
           error == websocket::error::closed || error == asio::error::connection_reset ||
           error == asio::error::broken_pipe || error == asio::ssl::error::stream_truncated;
}

}  // namespace

std::string quote(std::string_view text) {
    std::string quoted{text.substr(0, kMaxQuote)};
    for (char& c : quoted)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    return quoted;
}

namespace {

/// What an HTTP answer says of itself.
struct AnswerHead {
    unsigned status = 200;
    std::string location;  // where a redirection leads
    /// RFC 9110, 10.2.3; its form as a date is not read, for clocks differ.
    std::chrono::seconds retry_after{};
};

std::chrono::seconds retry_after(std::string_view field) {
    constexpr std::uint32_t kMost = 3'600;
    std::uint32_t seconds = 0;
    const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), seconds);
    if (problem != std::errc{} || end != field.data() + field.size()) return {};
    return std::chrono::seconds{std::min(seconds, kMost)};
}

AnswerHead head_of(const http::response<http::string_body>& response) {
    const auto location = response[http::field::location];
    const auto later = response[http::field::retry_after];
    return {response.result_int(),
            {location.data(), location.size()},
            retry_after({later.data(), later.size()})};
}

bool is_redirection(unsigned status) {
    return status / 100 == 3;
}

constexpr unsigned kUnauthorized = 401;

/// What a token of this node was refused with by another Heddle, or geth, and can be mended here.
std::string_view advice(const AnswerHead& head, std::string_view body) {
    if (head.status != kUnauthorized) return {};
    if (body.starts_with("stale token") || body.starts_with("future token"))
        return "; the clocks of the two machines may be at most a minute apart";
    if (body.starts_with("signature is invalid")) return "; both need the same secret";
    return {};
}

/// Status and text of an answer that is none, in a sentence. Nobody is followed elsewhere, for that
/// is the operator's to decide. Of the place only the host is told: paths have keys in them.
std::string describe(const AnswerHead& head, std::string_view body) {
    if (!is_redirection(head.status) || head.location.empty())
        return fmt::format("HTTP status {}: {}{}", head.status,
                           quote(body.substr(0, body.find_last_not_of(" \r\n") + 1)),
                           advice(head, body));
    const std::size_t host = head.location.find("//");
    const std::string place =
        host == std::string::npos
            ? "another path"
            : quote(head.location.substr(0, head.location.find_first_of("/?#", host + 2)));
    return fmt::format("HTTP status {}: it leads to {}, which has to be named in its place",
                       head.status, place);
}

}  // namespace

struct RpcConnection::Impl {
    using Socket = websocket::stream<SourceStream>;

    Impl(Endpoint the_endpoint, ConnectionLimits the_limits, std::stop_token the_stop)
        : endpoint(std::move(the_endpoint)),
          limits(the_limits),
          stop(std::move(the_stop)),
          buffer(kMaxAroundBody + (endpoint.is_websocket ? limits.max_answer_bytes : 0)) {}
    ~Impl() { close(); }

    template <typename Start>
    error_code run(Clock::time_point deadline, Start start);
    bool run_until(Clock::time_point deadline, const std::optional<error_code>& result);
    void close();
    error_code connect(Clock::time_point deadline);
    error_code open_socket(Clock::time_point deadline);
    error_code encrypt(Clock::time_point deadline);
    std::expected<std::string, FollowError> ask(const std::string& question);
    std::expected<std::string, error_code> exchange(const std::string& question, AnswerHead& head);
    std::expected<std::string, error_code> post(const std::string& question,
                                                Clock::time_point deadline, AnswerHead& head);
    std::expected<std::optional<std::string>, error_code> read_message(Clock::time_point deadline);
    std::unexpected<FollowError> failure(const error_code& error);
    [[nodiscard]] std::string loop_names() const {
        const std::string_view comma = passed_by.empty() || endpoint.loop_name.empty() ? "" : ", ";
        return fmt::format("{}{}{}", passed_by, comma, endpoint.loop_name);
    }

    const Endpoint endpoint;
    ConnectionLimits limits;
    const std::stop_token stop;
    asio::io_context context{1};
    std::unique_ptr<asio::ssl::context> trust;  // from the first encrypted connection on
    std::unique_ptr<Socket> socket;             // over HTTP only its lowest layer is used
    /// Over a WebSocket of the message, over HTTP of what the parser has not taken.
    beast::flat_buffer buffer;
    std::uint64_t connections = 0;  // made so far
    bool is_taken = false;          // the last question, perhaps
    std::string passed_by;          // by others than this node
    /// Why the last connection could not be encrypted; empty: it could, or was not to be.
    std::optional<FollowError> unencrypted;
    /// What was said where the last connection was not to become a WebSocket, and what to look at.
    std::string declined;
    Clock::time_point deadline;  // of the last question
    /// Of the message that is being read; a WebSocket's reading cannot be taken back, so that it
    /// goes on from call to call.
    bool is_reading = false;
    std::optional<error_code> read;
};

/// @return whether there is a result.
bool RpcConnection::Impl::run_until(Clock::time_point until,
                                    const std::optional<error_code>& result) {
    while (!result.has_value() && !stop.stop_requested()) {
        const Clock::time_point now = Clock::now();
        context.restart();
        if (now >= until) {
            (void)context.poll();  // what is there already
            break;
        }
        (void)context.run_one_until(std::min(until, now + kSlice));
    }
    return result.has_value();
}

/// One operation to its end, or to the deadline.
template <typename Start>
error_code RpcConnection::Impl::run(Clock::time_point until, Start start) {
    std::optional<error_code> result;
    start([&result](const error_code& error, auto&&...) { result = error; });
    if (run_until(until, result)) return *result;
    close();  // calls the handler
    return stop.stop_requested() ? asio::error::operation_aborted : asio::error::timed_out;
}

void RpcConnection::Impl::close() {
    if (socket) {
        socket->next_layer().close();
        // Handlers that are still waiting are called: they point to what goes now.
        context.restart();
        context.run();
        socket.reset();
    }
    buffer.clear();
    is_reading = false;
    read.reset();
}

error_code RpcConnection::Impl::open_socket(Clock::time_point until) {
    error_code error;
    tcp::resolver resolver{context};
    const auto places = resolver.resolve(endpoint.host, std::to_string(endpoint.port), error);
    if (error) return error;
    socket = std::make_unique<Socket>(context, trust.get());
    error = run(until, [&](auto done) {
        asio::async_connect(socket->next_layer().socket(), places, std::move(done));
    });
    if (error) return error;
    error_code ignored;
    (void)socket->next_layer().socket().set_option(tcp::no_delay(true), ignored);
    return {};
}

error_code RpcConnection::Impl::encrypt(Clock::time_point until) {
    SSL* const tls = socket->next_layer().tls();
    const std::string name = endpoint.name();
    if (!expect_host(endpoint.host, tls)) return asio::error::invalid_argument;
    std::string reason;
    const error_code error = run(until, [&](auto done) {
        // While the connection is there, which run() ends where time does.
        socket->next_layer().async_handshake(
            [done, tls, &reason](const error_code& failed) mutable {
                if (failed && failed != asio::error::operation_aborted)
                    reason = distrust(failed, tls);
                done(failed);
            });
    });
    if (!reason.empty())
        unencrypted = FollowError{
            FollowFault::refused,
            fmt::format("{} is not who it should be, or nobody vouches for it: {}; certificates "
                        "that the system does not know are named with --source-ca",
                        name, reason)};
    else if (error.category() == asio::error::get_ssl_category())
        unencrypted = FollowError{FollowFault::misunderstood,
                                  fmt::format("{} does not speak TLS: {}", name, error.message())};
    return error;
}

error_code RpcConnection::Impl::connect(Clock::time_point until) {
    close();
    ++connections;
    unencrypted.reset();
    if (endpoint.is_encrypted && !trust) {
        auto made = make_trust(endpoint.ca_file);
        if (!made.has_value()) {
            unencrypted = FollowError{FollowFault::refused, std::move(made).error()};
            return asio::error::invalid_argument;
        }
        trust = *std::move(made);
    }
    error_code error = open_socket(until);
    if (!error && endpoint.is_encrypted) error = encrypt(until);
    if (!error && endpoint.is_websocket) {
        socket->read_message_max(limits.max_answer_bytes);
        socket->set_option(
            websocket::stream_base::decorator([this](websocket::request_type& request) {
                if (endpoint.authorization)
                    request.set(http::field::authorization, endpoint.authorization());
                if (const auto names = loop_names(); !names.empty()) request.set(kLoopField, names);
            }));
        websocket::response_type response;
        error = run(until, [&](auto done) {
            socket->async_handshake(response, endpoint.authority(), endpoint.path, std::move(done));
        });
        if (error == websocket::error::upgrade_declined)
            declined = fmt::format("({}){}", describe(head_of(response), response.body()),
                                   response.result_int() == kUnauthorized
                                       ? ""
                                       : "; is it the address of its HTTP port?");
    }
    if (error) close();
    return error;
}

std::expected<std::string, error_code> RpcConnection::Impl::post(const std::string& question,
                                                                 Clock::time_point until,
                                                                 AnswerHead& head) {
    std::string more;
    if (endpoint.authorization)
        more += fmt::format("Authorization: {}\r\n", endpoint.authorization());
    if (const auto names = loop_names(); !names.empty())
        more += fmt::format("{}: {}\r\n", kLoopField, names);
    const std::string asked = fmt::format(
        "POST {} HTTP/1.1\r\nHost: {}\r\n{}Content-Type: application/json\r\nContent-Length: "
        "{}\r\n\r\n",
        endpoint.path, endpoint.authority(), more, question.size());
    const std::array<asio::const_buffer, 2> request{asio::buffer(asked), asio::buffer(question)};
    const error_code unwritten = run(until, [&](auto done) {
        asio::async_write(socket->next_layer(), request, std::move(done));
    });
    if (!socket) return std::unexpected(unwritten);
    // Whoever refuses a request early says why before closing.
    http::response_parser<http::string_body> parser;
    parser.body_limit(limits.max_answer_bytes);
    const error_code unread = run(until, [&](auto done) {
        http::async_read(socket->next_layer(), buffer, parser, std::move(done));
    });
    if (unread) {
        close();
        return std::unexpected(unwritten ? unwritten : unread);
    }
    head = head_of(parser.get());
    if (!parser.get().keep_alive() || unwritten) close();
    return parser.release().body();
}

/// nullopt: none until then; it may still come.
std::expected<std::optional<std::string>, error_code> RpcConnection::Impl::read_message(
    Clock::time_point until) {
    if (!std::exchange(is_reading, true)) {
        read.reset();
        socket->async_read(buffer, [this](const error_code& error, std::size_t) { read = error; });
    }
    if (!run_until(until, read)) {
        if (!stop.stop_requested()) return std::nullopt;
        close();
        return std::unexpected(asio::error::operation_aborted);
    }
    is_reading = false;
    if (const error_code error = *read) {
        close();
        return std::unexpected(error);
    }
    std::string message = beast::buffers_to_string(buffer.data());
    buffer.consume(buffer.size());
    return message;
}

std::unexpected<FollowError> RpcConnection::Impl::failure(const error_code& error) {
    const std::string name = endpoint.name();
    const auto made = [](FollowFault fault, std::string sentence) {
        return std::unexpected(FollowError{fault, std::move(sentence)});
    };
    if (stop.stop_requested()) return made(FollowFault::stopped, "the follower is to end");
    if (unencrypted.has_value()) return std::unexpected(*unencrypted);
    if (error == asio::error::timed_out)
        return made(FollowFault::timed_out,
                    fmt::format("{} did not answer within {} ms", name, limits.timeout.count()));
    if (error == http::error::body_limit || error == websocket::error::message_too_big)
        return made(FollowFault::too_large, fmt::format("{} gave an answer above {} MiB", name,
                                                        limits.max_answer_bytes >> 20));
    if (error == http::error::buffer_overflow)
        return made(FollowFault::misunderstood,
                    fmt::format("{} gave an answer with more than {} KiB around its chunks", name,
                                kMaxAroundBody >> 10));
    if (error == websocket::error::upgrade_declined)
        return made(FollowFault::refused, fmt::format("{} declines WebSocket {}", name, declined));
    if (is_closed(error) || error == http::error::partial_message)
        return made(FollowFault::unreachable, fmt::format("{} closed the connection", name));
    if (error.category() == http::make_error_code(http::error::bad_version).category())
        return made(FollowFault::misunderstood,
                    fmt::format("{} does not speak HTTP: {}", name, error.message()));
    if (error.category() == websocket::make_error_code(websocket::error::bad_data_frame).category())
        return made(FollowFault::misunderstood,
                    fmt::format("{} does not speak WebSocket: {}", name, error.message()));
    return made(FollowFault::unreachable,
                fmt::format("{} cannot be reached: {}", name, error.message()));
}

/// One question over the connection there is, or over a new one.
std::expected<std::string, error_code> RpcConnection::Impl::exchange(const std::string& question,
                                                                     AnswerHead& head) {
    if (!socket)
        if (const error_code error = connect(deadline)) return std::unexpected(error);
    is_taken = true;
    if (!endpoint.is_websocket) return post(question, deadline, head);
    const error_code unsent = run(
        deadline, [&](auto done) { socket->async_write(asio::buffer(question), std::move(done)); });
    if (unsent) {
        close();
        return std::unexpected(unsent);
    }
    auto message = read_message(deadline);
    if (!message.has_value()) return std::unexpected(message.error());
    if (message->has_value()) return **std::move(message);
    close();
    return std::unexpected(asio::error::timed_out);
}

std::expected<std::string, FollowError> RpcConnection::Impl::ask(const std::string& question) {
    deadline = Clock::now() + limits.timeout;
    is_taken = false;
    // A connection that was left open may have been closed meanwhile: then once more, over a new
    // one. What is asked here changes nothing, or the second time nothing more.
    for (bool may_be_stale = socket != nullptr;; may_be_stale = false) {
        AnswerHead head;
        auto answer = exchange(question, head);
        if (!answer.has_value()) {
            if (may_be_stale && is_closed(answer.error()) && !stop.stop_requested()) continue;
            return failure(answer.error());
        }
        if (head.status == 200) return *std::move(answer);
        close();
        constexpr unsigned kForbidden = 403;
        constexpr unsigned kTooLarge = 413;
        constexpr unsigned kTooMany = 429;
        if (head.status == kUnauthorized || head.status == kForbidden ||
            is_redirection(head.status))
            is_taken = false;
        FollowError error{
            FollowFault::refused,
            fmt::format("{} answered with {}", endpoint.name(), describe(head, *answer)),
            head.retry_after};
        if (head.status == kTooLarge) error.fault = FollowFault::too_large;
        if (head.status == kTooMany) error.fault = FollowFault::too_fast;
        return std::unexpected(std::move(error));
    }
}

RpcConnection::RpcConnection(Endpoint endpoint, ConnectionLimits limits, std::stop_token stop)
    : impl_(std::make_unique<Impl>(std::move(endpoint), limits, std::move(stop))) {}

RpcConnection::~RpcConnection() = default;

std::expected<std::string, FollowError> RpcConnection::ask(const std::string& question) {
    return impl_->ask(question);
}

std::expected<void, FollowError> RpcConnection::send(const std::string& text) {
    if (!impl_->socket) return impl_->failure(asio::error::not_connected);
    const error_code unsent = impl_->run(Clock::now() + impl_->limits.timeout, [&](auto done) {
        impl_->socket->async_write(asio::buffer(text), std::move(done));
    });
    if (!unsent) return {};
    impl_->close();
    return impl_->failure(unsent);
}

std::expected<std::string, FollowError> RpcConnection::receive() {
    if (!impl_->socket) return impl_->failure(asio::error::not_connected);
    auto message = impl_->read_message(impl_->deadline);
    if (!message.has_value()) return impl_->failure(message.error());
    if (message->has_value()) return **std::move(message);
    impl_->close();
    return impl_->failure(asio::error::timed_out);
}

std::expected<std::optional<std::string>, FollowError> RpcConnection::wait(milliseconds longest) {
    if (!impl_->socket) return impl_->failure(asio::error::not_connected);
    auto message = impl_->read_message(Clock::now() + longest);
    if (!message.has_value()) return impl_->failure(message.error());
    return *std::move(message);
}

void RpcConnection::set_timeout(milliseconds timeout) noexcept {
    impl_->limits.timeout = timeout;
}

void RpcConnection::set_passed_by(std::string_view names) {
    if (impl_->passed_by == names) return;
    impl_->passed_by = names;
    if (impl_->endpoint.is_websocket) impl_->close();
}

std::uint64_t RpcConnection::connections() const noexcept {
    return impl_->connections;
}

bool RpcConnection::may_have_acted() const noexcept {
    return impl_->is_taken;
}

bool RpcConnection::is_open() const noexcept {
    return impl_->socket != nullptr;
}

void RpcConnection::close() {
    impl_->close();
}

const Endpoint& RpcConnection::endpoint() const noexcept {
    return impl_->endpoint;
}

}  // namespace heddle::node::follow
