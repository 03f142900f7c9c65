// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/assert.hpp>
#include <types/expected.hpp>

#include <ledger/snapshot.hpp>

#include "durable/ledger_impl.hpp"
#include "tools/snapshot_writer.hpp"

namespace heddle::ledger {

namespace {

/// The share of the ledger's memory that hashes of code may have while a snapshot is written.
constexpr std::size_t kCodesShare = 16;

}  // namespace

std::expected<std::unique_ptr<SnapshotWriter>, LedgerError> DurableLedger::begin_snapshot() {
    HEDDLE_ASSERT(!impl_->staged.has_value());
    HEDDLE_CHECK(impl_->checkpoint_now());
    const StoredHeader now = head();
    return make_snapshot_writer(*impl_->database, {now.hash, now.total_difficulty, now.header},
                                impl_->chain, impl_->options.memory_bytes / kCodesShare);
}

}  // namespace heddle::ledger
