// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/block_costs.hpp"

#include <algorithm>
#include <chrono>

#include <measure/statistics.hpp>
#include <types/block_error.hpp>
#include <types/transaction_error.hpp>
#include <vm/block.hpp>

#include "chain/overlay_state.hpp"
#include "program/error.hpp"

namespace heddle::node::benchmark {
namespace {

using Clock = std::chrono::steady_clock;

vm::EvmOptions options_for(NativeContracts natives) {
    vm::EvmOptions options;
    options.decode_after_entries = vm::kDecodeAfterEntries;
    options.code_cache = make_code_cache(natives);
    return options;
}

}  // namespace

TransactionClock::TransactionClock(NativeContracts natives) : evm_(options_for(natives)) {}

StateDiff TransactionClock::run(const Series& series, const KnownBlock& block,
                                const StateView& state, TransactionTimes* times) {
    OverlayState overlay(state);
    const KnownHashes hashes(series.hashes);
    const BlockHeader& header = block.start.header;
    const bool is_merged = vm::is_merged(header, std::nullopt, series.config);
    const BlockEnv env = vm::make_block_env(header, series.config, is_merged);
    const auto begun = execution_.begin({.header = header,
                                         .env = env,
                                         .config = series.config,
                                         .block_hashes = hashes,
                                         .access_list = vm::AccessListMaking::never},
                                        overlay, evm_);
    if (!begun) fail_input("{}", to_string(begun.error()));
    for (std::size_t i = 0; i < block.transactions.size(); ++i) {
        const auto start = Clock::now();
        const auto done = execution_.run(block.transactions[i], evm_, outcome_);
        const std::chrono::duration<double, std::nano> took = Clock::now() - start;
        if (!done) fail_input("{}", to_string(done.error()));
        execution_.keep(outcome_);
        if (times != nullptr) (*times)[i].push_back(took.count());
    }
    Block ending;
    ending.header = header;
    ending.ommers = block.start.ommers;
    ending.withdrawals = block.start.withdrawals;
    if (auto ended = execution_.end(vm::ending_of(ending, env.revision), evm_); !ended)
        fail_input("{}", to_string(ended.error()));
    return overlay.take_diff();
}

executor::BlockGraph make_graph(const KnownBlock& block, const TransactionTimes& times) {
    std::vector<std::uint64_t> costs;
    std::vector<Address> senders;
    for (std::size_t i = 0; i < times.size(); ++i) {
        costs.push_back(static_cast<std::uint64_t>(std::max(measure::median(times[i]), 1.0)));
        senders.push_back(block.transactions[i].sender.value_or(Address{}));
    }
    return executor::make_block_graph(block.object_sets, costs, senders);
}

}  // namespace heddle::node::benchmark
