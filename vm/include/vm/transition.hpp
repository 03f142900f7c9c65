// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Phases 2 to 4 of a transaction: buy gas, execute the message, refund and pay (YP 6.2, Υ).
#pragma once

#include <cstdint>
#include <optional>

#include <types/block.hpp>
#include <types/receipt.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>
#include <types/transaction.hpp>
#include <types/transaction_error.hpp>

#include <vm/access.hpp>
#include <vm/evm.hpp>
#include <vm/status.hpp>
#include <vm/validate.hpp>

namespace heddle::vm {

/// Gas that counts towards a block's limit. It has two dimensions from Amsterdam on, each of which
/// may take the whole limit; before, all of it is for execution (EIP-8037).
struct BlockGasUsed {
    std::uint64_t execution = 0;  // before refunds from Amsterdam on (EIP-7778)
    std::uint64_t state = 0;
    friend bool operator==(const BlockGasUsed&, const BlockGasUsed&) = default;
};

struct Outcome {
    Status status = Status::success;
    /// `gas_used` of this transaction; `cumulative_gas_used` is left to the block's assembler.
    Receipt receipt;
    /// What it takes of the block's gas: not what the sender pays, which is the receipt's.
    BlockGasUsed block_gas;
    /// Gas used before refunds: what the gas limit must be at least. From Amsterdam on that is
    /// state gas as well, and more may be needed where state was made and is gone again.
    std::uint64_t peak_gas = 0;
    /// Of this, by what took executing, as Supervisor counts it. Also where it was stopped.
    std::uint64_t executed_gas = 0;
    /// Returned or reverted data of the outermost call; the deployed code's address is in the
    /// receipt.
    Bytes output;
    /// Every change, fees included but for `deferred_fee`.
    StateDiff diff;
    /// What the beneficiary still has to get, in wei, zero included: EvmOptions::defer_fees was set
    /// and the transaction had nothing else to do with the beneficiary. Absent: it has it.
    std::optional<Uint256> deferred_fee;
    /// Filled where EvmOptions::record_accesses is set.
    AccessRecord accesses;
};

/// Executes one validated transaction against a fixed view of the world (YP 6.2, Υ).
///
/// Pure: reads only through `view` and `block_hashes`, writes nothing; every change is in the diff.
///
/// @param view          World state as seen by this transaction's place in the serial order.
/// @param block_hashes  For BLOCKHASH.
/// @param env           Block-level values; prices in wei.
/// @param tx            Output of validate() against the same view and env.
/// @param evm           The calling worker's machine.
/// @param outcome       Overwritten; its buffers are reused.
/// Errors:        none: revert, out-of-gas and bad jumps are outcomes, see `outcome.status`. Where
///                a supervisor ended it (Evm::supervise()), the status is Status::stopped and the
///                rest of the outcome empty but for `executed_gas`.
/// Thread safety: concurrent calls need distinct `evm` and `outcome`; `view` must allow concurrent
///                reads.
/// Complexity:    bounded by tx.gas_limit; allocates only what the outcome holds, after warm-up.
/// Spec:          YP 6.2, 8, 9; EIP-1559, 2929, 3529, 7623, 7702, 7708, 7778, 8037.
void transition(const StateView& view, const BlockHashes& block_hashes, const BlockEnv& env,
                const ValidTransaction& tx, Evm& evm, Outcome& outcome) noexcept;

}  // namespace heddle::vm
