// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Measures the stages of verifying and keeping blocks, each by itself: with nothing else running
// none of them waits for another, or takes its processor.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <types/genesis.hpp>

#include "benchmark/stage_model.hpp"
#include "benchmark/subject.hpp"

namespace heddle::node::benchmark {

/// The blocks in order: each is executed on the state of a ledger on disk, among the system's
/// temporary files, with a clock around every transaction, and committed before the next one
/// begins; some at a time are written while nothing else runs. So many times, each in a ledger of
/// its own, after one that warms up. It is all done again with two threads that bring tries and
/// flat state up to date, and with two that encode what is written: that tells what is shared.
/// What parallel execution takes beside executing is the processor time of the DAG with two workers
/// above that of the serial executor, both in memory: all of it is taken to be one thread's, and
/// that of threads which wait is in it.
///
/// Nothing waits for the disk: files are left to the system. Senders are a stage where the
/// transactions are signed. With one processor what needs two is left out, and nothing is
/// taken to be shared but execution and senders.
/// @param subject  One series.
/// @param genesis  That its first block follows.
/// @return  None where StopSignal is raised before the end.
/// Errors: InputError for blocks that do not follow it, and for wrong ones; StorageError.
[[nodiscard]] std::optional<std::vector<StageCost>> measure_stages(const Subject& subject,
                                                                   const Genesis& genesis,
                                                                   std::uint64_t runs);

}  // namespace heddle::node::benchmark
