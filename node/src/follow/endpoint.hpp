// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where another node is asked: an address as an operator writes it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace heddle::node::follow {

struct Endpoint {
    bool is_websocket = false;
    std::string host;
    std::uint16_t port = 0;
    std::string path = "/";
    /// Makes the value of the header Authorization for each new connection over WebSocket and each
    /// question over HTTP; empty: there is none. From any thread.
    std::function<std::string()> authorization;
    /// Over TLS.
    bool is_encrypted = false;
    /// With TLS: certificates in PEM that are believed beside the system's; empty: none.
    std::string ca_file{};
    /// Sent with each connection over WebSocket and each question over HTTP, as the header CDN-Loop
    /// (RFC 8586), by which a server knows what it has asked itself; empty: it is not sent.
    std::string loop_name{};

    /// `host:port`, as the header Host has it; IPv6 addresses in brackets.
    [[nodiscard]] std::string authority() const;
    /// The address without what may be a secret: the path is left out.
    [[nodiscard]] std::string name() const;
};

/// `ws://HOST:PORT[/PATH]` or `http://HOST:PORT[/PATH]`, over TLS `wss://HOST[:PORT][/PATH]` or
/// `https://HOST[:PORT][/PATH]`; a host in brackets is an IPv6 address.
/// Errors: InputError that names `option`.
[[nodiscard]] Endpoint parse_endpoint(std::string_view url, std::string_view option);

}  // namespace heddle::node::follow
