// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The file of a local socket that is listened on.
#pragma once

#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>

namespace heddle::node::rpc {

/// Thread safety: one thread at a time.
class IpcListener {
public:
    /// Listens at `path`, which only this process's user may open. What a process that ended left
    /// there is replaced.
    /// Errors: InputError, where another process listens there, the path is too long, or the file
    /// cannot be made.
    IpcListener(boost::asio::io_context& context, std::string path);
    /// Removes the file.
    ~IpcListener();
    IpcListener(const IpcListener&) = delete;
    IpcListener& operator=(const IpcListener&) = delete;

    [[nodiscard]] boost::asio::local::stream_protocol::acceptor& acceptor() noexcept {
        return acceptor_;
    }

private:
    void remove_left_over();

    const std::string path_;
    boost::asio::local::stream_protocol::acceptor acceptor_;
};

}  // namespace heddle::node::rpc
