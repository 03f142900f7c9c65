// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/envelope/json_scanner.hpp"

#include "formats/json.hpp"

namespace heddle::node::rpc {

namespace {

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

bool is_hex_digit(char c) noexcept {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

char JsonScanner::peek() noexcept {
    while (position_ < text_.size()) {
        const char c = text_[position_];
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return c;
        ++position_;
    }
    return '\0';
}

bool JsonScanner::take(char expected) noexcept {
    if (peek() != expected) return false;
    ++position_;
    return true;
}

std::optional<std::string_view> JsonScanner::value() noexcept {
    (void)peek();
    const std::size_t begin = position_;
    if (!skip_value(0)) return std::nullopt;
    return text_.substr(begin, position_ - begin);
}

std::optional<std::string_view> JsonScanner::string() noexcept {
    if (peek() != '"') {
        fail(Error::malformed);
        return std::nullopt;
    }
    const std::size_t begin = position_;
    if (!skip_string()) return std::nullopt;
    return text_.substr(begin, position_ - begin);
}

bool JsonScanner::fail(Error error) noexcept {
    if (error_ == Error::none) error_ = error;
    return false;
}

bool JsonScanner::skip_value(std::size_t depth) noexcept {
    if (values_left_ == 0) return fail(Error::too_many_values);
    --values_left_;
    switch (peek()) {
        case '{':
            return depth == kMaxJsonDepth ? fail(Error::too_deep) : skip_object(depth + 1);
        case '[':
            return depth == kMaxJsonDepth ? fail(Error::too_deep) : skip_array(depth + 1);
        case '"':
            return skip_string();
        case 't':
            return skip_word("true");
        case 'f':
            return skip_word("false");
        case 'n':
            return skip_word("null");
        default:
            return skip_number();
    }
}

bool JsonScanner::skip_object(std::size_t depth) noexcept {
    ++position_;  // the bracket
    if (take('}')) return true;
    while (true) {
        if (peek() != '"') return fail(Error::malformed);
        if (!skip_string()) return false;
        if (!take(':')) return fail(Error::malformed);
        if (!skip_value(depth)) return false;
        if (take('}')) return true;
        if (!take(',')) return fail(Error::malformed);
    }
}

bool JsonScanner::skip_array(std::size_t depth) noexcept {
    ++position_;  // the bracket
    if (take(']')) return true;
    while (true) {
        if (!skip_value(depth)) return false;
        if (take(']')) return true;
        if (!take(',')) return fail(Error::malformed);
    }
}

bool JsonScanner::skip_string() noexcept {
    ++position_;  // the quote
    while (position_ < text_.size()) {
        const auto c = static_cast<unsigned char>(text_[position_]);
        if (c == '"') {
            ++position_;
            return true;
        }
        if (c < 0x20) return fail(Error::malformed);
        if (c == '\\') {
            if (!skip_escape()) return fail(Error::malformed);
        } else if (c >= 0x80) {
            if (!skip_utf8()) return fail(Error::malformed);
        } else {
            ++position_;
        }
    }
    return fail(Error::malformed);
}

bool JsonScanner::skip_escape() noexcept {
    if (position_ + 1 >= text_.size()) return false;
    const char kind = text_[position_ + 1];
    position_ += 2;
    if (kind != 'u') return std::string_view("\"\\/bfnrt").find(kind) != std::string_view::npos;
    for (int i = 0; i < 4; ++i, ++position_)
        if (position_ >= text_.size() || !is_hex_digit(text_[position_])) return false;
    return true;
}

bool JsonScanner::skip_utf8() noexcept {
    const auto byte = [this](std::size_t offset) -> unsigned {
        return position_ + offset < text_.size()
                   ? static_cast<unsigned char>(text_[position_ + offset])
                   : 0u;
    };
    const unsigned first = byte(0);
    const std::size_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4) return false;
    for (std::size_t i = 1; i <= more; ++i)
        if ((byte(i) & 0xc0) != 0x80) return false;
    // Neither longer than needed, nor half of a pair, nor beyond the last character.
    const unsigned second = byte(1);
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
        return false;
    position_ += 1 + more;
    return true;
}

bool JsonScanner::skip_number() noexcept {
    if (position_ < text_.size() && text_[position_] == '-') ++position_;
    if (position_ < text_.size() && text_[position_] == '0')
        ++position_;
    else if (!skip_digits())
        return fail(Error::malformed);
    if (position_ < text_.size() && text_[position_] == '.') {
        ++position_;
        if (!skip_digits()) return fail(Error::malformed);
    }
    if (position_ < text_.size() && (text_[position_] | 0x20) == 'e') {
        ++position_;
        if (position_ < text_.size() && (text_[position_] == '+' || text_[position_] == '-'))
            ++position_;
        if (!skip_digits()) return fail(Error::malformed);
    }
    return true;
}

bool JsonScanner::skip_digits() noexcept {
    const std::size_t begin = position_;
    while (position_ < text_.size() && is_digit(text_[position_]))
        ++position_;
    return position_ != begin;
}

bool JsonScanner::skip_word(std::string_view word) noexcept {
    if (!text_.substr(position_).starts_with(word)) return fail(Error::malformed);
    position_ += word.size();
    return true;
}

}  // namespace heddle::node::rpc
