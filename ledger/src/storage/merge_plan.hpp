// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which small files of a table become one. Why it is needed: file_merger.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace heddle::ledger {

/// A file of a table, as far as a merge cares.
struct FileSpan {
    std::string first;  // its keys
    std::string last;
    std::uint64_t bytes = 0;
    bool is_busy = false;  // read by a compaction
};

/// No file becomes larger by being merged.
inline constexpr std::uint64_t kMostMergedBytes = std::uint64_t{64} << 20;
/// Files are merged when together they are so many times the largest of them, or half of what they
/// may become. So each merge makes what it writes so many times larger, or is the last, and nothing
/// is written again more often than its size can be multiplied before it is no longer small.
inline constexpr std::uint64_t kMergeGrowth = 8;
/// A file of this size is left as it is.
inline constexpr std::uint64_t kSmallFileBytes = kMostMergedBytes / kMergeGrowth;
/// So many at once: opening them, and looking for them among all, stays short.
inline constexpr std::size_t kMostMergedFiles = 64;

/// Neighbours: those from `begin` on, `count` of them.
struct MergePlan {
    std::size_t begin = 0;
    std::size_t count = 0;
    friend bool operator==(const MergePlan&, const MergePlan&) = default;
};

/// @param files  All below level 0, of all levels, ascending by their first key.
/// @return the first files that are due; nullopt: none are. Files that share a key with others are
/// left to compaction, which merges them.
[[nodiscard]] std::optional<MergePlan> plan_merge(std::span<const FileSpan> files);

}  // namespace heddle::ledger
