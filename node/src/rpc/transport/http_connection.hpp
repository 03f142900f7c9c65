// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One HTTP/1.1 client: requests one after another, also when they come in one piece, until it
// upgrades to WebSocket or leaves.
//
// States: reading (a read is pending) → answering (here, or by a worker) → writing → reading again,
// or discarding (a last response is out, what still comes is thrown away so that the client gets to
// read it) → closed. Exactly one operation is pending in each state.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/completion_condition.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "rpc/transport/connection.hpp"
#include "rpc/transport/header_fields.hpp"

namespace heddle::node::rpc {

class HttpConnection final : public Connection,
                             public std::enable_shared_from_this<HttpConnection> {
public:
    HttpConnection(ServerCore& core, IoThread& thread, std::unique_ptr<ConnectionSlot> slot,
                   boost::asio::ip::tcp::socket socket);

    void start();
    void close() override;
    void drain() override;
    void give_up() override;

private:
    using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
    /// What a response says beside its body.
    struct Head {
        unsigned status = 200;
        std::string_view content_type = "application/json";
        std::string_view more = {};  // whole lines
        bool has_body = true;        // false: HEAD
    };

    void read();
    void on_read(boost::system::error_code error, std::size_t size);
    /// Takes requests out of the buffer; then waits for more.
    void consume();
    void begin_request();
    /// What the parser holds of the request: its target, its fields and its body.
    [[nodiscard]] std::size_t held_bytes() const {
        const auto& request = parser_->get();
        return request.target().size() + memory_of_fields(request) + request.body().size();
    }
    void refuse_malformed(boost::system::error_code error);
    bool is_continue_wanted();
    void send_continue();

    void handle_request();
    /// Whether the end of the request and its host are told, and in one way only; else the refusal
    /// is on its way.
    [[nodiscard]] bool is_unambiguous();
    /// Which host the request is for.
    [[nodiscard]] std::string_view host() const;
    void handle_options();
    void handle_get(bool has_body);
    void send_page(Page page, bool has_body);
    void handle_post();
    void upgrade();
    /// nullopt: a token was sent that is not valid; the refusal is on its way.
    std::optional<bool> authenticate();
    /// Nobody waits for what this thread does but the client of this connection.
    [[nodiscard]] bool is_alone() const noexcept { return thread_.connections.size() == 1; }
    /// Counts the gas that it executes. On a worker's thread, or on this connection's.
    void answer_counted(Caller caller, Clock::time_point deadline);
    /// Together with calls of other connections.
    void answer_with_others(const Caller& caller, Clock::time_point deadline);
    void finish_answer();

    [[nodiscard]] std::string_view field(boost::beast::http::field name) const;
    [[nodiscard]] std::string_view field(std::string_view name) const;
    /// Whether this process asks, through a source that leads back to it.
    [[nodiscard]] bool is_own_question(std::string_view passed_by) const {
        const std::string& name = core_.options.loop_name;
        // Proxies, and nodes that are forks of each other, add their own names.
        return !name.empty() && passed_by.find(name) != std::string_view::npos;
    }
    /// Whether a page of the request's origin may read the answer.
    [[nodiscard]] bool may_page_read() const;
    void append_cors();
    void refuse(unsigned status, std::string_view text, std::string_view more = {});
    void respond(const Head& head);
    /// So many bytes of the response have been taken. @return how many may follow at once.
    std::size_t note_taken(boost::system::error_code error, std::size_t bytes) noexcept {
        write_deadline_.note(now(), bytes);
        wait_until(write_deadline_.get());
        return boost::asio::transfer_all()(error, bytes);
    }
    void on_written(boost::system::error_code error);
    void discard(std::size_t so_far);

    boost::asio::ip::tcp::socket socket_;
    boost::beast::flat_buffer buffer_;
    std::optional<Parser> parser_;  // while there is a part of a request
    MemoryShare memory_;            // of the request and the response
    Request request_;
    std::string head_;
    std::string response_;          // body of the response
    Clock::time_point body_begin_;  // while a body is read
    WriteDeadline write_deadline_;  // while a response is written
    bool has_continued_ = false;
    bool is_answering_ = false;  // until the response is written
    bool is_working_ = false;    // a worker has the request, or it waits for others
    bool is_kept_alive_ = true;
    bool is_closed_ = false;
};

}  // namespace heddle::node::rpc
