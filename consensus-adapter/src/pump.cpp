// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/pump.hpp>

#include <utility>

namespace heddle::consensus_adapter {

std::string to_string(const PumpError& error) {
    return std::visit([](const auto& cause) { return to_string(cause); }, error);
}

// One thread. Order enters the system here and nowhere else.
std::expected<executor::Summary, PumpError> pump(BlockSource& source,
                                                 executor::Executor& executor) {
    while (auto block = source.next()) {  // final, total order
        block->env.transaction_count = block->transactions.size();
        if (!executor.begin_block(std::move(block->env)))  // a mark in the stream, not a barrier
            break;                                         // drain() says which block and why
        const bool is_declared = block->object_sets.size() == block->transactions.size();
        for (std::size_t i = 0; i < block->transactions.size(); ++i) {  // waits when full
            std::optional<ObjectSet> objects;
            if (is_declared) objects = std::move(block->object_sets[i]);
            executor.submit(std::move(block->transactions[i]), std::move(objects));
        }
        executor.end_block();
    }
    auto summary = executor.drain();
    if (!summary.has_value()) return std::unexpected(PumpError{std::move(summary).error()});
    if (source.error().has_value()) return std::unexpected(PumpError{*source.error()});
    return *summary;
}

}  // namespace heddle::consensus_adapter
