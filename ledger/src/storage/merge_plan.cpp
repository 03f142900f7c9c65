// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "storage/merge_plan.hpp"

#include <algorithm>
#include <vector>

namespace heddle::ledger {
namespace {

/// For each file whether it may be merged with neighbours that may, too.
std::vector<bool> candidates(std::span<const FileSpan> files) {
    std::vector<bool> result(files.size());
    const FileSpan* furthest = nullptr;  // of the files before: the one with the greatest last key
    for (std::size_t i = 0; i < files.size(); ++i) {
        const FileSpan& file = files[i];
        const bool is_alone = (furthest == nullptr || furthest->last < file.first) &&
                              (i + 1 == files.size() || file.last < files[i + 1].first);
        result[i] = is_alone && !file.is_busy && file.bytes < kSmallFileBytes;
        if (furthest == nullptr || furthest->last < file.last) furthest = &file;
    }
    return result;
}

}  // namespace

std::optional<MergePlan> plan_merge(std::span<const FileSpan> files) {
    const std::vector<bool> is_candidate = candidates(files);
    for (std::size_t begin = 0; begin < files.size(); ++begin) {
        std::uint64_t bytes = 0;
        std::uint64_t largest = 0;
        std::size_t due = 0;
        const std::size_t end = std::min(files.size(), begin + kMostMergedFiles);
        for (std::size_t i = begin; i < end && is_candidate[i]; ++i) {
            bytes += files[i].bytes;
            if (bytes > kMostMergedBytes) break;
            largest = std::max(largest, files[i].bytes);
            if (bytes >= std::min(kMergeGrowth * largest, kMostMergedBytes / 2))
                due = i + 1 - begin;
        }
        if (due > 1) return MergePlan{.begin = begin, .count = due};
    }
    return std::nullopt;
}

}  // namespace heddle::ledger
