// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The mapping of classes to threads that suits some load (Early Scheduling §3.3): sequential
// classes on few threads, concurrent ones on many, in proportion to their weights. What that means
// is one number, the load of the thread that has most.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "early/class_mapping.hpp"

namespace heddle::executor {

/// How many requests of each class are expected; by ClassId. All together below 2^32.
using ClassWeights = std::vector<std::uint64_t>;

/// Less is better; the first number decides. In parts of a request.
struct MappingCost {
    /// Of one thread: its share of concurrent classes and all requests of sequential ones, which
    /// take as long again where threads have to meet.
    std::uint64_t longest = 0;
    std::uint64_t total = 0;  // of all threads
    friend auto operator<=>(const MappingCost&, const MappingCost&) = default;
};
[[nodiscard]] MappingCost cost_of(const ClassMapping& mapping,
                                  std::span<const std::uint64_t> weights);

/// Whether all mappings can be looked at in about a millisecond.
[[nodiscard]] bool is_small_instance(const RequestClasses& classes, unsigned threads) noexcept;

/// The best of all mappings that keep the rules; of several the first one, in the order in which
/// they are enumerated.
/// @param threads  1 to kMaxThreads; is_small_instance().
[[nodiscard]] ClassMapping map_exactly(const RequestClasses& classes, unsigned threads,
                                       std::span<const std::uint64_t> weights);
/// A mapping that keeps the rules: shard after shard, the heaviest first, each on as many of the
/// threads that have least to do as seems best.
[[nodiscard]] ClassMapping map_greedily(const RequestClasses& classes, unsigned threads,
                                        std::span<const std::uint64_t> weights);
/// One or the other, by size.
[[nodiscard]] ClassMapping map_classes(const RequestClasses& classes, unsigned threads,
                                       std::span<const std::uint64_t> weights);

}  // namespace heddle::executor
