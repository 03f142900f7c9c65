// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "formats/json_writer.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "formats/utf8.hpp"

namespace heddle::node {

namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

/// Two digits for each byte.
constexpr auto kDigitPairs = [] {
    std::array<std::array<char, 2>, 256> pairs{};
    for (std::size_t byte = 0; byte < pairs.size(); ++byte)
        pairs[byte] = {kDigits[byte >> 4], kDigits[byte & 15]};
    return pairs;
}();

bool is_ascii(char c) noexcept {
    return static_cast<unsigned char>(c) < 0x80;
}

bool is_plain(char c) noexcept {
    return static_cast<unsigned char>(c) >= 0x20 && is_ascii(c) && c != '"' && c != '\\';
}

void append_escaped(char c, std::string& out) {
    switch (c) {
        case '"':
            out += "\\\"";
            break;
        case '\\':
            out += "\\\\";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\t':
            out += "\\t";
            break;
        default:
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    }
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
    out.push_back('"');
    while (!text.empty()) {
        // Most text needs no escape: whole runs are copied at once.
        std::size_t run = 0;
        while (run < text.size() && is_plain(text[run]))
            ++run;
        out.append(text.substr(0, run));
        text.remove_prefix(run);
        if (text.empty()) break;
        std::size_t others = 1;
        if (is_ascii(text.front())) {
            append_escaped(text.front(), out);
        } else {
            while (others < text.size() && !is_ascii(text[others]))
                ++others;
            out += to_utf8(text.substr(0, others));  // JSON is UTF-8; a file's name may be anything
        }
        text.remove_prefix(others);
    }
    out.push_back('"');
}

std::size_t least_json_size(std::string_view text) noexcept {
    std::size_t size = 2;
    for (const char c : text) {
        const bool is_plain_or_other = is_plain(c) || !is_ascii(c);
        const bool is_short = c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t';
        size += is_plain_or_other ? 1 : is_short ? 2 : 6;
    }
    return size;
}

std::string to_quantity(std::uint64_t value) {
    return fmt::format("0x{:x}", value);
}

void JsonWriter::new_line() {
    if (style_ == Style::compact) return;
    out_.push_back('\n');
    out_.append(2 * has_items_.size(), ' ');
}

void JsonWriter::separate() {
    if (out_.size() > most_) throw JsonTooLong();
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (has_items_.empty()) return;
    if (has_items_.back() != 0) out_.push_back(',');
    has_items_.back() = 1;
    new_line();
}

void JsonWriter::key(std::string_view name) {
    separate();
    append_json_string(name, out_);
    out_ += style_ == Style::compact ? ":" : ": ";
    after_key_ = true;
}

void JsonWriter::string(std::string_view text) {
    separate();
    append_json_string(text, out_);
}

void JsonWriter::quantity(std::uint64_t value) {
    quantity(Uint256{value});
}

void JsonWriter::quantity(const Uint256& value) {
    constexpr unsigned kDigitsPerWord = 16;
    separate();
    out_ += "\"0x";
    for (unsigned left = std::max(1u, (bit_width(value) + 3) / 4); left-- > 0;) {
        const std::uint64_t word = value.words[left / kDigitsPerWord];
        out_.push_back(kDigits[word >> 4 * (left % kDigitsPerWord) & 15]);
    }
    out_.push_back('"');
}

void JsonWriter::hex(BytesView bytes) {
    separate();
    const std::size_t begin = out_.size();
    out_.resize(begin + 2 * bytes.size() + 4);
    char* to = out_.data() + begin;
    to = std::copy_n("\"0x", 3, to);
    for (const std::uint8_t byte : bytes) {
        std::memcpy(to, kDigitPairs[byte].data(), 2);
        to += 2;
    }
    *to = '"';
}

void JsonWriter::raw(std::string_view json) {
    separate();
    out_ += json;
}

void JsonWriter::begin(char bracket) {
    separate();
    out_.push_back(bracket);
    has_items_.push_back(0);
}

void JsonWriter::end(char bracket) {
    const bool had_items = has_items_.back() != 0;
    has_items_.pop_back();
    if (had_items) new_line();
    out_.push_back(bracket);
}

}  // namespace heddle::node
