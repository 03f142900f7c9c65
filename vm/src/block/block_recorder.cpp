// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/block_recorder.hpp>

#include <utility>

namespace heddle::vm {

void ObjectSetRecorder::record(const BlockStep& step) {
    if (!step.is_transaction) return;
    std::optional<Address> fee_recipient;
    if (step.deferred_fee.has_value()) fee_recipient = step.deferred_fee->recipient;
    sets_.push_back(step.accesses.object_set(fee_recipient));
}

std::vector<ObjectSet> ObjectSetRecorder::take() noexcept {
    return std::exchange(sets_, {});
}

}  // namespace heddle::vm
