// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/message_connection.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/post.hpp>

#include "logging/log.hpp"
#include "rpc/transport/message_session.hpp"

namespace heddle::node::rpc {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

/// Messages of one client that workers may have at once.
constexpr std::size_t kMaxWorking = 16;
/// Unread bytes from which on a client's messages are not read.
constexpr std::size_t kUnreadBytes = std::size_t{1} << 20;
constexpr std::size_t kKeptBytes = 4 << 10;

}  // namespace

/// A message that a worker answers.
struct MessageConnection::Work {
    Work(MemoryBudget& budget, std::uint64_t client) : memory(budget, client) {}
    std::string text;
    Request request;
    std::string response;
    MemoryShare memory;
    CallCost cost;
};

MessageConnection::MessageConnection(ServerCore& core, IoThread& thread,
                                     std::unique_ptr<ConnectionSlot> slot, bool is_authenticated)
    : Connection(core, thread, std::move(slot)), is_authenticated_(is_authenticated) {}

void MessageConnection::open_session() {
    session_ =
        std::make_shared<MessageSession>(core_, thread_, weak_from_this(), slot_->client().key);
    slot_->wait(Clock::now());
}

void MessageConnection::close() {
    if (is_closed_) return;
    is_closed_ = true;
    wait_forever();
    close_stream();
    const auto self = shared_from_this();
    thread_.connections.erase(self);
    session_->close();
}

void MessageConnection::drain() {
    is_draining_ = true;
    flush();
}

void MessageConnection::give_up() {
    if (working_ != 0) return drain();
    close();
}

void MessageConnection::note_part(std::size_t bytes) {
    if (read_deadline_ == Clock::time_point::max()) message_begin_ = now();
    read_deadline_ = body_deadline(message_begin_, bytes);
    update_deadline();
}

void MessageConnection::note_whole() {
    if (working_ == 0) slot_->wait(Clock::now());
    if (std::exchange(read_deadline_, Clock::time_point::max()) != Clock::time_point::max())
        update_deadline();
}

void MessageConnection::handle_message(std::string_view text) {
    try {
        core_.requests.fetch_add(1, std::memory_order_relaxed);
        const auto deadline = Clock::now() + core_.options.call_timeout;
        core_.responder.read(text, request_);
        if (request_.is_heavy()) return answer_on_worker(text, deadline);
        std::string response;
        session_->hold();
        const bool is_answered =
            core_.responder.answer_shortly(request_, caller(), deadline, response);
        if (is_answered) {
            request_.release();
            session_->respond(std::move(response));
        }
        session_->release();
        if (!is_answered) answer_on_worker(text, deadline);
    } catch (const std::exception& failure) {  // no memory
        logger(Component::rpc).error("a connection failed: {}", failure.what());
        close();
    }
}

void MessageConnection::answer_on_worker(std::string_view text, Clock::time_point deadline) {
    const auto work = std::make_shared<Work>(core_.memory, slot_->client().key);
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
        request_.release();  // the worker has its own
        ++working_;
        slot_->work();
        return;
    }
    if (work->request.is_batch()) session_->release();
    std::string response;
    core_.responder.refuse(request_, *refusal, response);
    request_.release();
    session_->respond(std::move(response));
}

Caller MessageConnection::caller() const {
    return {.session = session_,
            .is_authenticated = is_authenticated_,
            .is_loopback = slot_->client().is_loopback,
            .client = slot_->client().key,
            .passed_by = passed_by_};
}

void MessageConnection::answer_work(Work& work, Clock::time_point deadline) const {
    Caller asking = caller();
    asking.cost = &work.cost;
    core_.responder.answer(work.request, asking, deadline, work.response);
    core_.gas.charge(slot_->client().key, work.cost.gas, Clock::now());
}

void MessageConnection::finish_work(const std::shared_ptr<Work>& work) {
    --working_;
    if (is_closed_) return;
    if (working_ == 0) slot_->wait(Clock::now());
    release_excess(work->response);
    session_->respond(std::move(work->response));
    if (work->request.is_batch()) session_->release();
    go_on();
    flush();
}

bool MessageConnection::can_handle() const {
    return !is_closed_ && !is_draining_ && working_ < kMaxWorking &&
           session_->queued_bytes() <= kUnreadBytes;
}

void MessageConnection::read_on() {
    if (is_reading_ || !can_handle()) return;
    is_reading_ = true;
    read();
}

void MessageConnection::go_on() {
    read_on();
}

void MessageConnection::flush() {
    if (is_closed_ || is_writing_) return;
    auto next = session_->take();
    if (!next) {
        if (is_draining_ && working_ == 0) say_goodbye();
        return;
    }
    written_ = *std::move(next);
    is_writing_ = true;
    begin_write(write_deadline_);
    update_deadline();
    write();
}

void MessageConnection::note_taken(std::size_t bytes) {
    write_deadline_.note(now(), bytes);
    update_deadline();
}

void MessageConnection::on_written(error_code error) {
    is_writing_ = false;
    session_->written();
    if (is_closed_) return;
    if (error) return close();
    if (working_ == 0) slot_->wait(Clock::now());
    write_deadline_.end();
    update_deadline();
    if (written_.capacity() > kKeptBytes) release_memory(written_);
    flush();
    go_on();
}

void MessageConnection::end_by(std::chrono::milliseconds time) {
    is_writing_ = true;
    is_draining_ = true;
    write_deadline_.begin(now(), time, 1);
    update_deadline();
}

void MessageConnection::update_deadline() {
    wait_until(std::min(read_deadline_, write_deadline_.get()));
}

}  // namespace heddle::node::rpc
