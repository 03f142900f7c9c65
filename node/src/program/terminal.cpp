// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "program/terminal.hpp"

#include <cstdio>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

#include "program/say.hpp"

namespace heddle::node {

namespace {

/// 0: the terminal does not tell.
std::size_t columns() noexcept {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
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
        say("\r{}\033[K", cut_to_row(text, columns()));
    else
        say("{}\n", text);
    is_open_ = is_terminal_;
    std::fflush(stderr);
}

void RewrittenLine::clear() {
    if (!is_open_) return;
    say("\r\033[K");
    std::fflush(stderr);
    is_open_ = false;
}

bool may_colour() {
    const char* const unwanted = std::getenv("NO_COLOR");
    return ::isatty(STDOUT_FILENO) != 0 && (unwanted == nullptr || *unwanted == '\0');
}

}  // namespace heddle::node
