// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "parallel_settings.hpp"

#include <algorithm>

#include <types/processors.hpp>

#include "stream/dispatch_pipeline.hpp"
#include "stream/open_header.hpp"
#include "workers/code_cache_mutex.hpp"

namespace heddle::executor {
namespace {

// A small block with nothing else in flight is run in stream order.
constexpr std::size_t kSmallBlock = 3;  // transactions
constexpr std::uint64_t kSmallBlockGas = 1'000'000;
// The same, of few transactions, or of nearly nothing but plain transfers.
constexpr std::uint64_t kSmallSimpleBlockGas = 2'000'000;
constexpr std::size_t kFewTransactions = 16;
constexpr std::uint64_t kNearlyPlainGas = 25'000;  // for each transaction
// The same of any block: executing takes about as long as hashing the leaves.
constexpr std::uint64_t kLightGas = 30'000;

constexpr unsigned kManyProcessors = 8;

}  // namespace

unsigned worker_count(const ParallelOptions& options) noexcept {
    const unsigned processors = processor_count();
    // Where there are many, one is left to the dispatcher.
    if (options.workers == 0) return processors < kManyProcessors ? processors : processors - 1;
    return options.may_outnumber_processors ? options.workers
                                            : std::min(options.workers, processors);
}

/// Where threads would outnumber processors, stages are better fused: a worker that looks for work
/// would keep the dispatcher from making some.
unsigned pipeline_threads(const ParallelOptions& options) {
    if (options.pipeline != 0) return std::min(options.pipeline, kDispatchStages + 1);
    const unsigned processors = processor_count();
    return processors >= kManyProcessors && worker_count(options) < processors ? 2 : 1;
}

vm::EvmOptions worker_evm_options(const Options& options) {
    vm::EvmOptions result;
    result.engine = options.interpreter == Interpreter::fast ? vm::Engine::fast : vm::Engine::plain;
    result.code_cache =
        options.code_cache != nullptr ? options.code_cache : make_shared_code_cache();
    result.decode_after_entries = vm::kDecodeAfterEntries;
    result.record_accesses = true;
    result.defer_fees = true;
    result.leave_blooms = true;
    return result;
}

std::vector<std::unique_ptr<Worker>> make_workers(const Options& options, bool leave_blooms) {
    vm::EvmOptions evm = worker_evm_options(options);  // the code cache is shared
    evm.leave_blooms = leave_blooms;
    std::vector<std::unique_ptr<Worker>> workers;
    for (unsigned i = 0; i < worker_count(options.parallel); ++i) {
        workers.push_back(std::make_unique<Worker>(i, evm));
        workers.back()->delays = options.parallel.delay_seed + i;
    }
    return workers;
}

bool can_run_serially(const ParallelOptions& options) noexcept {
    return options.run_chains_inline && options.delay_seed == 0;
}

bool is_small(const BlockStart& block, bool is_alone) noexcept {
    const std::size_t count = block.transaction_count;
    // A large transaction is run beside those of other blocks, if there are any.
    if (is_alone && count == 1) return true;
    if (count != 0 && count <= kSmallBlock && block.header.gas_used <= kSmallSimpleBlockGas)
        return true;
    if (!is_alone || makes_header(block.mode)) return false;
    return is_small(count, block.header.gas_used);
}

bool is_small(std::size_t transaction_count, std::uint64_t gas) noexcept {
    const bool are_few = transaction_count != 0 && transaction_count <= kFewTransactions;
    const bool is_simple = are_few || gas <= transaction_count * kNearlyPlainGas;
    return gas <= (is_simple ? kSmallSimpleBlockGas : kSmallBlockGas);
}

bool is_light(const BlockStart& block) noexcept {
    return !makes_header(block.mode) && block.are_senders_known &&
           block.header.gas_used <= block.transaction_count * kLightGas;
}

}  // namespace heddle::executor
