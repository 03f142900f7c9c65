// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "inputs/placed_source.hpp"

namespace heddle::node {

std::optional<consensus_adapter::OrderedBlock> PlacedSource::next() {
    std::optional<consensus_adapter::OrderedBlock> block = inner_.next();
    if (block.has_value()) {
        const std::lock_guard lock{mutex_};
        ends_.push_back(inner_.progress().bytes_done);
    }
    return block;
}

double PlacedSource::done() {
    const std::lock_guard lock{mutex_};
    const auto total = static_cast<double>(inner_.progress().bytes_total);
    const auto end = static_cast<double>(ends_.front());
    ends_.pop_front();
    return total == 0 ? 0 : end / total;
}

}  // namespace heddle::node
