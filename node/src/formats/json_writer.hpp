// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Writing JSON text, indented by two spaces as geth's tools do, or on one line for streams of
// objects. The caller keeps the nesting right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

namespace heddle::node {

/// Appends `text` with its quotes and escapes.
void append_json_string(std::string_view text, std::string& out);
/// At least so many bytes are appended then, and three times as many at most.
[[nodiscard]] std::size_t least_json_size(std::string_view text) noexcept;

/// Quantity as JSON-RPC writes it: `0x` and the shortest digits.
[[nodiscard]] std::string to_quantity(std::uint64_t value);

/// What is being written is longer than it may be.
class JsonTooLong : public std::runtime_error {
public:
    JsonTooLong() : std::runtime_error("the JSON text is too long") {}
};

class JsonWriter {
public:
    enum class Style : bool { compact, indented };
    /// Appends to `out`, which must outlive the writer.
    /// @param most  Where `out` has more bytes the next value throws JsonTooLong: what is going to
    ///              be refused for its length is not written to its end.
    explicit JsonWriter(std::string& out, Style style = Style::indented,
                        std::size_t most = std::numeric_limits<std::size_t>::max())
        : out_(out), style_(style), most_(most) {}

    void begin_object() { begin('{'); }
    void end_object() { end('}'); }
    void begin_array() { begin('['); }
    void end_array() { end(']'); }
    /// Name of the next value.
    void key(std::string_view name);

    void string(std::string_view text);
    void boolean(bool value) { raw(value ? "true" : "false"); }
    void null() { raw("null"); }
    /// A JSON number.
    void number(std::uint64_t value) { raw(std::to_string(value)); }
    void quantity(std::uint64_t value);
    void quantity(const Uint256& value);
    void hex(BytesView bytes);
    void hash(const Hash& value) { hex(value.bytes); }
    void address(const Address& value) { hex(value.bytes); }
    /// Text that is JSON already.
    void raw(std::string_view json);
    /// Bytes of the text so far, with what was there before.
    [[nodiscard]] std::size_t length() const noexcept { return out_.size(); }

private:
    void begin(char bracket);
    void end(char bracket);
    void separate();
    void new_line();

    std::string& out_;
    Style style_;
    bool after_key_ = false;
    std::vector<std::uint8_t> has_items_;  // whether, per open bracket
    std::size_t most_;
};

}  // namespace heddle::node
