// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/pump.hpp>

#include <utility>

namespace heddle::consensus_adapter {

std::string to_string(const PumpError& error) {
    return std::visit([](const auto& cause) { return to_string(cause); }, error);
}

// One thread. Order that is decided already enters here; an engine drives an Application instead.
std::expected<executor::Summary, PumpError> pump(BlockSource& source,
                                                 executor::Executor& executor) {
    while (auto block = source.next())                    // final, total order
        if (!executor::run(executor, *std::move(block)))  // waits when the executor is full
            break;                                        // drain() says which block and why
    auto summary = executor.drain();
    if (!summary.has_value()) return std::unexpected(PumpError{std::move(summary).error()});
    if (source.error().has_value()) return std::unexpected(PumpError{*source.error()});
    return *summary;
}

}  // namespace heddle::consensus_adapter
