// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "shim/recording_folder.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace heddle::node {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "segment-";
constexpr std::string_view kSuffix = ".rec";

std::optional<std::uint64_t> number_of(std::string_view name) {
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
    name.remove_prefix(kPrefix.size());
    name.remove_suffix(kSuffix.size());
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
    return number;
}

}  // namespace

std::expected<std::vector<SegmentFile>, std::string> find_segments(const std::string& folder) {
    std::vector<SegmentFile> found;
    std::error_code error;
    const fs::file_status there = fs::status(folder, error);
    if (!fs::exists(there)) return found;
    if (!fs::is_directory(there)) return std::unexpected(folder + ": is not a folder");
    fs::directory_iterator at{folder, error};
    for (; !error && at != fs::directory_iterator{}; at.increment(error)) {
        const auto number = number_of(at->path().filename().string());
        if (!number.has_value()) continue;
        std::error_code ignored;  // one that is just being removed
        const std::uintmax_t bytes = fs::file_size(at->path(), ignored);
        if (!ignored) found.push_back({*number, at->path().string(), bytes});
    }
    if (error) return std::unexpected(folder + ": " + error.message());
    std::ranges::sort(found, {}, &SegmentFile::number);
    return found;
}

std::string segment_path(const std::string& folder, std::uint64_t number) {
    return (fs::path{folder} / fmt::format("{}{:08}{}", kPrefix, number, kSuffix)).string();
}

std::string recorded_genesis_path(const std::string& folder) {
    return (fs::path{folder} / "genesis.json").string();
}

}  // namespace heddle::node
