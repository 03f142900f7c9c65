// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which HTTP requests may pass: by host, by origin, by type of content. Text only, no sockets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::node::rpc {

/// The name in `localhost:8545`, `127.0.0.1`, `[::1]:80`; without brackets.
[[nodiscard]] std::string_view host_name(std::string_view host_and_port) noexcept;

/// What a request is for.
struct Target {
    std::string_view host;  // with its port; empty: the target names none, and `Host` counts
    std::string_view path;  // without a query
};
/// @param text  A path, or a whole URL, as proxies are asked (RFC 9112 §3.2.2).
[[nodiscard]] Target split_target(std::string_view text) noexcept;

/// Whether the end of a body that comes in this `Transfer-Encoding` can be told: where a proxy on
/// the way told another one, a part of the body would be a request of its own.
[[nodiscard]] bool is_framing_known(std::string_view transfer_encoding) noexcept;

/// A request for this `Host` may pass: against pages whose name was pointed at this machine.
/// None, and IP addresses, always may; `*` allows any name.
[[nodiscard]] bool is_host_allowed(std::string_view host, const std::vector<std::string>& allowed);

/// Pages of `origin` may read what they asked for. `*` allows any.
[[nodiscard]] bool is_origin_allowed(std::string_view origin,
                                     const std::vector<std::string>& allowed);

/// Pages of `origin` may open a WebSocket. Programs send no origin and may. An allowed origin may
/// leave out the scheme and the port; with none configured, `http://localhost` is allowed.
[[nodiscard]] bool is_websocket_origin_allowed(std::string_view origin,
                                               const std::vector<std::string>& allowed);

/// Whether this page came from the address that it calls: what the node itself shows to a browser.
/// @param host  Of the request, which is_host_allowed().
[[nodiscard]] bool is_same_origin(std::string_view origin, std::string_view host) noexcept;

/// A page that a program on the browser's own machine serves: `localhost` or a loopback address,
/// with any port.
[[nodiscard]] bool is_local_page(std::string_view origin);

/// JSON by its `Content-Type`, which forms of web pages cannot send.
[[nodiscard]] bool is_json_content(std::string_view content_type) noexcept;

/// Whether a client that sent this `If-None-Match` has what `etag` names. Weak tags match, too.
[[nodiscard]] bool has_copy(std::string_view if_none_match, std::string_view etag) noexcept;

/// The token of an `Authorization: Bearer …`; empty: there is none.
[[nodiscard]] std::string_view bearer_token(std::string_view authorization) noexcept;

}  // namespace heddle::node::rpc
