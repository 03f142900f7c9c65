// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What decides about an HTTP request, and where a message on a local socket ends, which must not
// hang on the pieces it comes in.
#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "byte_source.hpp"
#include "rpc/transport/http_rules.hpp"
#include "rpc/transport/jwt.hpp"
#include "rpc/transport/message_splitter.hpp"
#include "targets.hpp"

namespace heddle::fuzz {
namespace {

using namespace node::rpc;

void judge(std::string_view text, std::string_view other) {
    static const std::vector<std::string> kAllowed{"localhost", "https://a.example:443",
                                                   "b.example"};
    const auto target = node::rpc::split_target(text);
    require(target.host.size() + target.path.size() <= text.size() + 1, "a target that grew");
    require(host_name(text).size() <= text.size(), "a name that grew");
    (void)is_framing_known(text);
    (void)is_host_allowed(text, kAllowed);
    (void)is_origin_allowed(text, kAllowed);
    (void)is_websocket_origin_allowed(text, kAllowed);
    (void)is_same_origin(text, other);
    (void)is_local_page(text);
    (void)is_json_content(text);
    (void)has_copy(text, other);
    const std::string_view token = bearer_token(text);
    const Bytes secret(32, 7);
    const std::chrono::seconds now{1'700'000'000};
    require(check_jwt(token, secret, now) != JwtError::none, "a token that nobody has made");
    (void)check_jwt(text, secret, now);
}

/// How the first message ends, looked at `piece` bytes more each time.
std::pair<MessageSplitter::Verdict, std::size_t> split(std::string_view text, std::size_t piece) {
    MessageSplitter splitter;
    std::size_t seen = 0;
    while (true) {
        seen = std::min(seen + piece, text.size());
        const auto verdict = splitter.scan(text.substr(0, seen));
        if (verdict != MessageSplitter::Verdict::incomplete || seen == text.size()) {
            require(splitter.end() <= text.size(), "an end outside the text");
            return {verdict, verdict == MessageSplitter::Verdict::complete ? splitter.end() : 0};
        }
    }
}

}  // namespace

void transport(BytesView input) {
    // Text is bytes; there is no other way from one to the other.
    const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
    const std::size_t line = std::min(text.find('\n'), text.size());
    judge(text.substr(0, line), text.substr(std::min(line + 1, text.size())));
    if (text.empty()) return;
    const auto whole = split(text, text.size());
    require(split(text, 1) == whole && split(text, 5) == whole, "an end that hangs on the pieces");
}

}  // namespace heddle::fuzz
