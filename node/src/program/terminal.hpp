// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a terminal gets that a file does not: a line that is rewritten in place, and colours. It
// says nothing itself; what is shown, and how often, is up to the caller.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle::node {

/// As much of a text as fits into a row of so many columns, whose last one stays empty; no part of
/// a character. @param columns  0: nobody knows, all of it.
[[nodiscard]] std::string_view cut_to_row(std::string_view text, std::size_t columns) noexcept;

/// One line on standard error, rewritten in place where that is a terminal; elsewhere each text is
/// a line of its own. Thread safety: one thread at a time.
class RewrittenLine {
public:
    RewrittenLine();
    /// Clears it.
    ~RewrittenLine();
    RewrittenLine(const RewrittenLine&) = delete;
    RewrittenLine& operator=(const RewrittenLine&) = delete;

    [[nodiscard]] bool is_terminal() const noexcept { return is_terminal_; }
    /// On a terminal as much as fits into its row now: what goes on in the next one stays there.
    void show(std::string_view text);
    /// So that other text may follow.
    void clear();

private:
    const bool is_terminal_;
    bool is_open_ = false;
};

/// The columns of the terminal that standard output is; 0: it is none, or does not tell.
[[nodiscard]] std::size_t output_columns() noexcept;

/// A help of which no row is longer than so many columns: what is said of an option or a command
/// goes on below where it begins, other text at its first column. Only a word that is too long, a
/// command to be copied, and a row of which fewer than 20 columns were left stay as they are.
/// @param columns  0: nobody knows, all stays.
[[nodiscard]] std::string folded_help(std::string_view text, std::size_t columns);

/// Whether what goes to standard output may have colours: where that is a terminal, and NO_COLOR is
/// not set, or to nothing (no-color.org).
[[nodiscard]] bool may_colour();

}  // namespace heddle::node
