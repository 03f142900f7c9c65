// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A client that sends messages over something that stays open, and is sent others: they are
// answered as they come, heavy ones beside each other and out of order; notifications go out in
// between. At most one read and one write are pending. A client that sends without reading is not
// read any more until it reads. What carries the messages is for those who derive.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <boost/system/error_code.hpp>

#include "rpc/transport/connection.hpp"

namespace heddle::node::rpc {

class MessageSession;

class MessageConnection : public Connection,
                          public std::enable_shared_from_this<MessageConnection> {
public:
    void flush() final;
    void close() final;
    void drain() final;
    void give_up() final;

protected:
    MessageConnection(ServerCore& core, IoThread& thread, std::unique_ptr<ConnectionSlot> slot,
                      bool is_authenticated);

    // What carries the messages.

    /// Begins to read; handle_message() follows for each message, and go_on().
    virtual void read() = 0;
    /// Begins to write written_; on_written() follows.
    virtual void write() = 0;
    /// Ends what carries them at once.
    virtual void close_stream() = 0;
    /// Ends it once the client knows why; nothing is being written.
    virtual void say_goodbye() = 0;

    // For those who derive.

    /// Before the first message, once this is shared.
    void open_session();
    /// Answers it, or hands it to a worker. Must be able to read more.
    void handle_message(std::string_view text);
    /// Whether a further message may be handled: not too much is under way.
    [[nodiscard]] bool can_handle() const;
    /// Reads on, unless it does or too much is under way.
    void read_on();
    /// A worker has answered, or the client has read: there may be room now.
    virtual void go_on();
    /// So many bytes of written_ have been taken.
    void note_taken(std::size_t bytes);
    void on_written(boost::system::error_code error);
    /// So much of a message has come, and not all of it.
    void note_part(std::size_t bytes);
    /// A message has come whole.
    void note_whole();
    /// Nothing is read or answered any more, and the stream is closed when all has been sent.
    void end_by(std::chrono::milliseconds time);

    std::shared_ptr<MessageSession> session_;  // shared with subscriptions
    std::string passed_by_;                    // Caller::passed_by; set before the first message
    std::string written_;                      // the message that is being written
    bool is_reading_ = false;
    bool is_writing_ = false;
    bool is_draining_ = false;
    bool is_closed_ = false;

private:
    struct Work;

    [[nodiscard]] Caller caller() const;
    void answer_on_worker(std::string_view text, Clock::time_point deadline);
    /// On a worker's thread.
    void answer_work(Work& work, Clock::time_point deadline) const;
    void finish_work(const std::shared_ptr<Work>& work);
    void update_deadline();

    Request request_;
    std::size_t working_ = 0;          // messages that workers have
    Clock::time_point message_begin_;  // while a message is read that came in parts
    Clock::time_point read_deadline_ = Clock::time_point::max();
    WriteDeadline write_deadline_;
    bool is_authenticated_;
};

}  // namespace heddle::node::rpc
