// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "follow/endpoint.hpp"

#include <charconv>

#include <fmt/format.h>

#include "program/error.hpp"

namespace heddle::node::follow {
namespace {

[[noreturn]] void fail(std::string_view url, std::string_view option) {
    fail_input("{}: {}: expected an address like ws://127.0.0.1:8546 or http://127.0.0.1:8545",
               option, url);
}

bool is_printable(std::string_view text) {
    for (const char c : text)
        if (c <= 0x20 || c >= 0x7f) return false;
    return true;
}

}  // namespace

std::string Endpoint::authority() const {
    const bool is_bare_v6 = host.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", is_bare_v6 ? "[" : "", host, is_bare_v6 ? "]" : "", port);
}

std::string Endpoint::name() const {
    return fmt::format("{}://{}", is_websocket ? "ws" : "http", authority());
}

Endpoint parse_endpoint(std::string_view url, std::string_view option) {
    Endpoint endpoint;
    std::string_view rest = url;
    if (url.starts_with("https://") || url.starts_with("wss://"))
        fail_input(
            "{}: {}: TLS is not spoken here; let a proxy on this machine speak it (docs/"
            "following.md)",
            option, url);
    if (rest.starts_with("ws://")) {
        endpoint.is_websocket = true;
        rest.remove_prefix(5);
    } else if (rest.starts_with("http://")) {
        rest.remove_prefix(7);
    } else {
        fail(url, option);
    }
    if (const auto slash = rest.find('/'); slash != std::string_view::npos) {
        endpoint.path = rest.substr(slash);
        rest = rest.substr(0, slash);
    }
    const auto colon = rest.rfind(':');
    if (colon == std::string_view::npos || !is_printable(url)) fail(url, option);
    const std::string_view port = rest.substr(colon + 1);
    const auto [end, error] =
        std::from_chars(port.data(), port.data() + port.size(), endpoint.port);
    if (error != std::errc{} || end != port.data() + port.size() || endpoint.port == 0)
        fail(url, option);
    std::string_view host = rest.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']'))
        host = host.substr(1, host.size() - 2);
    else if (host.find(':') != std::string_view::npos)
        fail(url, option);
    if (host.empty() || host.find('@') != std::string_view::npos) fail(url, option);
    endpoint.host = host;
    return endpoint;
}

}  // namespace heddle::node::follow
