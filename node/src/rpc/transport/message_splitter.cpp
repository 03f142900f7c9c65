// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/transport/message_splitter.hpp"

namespace heddle::node::rpc {

MessageSplitter::Verdict MessageSplitter::scan(std::string_view text) noexcept {
    while (position_ < text.size()) {
        const char c = text[position_++];
        if (depth_ == 0 && c != '{' && c != '[') {
            if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
            return Verdict::malformed;
        }
        if (take(c)) return Verdict::complete;
    }
    return Verdict::incomplete;
}

bool MessageSplitter::take(char c) noexcept {
    if (is_escaped_) {
        is_escaped_ = false;
    } else if (in_string_) {
        is_escaped_ = c == '\\';
        in_string_ = c != '"';
    } else if (c == '"') {
        in_string_ = true;
    } else if (c == '{' || c == '[') {
        ++depth_;
    } else if (c == '}' || c == ']') {
        return --depth_ == 0;
    }
    return false;
}

}  // namespace heddle::node::rpc
