// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/plan.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <executor/schedulers.hpp>

#include "inputs/fork_flag.hpp"
#include "program/error.hpp"

namespace heddle::node::benchmark {
namespace {

using executor::Knowledge;

constexpr unsigned kMaxWorkers = 1024;
constexpr double kMaxShare = 100;
constexpr double kMaxRate = 1e9;

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        parts.push_back(text.substr(0, comma));
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    }
    return parts;
}

template <typename Number>
std::vector<Number> parse_numbers(std::string_view option, std::string_view text, Number least,
                                  Number most) {
    std::vector<Number> numbers;
    for (const std::string_view part : split(text)) {
        Number value{};
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
        if (error != std::errc{} || end != part.data() + part.size() || !(value >= least) ||
            !(value <= most))
            fail_input("{} {}: '{}' is no number from {} to {}", option, text, part, least, most);
        numbers.push_back(value);
    }
    return numbers;
}

std::vector<Knowledge> parse_knowledge(const std::string& text) {
    std::vector<Knowledge> levels;
    for (const std::string_view part : split(text)) {
        std::optional<Knowledge> level;
        for (const Knowledge each :
             {Knowledge::values, Knowledge::declared, Knowledge::hinted, Knowledge::unknown})
            if (to_string(each) == part) level = each;
        if (!level)
            fail_input("--knowledge {}: '{}' is none of values, declared, hinted, unknown", text,
                       part);
        levels.push_back(*level);
    }
    if (levels.empty()) fail_input("--knowledge: name levels: values, declared, hinted or unknown");
    return levels;
}

void check_scheduler(const std::string& spec) {
    if (const auto check = executor::check_scheduler(spec); !check)
        fail_input("--schedulers {}: {}", spec, check.error());
}

std::vector<Contender> make_contenders(const BenchOptions& options) {
    const auto workers = parse_numbers<unsigned>("--workers", options.workers, 1, kMaxWorkers);
    if (workers.empty()) fail_input("--workers: name numbers of threads, such as 1,2");
    const auto levels = parse_knowledge(options.knowledge);
    std::vector<Contender> contenders;
    const auto add = [&contenders](Contender contender) {
        const auto is_same = [&](const Contender& other) {
            return other.scheduler == contender.scheduler && other.workers == contender.workers &&
                   other.knowledge == contender.knowledge;
        };
        if (std::ranges::none_of(contenders, is_same)) contenders.push_back(std::move(contender));
    };
    for (const std::string& spec : split_choices(options.schedulers)) {
        check_scheduler(spec);
        if (!executor::is_parallel(spec)) {
            add({spec, spec, 1, Knowledge::declared});
            continue;
        }
        for (const unsigned count : workers) {
            // Without the lists there is nothing that it does but what dag does.
            if (spec == executor::kValuesScheduler) {
                add({spec, spec, count, Knowledge::values});
                continue;
            }
            for (const Knowledge level : levels)
                add({spec, spec, count, level});
        }
    }
    if (contenders.empty()) fail_input("--schedulers: name at least one");
    return contenders;
}

/// Each once: a report tells what it has by name and load, and so does whoever compares two.
std::vector<OfferedLoad> make_loads(const BenchOptions& options) {
    std::vector<OfferedLoad> loads;
    const auto add = [&loads](OfferedLoad load) {
        if (std::ranges::find(loads, load) == loads.end()) loads.push_back(load);
    };
    for (const double share : parse_numbers<double>("--load", options.loads, 0.001, kMaxShare))
        add({share, 0});
    for (const double rate : parse_numbers<double>("--rate", options.rates, 0.001, kMaxRate))
        add({0, rate});
    return loads;
}

/// Each once, for the same reason.
std::vector<workload::ScenarioChoice> make_scenarios(const BenchOptions& options) {
    std::vector<workload::ScenarioChoice> scenarios;
    for (const std::string& text : split_choices(options.workloads)) {
        auto choice = workload::parse_scenario(text);
        if (!choice) fail_input("--workload: {}", choice.error());
        const auto is_same = [&](const auto& other) {
            return other.to_text() == choice->to_text();
        };
        if (std::ranges::none_of(scenarios, is_same)) scenarios.push_back(*std::move(choice));
    }
    return scenarios;
}

}  // namespace

std::vector<std::string> split_choices(std::string_view text) {
    std::vector<std::string> choices;
    bool may_continue = false;
    for (const std::string_view part : split(text)) {
        const std::size_t mark = part.find_first_of(":=");
        const bool is_setting = mark != std::string_view::npos && part[mark] == '=';
        if (is_setting && may_continue) {
            choices.back() += fmt::format(",{}", part);
            continue;
        }
        choices.emplace_back(part);
        may_continue = mark != std::string_view::npos;
    }
    return choices;
}

Plan make_plan(const BenchOptions& options) {
    Plan plan;
    plan.contenders = make_contenders(options);
    plan.loads = make_loads(options);
    plan.scenarios = make_scenarios(options);
    if (!options.fork.empty()) plan.revision = revision_of("--fork", options.fork);
    return plan;
}

}  // namespace heddle::node::benchmark
