// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "follow/endpoint.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "program/authority.hpp"
#include "program/error.hpp"

namespace heddle::node::follow {
namespace {

[[noreturn]] void fail(std::string_view url, std::string_view option) {
    fail_input(
        "{}: {}: expected an address like ws://127.0.0.1:8546, http://127.0.0.1:8545 or "
        "https://example.org",
        option, url);
}

bool is_printable(std::string_view text) {
    for (const char c : text)
        if (c <= 0x20 || c >= 0x7f) return false;
    return true;
}

}  // namespace

std::string Endpoint::authority() const {
    return node::authority(host, port);
}

std::string Endpoint::name() const {
    return fmt::format("{}{}://{}", is_websocket ? "ws" : "http", is_encrypted ? "s" : "",
                       authority());
}

Endpoint parse_endpoint(std::string_view url, std::string_view option) {
    struct Scheme {
        std::string_view prefix;
        bool is_websocket;
        bool is_encrypted;
    };
    constexpr Scheme kSchemes[] = {{"ws://", true, false},
                                   {"http://", false, false},
                                   {"wss://", true, true},
                                   {"https://", false, true}};
    constexpr std::string_view kTlsPort = ":443";
    const auto* const scheme = std::ranges::find_if(
        kSchemes, [&](const Scheme& each) { return url.starts_with(each.prefix); });
    if (scheme == std::end(kSchemes)) fail(url, option);
    Endpoint endpoint;
    endpoint.is_websocket = scheme->is_websocket;
    endpoint.is_encrypted = scheme->is_encrypted;
    std::string_view rest = url.substr(scheme->prefix.size());
    if (const auto slash = rest.find('/'); slash != std::string_view::npos) {
        endpoint.path = rest.substr(slash);
        rest = rest.substr(0, slash);
    }
    std::string with_port{rest};
    const auto bracket = rest.rfind(']');
    const bool has_port =
        rest.find(':', bracket == std::string_view::npos ? 0 : bracket) != std::string_view::npos;
    if (endpoint.is_encrypted && !has_port) with_port += kTlsPort;
    rest = with_port;
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
