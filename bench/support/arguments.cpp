// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

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

}  // namespace

Arguments::Arguments(int argc, char** argv) : program_(argc > 0 ? argv[0] : "bench") {
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
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

std::string Arguments::text(const std::string& name, const std::string& fallback) {
    known_.push_back(name + (fallback.empty() ? "" : "=" + fallback));
    const auto found = given_.find(name);
    return found == given_.end() ? fallback : found->second;
}

std::vector<std::string> Arguments::texts(const std::string& name,
                                          const std::vector<std::string>& fallback) {
    std::string joined;
    for (const std::string& part : fallback) {
        if (!joined.empty()) joined += ',';
        joined += part;
    }
    return split(text(name, joined));
}

std::vector<std::uint64_t> Arguments::numbers(const std::string& name,
                                              const std::vector<std::uint64_t>& fallback) {
    std::vector<std::string> defaults;
    defaults.reserve(fallback.size());
    for (const std::uint64_t value : fallback)
        defaults.push_back(std::to_string(value));
    std::vector<std::uint64_t> values;
    for (const std::string& part : texts(name, defaults)) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
        if (error != std::errc{} || end != part.data() + part.size())
            refuse(program_, "--" + name + ": not a number: " + part);
        values.push_back(value);
    }
    return values;
}

std::uint64_t Arguments::number(const std::string& name, std::uint64_t fallback) {
    const std::vector<std::uint64_t> values = numbers(name, {fallback});
    if (values.size() != 1) refuse(program_, "--" + name + ": one number is wanted");
    return values.front();
}

bool Arguments::flag(const std::string& name) {
    const std::string value = text(name, "false");
    if (value != "true" && value != "false") refuse(program_, "--" + name + ": true or false");
    return value == "true";
}

void Arguments::finish() const {
    for (const auto& [name, value] : given_) {
        const auto is_it = [&name](const std::string& known) {
            return known.substr(0, known.find('=')) == name;
        };
        if (std::ranges::any_of(known_, is_it)) continue;
        std::string message = "unknown option --" + name + "; there are";
        for (const std::string& known : known_)
            message += " --" + known;
        refuse(program_, message);
    }
}

}  // namespace heddle::bench
