// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/ipc_connection.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/completion_condition.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>

#include "rpc/transport/message_session.hpp"

namespace heddle::node::rpc {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t kReadBytes = 16 << 10;
constexpr std::size_t kKeptBytes = 4 << 10;

}  // namespace

void serve_ipc(ServerCore& core, IoThread& thread, std::unique_ptr<ConnectionSlot> slot,
               IpcSocket socket) {
    const auto connection =
        std::make_shared<IpcConnection>(core, thread, std::move(slot), std::move(socket));
    thread.connections.insert(connection);
    connection->register_for_giving_up(connection);
    connection->start();
}

IpcConnection::IpcConnection(ServerCore& core, IoThread& thread,
                             std::unique_ptr<ConnectionSlot> slot, IpcSocket socket)
    : MessageConnection(core, thread, std::move(slot), true),
      socket_(std::move(socket)),
      memory_(core.memory, slot_->client().key) {}

std::shared_ptr<IpcConnection> IpcConnection::self() {
    return std::static_pointer_cast<IpcConnection>(shared_from_this());
}

void IpcConnection::start() {
    open_session();
    read_on();
}

void IpcConnection::close_stream() {
    error_code ignored;
    (void)socket_.close(ignored);
}

void IpcConnection::say_goodbye() {
    close();
}

void IpcConnection::read() {
    arriving_.resize(kReadBytes);
    socket_.async_read_some(
        asio::buffer(arriving_),
        [self = self()](error_code error, std::size_t bytes) { self->on_read(error, bytes); });
}

void IpcConnection::on_read(error_code error, std::size_t bytes) {
    is_reading_ = false;
    if (is_closed_) return;
    // Who says that it sends nothing more may still read: it gets the answers to all it has sent.
    has_ended_ = error == asio::error::eof;
    if (error && !has_ended_) return close();
    input_.append(arriving_, 0, bytes);
    release_memory(arriving_);
    go_on();
    flush();
}

void IpcConnection::go_on() {
    handle_messages();
    if (input_.empty() && input_.capacity() > kKeptBytes) release_memory(input_);
    if (input_.empty()) memory_.release();
    if (!has_ended_) return read_on();
    // Else what is left waits until less is under way.
    if (can_handle()) end_of_input();
}

void IpcConnection::end_of_input() {
    release_memory(input_);  // at most a part of a message
    memory_.release();
    note_whole();
    drain();
}

void IpcConnection::handle_messages() {
    while (can_handle() && !input_.empty()) {
        const MessageSplitter::Verdict verdict = splitter_.scan(input_);
        if (verdict == MessageSplitter::Verdict::malformed)
            return refuse({Code::parse_error, "parse error: a message is an object or an array"});
        if (splitter_.end() > core_.options.max_request_bytes)
            return refuse({Code::invalid_request, fmt::format("a message is larger than {} bytes",
                                                              core_.options.max_request_bytes)});
        if (verdict == MessageSplitter::Verdict::incomplete) {
            if (!memory_.grow_to(input_.size())) {
                ++core_.refused_requests;
                return refuse({Code::limit_exceeded, "server is busy"});
            }
            return note_part(input_.size());
        }
        note_whole();
        handle_message(std::string_view(input_).substr(0, splitter_.end()));
        input_.erase(0, splitter_.end());
        splitter_.restart();
    }
}

void IpcConnection::refuse(const RpcError& error) {
    std::string response;
    append_error({}, error, response);
    session_->respond(std::move(response));
    release_memory(input_);
    drain();
}

void IpcConnection::write() {
    written_ += '\n';
    const auto note = [this](error_code error, std::size_t bytes) {
        note_taken(bytes);
        return asio::transfer_all()(error, bytes);
    };
    asio::async_write(socket_, asio::buffer(written_), note,
                      [self = self()](error_code error, std::size_t) { self->on_written(error); });
}

}  // namespace heddle::node::rpc
