// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Published values of which it is known that they will be replaced: their attempt was overtaken,
// and the next one has not ended. What it writes is likely to be written again, so nobody should go
// on with them (Block-STM, section 3.2: ESTIMATE). Told by stamp, so that nothing has to be marked
// in the lists of versions: of a position all attempts before the one under way are such.
#pragma once

#include "state/version_list.hpp"

namespace heddle::executor {

/// Thread safety: any.
class Estimates {
public:
    /// Whether the value with this stamp is one. Out of date at once.
    [[nodiscard]] virtual bool is_estimate(Stamp stamp) const noexcept = 0;

protected:
    ~Estimates() = default;
};

}  // namespace heddle::executor
