// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Putting a block together on many threads: candidates are executed in batches on the state as it
// is, and the order of the block is what most of them agree with (Aria §5). What comes out is the
// block that serial execution of that order gives. Where candidates come from and what becomes of
// the block is the caller's business; the state root is not computed here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <vector>

#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/block_sink.hpp>
#include <types/chain_config.hpp>
#include <types/object.hpp>
#include <types/state_view.hpp>
#include <types/transaction.hpp>
#include <types/transaction_error.hpp>

#include <executor/options.hpp>

namespace heddle::executor {

class ScheduleObserver;

/// A transaction that may go into the block.
struct Candidate {
    const Transaction* tx = nullptr;  // with its sender; stays where it is until select() ends
    std::size_t size_bytes = 0;       // what it takes of BuildLimits::max_bytes
};

/// Candidates, best first, those of one sender in nonce order.
class CandidateSource {
public:
    virtual ~CandidateSource() = default;
    /// nullopt: there are no more.
    [[nodiscard]] virtual std::optional<Candidate> next() = 0;
    /// Those behind the one given last, of the same sender, are not wanted.
    virtual void skip_sender() = 0;
};

struct BuildOptions {
    /// Interpreter, code cache and `parallel.workers` count.
    Options executor;
    /// How far a transaction may stand behind others that pay less, in percent of what it pays the
    /// proposer per gas: those that pay at least the rest of it, and no others. 0 to 100; 0: only
    /// those that pay the same. Where a sender's earlier transaction pays less than a later one,
    /// the later counts as paying no more.
    unsigned fee_tolerance_percent = 20;
    std::uint32_t batch = 0;  // most transactions of a batch; 0: adapted from what is aborted
    /// Whether a transaction may go in before those of its batch that it would have stood behind
    /// (rule 2, Aria §5.2), or only as it stands (rule 1, Aria §4). To measure what that gains.
    bool reorders = true;
};

/// The block that is to be put together.
struct BuildStart {
    BlockHeader header;  // as next_header() gives it
    BlockEnv env;        // what transactions see of it
    std::vector<Withdrawal> withdrawals;
    bool makes_access_list = false;  // also where no rule demands one
};
/// Whether so little is left of a block's gas or bytes that it is not worth looking far for what
/// still fits.
[[nodiscard]] constexpr bool is_nearly_full(std::uint64_t left, std::uint64_t whole) noexcept {
    return left <= whole / 32;
}
/// Whether a transaction that is refused may go into a later block as it is.
[[nodiscard]] constexpr bool is_misfit(TransactionError error) noexcept {
    return error == TransactionError::gas_limit_above_block ||
           error == TransactionError::blob_gas_above_block ||
           error == TransactionError::access_list_full;
}
/// Whether it is seen only once the transaction has been executed, for which nobody pays then.
[[nodiscard]] constexpr bool is_forfeited(TransactionError error) noexcept {
    return error == TransactionError::malformed_deposit ||
           error == TransactionError::access_list_full;
}
struct BuildLimits {
    std::size_t max_bytes = 0;  // of all transactions together
    /// Transactions that do not fit a nearly full block before no more are tried. While there is
    /// much room others may fit, however many do not.
    unsigned max_misfits = 50;
};

/// What building has done, in numbers of transactions and in gas as ParallelStats counts it.
struct BuildStats {
    std::uint64_t batches = 0;
    std::uint64_t attempts = 0;   // executions on the state before their batch, or a round of it
    std::uint64_t aborted = 0;    // of these, those that did not go in as they were
    std::uint64_t reordered = 0;  // that went in before one that they would have stood behind
    std::uint64_t in_order = 0;   // executed at their place
    std::uint64_t attempted_gas = 0;
    std::uint64_t wasted_gas = 0;
    std::uint64_t in_order_gas = 0;
};

/// A candidate that cannot be executed where the block stood when it was its turn, or that does not
/// fit (is_misfit()) though nothing stood in the block.
struct RejectedCandidate {
    std::size_t candidate = 0;
    TransactionError error{};
};

/// Candidates are numbered from 0 in the order in which the source gave them.
struct Selection {
    std::vector<std::size_t> chosen;     // in the order of the block
    std::vector<ObjectSet> object_sets;  // of these
    std::vector<RejectedCandidate> rejected;
    BuildStats stats;
};

/// Protocol: begin(), select() once, finish(); or begin() again, which drops what there was.
///
/// The same candidates on the same state give the same block, whatever workers and timing.
///
/// What is executed in vain is at most what the chosen ones cost and half of the block's gas limit,
/// in gas. What fails only after it was executed (is_forfeited()) takes of the block's room,
/// besides, though the block does not have it.
///
/// Thread safety: one thread at a time; it is one of the workers.
class BlockBuilding {
public:
    virtual ~BlockBuilding() = default;

    /// Errors: a system call at the block's beginning fails.
    [[nodiscard]] virtual std::expected<void, BlockError> begin(BuildStart start) = 0;
    /// Fills the block. Nothing of a transaction that is not chosen is left in it.
    [[nodiscard]] virtual Selection select(CandidateSource& source, const BuildLimits& limits) = 0;
    /// Ends the block.
    /// @param transactions  Those chosen, in their order.
    /// @return the block, whose header lacks the state root only, without object sets.
    /// Errors: a system call at its end fails.
    [[nodiscard]] virtual std::expected<FinishedBlock, BlockError> finish(
        std::vector<Transaction> transactions) = 0;
};

/// What a block is put together on. Borrowed: everything outlives the building; the state allows
/// concurrent reads, and stays as it is from begin() to finish().
struct BuildWorld {
    const ChainConfig& config;
    const StateView& state;
    const BlockHashes& block_hashes;
};
/// @param observer  Told of every run of each transaction that is chosen, when it is; outlives the
///                  building. Null: nobody watches.
[[nodiscard]] std::unique_ptr<BlockBuilding> make_block_building(
    const BuildWorld& world, BuildOptions options, ScheduleObserver* observer = nullptr);

}  // namespace heddle::executor
