// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/http_connection.hpp"

#include <array>
#include <exception>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/verb.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

#include "logging/log.hpp"
#include "rpc/transport/http_rules.hpp"
#include "rpc/transport/jwt.hpp"
#include "rpc/transport/websocket_upgrade.hpp"

namespace heddle::node::rpc {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr std::uint32_t kMaxHeaderBytes = 16 << 10;
// Thousands of connections may hold as much of each without asking for memory.
constexpr std::size_t kFirstRead = 4 << 10;
constexpr std::size_t kBodyRead = 16 << 10;
/// Buffers that a connection keeps between requests.
constexpr std::size_t kKeptBytes = 4 << 10;
/// After a refusal: what is read and thrown away at most, and for how long.
constexpr std::size_t kMaxDiscarded = 16 << 20;
constexpr std::chrono::milliseconds kDiscardTime{2'000};
constexpr std::string_view kLoopField = "CDN-Loop";
/// Names of nodes that have passed a question on.
constexpr std::size_t kMostLoopBytes = 2 << 10;
/// Who sends one transaction after the other sends the next one when the block of the last is
/// there, or has been asked for: to be woken for it takes the thread as long as an empty block.
constexpr std::chrono::microseconds kAwake{150};

constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

Page make_page(const Pages::value_type& page) {
    try {
        return page.second.make();
    } catch (const std::exception& error) {
        logger(Component::rpc).error("the page {} failed: {}", page.first, error.what());
        return {.status = 500, .content_type = std::string{kPlainText}, .body = "internal error\n"};
    }
}

}  // namespace

void serve_http(ServerCore& core, IoThread& thread, std::unique_ptr<ConnectionSlot> slot,
                asio::ip::tcp::socket socket) {
    const auto connection =
        std::make_shared<HttpConnection>(core, thread, std::move(slot), std::move(socket));
    thread.connections.insert(connection);
    connection->register_for_giving_up(connection);
    connection->start();
}

HttpConnection::HttpConnection(ServerCore& core, IoThread& thread,
                               std::unique_ptr<ConnectionSlot> slot, asio::ip::tcp::socket socket)
    : Connection(core, thread, std::move(slot)),
      socket_(std::move(socket)),
      memory_(core.memory, slot_->client().key) {}

void HttpConnection::start() {
    error_code ignored;
    (void)socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
    if (core_.is_stopping) return close();
    wait_at_most(header_time());
    read();
}

void HttpConnection::close() {
    if (is_closed_) return;
    is_closed_ = true;
    wait_forever();
    error_code ignored;
    (void)socket_.close(ignored);
    thread_.connections.erase(shared_from_this());
}

void HttpConnection::drain() {
    is_kept_alive_ = false;
    if (!is_answering_) close();
}

void HttpConnection::give_up() {
    if (is_working_) return drain();
    close();
}

void HttpConnection::read() {
    const std::size_t wanted = parser_ && parser_->is_header_done() ? kBodyRead : kFirstRead;
    socket_.async_read_some(buffer_.prepare(wanted),
                            [self = shared_from_this()](error_code error, std::size_t size) {
                                self->on_read(error, size);
                            });
}

void HttpConnection::on_read(error_code error, std::size_t size) {
    if (is_closed_) return;
    if (error) return close();
    try {
        buffer_.commit(size);
        consume();
    } catch (const std::exception& failure) {  // no memory
        logger(Component::rpc).error("a connection failed: {}", failure.what());
        close();
    }
}

void HttpConnection::begin_request() {
    parser_.emplace();
    parser_->eager(true);
    parser_->header_limit(kMaxHeaderBytes);
    parser_->body_limit(core_.options.max_request_bytes);
    has_continued_ = false;
    body_begin_ = {};
    wait_at_most(header_time());
}

void HttpConnection::consume() {
    if (!parser_) {
        if (buffer_.size() == 0) {
            if (!is_kept_alive_) return close();
            wait_at_most(core_.options.idle_timeout);
            return read();
        }
        begin_request();
    }
    error_code error;
    buffer_.consume(parser_->put(buffer_.data(), error));
    if (error && error != http::error::need_more) return refuse_malformed(error);
    // The head of a chunk and what comes after the last one are no part of the body, so that its
    // bounds say nothing about them.
    if (!parser_->is_done() && buffer_.size() > kMaxHeaderBytes)
        return refuse_malformed(http::error::header_limit);
    if (has_too_many_fields(parser_->get())) return refuse_malformed(http::error::header_limit);
    if (!memory_.grow_to(held_bytes() + buffer_.size())) {
        ++core_.refused_requests;
        is_kept_alive_ = false;
        return refuse(503, "server is busy");
    }
    if (parser_->is_done()) return handle_request();
    if (parser_->is_header_done()) {
        if (body_begin_ == Clock::time_point{}) body_begin_ = now();
        wait_until(body_deadline(body_begin_, parser_->get().body().size()));
    }
    if (is_continue_wanted()) return send_continue();
    read();
}

bool HttpConnection::is_continue_wanted() {
    return parser_->is_header_done() && !has_continued_ && parser_->get().version() == 11 &&
           boost::beast::iequals(parser_->get()[http::field::expect], "100-continue");
}

void HttpConnection::send_continue() {
    has_continued_ = true;
    head_ = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(socket_, asio::buffer(head_),
                      [self = shared_from_this()](error_code error, std::size_t) {
                          if (self->is_closed_) return;
                          if (error) return self->close();
                          self->read();
                      });
}

void HttpConnection::refuse_malformed(error_code error) {
    ++core_.rejected_requests;
    is_kept_alive_ = false;
    if (error == http::error::body_limit)
        return refuse(413, fmt::format("content length too large: at most {} bytes",
                                       core_.options.max_request_bytes));
    if (error == http::error::header_limit) return refuse(431, "request header too large");
    refuse(400, fmt::format("malformed HTTP request: {}", error.message()));
}

std::string_view HttpConnection::field(http::field name) const {
    const auto value = parser_->get()[name];
    return {value.data(), value.size()};
}

std::string_view HttpConnection::field(std::string_view name) const {
    const auto value = parser_->get()[name];
    return {value.data(), value.size()};
}

bool HttpConnection::is_unambiguous() {
    const auto& request = parser_->get();
    const auto refuse_one = [this](unsigned status, std::string_view reason) {
        ++core_.rejected_requests;
        is_kept_alive_ = false;
        refuse(status, reason);
        return false;
    };
    if (request.count(http::field::transfer_encoding) != 0 &&
        (request.version() != 11 || !is_framing_known(field(http::field::transfer_encoding))))
        return refuse_one(501, "unsupported transfer encoding");
    const std::size_t hosts = request.count(http::field::host);
    if (hosts > 1) return refuse_one(400, "malformed HTTP request: more than one host");
    return (hosts == 1 || request.version() < 11) ||  // RFC 9112 3.2
           refuse_one(400, "malformed HTTP request: no host");
}

std::string_view HttpConnection::host() const {
    const auto text = parser_->get().target();
    const Target target = split_target({text.data(), text.size()});
    return target.host.empty() ? field(http::field::host) : target.host;
}

void HttpConnection::handle_request() {
    const auto& request = parser_->get();
    is_answering_ = true;
    wait_forever();
    slot_->work();
    is_kept_alive_ = is_kept_alive_ && request.keep_alive() && !core_.is_stopping;
    if (!is_unambiguous()) return;
    if (!is_host_allowed(host(), core_.options.allowed_hosts)) {
        ++core_.rejected_requests;
        return refuse(403, "invalid host specified");
    }
    const std::string_view passed_by = field(kLoopField);
    const bool is_own = is_own_question(passed_by);
    if (is_own || passed_by.size() > kMostLoopBytes) {
        ++core_.rejected_requests;
        return refuse(508, is_own ? "it is this node itself that asks"
                                  : "too many nodes have passed this on");
    }
    if (boost::beast::websocket::is_upgrade(request)) return upgrade();
    switch (request.method()) {
        case http::verb::post:
            return handle_post();
        case http::verb::get:
            return handle_get(true);
        case http::verb::head:
            return handle_get(false);
        case http::verb::options:
            return handle_options();
        default:
            ++core_.rejected_requests;
            return refuse(405, "method not allowed", "Allow: GET, HEAD, POST, OPTIONS\r\n");
    }
}

void HttpConnection::handle_options() {
    const std::string_view method = field(http::field::access_control_request_method);
    std::string more;
    if (!method.empty() && may_page_read()) {
        const std::string_view headers = field(http::field::access_control_request_headers);
        more = "Access-Control-Allow-Methods: GET, POST\r\nAccess-Control-Max-Age: 600\r\n";
        if (!headers.empty()) more += fmt::format("Access-Control-Allow-Headers: {}\r\n", headers);
    }
    response_.clear();
    respond({.status = 204, .content_type = {}, .more = more});
}

void HttpConnection::handle_get(bool has_body) {
    const auto target = parser_->get().target();
    const auto found = core_.pages.find(split_target({target.data(), target.size()}).path);
    if (found == core_.pages.end()) return refuse(404, "not found");
    if (!found->second.is_long) return send_page(make_page(*found), has_body);
    const bool is_taken = core_.page_makers.submit(
        slot_->client().key, [self = shared_from_this(), &source = *found, has_body] {
            asio::post(self->thread_.context, [self, page = make_page(source), has_body]() mutable {
                self->is_working_ = false;
                if (!self->is_closed_) self->send_page(std::move(page), has_body);
            });
        });
    is_working_ = is_taken;
    if (is_taken) return;
    ++core_.refused_requests;
    refuse(503, "server is busy");
}

void HttpConnection::send_page(Page page, bool has_body) {
    if (!memory_.grow_to(held_bytes() + page.body.capacity())) {
        ++core_.refused_requests;
        return refuse(503, "server is busy");
    }
    if (!page.etag.empty()) {
        fmt::format_to(std::back_inserter(page.headers), "ETag: {}\r\nCache-Control: no-cache\r\n",
                       page.etag);
        if (has_copy(field(http::field::if_none_match), page.etag)) {
            response_.clear();
            return respond({.status = 304, .content_type = {}, .more = page.headers});
        }
    }
    response_ = std::move(page.body);
    respond({.status = page.status,
             .content_type = page.content_type,
             .more = page.headers,
             .has_body = has_body});
}

std::optional<bool> HttpConnection::authenticate() {
    const std::string_view token = bearer_token(field(http::field::authorization));
    if (token.empty() || !core_.options.jwt_secret) return false;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const JwtError error = check_jwt(token, *core_.options.jwt_secret,
                                     std::chrono::duration_cast<std::chrono::seconds>(now));
    if (error == JwtError::none) return true;
    ++core_.rejected_requests;
    refuse(401, to_string(error));
    return std::nullopt;
}

void HttpConnection::handle_post() {
    if (!is_json_content(field(http::field::content_type))) {
        ++core_.rejected_requests;
        return refuse(415, "invalid content type, only application/json is supported");
    }
    const auto is_authenticated = authenticate();
    if (!is_authenticated) return;
    core_.requests.fetch_add(1, std::memory_order_relaxed);
    const auto now = Clock::now();
    if (now < thread_.awake_until) thread_.awake_until = now + kAwake;
    const auto deadline = now + core_.options.call_timeout;
    response_.clear();
    const std::string& body = parser_->get().body();
    if (body.empty()) return finish_answer();  // geth too says nothing to it
    core_.responder.read(body, request_);
    const Caller caller{.session = nullptr,
                        .is_authenticated = *is_authenticated,
                        .is_loopback = slot_->client().is_loopback,
                        .client = slot_->client().key,
                        .passed_by = field(kLoopField)};
    if (Responder::can_share(request_)) return answer_with_others(caller, deadline);
    if (!request_.is_heavy() &&
        core_.responder.answer_shortly(request_, caller, deadline, response_))
        return finish_answer();
    std::optional<RpcError> refusal;
    if (request_.lasts_a_block() && is_alone()) {
        refusal = core_.check_gas(request_, slot_->client());
        if (!refusal) answer_counted(caller, deadline);
        thread_.awake_until = Clock::now() + kAwake;
    } else {
        // Until finish_answer() the request and the response are the worker's.
        refusal =
            core_.submit(request_, slot_->client(), [self = shared_from_this(), caller, deadline] {
                self->answer_counted(caller, deadline);
                IoThread& thread = self->thread_;
                asio::post(thread.context, [self] { self->finish_answer(); });
            });
        is_working_ = !refusal.has_value();
        if (is_working_) return;
    }
    if (refusal) core_.responder.refuse(request_, *refusal, response_);
    finish_answer();
}

void HttpConnection::answer_counted(Caller caller, Clock::time_point deadline) {
    CallCost cost;
    caller.cost = &cost;
    core_.responder.answer(request_, caller, deadline, response_);
    core_.gas.charge(slot_->client().key, cost.gas, Clock::now());
}

void HttpConnection::answer_with_others(const Caller& caller, Clock::time_point deadline) {
    is_working_ = true;
    thread_.gatherer.add(
        core_.responder, {&request_, caller, deadline, &response_},
        [self = shared_from_this()](bool is_answered) {
            if (!is_answered) return self->close();
            try {
                self->finish_answer();
            } catch (const std::exception& failure) {  // no memory
                logger(Component::rpc).error("a connection failed: {}", failure.what());
                self->close();
            }
        });
}

void HttpConnection::finish_answer() {
    is_working_ = false;
    if (is_closed_) return;
    release_excess(response_);
    if (!memory_.grow_to(held_bytes() + response_.capacity())) {
        ++core_.refused_requests;
        release_memory(response_);
        core_.responder.refuse(request_, {Code::limit_exceeded, "server is busy"}, response_);
    }
    request_.release();
    respond({});
}

void HttpConnection::upgrade() {
    const std::string_view origin = field(http::field::origin);
    if (!is_websocket_origin_allowed(origin, core_.options.allowed_origins) &&
        !is_same_origin(origin, host()) && !may_page_read()) {
        ++core_.rejected_requests;
        return refuse(403, "origin not allowed");
    }
    const auto is_authenticated = authenticate();
    if (!is_authenticated) return;
    if (core_.is_stopping) return refuse(503, "server is stopping");
    std::string passed_by{field(kLoopField)};
    serve_websocket(core_, thread_,
                    {.slot = std::move(slot_),
                     .socket = std::move(socket_),
                     .handshake = parser_->release(),
                     .is_authenticated = *is_authenticated,
                     .passed_by = std::move(passed_by)});
    close();
}

void HttpConnection::refuse(unsigned status, std::string_view text, std::string_view more) {
    response_ = text;
    response_ += '\n';
    const bool has_body = parser_->get().method() != http::verb::head;
    respond({.status = status, .content_type = kPlainText, .more = more, .has_body = has_body});
}

bool HttpConnection::may_page_read() const {
    const std::string_view origin = field(http::field::origin);
    return is_origin_allowed(origin, core_.options.allowed_origins) ||
           (core_.options.allows_local_pages && is_local_page(origin));
}

void HttpConnection::append_cors() {
    if (core_.options.allowed_origins.empty() && !core_.options.allows_local_pages) return;
    head_ += "Vary: Origin\r\n";
    const std::string_view origin = field(http::field::origin);
    if (!origin.empty() && may_page_read())
        fmt::format_to(std::back_inserter(head_), "Access-Control-Allow-Origin: {}\r\n", origin);
}

void HttpConnection::respond(const Head& head) {
    const auto reason = http::obsolete_reason(http::int_to_status(head.status));
    head_.clear();
    fmt::format_to(std::back_inserter(head_), "HTTP/1.1 {} {}\r\n", head.status,
                   std::string_view(reason.data(), reason.size()));
    if (head.status != 204 && head.status != 304)
        fmt::format_to(std::back_inserter(head_), "Content-Type: {}\r\nContent-Length: {}\r\n",
                       head.content_type, response_.size());
    head_ += head.more;
    append_cors();
    if (!is_kept_alive_)
        head_ += "Connection: close\r\n";
    else if (parser_->get().version() == 10)
        head_ += "Connection: keep-alive\r\n";
    head_ += "\r\n";
    if (!head.has_body) response_.clear();
    is_answering_ = true;
    slot_->wait(Clock::now());
    begin_write(write_deadline_);
    wait_until(write_deadline_.get());
    const std::array<asio::const_buffer, 2> buffers{asio::buffer(head_), asio::buffer(response_)};
    const auto note = [this](error_code error, std::size_t bytes) {
        return note_taken(error, bytes);
    };
    asio::async_write(
        socket_, buffers, note,
        [self = shared_from_this()](error_code error, std::size_t) { self->on_written(error); });
}

void HttpConnection::on_written(error_code error) {
    if (is_closed_) return;
    if (error) return close();
    const bool is_all_read = parser_->is_done() && buffer_.size() == 0;
    is_answering_ = false;
    slot_->wait(Clock::now());
    parser_.reset();
    memory_.release();
    if (response_.capacity() > kKeptBytes) release_memory(response_);
    if (buffer_.size() == 0 && buffer_.capacity() > kKeptBytes) buffer_ = {};
    if (is_kept_alive_) return consume();
    error_code ignored;
    (void)socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    if (is_all_read) return close();
    // Closing with bytes unread would reset the connection, and the client would not see why.
    wait_at_most(kDiscardTime);
    discard(0);
}

void HttpConnection::discard(std::size_t so_far) {
    buffer_.clear();
    socket_.async_read_some(buffer_.prepare(kBodyRead), [self = shared_from_this(), so_far](
                                                            error_code error, std::size_t size) {
        if (self->is_closed_) return;
        if (error || so_far + size > kMaxDiscarded) return self->close();
        self->discard(so_far + size);
    });
}

}  // namespace heddle::node::rpc
