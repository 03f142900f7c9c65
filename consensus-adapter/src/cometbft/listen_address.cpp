// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/listen_address.hpp"

#include <charconv>
#include <cstring>
#include <string_view>

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <types/expected.hpp>

namespace heddle::consensus_adapter::cometbft {

namespace asio = boost::asio;
using boost::system::error_code;
using Stream = asio::generic::stream_protocol;

namespace {

constexpr std::string_view kTcp = "tcp://";
constexpr std::string_view kUnix = "unix://";
/// The connections of one CometBFT are four.
constexpr int kBacklog = 16;

std::unexpected<std::string> not_an_address(const std::string& text) {
    return std::unexpected("\"" + text +
                           "\" is no address to listen on; write tcp://127.0.0.1:26658 or "
                           "unix:///run/heddle/abci.sock");
}

std::unexpected<std::string> cannot_listen(const ListenAddress& address, const std::string& why) {
    return std::unexpected("cannot listen on " + to_string(address) + ": " + why);
}

/// Whether a process listens on the socket of that path.
bool is_alive(const std::string& path) {
    asio::io_context context;
    asio::local::stream_protocol::socket probe{context};
    error_code error;
    error = probe.connect(asio::local::stream_protocol::endpoint{path}, error);
    // Refused is what a socket says whose process is gone; anything else is left alone.
    return error != asio::error::connection_refused;
}

std::expected<void, std::string> make_way(const ListenAddress& address) {
    struct stat found{};
    if (::lstat(address.place.c_str(), &found) != 0) return {};
    if (!S_ISSOCK(found.st_mode))
        return cannot_listen(address,
                             "there is a file of that name, which is no socket; choose "
                             "another path");
    if (is_alive(address.place))
        return cannot_listen(address,
                             "another process listens there; stop it or choose another "
                             "path");
    ::unlink(address.place.c_str());
    return {};
}

Stream::endpoint endpoint_of(const ListenAddress& address) {
    if (address.is_unix) return asio::local::stream_protocol::endpoint{address.place};
    error_code ignored;  // it was parsed before
    return asio::ip::tcp::endpoint{asio::ip::make_address(address.place, ignored), address.port};
}

std::string reason(error_code error) {
    if (error == asio::error::address_in_use)
        return "the address is in use; stop what listens there or choose another";
    if (error == boost::system::errc::address_not_available)
        return "this machine has no such address";
    return error.message();
}

}  // namespace

std::expected<ListenAddress, std::string> parse_listen_address(const std::string& text) {
    ListenAddress address;
    if (text.starts_with(kUnix)) {
        address.is_unix = true;
        address.place = text.substr(kUnix.size());
        if (address.place.empty()) return not_an_address(text);
        if (address.place.size() >= sizeof(sockaddr_un::sun_path))
            return std::unexpected("the path of \"" + text + "\" has " +
                                   std::to_string(address.place.size()) +
                                   " bytes; a Unix socket's has at most " +
                                   std::to_string(sizeof(sockaddr_un::sun_path) - 1));
        return address;
    }
    const std::size_t colon = text.rfind(':');
    if (!text.starts_with(kTcp) || colon < kTcp.size()) return not_an_address(text);
    address.place = text.substr(kTcp.size(), colon - kTcp.size());
    if (address.place.starts_with('[') && address.place.ends_with(']'))
        address.place = address.place.substr(1, address.place.size() - 2);
    const char* const end = text.data() + text.size();
    const auto [last, failed] = std::from_chars(text.data() + colon + 1, end, address.port);
    error_code error;
    asio::ip::make_address(address.place, error);
    if (failed != std::errc{} || last != end || error) return not_an_address(text);
    return address;
}

std::string to_string(const ListenAddress& address) {
    if (address.is_unix) return std::string{kUnix} + address.place;
    const bool is_ipv6 = address.place.find(':') != std::string::npos;
    return std::string{kTcp} + (is_ipv6 ? "[" + address.place + "]" : address.place) + ":" +
           std::to_string(address.port);
}

std::expected<Acceptor, std::string> listen(asio::io_context& context, ListenAddress& address) {
    if (address.is_unix) HEDDLE_CHECK(make_way(address));
    const Stream::endpoint endpoint = endpoint_of(address);
    Acceptor acceptor{context};
    error_code error;
    error = acceptor.open(endpoint.protocol(), error);
    if (!error && !address.is_unix)
        error = acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) error = acceptor.bind(endpoint, error);
    if (!error) error = acceptor.listen(kBacklog, error);
    if (error) return cannot_listen(address, reason(error));
    if (!address.is_unix) {
        const Stream::endpoint bound = acceptor.local_endpoint(error);
        asio::ip::tcp::endpoint tcp;
        if (error || bound.size() > tcp.capacity()) return cannot_listen(address, reason(error));
        tcp.resize(bound.size());
        std::memcpy(tcp.data(), bound.data(), bound.size());
        address.port = tcp.port();
    }
    return acceptor;
}

}  // namespace heddle::consensus_adapter::cometbft
