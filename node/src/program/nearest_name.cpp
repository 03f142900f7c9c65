// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "program/nearest_name.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace heddle::node {

namespace {

constexpr std::size_t kLongest = 64;  // nobody has typed what is longer

/// Of geth, anvil and hardhat, beside what is here the last words of a name, as `--port` is.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kElsewhere{{
    {"--host", "--rpc-address"},
    {"--hostname", "--rpc-address"},
    {"--http.addr", "--rpc-address"},
    {"--ws.addr", "--rpc-address"},
    {"--ws.port", "--rpc-port"},
    {"--http.port", "--rpc-port"},
    {"--networkid", "--chain-id"},
    {"--dev.period", "--block-time"},
}};

/// How many letters must be changed, added, left out or exchanged with their neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> rows(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        rows[i][0] = i;
    std::iota(rows[0].begin(), rows[0].end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            rows[i][j] = std::min({changed, rows[i - 1][j] + 1, rows[i][j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
        }
    return rows[a.size()][b.size()];
}

std::string without_marks(std::string_view name) {
    std::string letters;
    for (const char c : name)
        if (c != '-' && c != '.' && c != '_') letters += c;
    return letters;
}

/// The one of `names` that the fewest letters tell from `typed`, and fewer than `bound`.
std::string least_distant(std::string_view typed, std::span<const std::string> names,
                          std::size_t bound) {
    std::string best;
    for (const std::string& name : names)
        if (const std::size_t found = distance(typed, name); found < bound) {
            bound = found;
            best = name;
        }
    return best;
}

}  // namespace

std::string nearest_name(std::string_view typed, std::span<const std::string> names) {
    if (typed.size() > kLongest) return {};
    for (const std::string& name : names)
        if (typed.size() > 1 && name.starts_with(typed)) return name;
    return least_distant(typed, names, std::max<std::size_t>(typed.size() / 3, 1) + 1);
}

std::string nearest_option(std::string_view typed, std::span<const std::string> options) {
    constexpr std::string_view kDashes = "--";
    if (typed.size() > kLongest || typed.size() <= kDashes.size()) return {};
    const std::string with_dashes = "-" + std::string{typed};
    if (!typed.starts_with(kDashes)) typed = with_dashes;
    const auto is_there = [&](std::string_view name) {
        return std::ranges::find(options, name) != options.end();
    };
    for (const std::string& option : options)
        if (without_marks(option) == without_marks(typed)) return option;
    for (const auto& [elsewhere, here] : kElsewhere)
        if (typed == elsewhere && is_there(here)) return std::string{here};
    for (const std::string& option : options)
        if (option.ends_with(typed.substr(1))) return option;
    const std::size_t letters = typed.size() - kDashes.size();
    return least_distant(typed, options, std::max<std::size_t>(letters / 4, 1) + 1);
}

std::string with_guess(std::string text, std::string_view nearest) {
    return nearest.empty() ? text : fmt::format("{}; did you mean {}?", text, nearest);
}

}  // namespace heddle::node
