// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/fork.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace heddle {
namespace {

template <typename Field>
constexpr bool is_unset_activation(const Field& field) noexcept {
    if constexpr (std::is_same_v<Field, std::optional<std::uint64_t>>)
        return !field.has_value();
    else
        return false;
}

template <typename... Fields>
constexpr bool has_unset_activation(const Fields&... fields) noexcept {
    return (is_unset_activation(fields) || ...);
}

/// Whether the rows reach every activation of a ChainConfig. merge_block is none: it is what is
/// known of the past. A member that is added there must be added to the list here.
constexpr bool forks_reach_every_member() {
    ChainConfig config;
    for (const Fork& fork : kForks)
        if (fork.member != nullptr) config.*fork.member = 0;
    config.merge_block = 0;
    const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
                 m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29] = config;
    return !has_unset_activation(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15,
                                 m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28,
                                 m29);
}
static_assert(forks_reach_every_member(), "an activation of ChainConfig has no row in kForks");

}  // namespace

BlobForkTimes blob_fork_times(const ChainConfig& config) noexcept {
    BlobForkTimes times;
    for (std::size_t i = 0; i < kForks.size(); ++i)
        if (kForks[i].blobs != ForkBlobs::none && kForks[i].member != nullptr)
            times[i] = config.*kForks[i].member;
    return times;
}

std::vector<BlobParameters> make_blob_schedule(const BlobForkTimes& times,
                                               const BlobOverrides& overrides) {
    // By time first: what a fork keeps may be of a row behind its own.
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < kForks.size(); ++i)
        if (times[i] && kForks[i].blobs != ForkBlobs::none) rows.push_back(i);
    std::ranges::sort(rows, {}, [&times](std::size_t i) { return std::pair{*times[i], i}; });

    std::vector<BlobParameters> schedule;
    for (const std::size_t i : rows) {
        BlobParameters parameters = kForks[i].parameters;
        if (overrides[i]) {
            parameters = *overrides[i];
        } else if (kForks[i].blobs == ForkBlobs::kept) {
            if (schedule.empty()) continue;
            parameters = schedule.back();
        }
        parameters.activation_time = *times[i];
        schedule.push_back(parameters);
    }
    return schedule;
}

}  // namespace heddle
