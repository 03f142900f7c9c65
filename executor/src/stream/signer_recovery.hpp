// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Who has signed a block's transactions and authorizations, where nobody has said: recovered before
// the block runs, by all workers, many signatures at once. One by one, where a transaction needs
// it, that takes up to seven times as long.
//
// BatchBarrier hands out the pieces, and tells whoever settles the last one, who stores
// `is_over_` (release). The executing thread waits for that (acquire), and changes what belongs to
// the round only then and before start(): who has taken no piece touches nothing but the barrier.
#pragma once

#include <span>

#include <types/sender_recovery.hpp>
#include <types/transaction.hpp>

#include "workers/atomics.hpp"
#include "workers/batch_barrier.hpp"
#include "workers/worker_parking.hpp"

namespace heddle::executor {

/// Thread safety: run() by one thread at a time; the rest any.
class SignerRecovery {
public:
    /// @param helpers  Told of new work, outlives it. Null: there is nobody else to do it.
    explicit SignerRecovery(WorkerParking* helpers) noexcept : helpers_(helpers) {}

    /// Fills senders and authorities in, and returns when all are; a signature that nobody can have
    /// made stays without. Waits for nobody but those who recover a piece, a millisecond or less.
    void run(std::span<Transaction> transactions);

    /// Recovers one piece. @return whether there was any.
    bool run_once();
    /// Sequentially consistent, see ParkingLot.
    [[nodiscard]] bool has_work() const noexcept { return pieces_.left() != 0; }

private:
    WorkerParking* const helpers_;
    UnknownSigners unknown_;  // of the round
    BatchBarrier pieces_;
    alignas(64) StreamAtomics::Atomic<bool> is_over_{true};
};

}  // namespace heddle::executor
