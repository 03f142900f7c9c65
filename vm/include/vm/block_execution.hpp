// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The one place where a block runs: what happens before its first transaction, the transactions in
// order, what happens after the last, and what all of that adds up to. Where the state comes from,
// who runs the transactions and what becomes of the block are the caller's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <types/address.hpp>
#include <types/block.hpp>
#include <types/block_access_list.hpp>
#include <types/block_error.hpp>
#include <types/chain_config.hpp>
#include <types/receipt.hpp>
#include <types/receipt_blooms.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>
#include <types/transaction.hpp>
#include <types/transaction_error.hpp>
#include <types/uint256.hpp>

#include <vm/access.hpp>
#include <vm/access_list_recorder.hpp>
#include <vm/block_recorder.hpp>
#include <vm/evm.hpp>
#include <vm/mutable_state.hpp>
#include <vm/transition.hpp>
#include <vm/validate.hpp>

namespace heddle::vm {

struct StepChanges;
struct SystemCallOutcome;
struct SystemContract;

/// The first revision whose blocks an access list can describe. Before, accounts may be there and
/// empty (EIP-161), which no list tells, and receipts carry roots of states in between (EIP-658).
inline constexpr Revision kAccessListsSince = Revision::byzantium;

/// Of which blocks the access lists are made.
enum class AccessListMaking : std::uint8_t {
    never,     // neither check() nor fill() may follow where the header has one
    required,  // where the header has one (EIP-7928)
    always,    // from kAccessListsSince on
};

/// What a block runs in. Borrowed: everything but `state_root` outlives the block's execution.
struct BlockContext {
    /// Used of it: number, parent hash, parent beacon block root, hash of the access list.
    const BlockHeader& header;
    const BlockEnv& env;
    const ChainConfig& config;
    const BlockHashes& block_hashes;
    /// May be null.
    BlockRecorder* recorder = nullptr;
    /// Where the access list is made, the machines that run the block are told to record accesses,
    /// and what accept() takes over has to come with them.
    AccessListMaking access_list = AccessListMaking::required;
    /// Whether end() refuses an access list with more items than the gas limit pays for (EIP-7928).
    /// A simulated block need not be valid.
    bool bounds_access_list = true;
    /// Whether the header's parent hash is one: a block that is made up may come without, and then
    /// none is kept of its parent (EIP-2935).
    bool has_parent_hash = true;
    /// The root of the state as it is, asked for after each transaction before Byzantium, whose
    /// receipts carry it (EIP-658 put the status in its place). Empty where nobody knows it.
    std::function<Hash()> state_root{};
};

/// Where block rewards go (YP 11.3).
struct OmmerReward {
    Address beneficiary;
    std::uint64_t depth = 1;  // the block's number less the ommer's: 1 to 6
};

/// What a block hands out after its last transaction.
struct BlockEnding {
    /// Wei for the beneficiary; with it come the shares for ommers. nullopt: nobody gets anything.
    std::optional<Uint256> reward{};
    std::vector<OmmerReward> ommers{};
    std::span<const Withdrawal> withdrawals{};  // EIP-4895; borrowed
};
/// What the rules of `revision` say of this block, whose withdrawals are borrowed.
[[nodiscard]] BlockEnding ending_of(const Block& block, Revision revision);

/// Static block reward in wei (EIP-649, 1234); nullopt from Paris on (EIP-3675).
[[nodiscard]] std::optional<Uint256> block_reward(Revision revision) noexcept;

/// A block's access list (EIP-7928).
struct MadeAccessList {
    Bytes encoded;  // RLP
    Hash hash;      // KEC of it; without meaning where the header has none
};

/// What running a block has given.
struct BlockResult {
    Revision revision = kLatestRevision;
    std::vector<Receipt> receipts;
    /// That the header claims: from Amsterdam on the greater of the two dimensions (EIP-8037),
    /// before the sum of what senders pay, which is the last receipt's cumulative gas.
    std::uint64_t gas_used = 0;
    BlockGasUsed gas;                 // by dimension
    std::uint64_t blob_gas_used = 0;  // EIP-4844
    LogsBloom logs_bloom;
    /// In order of type, each `type || data`, empty ones left out (EIP-7685); none before Prague.
    std::vector<Bytes> requests;
    /// After the end, where it was made; see BlockContext::access_list.
    std::optional<MadeAccessList> access_list;
};

/// Protocol: begin; any number of (add | run, keep | run, forfeit | accept); end, or its two halves
/// end_without_list and make_access_list; then begin again. After an error of begin() or of an end
/// only begin() may follow; after one of add() or run() the block is as before.
///
/// Pure: reads through the state and `block_hashes`, changes nothing but the state.
/// Thread safety: none, but that the receipts in result() may be read by others once they are told
/// of: up to the number reserved they stay as and where they are.
class BlockExecution {
public:
    /// Before the first transaction: the DAO fork's transfers, the system calls of EIP-4788 and
    /// EIP-2935.
    /// @param evm  Runs the system calls.
    [[nodiscard]] std::expected<void, BlockError> begin(const BlockContext& context,
                                                        MutableState& state, Evm& evm);
    /// Makes room for the receipts of so many transactions.
    void reserve(std::size_t transaction_count) { result_.receipts.reserve(transaction_count); }

    /// What is left of the block's limits for the next transaction.
    [[nodiscard]] BlockGas left() const noexcept {
        return {context_->env.gas_limit - result_.gas.execution - forfeited_.execution,
                context_->env.gas_limit - result_.gas.state - forfeited_.state,
                context_->env.max_blob_gas_per_block - result_.blob_gas_used};
    }
    /// Validates and executes the next transaction, and keeps what it did.
    /// @param outcome  Overwritten; its buffers are reused. Its receipt is moved out.
    [[nodiscard]] std::expected<void, TransactionError> add(const Transaction& tx, Evm& evm,
                                                            Outcome& outcome);
    /// The first half of add(): nothing is changed, so that the state can still be looked at.
    [[nodiscard]] std::expected<void, TransactionError> run(const Transaction& tx, Evm& evm,
                                                            Outcome& outcome) const noexcept;
    /// For who makes the block, in between: whether end() will take what the transaction has done.
    /// @param withdrawals  As many as end() is going to be given.
    /// Errors: malformed_deposit, where no block can have the transaction; access_list_full, where
    /// this one cannot, behind what is in it already.
    [[nodiscard]] std::expected<void, TransactionError> check_end(const Outcome& outcome,
                                                                  std::size_t withdrawals) const;
    /// Instead of the second half: the transaction is not kept, and nobody pays for it. What it
    /// has taken is gone from left(), so that no more than the gas limit is executed for nothing.
    void forfeit(const Outcome& outcome) noexcept;
    /// The second half.
    void keep(Outcome& outcome);
    /// The next transaction was executed elsewhere, and its changes are in the state already.
    void accept(Outcome& outcome);

    /// After the last transaction: rewards, withdrawals, requests (EIP-6110, 7002, 7251, 8282).
    /// Errors: a system call that must not fail did, a deposit is malformed, or the access list has
    ///         more items than the gas limit allows (EIP-7928).
    [[nodiscard]] std::expected<void, BlockError> end(const BlockEnding& ending, Evm& evm);
    /// The same, but that an access list which comes about is left to make_access_list().
    [[nodiscard]] std::expected<void, BlockError> end_without_list(const BlockEnding& ending,
                                                                   Evm& evm);
    /// After end_without_list(), where it has succeeded: whether make_access_list() is left to do.
    [[nodiscard]] bool owes_access_list() const noexcept {
        return makes_list_ && !result_.access_list.has_value();
    }
    /// The rest of end().
    /// @param after  The state that the block leaves, of which accounts and code are read.
    void make_access_list(const StateView& after);

    /// After end(), where no access list was made: this one has been compared with every step.
    void prove_access_list(MadeAccessList list) { result_.access_list = std::move(list); }

    /// Between blocks: lists are made with what was made with `other` until now, and the other way
    /// round, so that executions that take turns share one's memory.
    void exchange_recorder(std::optional<AccessListRecorder>& other) noexcept {
        access_list_.swap(other);
    }

    /// After end(), where machines leave blooms (EvmOptions::leave_blooms): makes them.
    void make_blooms();
    /// Instead, for whoever has made those of all receipts meanwhile: what is the block's.
    void set_logs_bloom(const LogsBloom& bloom) noexcept { result_.logs_bloom = bloom; }
    /// So far. Of those that are there nothing but blooms may be changed.
    [[nodiscard]] std::vector<Receipt>& receipts() noexcept { return result_.receipts; }

    /// So far; complete after end(), and after make_blooms() where machines leave blooms.
    [[nodiscard]] const BlockResult& result() const noexcept { return result_; }
    [[nodiscard]] BlockResult take_result() noexcept { return std::move(result_); }

private:
    void record(const BlockStep& step);
    /// Whether an access list comes about.
    [[nodiscard]] bool makes_list() const noexcept { return makes_list_; }
    /// Whether the header has its hash.
    [[nodiscard]] bool is_list_claimed() const noexcept {
        return result_.revision >= Revision::amsterdam;
    }
    /// Errors: the block accesses more than its gas limit pays for (EIP-7928).
    [[nodiscard]] std::expected<void, BlockError> check_item_count() const;
    /// The second half of check_end(). Errors: TransactionError::access_list_full.
    [[nodiscard]] std::expected<void, TransactionError> check_list(const Outcome& outcome,
                                                                   std::size_t withdrawals) const;
    /// EIP-7928's index of what has been done last.
    [[nodiscard]] std::uint32_t step_index() const noexcept {
        return static_cast<std::uint32_t>(result_.receipts.size());
    }
    void apply(std::uint32_t index, const StepChanges& changes);
    SystemCallOutcome call(std::uint32_t index, const Address& contract, BytesView input, Evm& evm);
    [[nodiscard]] std::expected<void, BlockError> request(const SystemContract& contract, Evm& evm);
    void add_request(std::uint8_t type, BytesView data);

    std::optional<BlockContext> context_;
    MutableState* state_ = nullptr;
    std::uint64_t cumulative_gas_ = 0;
    BlockGasUsed forfeited_;
    BlockResult result_;
    bool makes_list_ = false;
    std::optional<AccessListRecorder> access_list_;  // made when first needed
    BloomMaker blooms_;
};

/// Compares gas used, receipts root, bloom, requests and access list with what the header claims.
/// @param receipts_root  nullopt: it is not compared (receipts of partial states have no roots
///                       before Byzantium).
/// @param claimed_list   RLP of the access list that came with the block; empty: none did.
/// Errors: the first that differs, with claimed and computed value; of access lists also where they
///         part, if one came with the block.
[[nodiscard]] std::expected<void, BlockError> check(const BlockHeader& header,
                                                    const BlockResult& result,
                                                    const std::optional<Hash>& receipts_root,
                                                    BytesView claimed_list = {});
/// Checks what can be said of an access list that came with a block without executing the block:
/// that it is one, and, where the header claims one (EIP-7928), that it is this one. Where it
/// claims none, a list is somebody's advice: its errors are not the block's.
/// @param claimed_list  RLP.
/// Errors: BlockErrorCode::invalid_access_list, access_list_too_large.
[[nodiscard]] std::expected<void, BlockError> check_claimed_list(const BlockHeader& header,
                                                                 BytesView claimed_list,
                                                                 std::size_t transaction_count);
/// Whether the block has made the very list that came with it, and the header claims that one:
/// then nothing is left to be checked of it.
[[nodiscard]] bool has_made(const BlockHeader& header, const BlockResult& result,
                            BytesView claimed_list) noexcept;
/// Whether the header claims this list, or none.
[[nodiscard]] bool is_list_of(const BlockHeader& header, BytesView list);
/// The gas limit that bounds the list's items (max_item_count()). Where the header claims a list it
/// is the block's, else so much that no block can access more.
[[nodiscard]] std::uint64_t list_gas_limit(const BlockHeader& header) noexcept;
/// At least as many accounts and slots as a block can still access, of those that it has not
/// accessed yet, while it has so much gas left: what else its list has is nothing that it does.
[[nodiscard]] std::uint64_t most_new_items(Revision revision, std::uint64_t gas_left) noexcept;
/// Fills in the same fields, and the blob gas used.
void fill(BlockHeader& header, const BlockResult& result, const Hash& receipts_root);

/// SHA-256 over the SHA-256 of each request (EIP-7685).
[[nodiscard]] Hash requests_hash(std::span<const Bytes> requests);

}  // namespace heddle::vm
