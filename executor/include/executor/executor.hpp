// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The face that all schedulers share: a stream of blocks goes in, finished blocks come out at the
// BlockSink, always as if the transactions had run one after another. Where order comes from and
// what becomes of finished blocks is not its business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <types/ancestor.hpp>
#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/block_sink.hpp>
#include <types/chain_config.hpp>
#include <types/object.hpp>
#include <types/state_view.hpp>
#include <types/transaction.hpp>

#include <executor/options.hpp>
#include <executor/schedulers.hpp>
#include <executor/stats.hpp>

namespace heddle::executor {

/// What is known of a block and therefore checked.
enum class BlockMode : std::uint8_t {
    /// A complete block on a complete state: every rule and every claim of the header is checked.
    import,
    /// The state holds only what the block touches and nothing is known of the parent: checked are
    /// the roots of transactions and withdrawals, gas used, blob gas, bloom, requests, access list,
    /// and from Byzantium on the receipts root. Ommers count for their rewards only.
    witness,
    /// The header is being made. Given: beneficiary, timestamp, gas limit, extra data, prev_randao,
    /// nonce, parent beacon block root; the executor fills in the rest, state root included.
    propose,
    /// As `propose`, of a block that somebody else has put together: an access list that came with
    /// it is advice, of which use is made where Options::make_access_lists is set.
    decided,
};

/// A mark in the stream: a block begins.
struct BlockStart {
    BlockHeader header;
    std::vector<BlockHeader> ommers;
    std::optional<std::vector<Withdrawal>> withdrawals;  // from Shanghai on
    BlockMode mode = BlockMode::import;
    /// Size of the block's RLP in bytes where it is known (EIP-7934); 0: it is computed.
    std::size_t encoded_size_bytes = 0;
    /// RLP of the block's access list, where it came with the block (EIP-7928): its form and its
    /// hash are checked, and of a list that is not the block's it is told where it differs. Empty:
    /// the header's hash alone is compared. Before Amsterdam, where headers have no such hash, it
    /// is advice: a wrong one costs time and nothing else. Where the header is being made it is
    /// advice with BlockMode::decided, and ignored otherwise.
    Bytes access_list{};
    /// How many transactions will follow, where it is known. Only a hint.
    std::size_t transaction_count = 0;
    /// Whether all of them come with their senders, where it is known. Only a hint.
    bool are_senders_known = false;
};

/// What an executor works on. Borrowed: everything outlives the stream.
struct World {
    const ChainConfig& config;
    /// Committed state: shows what `sink` has accepted, and nothing else changes it. A parallel
    /// executor reads it from many threads, also while `sink` accepts a block.
    const StateView& state;
    /// Shows the hashes of all blocks that `sink` has accepted; read like `state`.
    const BlockHashes& block_hashes;
    BlockSink& sink;
};

/// The block on which a stream starts.
struct ChainHead {
    /// That block first, then those before it: up to kAncestorsForOmmers where ommers may occur,
    /// one suffices otherwise. Empty in witness mode only.
    std::vector<Ancestor> ancestors;
    /// Up to and including it. nullopt where unknown: a block of difficulty zero then counts as
    /// proof of stake.
    std::optional<Uint256> total_difficulty;
};
/// A stream that starts on this block, with nothing before it that matters.
[[nodiscard]] ChainHead make_chain_head(BlockHeader header,
                                        std::optional<Uint256> total_difficulty = std::nullopt);

/// Protocol: start; any number of (begin_block, submit…, end_block); drain. Then more blocks, or
/// start again. The first rejected block halts the stream until the next start().
///
/// Thread safety: one caller at a time, except stop(), which may come from any thread.
class Executor {
public:
    virtual ~Executor() = default;

    /// Begins a stream; what an earlier one left unfinished is dropped. Machines and caches of
    /// code stay warm. Counters start at zero.
    virtual void start(const World& world, ChainHead head) = 0;

    /// Begins a block. Not before start(), not inside a block.
    /// Errors: BlockErrorCode::execution_halted when an earlier block was rejected or after stop():
    ///         the block is not taken; submit() and end_block() must not follow.
    [[nodiscard]] virtual std::expected<void, BlockError> begin_block(BlockStart block) = 0;
    /// For transactions that are about to be submitted to the block that has begun: fills in who
    /// has signed them and their authorizations, where nobody has said, many at once and by all
    /// workers. Optional: what is left out is recovered one by one when it is needed, which takes
    /// up to seven times as long and changes nothing else. An executor that waits for the whole
    /// block does it then, and nothing here.
    virtual void recover_signers(std::span<Transaction> /*transactions*/) {}
    /// The next transaction of the block. Waits while the executor is full. `tx.sender` is trusted
    /// where it is filled.
    /// @param objects  What the transaction will access, as far as somebody knows; a wrong or
    ///                 missing entry costs time, never a different result. Absent: nothing known.
    virtual void submit(Transaction tx, std::optional<ObjectSet> objects) = 0;
    void submit(Transaction tx) { submit(std::move(tx), std::nullopt); }
    /// The block is complete.
    virtual void end_block() = 0;

    /// Waits until every block submitted is accepted, or one rejected.
    /// Errors: the first block's that was rejected.
    [[nodiscard]] virtual std::expected<Summary, BlockError> drain() = 0;

    /// Halts the stream as soon as possible; blocks already accepted stay accepted.
    virtual void stop() noexcept = 0;

    /// From any thread. All zero where nothing is kept.
    [[nodiscard]] virtual MemoryUse memory() const { return {}; }
};

/// The oracle: one thread, each transaction after the one before. A block runs inside its
/// end_block().
[[nodiscard]] std::unique_ptr<Executor> make_serial_executor(Options options = {});

/// Threads that execute with these options, the submitting one included; at least one.
[[nodiscard]] unsigned worker_count(const ParallelOptions& options) noexcept;

/// Binds the calling thread to the `number`-th of the processors that the process may use, counted
/// from 0 and around; does nothing where the system does not let it. A thread that is woken may be
/// put on the processor of the one that woke it and wait for the rest of its time slice, for
/// milliseconds; bound threads are not.
void bind_this_thread(unsigned number) noexcept;

/// By name; null for one that is not in schedulers(). Only the oracle supports a tracer.
[[nodiscard]] std::unique_ptr<Executor> make_executor(std::string_view scheduler,
                                                      Options options = {});

}  // namespace heddle::executor
