// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "json_writer.hpp"

#include <fmt/format.h>

namespace heddle::node {

void append_json_string(std::string_view text, std::string& out) {
    out.push_back('"');
    for (const char c : text) {
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
                if (static_cast<unsigned char>(c) < 0x20)
                    out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
                else
                    out.push_back(c);
        }
    }
    out.push_back('"');
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
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (has_items_.empty()) return;
    if (has_items_.back()) out_.push_back(',');
    has_items_.back() = true;
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

void JsonWriter::raw(std::string_view json) {
    separate();
    out_ += json;
}

void JsonWriter::begin(char bracket) {
    separate();
    out_.push_back(bracket);
    has_items_.push_back(false);
}

void JsonWriter::end(char bracket) {
    const bool had_items = has_items_.back();
    has_items_.pop_back();
    if (had_items) new_line();
    out_.push_back(bracket);
}

}  // namespace heddle::node
