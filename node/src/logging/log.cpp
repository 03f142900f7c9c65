// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "logging/log.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/ranges.h>
#include <spdlog/details/fmt_helper.h>
#include <spdlog/formatter.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "formats/json_writer.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

constexpr std::array<std::string_view, 5> kComponents{"node", "chain", "consensus", "mempool",
                                                      "rpc"};

using Loggers = std::array<std::shared_ptr<spdlog::logger>, kComponents.size()>;

/// `{"time":…,"level":…,"component":…,"message":…}`, times in UTC.
class JsonFormatter final : public spdlog::formatter {
public:
    void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
        std::string line;
        JsonWriter writer{line, JsonWriter::Style::compact};
        spdlog::memory_buf_t time;
        time_.format(message, time);
        writer.begin_object();
        writer.key("time");
        writer.string({time.data(), time.size()});
        writer.key("level");
        const auto level = spdlog::level::to_string_view(message.level);
        writer.string({level.data(), level.size()});
        writer.key("component");
        writer.string({message.logger_name.data(), message.logger_name.size()});
        writer.key("message");
        writer.string({message.payload.data(), message.payload.size()});
        writer.end_object();
        line += '\n';
        spdlog::details::fmt_helper::append_string_view(line, out);
    }
    [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
        return std::make_unique<JsonFormatter>();
    }

private:
    spdlog::pattern_formatter time_{"%Y-%m-%dT%H:%M:%S.%eZ", spdlog::pattern_time_type::utc, ""};
};

constexpr std::array<std::string_view, 6> kLevels{"trace",   "debug", "info",
                                                  "warning", "error", "off"};

spdlog::level::level_enum parse_level(const std::string& name) {
    const auto level = spdlog::level::from_str(name);
    if (level == spdlog::level::off && name != "off")
        fail_input("unknown log level '{}'; one of {}", name, fmt::join(kLevels, ", "));
    return level;
}

std::unique_ptr<spdlog::formatter> make_formatter(bool is_json) {
    if (is_json) return std::make_unique<JsonFormatter>();
    return std::make_unique<spdlog::pattern_formatter>("%Y-%m-%d %H:%M:%S.%e %-8l %-9n %v",
                                                       spdlog::pattern_time_type::local);
}

Loggers make_loggers(spdlog::level::level_enum level, bool is_json) {
    const auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    Loggers loggers;
    for (std::size_t i = 0; i < kComponents.size(); ++i) {
        loggers[i] = std::make_shared<spdlog::logger>(std::string{kComponents[i]}, sink);
        loggers[i]->set_level(level);
        loggers[i]->flush_on(spdlog::level::warn);
    }
    sink->set_formatter(make_formatter(is_json));
    return loggers;
}

Loggers& loggers() {
    static Loggers instance = make_loggers(spdlog::level::warn, false);
    return instance;
}

}  // namespace

std::vector<std::string> log_levels() {
    return {kLevels.begin(), kLevels.end()};
}

void configure_logging(const LogOptions& options) {
    Loggers made = make_loggers(parse_level(options.level), options.is_json);
    for (const auto& [component, level] : options.levels) {
        const auto* const found = std::ranges::find(kComponents, component);
        if (found == kComponents.end())
            fail_input("unknown log component '{}'; one of node, chain, consensus, mempool, rpc",
                       component);
        made[static_cast<std::size_t>(found - kComponents.begin())]->set_level(parse_level(level));
    }
    loggers() = std::move(made);
}

spdlog::logger& logger(Component component) {
    return *loggers()[static_cast<std::size_t>(component)];
}

}  // namespace heddle::node
