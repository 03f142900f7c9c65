// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "formats/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <boost/json.hpp>

#include "formats/utf8.hpp"
#include "program/error.hpp"
#include "program/file.hpp"

namespace heddle::node {

namespace {

using boost::json::value;

/// Digits of an integer that every 64-bit integer fits into.
constexpr std::size_t kMaxSafeDigits = 18;

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

/// Offset behind the closing quote of the string whose text starts at `begin`.
std::size_t end_of_string(std::string_view text, std::size_t begin) noexcept {
    for (std::size_t quote = begin; true; ++quote) {
        quote = text.find('"', quote);
        if (quote == std::string_view::npos) return text.size();
        std::size_t backslashes = 0;
        while (quote - backslashes > begin && text[quote - backslashes - 1] == '\\')
            ++backslashes;
        if (backslashes % 2 == 0) return quote + 1;
    }
}

/// What a string begins with that stands for an integer. Whoever writes such a string has
/// written that integer.
constexpr std::string_view kIntegerMark{"\0", 1};
constexpr std::string_view kIntegerBegin = R"("\u0000)";

/// The digits of an integer that was made a string.
std::optional<std::string_view> long_integer(const value& json) noexcept {
    if (!json.is_string()) return std::nullopt;
    std::string_view text = json.get_string();
    if (!text.starts_with(kIntegerMark)) return std::nullopt;
    text.remove_prefix(kIntegerMark.size());
    if (text.size() <= kMaxSafeDigits || !std::ranges::all_of(text, is_digit)) return std::nullopt;
    return text;
}

/// Integers that may leave 64 bits become strings, since the JSON library would round them.
/// `insertions` receives the offsets, in the original text, before which a character was inserted.
/// @return whether anything had to be changed.
bool quote_long_integers(std::string_view text, std::string& out,
                         std::vector<std::size_t>& insertions) {
    out.clear();
    insertions.clear();
    std::size_t copied = 0;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '"') {
            i = end_of_string(text, i + 1);
            continue;
        }
        if (!is_digit(text[i])) {
            ++i;
            continue;
        }
        const std::size_t begin = i;
        while (i < text.size() && is_digit(text[i]))
            ++i;
        const bool is_integer =
            (i == text.size() || (text[i] != '.' && text[i] != 'e' && text[i] != 'E')) &&
            (begin == 0 ||
             (text[begin - 1] != '.' && text[begin - 1] != '-' && text[begin - 1] != '+' &&
              text[begin - 1] != 'e' && text[begin - 1] != 'E'));
        // One that begins with a zero is no JSON, which as a string nobody would notice.
        if (!is_integer || i - begin <= kMaxSafeDigits || text[begin] == '0') continue;
        out.append(text.substr(copied, begin - copied)).append(kIntegerBegin);
        out.append(text.substr(begin, i - begin)).append("\"");
        insertions.insert(insertions.end(), kIntegerBegin.size(), begin);
        insertions.push_back(i);
        copied = i;
    }
    if (insertions.empty()) return false;
    out.append(text.substr(copied));
    return true;
}

std::string line_and_column(std::string_view text, std::size_t offset) {
    offset = std::min(offset, text.size());
    const auto before = text.substr(0, offset);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto newline = before.rfind('\n');
    const std::size_t column = offset - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
    return fmt::format("line {}, column {}", line, column);
}

/// Appends the path from `from` to `target`; false when it is not below `from`.
bool find_path(const value& from, const value* target, std::string& path) {
    if (&from == target) return true;
    const std::size_t length = path.size();
    if (from.is_object()) {
        for (const auto& member : from.get_object()) {
            path.append(".").append(std::string_view(member.key()));
            if (find_path(member.value(), target, path)) return true;
            path.resize(length);
        }
    } else if (from.is_array()) {
        std::size_t index = 0;
        for (const auto& element : from.get_array()) {
            path.append(fmt::format("[{}]", index++));
            if (find_path(element, target, path)) return true;
            path.resize(length);
        }
    }
    return false;
}

/// Of the letters of ASCII.
bool is_same_in_any_case(std::string_view left, std::string_view right) noexcept {
    const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    };
    return left.size() == right.size() && std::ranges::equal(left, right, {}, lower, lower);
}

}  // namespace

std::optional<Uint256> quantity_from_text(std::string_view text) noexcept {
    if (text.empty() || text == "0x" || text == "0X") return Uint256{};
    if (text.size() > 66 && text.starts_with("0x")) {
        const auto first = text.find_first_not_of('0', 2);
        if (first == std::string_view::npos) return Uint256{};
        text.remove_prefix(first - 2);
        std::string shortened = "0x";
        shortened.append(text.substr(2));
        return uint256_from_string(shortened);
    }
    return uint256_from_string(text);
}

std::optional<std::uint64_t> integer_from_real(double number) noexcept {
    constexpr double kMaxExact = 9007199254740992.0;  // 2^53
    if (!(number >= 0 && number <= kMaxExact) || std::trunc(number) != number) return std::nullopt;
    return static_cast<std::uint64_t>(number);
}

/// Where trees begin: enough for most requests. Larger ones go on in memory that is given back
/// with them.
constexpr std::size_t kFirstBytes = std::size_t{64} << 10;

struct JsonParser::State {
    std::string name;
    std::string file;    // text of parse_file()
    std::string quoted;  // see quote_long_integers()
    std::vector<std::size_t> insertions;
    // Not set to zero: there may be one in every thread, and what is not touched takes no memory.
    std::size_t buffer_bytes = kFirstBytes;
    std::unique_ptr<unsigned char[]> buffer =
        std::make_unique_for_overwrite<unsigned char[]>(buffer_bytes);
    std::optional<boost::json::monotonic_resource> memory;
    boost::json::parser parser;
    value root;
    const MemberNames names;

    explicit State(MemberNames member_names) : parser({}, options()), names(member_names) {}
    static boost::json::parse_options options() {
        boost::json::parse_options result;
        result.max_depth = kMaxJsonDepth;
        return result;
    }
};

JsonParser::JsonParser() : JsonParser(MemberNames::exact) {}

JsonParser::JsonParser(MemberNames names) : state_(std::make_unique<State>(names)) {}

JsonParser::~JsonParser() {
    state_->root = nullptr;
}

JsonView JsonParser::parse(std::string_view text, std::string name) {
    State& s = *state_;
    s.name = std::move(name);
    // Every value must be gone before the memory it lives in.
    std::destroy_at(&s.root);
    std::construct_at(&s.root);
    s.parser.reset();
    s.memory.emplace(s.buffer.get(), s.buffer_bytes);
    s.parser.reset(boost::json::storage_ptr(&*s.memory));

    text = without_byte_order_mark(text);
    const std::string_view original = text;
    if (quote_long_integers(text, s.quoted, s.insertions)) text = s.quoted;
    boost::json::error_code error;
    std::size_t consumed = s.parser.write_some(text.data(), text.size(), error);
    if (!error && consumed < text.size()) error = boost::json::error::extra_data;
    if (error) {
        std::size_t shift = 0;
        while (shift < s.insertions.size() && s.insertions[shift] + shift < consumed)
            ++shift;
        const std::string reason =
            error == boost::json::error::incomplete ? "the text ends too early" : error.message();
        const std::string place = line_and_column(original, consumed - shift);
        s.parser.reset();
        fail_input("{}: malformed JSON at {}: {}", s.name, place, reason);
    }
    std::destroy_at(&s.root);
    std::construct_at(&s.root, s.parser.release());
    return {&s.root, this};
}

JsonView JsonParser::parse_file(const std::string& path) {
    read_file(path, kMaxJsonFileSize, state_->file);
    // The tree needs a small multiple of the text; asking for it at once saves the arena's growth.
    const std::size_t wanted = std::min<std::size_t>(3 * state_->file.size(), 64u << 20);
    if (state_->buffer_bytes < wanted) {
        std::destroy_at(&state_->root);
        std::construct_at(&state_->root);
        state_->parser.reset();
        state_->memory.reset();
        state_->buffer = std::make_unique_for_overwrite<unsigned char[]>(wanted);
        state_->buffer_bytes = wanted;
    }
    return parse(state_->file, path);
}

std::string JsonParser::path_of(const value* target) const {
    std::string path = "$";
    return find_path(state_->root, target, path) ? path : "$";
}

bool JsonView::is_null() const noexcept {
    return value_->is_null();
}
bool JsonView::is_object() const noexcept {
    return value_->is_object();
}
bool JsonView::is_array() const noexcept {
    return value_->is_array();
}
bool JsonView::is_string() const noexcept {
    return value_->is_string() && !long_integer(*value_);
}
bool JsonView::is_number() const noexcept {
    return value_->is_number() || long_integer(*value_);
}

bool JsonView::is_integer() const noexcept {
    return is_number() && !value_->is_double();
}

bool JsonView::is_boolean() const noexcept {
    return value_->is_bool();
}

void JsonView::fail(std::string_view problem) const {
    fail_input("{}: {}: {}", parser_->state_->name, parser_->path_of(value_), problem);
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
    if (auto member = find_exact(key); member || parser_->state_->names == MemberNames::exact)
        return member;
    for (const auto& member : value_->get_object())
        if (!member.value().is_null() && is_same_in_any_case(member.key(), key))
            return JsonView(&member.value(), parser_);
    return std::nullopt;
}

std::optional<JsonView> JsonView::find_exact(std::string_view key) const {
    if (!value_->is_object()) fail("expected an object");
    const value* member = value_->get_object().if_contains(key);
    if (member == nullptr || member->is_null()) return std::nullopt;
    return JsonView(member, parser_);
}

JsonView JsonView::at(std::string_view key) const {
    const auto member = find(key);
    if (!member) fail(fmt::format("missing member \"{}\"", key));
    return *member;
}

std::size_t JsonView::size() const {
    if (value_->is_object()) return value_->get_object().size();
    if (value_->is_array()) return value_->get_array().size();
    fail("expected an object or an array");
}

JsonView JsonView::element(std::size_t index) const {
    if (!value_->is_array()) fail("expected an array");
    const auto& array = value_->get_array();
    if (index >= array.size())
        fail(fmt::format("no element {}: the array has {}", index, array.size()));
    return {&array[index], parser_};
}

std::pair<std::string_view, JsonView> JsonView::member(std::size_t index) const {
    if (!value_->is_object()) fail("expected an object");
    const auto& pair = *(value_->get_object().begin() + static_cast<std::ptrdiff_t>(index));
    return {std::string_view(pair.key()), JsonView(&pair.value(), parser_)};
}

std::string_view JsonView::string() const {
    if (!is_string()) fail("expected a string");
    return value_->get_string();
}

bool JsonView::boolean() const {
    if (!value_->is_bool()) fail("expected true or false");
    return value_->get_bool();
}

double JsonView::real() const {
    if (const auto digits = long_integer(*value_))
        return std::strtod(std::string(*digits).c_str(), nullptr);
    if (!value_->is_number()) fail("expected a number");
    return value_->to_number<double>();
}

Uint256 JsonView::uint256() const {
    if (const auto* number = value_->if_int64()) {
        if (*number < 0) fail("expected a number that is not negative");
        return static_cast<std::uint64_t>(*number);
    }
    if (const auto* number = value_->if_uint64()) return *number;
    if (const auto* number = value_->if_double()) {
        const auto whole = integer_from_real(*number);
        if (!whole) fail("expected an integer");
        return *whole;
    }
    if (!value_->is_string()) fail("expected a number, hexadecimal with 0x or decimal");
    const auto result =
        quantity_from_text(long_integer(*value_).value_or(std::string_view(value_->get_string())));
    if (!result) fail("expected a number below 2^256, hexadecimal with 0x or decimal");
    return *result;
}

std::uint64_t JsonView::uint64() const {
    const Uint256 result = uint256();
    if (!result.fits_uint64()) fail("expected a number below 2^64");
    return result.low64();
}

Bytes JsonView::bytes() const {
    auto result = from_hex(string());
    if (!result) fail("expected an even number of hexadecimal digits");
    return *std::move(result);
}

Hash JsonView::hash() const {
    const auto result = hash_from_hex(string());
    if (!result) fail("expected a hash of 64 hexadecimal digits");
    return *result;
}

Address JsonView::address() const {
    const auto result = address_from_hex(string());
    if (!result) fail("expected an address of 40 hexadecimal digits");
    return *result;
}

Address address_from_key(std::string_view key, const JsonView& object) {
    const auto result = address_from_hex(key);
    if (!result) object.fail(fmt::format("\"{}\" is not an address of 40 hexadecimal digits", key));
    return *result;
}

Uint256 uint256_from_key(std::string_view key, const JsonView& object) {
    const auto result = quantity_from_text(key);
    if (!result) object.fail(fmt::format("\"{}\" is not a number below 2^256", key));
    return *result;
}

}  // namespace heddle::node
