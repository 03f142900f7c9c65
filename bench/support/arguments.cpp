// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>

namespace heddle::bench {
namespace {

[[noreturn]] void refuse(const std::string& program, const std::string& what) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), what.c_str());
    std::exit(2);
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        parts.emplace_back(text.substr(0, comma));
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    }
    return parts;
}

/// With rows of at most 80 columns.
std::string folded(const std::string& text) {
    constexpr std::size_t kColumns = 80;
    std::string result;
    std::size_t in_row = 0;
    std::istringstream words(text);
    for (std::string word; words >> word; in_row += word.size()) {
        if (in_row != 0 && in_row + 1 + word.size() > kColumns) {
            result += '\n';
            in_row = 0;
        } else if (in_row != 0) {
            result += ' ';
            ++in_row;
        }
        result += word;
    }
    return result;
}

}  // namespace

Arguments::Arguments(int argc, char** argv, std::string purpose)
    : program_(argc > 0 ? argv[0] : "bench"), purpose_(std::move(purpose)) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i] == std::string_view{"-h"} ? "--help" : argv[i];
        if (!argument.starts_with("--"))
            refuse(program_, "not an option: " + std::string(argument));
        const std::size_t equals = argument.find('=');
        std::string name(
            argument.substr(2, equals == std::string_view::npos ? equals : equals - 2));
        std::string value(equals == std::string_view::npos ? "true" : argument.substr(equals + 1));
        if (name == "benchmark_out") name = "json";
        if (name.starts_with("benchmark_")) continue;
        given_[name] = std::move(value);
    }
}

std::string Arguments::text(const std::string& name, const std::string& fallback,
                            const std::string& meaning) {
    known_.push_back({name, fallback, meaning});
    const auto found = given_.find(name);
    return found == given_.end() ? fallback : found->second;
}

std::vector<std::string> Arguments::texts(const std::string& name,
                                          const std::vector<std::string>& fallback,
                                          const std::string& meaning) {
    std::string joined;
    for (const std::string& part : fallback) {
        if (!joined.empty()) joined += ',';
        joined += part;
    }
    return split(text(name, joined, meaning));
}

std::vector<std::uint64_t> Arguments::numbers(const std::string& name,
                                              const std::vector<std::uint64_t>& fallback,
                                              const std::string& meaning) {
    std::vector<std::string> defaults;
    defaults.reserve(fallback.size());
    for (const std::uint64_t value : fallback)
        defaults.push_back(std::to_string(value));
    std::vector<std::uint64_t> values;
    for (const std::string& part : texts(name, defaults, meaning)) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
        if (error != std::errc{} || end != part.data() + part.size())
            refuse(program_, "--" + name + ": not a number: " + part);
        values.push_back(value);
    }
    return values;
}

std::uint64_t Arguments::number(const std::string& name, std::uint64_t fallback,
                                const std::string& meaning) {
    const std::vector<std::uint64_t> values = numbers(name, {fallback}, meaning);
    if (values.size() != 1) refuse(program_, "--" + name + ": one number is wanted");
    return values.front();
}

bool Arguments::flag(const std::string& name, const std::string& meaning) {
    const std::string value = text(name, "false", meaning);
    if (value != "true" && value != "false") refuse(program_, "--" + name + ": true or false");
    return value == "true";
}

std::string Arguments::help() const {
    const std::string file = program_.substr(program_.rfind('/') + 1);
    std::string text = folded(purpose_) + "\nUsage: " + file + " [--OPTION=VALUE ...]\n\n";
    for (const Option& option : known_) {
        text += "  --" + option.name;
        if (!option.fallback.empty()) text += "=" + option.fallback;
        text += "\n      " + option.meaning + "\n";
    }
    return text +
           "\nShown are the defaults; commas separate several values. bench/README.md has the "
           "method.\n";
}

void Arguments::finish() const {
    if (given_.contains("help")) {
        const std::string text = help();
        const bool is_out = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
                            std::fflush(stdout) == 0;
        std::exit(is_out ? 0 : 2);
    }
    for (const auto& [name, value] : given_) {
        if (std::ranges::find(known_, name, &Option::name) != known_.end()) continue;
        std::string message = "unknown option --" + name + "; there are";
        for (const Option& option : known_)
            message += " --" + option.name + (option.fallback.empty() ? "" : "=" + option.fallback);
        refuse(program_, message + "; --help explains them");
    }
}

}  // namespace heddle::bench
