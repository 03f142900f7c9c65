// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// One connection of CometBFT and the thread that serves it: requests in, answers out, in the same
// order. What the answers say is abci_answers.hpp's business.
//
// | state     | event                          | next      | who                                 |
// |-----------|--------------------------------|-----------|-------------------------------------|
// | waiting   | bytes came                     | executing | its thread                          |
// | executing | no whole request is left       | writing   | its thread                          |
// | writing   | all is written                 | waiting   | its thread                          |
// | any       | end of stream, error, or stop  | ended     | its thread, as the last it does     |
//
// A thread that waits or writes is freed by shutting the socket down, which any thread may do; one
// that executes is left to finish. The state and that shutdown are guarded by one mutex, all else
// is the thread's own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <expected>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <boost/asio/generic/stream_protocol.hpp>

#include <consensus_adapter/cometbft/abci_server.hpp>

#include "cometbft/abci_answers.hpp"
#include "cometbft/framing.hpp"

namespace heddle::consensus_adapter::cometbft {

class AbciConnection {
public:
    using Socket = boost::asio::generic::stream_protocol::socket;

    /// Serves at once. @param application, options  Outlive it.
    AbciConnection(Socket socket, AbciAnswers& application, const AbciServerOptions& options);
    /// After stop() or the connection's own end.
    ~AbciConnection();
    AbciConnection(const AbciConnection&) = delete;
    AbciConnection& operator=(const AbciConnection&) = delete;

    /// Whether its thread has nothing left to do.
    [[nodiscard]] bool has_ended() const;
    /// No more requests are taken. Thread safety: any.
    void stop();
    /// After stop(): returns when what was being executed is done and its answer written, or cannot
    /// be written within `patience`.
    void wait(std::chrono::milliseconds patience);

private:
    enum class State : std::uint8_t { waiting, executing, writing, ended };

    void serve();
    [[nodiscard]] bool answer_all();
    /// The next whole message that was received, as FrameReader gives it.
    [[nodiscard]] std::expected<std::optional<BytesView>, std::string> next_message();
    [[nodiscard]] bool answer_one(BytesView message);
    /// A new transaction, together with those that have come behind it without anything between:
    /// CometBFT hands on what it gossips one by one, and does not wait for answers.
    void answer_new(const abci::Request& first);
    [[nodiscard]] bool write();
    void refuse(const std::string& reason);
    void append(const abci::Response& response);
    /// false: the connection is to end.
    [[nodiscard]] bool enter(State state);

    AbciAnswers& application_;
    const AbciServerOptions& options_;

    // Its thread only.
    Socket socket_;
    FrameReader reader_;
    std::optional<BytesView> ahead_;  // a message taken from the reader, but not answered
    Bytes out_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    State state_ = State::waiting;  // guarded by mutex_, as the next
    bool is_stopping_ = false;

    std::thread thread_;
};

}  // namespace heddle::consensus_adapter::cometbft
