// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "program/terminal.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include <sys/ioctl.h>
#include <unistd.h>

#include "program/say.hpp"

namespace heddle::node {

namespace {

/// 0: it is no terminal, or does not tell.
std::size_t columns_of(int stream) noexcept {
    winsize size{};
    return ::ioctl(stream, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// Where a row that goes on from this one begins. nullopt: none does, the row is a command.
std::optional<std::size_t> continuation_of(std::string_view row) {
    const std::size_t begin = std::min(row.find_first_not_of(' '), row.size());
    if (begin != 2) return begin;
    // Two blanks at least part what is told from what is said of it.
    const std::size_t gap = row.find("  ", begin);
    if (gap == std::string_view::npos) return std::nullopt;
    return std::min(row.find_first_not_of(' ', gap), row.size());
}

void append_folded(std::string& text, std::string_view row, std::size_t columns) {
    constexpr std::size_t kLeastRoom = 20;
    const std::optional<std::size_t> begin = continuation_of(row);
    if (!begin || *begin + kLeastRoom > columns) {
        text += row;
        return;
    }
    text += row.substr(0, *begin);
    row.remove_prefix(*begin);
    const std::size_t room = columns - *begin;
    while (row.size() > room) {
        std::size_t end = row.rfind(' ', room);
        if (end == std::string_view::npos) end = row.find(' ', room);
        if (end == std::string_view::npos) break;
        text += row.substr(0, end);
        text += '\n' + std::string(*begin, ' ');
        row.remove_prefix(end + 1);
    }
    text += row;
}

}  // namespace

std::string_view cut_to_row(std::string_view text, std::size_t columns) noexcept {
    if (columns == 0) return text;
    std::size_t characters = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool begins_character =
            (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;  // UTF-8
        if (begins_character && ++characters == columns) return text.substr(0, i);
    }
    return text;
}

RewrittenLine::RewrittenLine() : is_terminal_(::isatty(STDERR_FILENO) != 0) {}

RewrittenLine::~RewrittenLine() {
    clear();
}

void RewrittenLine::show(std::string_view text) {
    if (is_terminal_)
        say_as_is(
            fmt::format("\r{}\033[K", cut_to_row(printable(text), columns_of(STDERR_FILENO))));
    else
        say("{}\n", text);
    is_open_ = is_terminal_;
    std::fflush(stderr);
}

void RewrittenLine::clear() {
    if (!is_open_) return;
    say_as_is("\r\033[K");
    std::fflush(stderr);
    is_open_ = false;
}

std::size_t output_columns() noexcept {
    return columns_of(STDOUT_FILENO);
}

std::string folded_help(std::string_view text, std::size_t columns) {
    std::string folded;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        append_folded(folded, text.substr(0, end), columns);
        if (end < text.size()) folded += '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return folded;
}

bool may_colour() {
    const char* const unwanted = std::getenv("NO_COLOR");
    return ::isatty(STDOUT_FILENO) != 0 && (unwanted == nullptr || *unwanted == '\0');
}

}  // namespace heddle::node
