// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "early/class_learner.hpp"

#include <algorithm>
#include <utility>

namespace heddle::executor {
namespace {

/// Blocks from one look to the next, when the stream has gone on for a while.
constexpr std::uint64_t kInterval = 16;

/// Before anything was counted: as many that write one contract as such that only pay, a few that
/// read, and some that touch more than one shard.
ClassWeights usual_weights(const RequestClasses& classes) {
    ClassWeights weights(classes.count());
    for (unsigned shard = 0; shard < classes.shards(); ++shard) {
        weights[classes.local_read(shard)] = 1;
        weights[classes.local_write(shard)] = 4;
    }
    weights[classes.moves()] = std::uint64_t{4} * classes.shards();
    weights[classes.global_read()] = 1;
    weights[classes.global_write()] = std::uint64_t{2} * classes.shards();
    return weights;
}

}  // namespace

ClassLearner::ClassLearner(const RequestClasses& classes, unsigned threads,
                           std::optional<ClassMapping> mapping)
    : classes_(classes),
      is_fixed_(mapping.has_value()),
      mapping_(is_fixed_ ? *std::move(mapping)
                         : map_classes(classes, threads, usual_weights(classes))),
      weights_(classes.count()),
      counted_(classes.count()) {}

const ClassMapping* ClassLearner::end_block() {
    if (is_fixed_ || ++blocks_ < next_look_) return nullptr;
    next_look_ = blocks_ + std::min(blocks_, kInterval);
    for (std::size_t i = 0; i < weights_.size(); ++i)
        weights_[i] = weights_[i] / 2 + std::exchange(counted_[i], 0);
    // A class of which nothing was seen may come next.
    ClassWeights expected = weights_;
    for (std::uint64_t& weight : expected)
        weight = std::max<std::uint64_t>(weight, 1);
    candidate_ = map_classes(classes_, mapping_.threads, expected);
    // A change holds up all threads once: not for less than a sixteenth.
    const std::uint64_t now = cost_of(mapping_, expected).longest;
    const bool is_better = cost_of(candidate_, expected).longest < now - now / 16;
    return is_better ? &candidate_ : nullptr;
}

}  // namespace heddle::executor
