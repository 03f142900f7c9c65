// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks over JSON text (RFC 8259) and says where its values are, without building anything. What it
// accepts the JSON library accepts too, but for numbers beyond all range and halves of surrogate
// pairs that stand alone, which the grammar allows: they are the matter of the call that has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::node::rpc {

/// Thread safety: one thread at a time.
class JsonScanner {
public:
    enum class Error : std::uint8_t { none, malformed, too_deep, too_many_values };

    JsonScanner(std::string_view text, std::size_t max_values)
        : text_(text), values_left_(max_values) {}

    /// Skips white space. `\0`: the text ends here.
    [[nodiscard]] char peek() noexcept;
    /// Skips white space and `expected`; false: something else is there.
    [[nodiscard]] bool take(char expected) noexcept;
    /// Skips white space and one value, and gives its text; nullopt: see error().
    [[nodiscard]] std::optional<std::string_view> value() noexcept;
    /// A string is next: its text with the quotes.
    [[nodiscard]] std::optional<std::string_view> string() noexcept;
    /// Only white space is left.
    [[nodiscard]] bool is_at_end() noexcept { return peek() == '\0' && position_ == text_.size(); }

    /// Why a value could not be skipped.
    [[nodiscard]] Error error() const noexcept { return error_; }

private:
    bool fail(Error error) noexcept;
    bool skip_value(std::size_t depth) noexcept;
    bool skip_object(std::size_t depth) noexcept;
    bool skip_array(std::size_t depth) noexcept;
    bool skip_string() noexcept;
    bool skip_escape() noexcept;
    /// One character beyond ASCII.
    bool skip_utf8() noexcept;
    bool skip_number() noexcept;
    bool skip_digits() noexcept;
    bool skip_word(std::string_view word) noexcept;

    std::string_view text_;
    std::size_t position_ = 0;
    std::size_t values_left_;
    Error error_ = Error::none;
};

}  // namespace heddle::node::rpc
