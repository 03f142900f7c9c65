// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "scheduler_settings.hpp"

#include <algorithm>
#include <charconv>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <types/assert.hpp>

namespace heddle::executor {
namespace {

std::optional<std::uint64_t> to_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

bool takes_numbers(const SettingInfo& info) noexcept {
    return info.least <= info.most;
}

bool takes(const SettingInfo& info, std::string_view value) {
    if (std::ranges::find(info.words, value) != info.words.end()) return true;
    if (info.is_text) return !value.empty();
    const auto number = to_number(value);
    return number.has_value() && *number >= info.least && *number <= info.most;
}

/// "on, off or a number from 1 to 16".
std::string expected_of(const SettingInfo& info) {
    std::vector<std::string> parts(info.words.begin(), info.words.end());
    if (takes_numbers(info))
        parts.push_back(fmt::format("a number from {} to {}", info.least, info.most));
    if (info.is_text) parts.emplace_back("a text");
    const std::string last = std::move(parts.back());
    parts.pop_back();
    return parts.empty() ? last : fmt::format("{} or {}", fmt::join(parts, ", "), last);
}

}  // namespace

SchedulerSettings::SchedulerSettings(std::span<const SettingInfo> infos) : infos_(infos) {
    for (const SettingInfo& info : infos)
        values_.emplace_back(info.initial);
}

std::expected<SchedulerSettings, std::string> SchedulerSettings::parse(
    std::span<const SettingInfo> infos, std::string_view text) {
    SchedulerSettings settings(infos);
    std::vector<bool> is_set(infos.size());
    if (text.empty()) return settings;
    for (const auto part : std::views::split(text, ',')) {
        const std::string_view pair(part.begin(), part.end());
        const std::size_t sign = pair.find('=');
        const std::string_view name = pair.substr(0, sign);
        const auto place = settings.find(name);
        if (!place.has_value()) {
            const auto names = std::views::transform(infos, &SettingInfo::name);
            if (names.empty()) return std::unexpected("there is nothing to set");
            return std::unexpected(fmt::format("there is no setting \"{}\": expected {}", name,
                                               fmt::join(names, " or ")));
        }
        const SettingInfo& info = infos[*place];
        if (is_set[*place]) return std::unexpected(fmt::format("{} is set twice", name));
        is_set[*place] = true;
        const std::string_view value =
            sign == std::string_view::npos ? std::string_view{} : pair.substr(sign + 1);
        if (!takes(info, value))
            return std::unexpected(
                fmt::format("{}=\"{}\": expected {}", name, value, expected_of(info)));
        settings.values_[*place] = value;
    }
    return settings;
}

std::optional<std::size_t> SchedulerSettings::find(std::string_view name) const noexcept {
    const auto found = std::ranges::find(infos_, name, &SettingInfo::name);
    if (found == infos_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - infos_.begin());
}

const std::string& SchedulerSettings::value(std::string_view name) const {
    const auto place = find(name);
    HEDDLE_ASSERT(place.has_value());
    return values_[*place];
}

std::optional<std::uint64_t> SchedulerSettings::number(std::string_view name) const {
    return to_number(value(name));
}

}  // namespace heddle::executor
