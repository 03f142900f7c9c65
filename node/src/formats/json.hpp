// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading JSON input: bounded parsing into reusable memory, and views that turn members into our
// types or fail with the place. Writing is json_writer.hpp's business, what is too large for a tree
// that of json_stream.hpp. The JSON library is included by json.cpp and json_stream.cpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

namespace boost::json {
class value;
}

namespace heddle::node {

class JsonParser;

/// Deepest nesting accepted.
inline constexpr std::size_t kMaxJsonDepth = 48;
/// Largest file accepted, in bytes.
inline constexpr std::size_t kMaxJsonFileSize = std::size_t{1} << 30;

/// One value of a parsed document. Valid until its parser parses again.
///
/// Errors: every conversion throws InputError with the document's name and the path of the value,
/// e.g. `genesis.json: $.config.chainId: expected a number`.
/// Thread safety: concurrent reads.
class JsonView {
public:
    [[nodiscard]] bool is_null() const noexcept;
    [[nodiscard]] bool is_object() const noexcept;
    [[nodiscard]] bool is_array() const noexcept;
    [[nodiscard]] bool is_string() const noexcept;
    [[nodiscard]] bool is_number() const noexcept;
    /// A number that was written without a fraction or an exponent.
    [[nodiscard]] bool is_integer() const noexcept;
    [[nodiscard]] bool is_boolean() const noexcept;

    /// Member of an object; nullopt when it is absent or null. Not an object: fails. Of a parser
    /// with MemberNames::any_case, the first that has the name in another case where none has it.
    [[nodiscard]] std::optional<JsonView> find(std::string_view key) const;
    /// The same of exactly this name, whatever the parser takes: for names that users define.
    [[nodiscard]] std::optional<JsonView> find_exact(std::string_view key) const;
    /// Member of an object; absent or null: fails.
    [[nodiscard]] JsonView at(std::string_view key) const;
    /// Number of members or elements; neither object nor array: fails.
    [[nodiscard]] std::size_t size() const;
    /// Element of an array. An index beyond the end fails.
    [[nodiscard]] JsonView element(std::size_t index) const;
    /// Member of an object by position, in the order of the text; `index` must be below size().
    [[nodiscard]] std::pair<std::string_view, JsonView> member(std::size_t index) const;

    [[nodiscard]] std::string_view string() const;
    [[nodiscard]] bool boolean() const;
    /// A number, with or without a fraction; rounded where a double cannot hold it.
    [[nodiscard]] double real() const;
    /// A number, or a string of hexadecimal digits after `0x` or of decimal digits; `0x` and the
    /// empty string are zero.
    [[nodiscard]] std::uint64_t uint64() const;
    [[nodiscard]] Uint256 uint256() const;
    /// Hexadecimal text of any even length; the prefix may be missing.
    [[nodiscard]] Bytes bytes() const;
    [[nodiscard]] Hash hash() const;
    [[nodiscard]] Address address() const;

    /// Throws InputError for this value.
    [[noreturn]] void fail(std::string_view problem) const;

private:
    friend class JsonParser;
    JsonView(const boost::json::value* value, const JsonParser* parser) noexcept
        : value_(value), parser_(parser) {}

    const boost::json::value* value_;
    const JsonParser* parser_;  // for the text of errors
};

/// Address, hash and number from an object's key, with the error at `object`.
[[nodiscard]] Address address_from_key(std::string_view key, const JsonView& object);
[[nodiscard]] Uint256 uint256_from_key(std::string_view key, const JsonView& object);

/// Hexadecimal with `0x`, otherwise decimal; `0x` and nothing are zero.
[[nodiscard]] std::optional<Uint256> quantity_from_text(std::string_view text) noexcept;
/// A number that was written with a fraction or an exponent: exact as long as a double can hold it.
[[nodiscard]] std::optional<std::uint64_t> integer_from_real(double number) noexcept;

/// How the members of objects are found. JSON tells cases apart, and geth's decoder does not.
enum class MemberNames : std::uint8_t {
    exact,
    any_case,  // of the letters of ASCII; the exact name comes first
};

/// Parses documents one after another; memory is reused, so one document lives at a time.
/// Thread safety: one thread at a time.
class JsonParser {
public:
    JsonParser();  // exact
    explicit JsonParser(MemberNames names);
    ~JsonParser();
    JsonParser(const JsonParser&) = delete;
    JsonParser& operator=(const JsonParser&) = delete;

    /// Parses `text`; `name` stands in errors. Integers beyond 64 bits stay exact.
    /// Errors: InputError with line and column for malformed or too deeply nested text.
    [[nodiscard]] JsonView parse(std::string_view text, std::string name);
    /// Reads and parses a file of at most kMaxJsonFileSize bytes.
    [[nodiscard]] JsonView parse_file(const std::string& path);

private:
    friend class JsonView;
    struct State;
    [[nodiscard]] std::string path_of(const boost::json::value* value) const;

    std::unique_ptr<State> state_;
};

}  // namespace heddle::node
