// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How the threads of early scheduling wait for each other, and what they do meanwhile: the
// execution models of the paper, as what they have in common and what not.
#pragma once

#include <cstdint>

#include "early/meeting.hpp"

namespace heddle::executor {

enum class ThreadModel : std::uint8_t {
    barrier,       // algorithm 2
    busy_wait,     // algorithm 4
    conservative,  // algorithm 7: barriers; steals with nothing of its own to do
    moderate,      // §4.2: marks, then a barrier; steals also while it gathers
    aggressive,    // §4.2: marks alone; looks for a victim from its own place on
    optimistic,    // algorithm 8: the same, and looks before it locks
};

struct ThreadTraits {
    MeetingRules meetings;
    bool steals = false;
    bool steals_while_gathering = false;  // what conflicts with none that it waits for
    bool begins_with_next = false;        // victims: from its own place on, instead of from 0
    bool looks_before_locking = false;
};

[[nodiscard]] constexpr ThreadTraits traits_of(ThreadModel model) noexcept {
    const bool steals = model >= ThreadModel::conservative;
    const bool meets_at_marks = model == ThreadModel::busy_wait || model >= ThreadModel::moderate;
    return {
        .meetings = {.gathers_at_barrier = !meets_at_marks,
                     .leaves_at_barrier = !meets_at_marks || model == ThreadModel::moderate},
        .steals = steals,
        .steals_while_gathering = model >= ThreadModel::moderate,
        .begins_with_next = model >= ThreadModel::aggressive,
        .looks_before_locking = model == ThreadModel::optimistic,
    };
}

}  // namespace heddle::executor
