// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which mapping is in use, and when another one is taken: weights are counted from the stream, and
// classes are mapped anew at ends of blocks only. So it follows from the stream and the settings
// what is decided.
#pragma once

#include <cstdint>
#include <optional>

#include "early/class_mapping.hpp"
#include "early/mapping_optimizer.hpp"

namespace heddle::executor {

/// Thread safety: the dispatching thread.
class ClassLearner {
public:
    /// `mapping`: one that stays; without it, one that is made for what is usual, and then for what
    /// was counted.
    ClassLearner(const RequestClasses& classes, unsigned threads,
                 std::optional<ClassMapping> mapping);

    [[nodiscard]] const ClassMapping& mapping() const noexcept { return mapping_; }
    /// One more request of the class.
    void count(ClassId id) noexcept { ++counted_[id]; }
    /// A block has ended. @return a mapping that would be clearly better; or null.
    [[nodiscard]] const ClassMapping* end_block();
    /// The mapping that end_block() has returned is used from here on.
    void change() { mapping_ = candidate_; }

private:
    const RequestClasses classes_;
    const bool is_fixed_;
    ClassMapping mapping_;
    ClassMapping candidate_;
    ClassWeights weights_;  // of the blocks before, older ones less
    ClassWeights counted_;  // since
    std::uint64_t blocks_ = 0;
    std::uint64_t next_look_ = 1;  // after so many blocks
};

}  // namespace heddle::executor
