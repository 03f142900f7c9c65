// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/ipc_listener.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include <sys/un.h>
#include <boost/asio/error.hpp>

#include "program/error.hpp"

namespace heddle::node::rpc {

namespace fs = std::filesystem;
using boost::asio::local::stream_protocol;
using boost::system::error_code;

namespace {

constexpr std::size_t kMostPathBytes = sizeof(sockaddr_un::sun_path) - 1;

}  // namespace

IpcListener::IpcListener(boost::asio::io_context& context, std::string path)
    : path_(std::move(path)), acceptor_(context) {
    if (path_.size() > kMostPathBytes)
        fail_input(
            "cannot listen at {}: a socket's path has at most {} bytes; choose a shorter one",
            path_, kMostPathBytes);
    remove_left_over();
    const stream_protocol::endpoint endpoint(path_);
    error_code error;
    (void)acceptor_.open(endpoint.protocol(), error);
    if (!error) (void)acceptor_.bind(endpoint, error);
    if (error) fail_input("cannot listen at {}: {}", path_, error.message());
    // Nobody can connect before there is a listener, so nobody else gets in between.
    std::error_code permissions;
    fs::permissions(path_, fs::perms::owner_read | fs::perms::owner_write, permissions);
    if (!permissions)
        (void)acceptor_.listen(stream_protocol::acceptor::max_listen_connections, error);
    if (!permissions && !error) return;
    std::error_code ignored;
    fs::remove(path_, ignored);
    fail_input("cannot listen at {}: {}", path_,
               permissions ? permissions.message() : error.message());
}

IpcListener::~IpcListener() {
    std::error_code ignored;
    fs::remove(path_, ignored);
}

void IpcListener::remove_left_over() {
    std::error_code error;
    const fs::file_status status = fs::symlink_status(path_, error);
    if (!fs::exists(status)) return;
    if (status.type() != fs::file_type::socket)
        fail_input("cannot listen at {}: there is a file of that name, which is no socket", path_);
    stream_protocol::socket probe(acceptor_.get_executor());
    error_code refused;
    (void)probe.connect(stream_protocol::endpoint(path_), refused);
    if (refused != boost::asio::error::connection_refused)
        fail_input("cannot listen at {}: another process does; stop it or choose another path",
                   path_);
    fs::remove(path_, error);
}

}  // namespace heddle::node::rpc
