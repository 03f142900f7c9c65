// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a consensus engine asks of the chain whose blocks it orders. Shaped by ABCI 2.0 and the
// Engine API: a proposal may be made and judged any number of times, or never, and leaves no
// trace; a decided block is executed by finalize() and kept by commit(). Which engine it is, the
// application does not know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/hash.hpp>
#include <types/object.hpp>
#include <types/receipt.hpp>
#include <types/transaction.hpp>
#include <types/transaction_error.hpp>

#include <consensus_adapter/ordered_block.hpp>

namespace heddle::consensus_adapter {

struct BlockId {
    std::uint64_t number = 0;
    Hash hash;
    friend bool operator==(const BlockId&, const BlockId&) = default;
};

/// What has been committed, and how much of it would survive a loss of power (ABCI Info).
struct Committed {
    BlockId head;
    std::uint64_t head_timestamp = 0;  // seconds
    std::uint64_t head_gas_limit = 0;
    std::uint64_t durable_number = 0;
    bool may_repeat_timestamp = false;  // ChainConfig::equal_timestamps
};

/// What the engine decides about a block besides its transactions.
struct BlockPlan {
    std::uint64_t timestamp = 0;  // seconds; above the parent's, or at it where that may be
    Address beneficiary;
    Hash prev_randao;  // EIP-4399
    Hash parent_beacon_block_root;
    Bytes extra_data;
    std::vector<Withdrawal> withdrawals;
    std::uint64_t gas_limit = 0;
    /// In wei, against the rules that make it follow from the parent: for development chains.
    std::optional<Uint256> base_fee_per_gas{};
    /// Most bytes that the transactions may take together.
    std::size_t max_bytes = std::size_t{4} << 20;
    /// Whether the proposal is to come with its access list, for others to execute it from.
    bool wants_access_list = false;
};

/// Transactions in the order they should be executed, and what they did when they were tried.
struct Proposal {
    std::vector<Transaction> transactions;  // with senders, where it was prepared here
    std::vector<ObjectSet> object_sets{};   // one for each, or none
    Bytes access_list{};                    // RLP, of the whole block (EIP-7928); may be empty
};

/// What becomes of a transaction that cannot be executed at its place in a decided block.
enum class Unexecutable : std::uint8_t {
    refused,   // the block is not valid
    left_out,  // the block is made of the others: the engine decides on lists, not on blocks
};

/// A transaction that was left out.
struct LeftOut {
    std::size_t index = 0;  // in the decided list
    TransactionError error{};
};

/// A decided block, executed.
struct FinalizedBlock {
    BlockHeader header;  // complete
    Hash hash;
    std::vector<Receipt> receipts;  // of the transactions in the block
    std::vector<LeftOut> left_out;  // ascending
    /// Transactions whose declared object set was not what they accessed.
    std::size_t wrongly_declared = 0;
    /// Whether it was executed from the access list that came with it.
    bool is_listed = false;
    /// Whether the access list that came with it is not its own.
    bool has_wrong_list = false;
    /// How often its transactions were executed for it after they were decided. None where this
    /// node proposed the block and has kept what came out.
    unsigned executions = 0;
};

enum class ProposalErrorCode : std::uint8_t {
    wrong_set_count,      // object sets, but not one for each transaction
    early_timestamp,      // not above the parent's
    invalid_transaction,  // it can be in no block
    too_large,            // its transactions take more bytes than a block may have
};
/// What is wrong with somebody's proposal.
struct ProposalError {
    ProposalErrorCode code = ProposalErrorCode::wrong_set_count;
    std::uint64_t found = 0;    // sets, seconds, or the transaction's place; nothing for too_large
    std::uint64_t allowed = 0;  // transactions, the parent's seconds, or bytes
    std::optional<TransactionError> transaction{};  // why that one is invalid
    friend bool operator==(const ProposalError&, const ProposalError&) = default;
};
[[nodiscard]] std::string to_string(const ProposalError& error);

/// Errors are about the block (BlockErrorCode), or storage_failed, after which nothing more can be
/// committed.
///
/// Thread safety: one caller at a time, except committed(), which may come from any thread.
class Application {
public:
    virtual ~Application() = default;

    /// What a restarted engine goes on from.
    [[nodiscard]] virtual Committed committed() const = 0;

    /// Chooses transactions for a block on the head. No side effects, but that what executing them
    /// gave may be kept, so that the block need not be executed again if it is decided as it is.
    [[nodiscard]] virtual std::expected<Proposal, BlockError> prepare(const BlockPlan& plan) = 0;

    /// Whether somebody's proposal is well-formed: within limits, decodable, object sets as many as
    /// transactions, signatures of somebody. A transaction that cannot be executed is the block's
    /// problem, not a reason to refuse it. No side effects, but that senders are filled in, so
    /// that finalize() need not find them again.
    [[nodiscard]] virtual std::expected<void, ProposalError> process(const BlockPlan& plan,
                                                                     Proposal& proposal) = 0;

    /// Executes a decided block on the head; nothing is kept. The result of an earlier call that
    /// was not committed is dropped.
    /// Errors: the block is not valid on the head; the application is as before. With
    /// Unexecutable::left_out no transaction makes it so.
    [[nodiscard]] virtual std::expected<FinalizedBlock, BlockError> finalize(
        OrderedBlock block, Unexecutable unexecutable) = 0;

    /// Makes the block of the last finalize() the head. Once.
    [[nodiscard]] virtual std::expected<BlockId, BlockError> commit() = 0;
};

}  // namespace heddle::consensus_adapter
