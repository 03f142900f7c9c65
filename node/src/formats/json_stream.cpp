// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "formats/json_stream.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>

#include "formats/json.hpp"
#include "formats/utf8.hpp"
#include "program/error.hpp"
#include "program/input_file.hpp"

namespace heddle::node {

namespace {

using boost::json::error_code;

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

/// Puts the parts of strings and numbers together. The names are those that the library calls.
struct Handler {
    // NOLINTBEGIN(readability-identifier-naming)
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = kMaxJsonKeySize;
    static constexpr std::size_t max_string_size = kMaxJsonStringSize;
    // NOLINTEND(readability-identifier-naming)

    JsonEvents* events = nullptr;
    std::string text;

    using Text = boost::json::string_view;
    static std::string_view plain(Text part) { return {part.data(), part.size()}; }
    /// The whole of what ends with this part.
    std::string_view whole(Text last) {
        if (text.empty()) return plain(last);
        return text.append(plain(last));
    }

    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }
    bool on_object_begin(error_code&) {
        events->begin_object();
        return true;
    }
    bool on_object_end(std::size_t, error_code&) {
        events->end_object();
        return true;
    }
    bool on_array_begin(error_code&) {
        events->begin_array();
        return true;
    }
    bool on_array_end(std::size_t, error_code&) {
        events->end_array();
        return true;
    }
    bool on_part(Text part) {
        text.append(plain(part));
        return true;
    }
    bool on_key_part(Text part, std::size_t, error_code&) { return on_part(part); }
    bool on_key(Text last, std::size_t, error_code&) {
        events->key(whole(last));
        text.clear();
        return true;
    }
    bool on_string_part(Text part, std::size_t, error_code&) { return on_part(part); }
    bool on_string(Text last, std::size_t, error_code&) {
        events->string(whole(last));
        text.clear();
        return true;
    }
    bool on_number_part(Text part, error_code&) { return on_part(part); }
    bool on_number(Text last) {
        events->number(whole(last));
        text.clear();
        return true;
    }
    bool on_int64(std::int64_t, Text last, error_code&) { return on_number(last); }
    bool on_uint64(std::uint64_t, Text last, error_code&) { return on_number(last); }
    bool on_double(double, Text last, error_code&) { return on_number(last); }
    bool on_bool(bool value, error_code&) {
        events->boolean(value);
        return true;
    }
    bool on_null(error_code&) {
        events->null();
        return true;
    }
    bool on_comment_part(Text, error_code&) { return true; }
    bool on_comment(Text, error_code&) { return true; }
};

/// Where in the text a piece begins.
struct TextPosition {
    std::size_t line = 1;
    std::size_t column = 1;

    void move_over(std::string_view text) noexcept {
        const auto newlines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
        line += newlines;
        const std::size_t last = text.rfind('\n');
        column = last == std::string_view::npos ? column + text.size() : text.size() - last;
    }
};

/// A file in pieces.
class FilePieces {
public:
    explicit FilePieces(const std::string& path) : file_(path), bytes_(kPieceBytes) {}

    [[nodiscard]] std::uint64_t size() const noexcept { return file_.size(); }
    std::string_view next() { return {bytes_.data(), file_.read(bytes_)}; }

private:
    InputFile file_;
    std::vector<char> bytes_;
};

}  // namespace

void stream_json(const NextPiece& next, const std::string& name, JsonEvents& events) {
    boost::json::parse_options options;
    options.max_depth = kMaxJsonDepth;
    boost::json::basic_parser<Handler> parser(options);
    parser.handler().events = &events;
    TextPosition position;
    bool is_first = true;
    for (bool is_last = false; !is_last;) {
        std::string_view piece = next();
        is_last = piece.empty();
        if (std::exchange(is_first, false)) piece = without_byte_order_mark(piece);
        error_code error;
        const std::size_t consumed = parser.write_some(!is_last, piece.data(), piece.size(), error);
        if (!error && consumed < piece.size()) error = boost::json::error::extra_data;
        position.move_over(piece.substr(0, consumed));
        if (error)
            fail_input("{}: malformed JSON at line {}, column {}: {}", name, position.line,
                       position.column,
                       error == boost::json::error::incomplete ? "the text ends too early"
                                                               : error.message());
    }
}

NextPiece pieces_of_file(const std::string& path, FileProgress on_read) {
    // The only owner is what is returned, which a std::function copies.
    const auto pieces = std::make_shared<FilePieces>(path);
    return [pieces, on_read = std::move(on_read), done = std::uint64_t{0}]() mutable {
        const std::string_view piece = pieces->next();
        done += piece.size();
        if (on_read) on_read(done, pieces->size());
        return piece;
    };
}

}  // namespace heddle::node
