// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the options leave to the executor: choices by the machine and by the block. None of them
// changes a result.
#pragma once

#include <memory>
#include <vector>

#include <executor/executor.hpp>
#include <executor/options.hpp>

#include <vm/evm.hpp>

#include "stream/worker.hpp"

namespace heddle::executor {

/// Threads of the dispatcher, the submitting one included.
[[nodiscard]] unsigned pipeline_threads(const ParallelOptions& options);
/// The machine of a worker: its accesses are recorded, its fees deferred.
[[nodiscard]] vm::EvmOptions worker_evm_options(const Options& options);

/// As many as the options say, the owning thread's first; their cache of code is one.
[[nodiscard]] std::vector<std::unique_ptr<Worker>> make_workers(const Options& options,
                                                                bool leave_blooms = true);

/// Whether streams that parallelism does nothing for may be left to the serial executor.
[[nodiscard]] bool can_run_serially(const ParallelOptions& options) noexcept;
/// Whether handing the block over takes as long as what is handed over, by what was announced and
/// claimed.
/// @param is_alone  Of a stream of small blocks the next one can be run meanwhile.
[[nodiscard]] bool is_small(const BlockStart& block, bool is_alone) noexcept;
/// The same by what it holds: it takes less than some hundred microseconds, of which waking others
/// takes a large share.
/// @param transaction_count  0: unknown, or there are none.
[[nodiscard]] bool is_small(std::size_t transaction_count, std::uint64_t gas) noexcept;
/// Whether the block holds little else than plain transfers of known senders, by what was announced
/// and claimed: executing one of them takes less than having it executed elsewhere, and less than
/// hashing what it leaves in the block's tries.
[[nodiscard]] bool is_light(const BlockStart& block) noexcept;

}  // namespace heddle::executor
