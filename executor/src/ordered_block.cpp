// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <executor/ordered_block.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <types/expected.hpp>

namespace heddle::executor {

OrderedBlock make_ordered_block(Block block, BlockMode mode) {
    OrderedBlock ordered;
    ordered.start.header = std::move(block.header);
    ordered.start.ommers = std::move(block.ommers);
    ordered.start.withdrawals = std::move(block.withdrawals);
    ordered.start.mode = mode;
    ordered.transactions = std::move(block.transactions);
    return ordered;
}

std::expected<void, BlockError> run(Executor& executor, OrderedBlock block) {
    const std::size_t count = block.transactions.size();
    const bool is_declared = block.object_sets.size() == count;
    block.start.transaction_count = count;
    block.start.are_senders_known = std::ranges::all_of(
        block.transactions, [](const Transaction& tx) { return tx.sender.has_value(); });
    HEDDLE_CHECK(executor.begin_block(std::move(block.start)));  // a mark, not a barrier
    executor.recover_signers(block.transactions);
    for (std::size_t i = 0; i < count; ++i) {  // waits when full
        std::optional<ObjectSet> objects;
        if (is_declared) objects = std::move(block.object_sets[i]);
        executor.submit(std::move(block.transactions[i]), std::move(objects));
    }
    executor.end_block();
    return {};
}

}  // namespace heddle::executor
