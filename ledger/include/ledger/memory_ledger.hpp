// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The ledger in memory: committed state, its tries, and the chain down from the head. Nothing is
// durable. It is what replay and the test tools commit to, and the oracle of the ledger on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <optional>
#include <shared_mutex>
#include <vector>

#include <ledger/memory_state.hpp>
#include <ledger/state_root.hpp>
#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/block_sink.hpp>
#include <types/genesis.hpp>
#include <types/hash.hpp>
#include <types/receipt.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>
#include <types/uint256.hpp>

namespace heddle::ledger {

struct MemoryLedgerOptions {
    /// Headers kept below the head. BLOCKHASH reaches 256 back, so fewer are raised to that.
    std::size_t header_count = 256;
    /// Keeps every header, body and receipt since initialize(), in place of header_count headers.
    bool keep_blocks = false;
};

/// One block of the chain as the ledger holds it.
struct CommittedBlock {
    BlockHeader header;
    Hash hash;
    Uint256 total_difficulty;  // of the chain from genesis (or the start given) up to this block
    /// Empty unless MemoryLedgerOptions::keep_blocks; never there for the first block.
    std::vector<Transaction> transactions;
    std::vector<BlockHeader> ommers;
    std::optional<std::vector<Withdrawal>> withdrawals;
    std::vector<Receipt> receipts;
};

/// Thread safety: one caller at a time, but for reads: state(), as MemoryState allows, and
/// block_hash() may come from any number of threads, also while another commits. commit() keeps
/// them out only while it changes the flat state, not while it hashes tries.
/// Invariants: 1. initialize() comes first; 2. kept blocks are consecutive, the head is the last;
/// 3. the root of the tries is the root of state(), with what is foreseen on top.
class MemoryLedger final : public BlockSink, public BlockHashes {
public:
    explicit MemoryLedger(MemoryLedgerOptions options = {});

    /// Starts a chain: sets the allocation and fills in the header's state root. Forgets what was.
    /// @return the genesis block; valid until the next commit().
    const CommittedBlock& initialize(const Genesis& genesis);
    /// Starts at any block, whose header is taken as it is.
    /// @param state             World state after that block.
    /// @param total_difficulty  Up to and including that block.
    const CommittedBlock& initialize(MemoryState state, const BlockHeader& header,
                                     const Uint256& total_difficulty);

    /// As BlockSink. Where the root is not to be checked, the header is kept with the root computed
    /// here, and hashed with it.
    /// @return also BlockErrorCode::unknown_parent or invalid_number if the block is not the head's
    /// child.
    [[nodiscard]] std::expected<Hash, BlockError> commit(FinishedBlock block) override;

    /// As BlockSink: the tries go ahead, and back again if something else comes.
    void foresee(const Hash& parent, const StateDiff& diff) override;

    /// As BlockSink. Applies the diff to the tries and takes it back, so it is not for concurrent
    /// use.
    [[nodiscard]] Hash state_root_with(const StateDiff& diff) override;

    /// Committed state after the head. The reference stays good over commits.
    [[nodiscard]] const MemoryState& state() const noexcept { return state_; }
    [[nodiscard]] const Hash& state_root() const noexcept { return root_; }
    /// kEmptyTrieRoot for an account without storage and one that does not exist. Not while a block
    /// is foreseen.
    [[nodiscard]] Hash storage_root(const Address& address) const noexcept {
        return trie_.storage_root(address);
    }

    /// Valid until the next commit().
    [[nodiscard]] const CommittedBlock& head() const noexcept;
    /// nullptr: not kept. Valid until the next commit().
    [[nodiscard]] const CommittedBlock* block(std::uint64_t number) const noexcept;
    /// As BlockHashes: a block that is not kept is fatal(), for a wrong hash would become a wrong
    /// state.
    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override;

private:
    /// Makes the tries those of state().
    void set_tries();
    const CommittedBlock& start(const BlockHeader& header, const Uint256& total_difficulty);
    void append(FinishedBlock block, const Hash& hash);
    /// Takes back what foresee() did, if it did anything.
    void drop_foreseen();
    /// Moves the tries by `diff`, unless foresee() has done just that. @return the root after it.
    [[nodiscard]] Hash move_tries(const StateDiff& diff);

    const MemoryLedgerOptions options_;
    MemoryState state_;
    StateTrie trie_;
    Hash root_ = kEmptyTrieRoot;         // of state()
    std::optional<StateDiff> foreseen_;  // on top of state(), in the tries already
    // Written by the committing thread under an exclusive lock; read by it without, by block_hash()
    // under a shared one.
    mutable std::shared_mutex chain_mutex_;
    std::deque<CommittedBlock> chain_;
};

}  // namespace heddle::ledger
