// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a recorded run begins: the state after the block that it was started on, in a data
// directory of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <ledger/durable_ledger.hpp>

namespace heddle::node {

struct RerunStartOptions {
    std::string recording;
    std::string datadir;   // to begin with a copy of; empty: not
    std::string snapshot;  // to begin with; empty: not
    std::string work;      // data directory to make
    std::uint64_t memory_mib = 512;
};

struct RerunStart {
    std::unique_ptr<ledger::DurableLedger> ledger;
    std::uint64_t segment = 0;  // that begins after its head
};

/// From the genesis, unless a data directory or a snapshot is named: then where the recording has a
/// start after a block that is in it, the earliest; what the directory has beyond is taken back in
/// the copy.
/// @return nullopt: it was told to stop (stop_signal.hpp) while it read or copied.
/// Errors: InputError that says what is needed; InUseError; StorageError.
[[nodiscard]] std::optional<RerunStart> start_rerun(const RerunStartOptions& options);

}  // namespace heddle::node
