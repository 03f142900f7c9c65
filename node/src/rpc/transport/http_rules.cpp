// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/http_rules.hpp"

#include <algorithm>

#include <boost/asio/ip/address.hpp>

namespace heddle::node::rpc {

namespace {

char to_lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) noexcept {
    return std::ranges::equal(a, b, {}, to_lower, to_lower);
}

std::string_view trim(std::string_view text) noexcept {
    while (text.starts_with(' ') || text.starts_with('\t'))
        text.remove_prefix(1);
    while (text.ends_with(' ') || text.ends_with('\t'))
        text.remove_suffix(1);
    return text;
}

/// `https://site.example:8080`, parts of which may be missing.
struct Origin {
    std::string_view scheme;
    std::string_view host;
    std::string_view port;
};

Origin split_origin(std::string_view text) noexcept {
    Origin origin;
    const std::size_t scheme = text.find("://");
    if (scheme != std::string_view::npos) {
        origin.scheme = text.substr(0, scheme);
        text.remove_prefix(scheme + 3);
    }
    origin.host = host_name(text);
    const std::size_t colon = text.rfind(':');
    const std::size_t bracket = text.rfind(']');
    if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket))
        origin.port = text.substr(colon + 1);
    return origin;
}

bool matches(std::string_view rule_text, const Origin& origin) noexcept {
    const Origin rule = split_origin(rule_text);
    return (rule.scheme.empty() || equals_ignoring_case(rule.scheme, origin.scheme)) &&
           equals_ignoring_case(rule.host, origin.host) &&
           (rule.port.empty() || rule.port == origin.port);
}

}  // namespace

std::string_view host_name(std::string_view host_and_port) noexcept {
    if (host_and_port.starts_with('[')) {
        const std::size_t end = host_and_port.find(']');
        return end == std::string_view::npos ? host_and_port : host_and_port.substr(1, end - 1);
    }
    const std::size_t colon = host_and_port.find(':');
    // More than one colon: an IPv6 address without brackets.
    if (colon == std::string_view::npos || host_and_port.rfind(':') != colon) return host_and_port;
    return host_and_port.substr(0, colon);
}

Target split_target(std::string_view text) noexcept {
    Target target{.host = {}, .path = text};
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!equals_ignoring_case(text.substr(0, scheme.size()), scheme)) continue;
        text.remove_prefix(scheme.size());
        const std::size_t end = std::min(text.find_first_of("/?"), text.size());
        target = {.host = text.substr(0, end), .path = text.substr(end)};
    }
    target.path = target.path.substr(0, target.path.find('?'));
    if (target.path.empty()) target.path = "/";
    return target;
}

bool is_framing_known(std::string_view transfer_encoding) noexcept {
    return equals_ignoring_case(trim(transfer_encoding), "chunked");
}

bool is_host_allowed(std::string_view host, const std::vector<std::string>& allowed) {
    const std::string_view name = host_name(trim(host));
    if (name.empty()) return true;
    for (const std::string& rule : allowed)
        if (rule == "*" || equals_ignoring_case(rule, name)) return true;
    boost::system::error_code error;
    boost::asio::ip::make_address(std::string(name), error);
    return !error;
}

bool is_origin_allowed(std::string_view origin, const std::vector<std::string>& allowed) {
    return std::ranges::any_of(allowed, [origin](const std::string& rule) {
        return rule == "*" || equals_ignoring_case(rule, origin);
    });
}

bool is_websocket_origin_allowed(std::string_view origin, const std::vector<std::string>& allowed) {
    if (origin.empty()) return true;
    const Origin parts = split_origin(origin);
    if (allowed.empty()) return matches("http://localhost", parts);
    return std::ranges::any_of(
        allowed, [&](const std::string& rule) { return rule == "*" || matches(rule, parts); });
}

bool is_same_origin(std::string_view origin, std::string_view host) noexcept {
    for (const std::string_view scheme : {"http://", "https://"})
        if (origin.starts_with(scheme))
            return !host.empty() && equals_ignoring_case(origin.substr(scheme.size()), trim(host));
    return false;
}

bool is_local_page(std::string_view origin) {
    const Origin parts = split_origin(origin);
    if (parts.scheme != "http" && parts.scheme != "https") return false;
    if (equals_ignoring_case(parts.host, "localhost")) return true;
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(std::string(parts.host), error);
    return !error && address.is_loopback();
}

bool is_json_content(std::string_view content_type) noexcept {
    const std::string_view type = trim(content_type.substr(0, content_type.find(';')));
    return equals_ignoring_case(type, "application/json") ||
           equals_ignoring_case(type, "application/json-rpc") ||
           equals_ignoring_case(type, "application/jsonrequest");
}

bool has_copy(std::string_view if_none_match, std::string_view etag) noexcept {
    if (etag.empty()) return false;
    for (std::string_view rest = if_none_match; !rest.empty();) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        std::string_view tag = trim(rest.substr(0, comma));
        if (tag == "*") return true;
        if (tag.starts_with("W/")) tag.remove_prefix(2);
        if (tag == etag) return true;
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return false;
}

std::string_view bearer_token(std::string_view authorization) noexcept {
    constexpr std::string_view kScheme = "Bearer ";
    if (authorization.size() < kScheme.size() ||
        !equals_ignoring_case(authorization.substr(0, kScheme.size()), kScheme))
        return {};
    return trim(authorization.substr(kScheme.size()));
}

}  // namespace heddle::node::rpc
