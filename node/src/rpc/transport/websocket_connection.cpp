// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/websocket_connection.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>

#include "logging/log.hpp"
#include "rpc/transport/websocket_session.hpp"

namespace heddle::node::rpc {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;
using boost::system::error_code;

namespace {

/// Messages of one client that workers may have at once.
constexpr std::size_t kMaxWorking = 16;
/// Unread bytes from which on a client's messages are not read.
constexpr std::size_t kUnreadBytes = std::size_t{1} << 20;
constexpr std::size_t kReadBytes = 16 << 10;
constexpr std::size_t kKeptBytes = 4 << 10;
/// How long a client has to return a close frame.
constexpr std::chrono::milliseconds kGoodbyeTime{1'000};

}  // namespace

/// A message that a worker answers.
struct WebSocketConnection::Work {
    explicit Work(MemoryBudget& budget) : memory(budget) {}
    std::string text;
    Request request;
    std::string response;
    MemoryShare memory;
    CallCost cost;
};

void serve_websocket(ServerCore& core, IoThread& thread, Upgrade upgrade) {
    const auto connection = std::make_shared<WebSocketConnection>(
        core, thread, std::move(upgrade.slot), std::move(upgrade.socket), upgrade.is_authenticated);
    thread.connections.insert(connection);
    connection->register_for_giving_up(connection);
    connection->start(upgrade.handshake);
}

WebSocketConnection::WebSocketConnection(ServerCore& core, IoThread& thread,
                                         std::unique_ptr<ConnectionSlot> slot,
                                         asio::ip::tcp::socket socket, bool is_authenticated)
    : Connection(core, thread, std::move(slot)),
      stream_(std::move(socket)),
      memory_(core.memory),
      is_authenticated_(is_authenticated) {}

void WebSocketConnection::start(const WebSocketHandshake& handshake) {
    session_ = std::make_shared<WebSocketSession>(core_, thread_, weak_from_this());
    ++core_.websockets;
    slot_->wait(Clock::now());
    stream_.set_option(websocket::stream_base::timeout{
        .handshake_timeout = core_.options.read_timeout,
        .idle_timeout = core_.options.idle_timeout,
        .keep_alive_pings = true,
    });
    stream_.read_message_max(core_.options.max_request_bytes);
    stream_.auto_fragment(false);
    stream_.text(true);
    is_writing_ = true;  // the response of the handshake
    stream_.async_accept(handshake, [self = shared_from_this()](error_code error) {
        if (self->is_closed_) return;
        if (error) return self->close();
        self->is_writing_ = false;
        self->read_on();
        self->flush();
    });
}

void WebSocketConnection::close() {
    if (is_closed_) return;
    is_closed_ = true;
    --core_.websockets;
    wait_forever();
    error_code ignored;
    (void)stream_.next_layer().close(ignored);
    const auto self = shared_from_this();
    thread_.connections.erase(self);
    session_->close();
}

void WebSocketConnection::drain() {
    is_draining_ = true;
    flush();
}

void WebSocketConnection::give_up() {
    if (working_ != 0) return drain();
    close();
}

void WebSocketConnection::read() {
    is_reading_ = true;
    stream_.async_read_some(
        buffer_, kReadBytes,
        [self = shared_from_this()](error_code error, std::size_t) { self->on_read(error); });
}

void WebSocketConnection::on_read(error_code error) {
    is_reading_ = false;
    if (is_closed_) return;
    if (error) return close();
    if (!memory_.grow_to(buffer_.size())) {
        ++core_.refused_requests;
        return say_goodbye(websocket::close_code::try_again_later);
    }
    if (!stream_.is_message_done()) {
        if (read_deadline_ == Clock::time_point::max()) message_begin_ = Clock::now();
        read_deadline_ = body_deadline(message_begin_, buffer_.size());
        update_deadline();
        return read();
    }
    if (working_ == 0) slot_->wait(Clock::now());
    if (std::exchange(read_deadline_, Clock::time_point::max()) != Clock::time_point::max())
        update_deadline();
    try {
        handle_message();
    } catch (const std::exception& failure) {  // no memory
        logger(Component::rpc).error("a connection failed: {}", failure.what());
        return close();
    }
    buffer_.clear();
    if (buffer_.capacity() > kKeptBytes) buffer_ = {};
    memory_.release();
    read_on();
    flush();
}

void WebSocketConnection::handle_message() {
    core_.requests.fetch_add(1, std::memory_order_relaxed);
    const auto deadline = Clock::now() + core_.options.call_timeout;
    const auto data = buffer_.data();
    const std::string_view text(static_cast<const char*>(data.data()), data.size());
    core_.responder.read(text, request_);
    if (request_.is_heavy()) return answer_on_worker(text, deadline);
    std::string response;
    session_->hold();
    core_.responder.answer(request_, caller(), deadline, response);
    session_->respond(std::move(response));
    session_->release();
}

void WebSocketConnection::answer_on_worker(std::string_view text, Clock::time_point deadline) {
    const auto work = std::make_shared<Work>(core_.memory);
    std::optional<RpcError> refusal;
    if (work->memory.grow_to(text.size())) {
        work->text = text;
        core_.responder.read(work->text, work->request);
        // Only a batch can subscribe and be heavy at the same time.
        if (work->request.is_batch()) session_->hold();
        refusal = core_.submit(
            work->request, slot_->client(), [self = shared_from_this(), work, deadline] {
                self->answer_work(*work, deadline);
                asio::post(self->thread_.context, [self, work] { self->finish_work(work); });
            });
    } else {
        ++core_.refused_requests;
        refusal.emplace(Code::limit_exceeded, "server is busy");
    }
    if (!refusal) {
        ++working_;
        slot_->work();
        return;
    }
    if (work->request.is_batch()) session_->release();
    std::string response;
    core_.responder.refuse(request_, *refusal, response);
    session_->respond(std::move(response));
}

Caller WebSocketConnection::caller() const {
    return {.session = session_,
            .is_authenticated = is_authenticated_,
            .is_loopback = slot_->client().is_loopback};
}

void WebSocketConnection::answer_work(Work& work, Clock::time_point deadline) const {
    Caller asking = caller();
    asking.cost = &work.cost;
    core_.responder.answer(work.request, asking, deadline, work.response);
    core_.gas.charge(slot_->client().key, work.cost.gas, Clock::now());
}

void WebSocketConnection::finish_work(const std::shared_ptr<Work>& work) {
    --working_;
    if (is_closed_) return;
    if (working_ == 0) slot_->wait(Clock::now());
    release_excess(work->response);
    session_->respond(std::move(work->response));
    if (work->request.is_batch()) session_->release();
    read_on();
    flush();
}

void WebSocketConnection::read_on() {
    if (is_closed_ || is_reading_ || is_draining_ || working_ >= kMaxWorking ||
        session_->queued_bytes() > kUnreadBytes)
        return;
    read();
}

void WebSocketConnection::flush() {
    if (is_closed_ || is_writing_) return;
    auto next = session_->take();
    if (!next) {
        if (is_draining_ && working_ == 0) say_goodbye(websocket::close_code::going_away);
        return;
    }
    written_ = *std::move(next);
    is_writing_ = true;
    write_deadline_ = Clock::now() + core_.options.write_timeout;
    update_deadline();
    stream_.async_write(asio::buffer(written_),
                        [self = shared_from_this()](error_code error, std::size_t) {
                            self->is_writing_ = false;
                            self->session_->written();
                            if (self->is_closed_) return;
                            if (error) return self->close();
                            if (self->working_ == 0) self->slot_->wait(Clock::now());
                            self->write_deadline_ = Clock::time_point::max();
                            self->update_deadline();
                            if (self->written_.capacity() > kKeptBytes)
                                release_memory(self->written_);
                            self->flush();
                            self->read_on();
                        });
}

void WebSocketConnection::say_goodbye(websocket::close_code code) {
    // A close frame cannot overtake what is being written.
    if (is_writing_) return close();
    is_writing_ = true;
    is_draining_ = true;
    write_deadline_ = Clock::now() + kGoodbyeTime;
    update_deadline();
    stream_.async_close(code, [self = shared_from_this()](error_code) { self->close(); });
}

void WebSocketConnection::update_deadline() {
    wait_until(std::min(read_deadline_, write_deadline_));
}

}  // namespace heddle::node::rpc
