// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What somebody has set of a scheduler, by its list of settings.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <executor/schedulers.hpp>

namespace heddle::executor {

/// A value for each setting of a list, the initial one where nothing else was set.
///
/// Thread safety: that of a value.
class SchedulerSettings {
public:
    /// Nothing to set.
    SchedulerSettings() = default;

    /// @param infos  Outlives the result.
    /// @param text   `setting=value,setting=value`, or nothing.
    /// Errors: a setting or value that is not in the list, or twice; in words.
    [[nodiscard]] static std::expected<SchedulerSettings, std::string> parse(
        std::span<const SettingInfo> infos, std::string_view text);

    /// The value of a setting that is in the list.
    [[nodiscard]] const std::string& value(std::string_view name) const;
    /// Where that is a number.
    [[nodiscard]] std::optional<std::uint64_t> number(std::string_view name) const;

private:
    explicit SchedulerSettings(std::span<const SettingInfo> infos);
    /// nullopt: there is none of the name.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept;

    std::span<const SettingInfo> infos_;
    std::vector<std::string> values_;  // one for each
};

}  // namespace heddle::executor
