// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a chain does otherwise that forks another one.
#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include "chain/chain.hpp"

namespace heddle::node {

void Chain::fork_from(const ForkBase& base, const StateDiff& first_own) {
    HEDDLE_ASSERT(amended_ == nullptr && ledger_.first_block() == base.number() + 1);
    fork_ = std::make_unique<ForkedState>(base, ledger_, first_own);
}

std::expected<std::unique_ptr<ledger::PastState>, ledger::LedgerError> Chain::own_state_at(
    std::uint64_t number) const {
    if (!fork_) return ledger_.state_at(number);
    // Counted first: a state from before blocks were taken back must not pass for one after it.
    const std::uint64_t rewinds = fork_->rewinds();
    HEDDLE_TRY(auto own, ledger_.state_at(number));
    return std::make_unique<ForkedPastState>(std::move(own), *fork_, number, rewinds);
}

void Chain::move_ledger(const std::function<void()>& move,
                        const std::function<void(ForkMarks&)>& change) {
    if (!fork_) return move();
    fork_->change([&](ForkMarks& marks) {
        move();
        change(marks);
    });
}

}  // namespace heddle::node
