// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is found out about transactions of others before they are executed: who sent them, and
// whether a proposal may have them.
#include <algorithm>

#include <consensus_adapter/parallel_for.hpp>
#include <types/sender_recovery.hpp>
#include <vm/validate.hpp>

#include "building/block_room.hpp"
#include "building/chain_application.hpp"

namespace heddle::node {

using consensus_adapter::BlockPlan;
using consensus_adapter::Proposal;
using consensus_adapter::ProposalError;
using consensus_adapter::ProposalErrorCode;

std::expected<void, ProposalError> ChainApplication::process(const BlockPlan& plan,
                                                             Proposal& proposal) {
    if (!proposal.object_sets.empty() &&
        proposal.object_sets.size() != proposal.transactions.size())
        return std::unexpected(ProposalError{ProposalErrorCode::wrong_set_count,
                                             proposal.object_sets.size(),
                                             proposal.transactions.size()});
    const ledger::StoredHeader head = chain_.kept_head();
    if (plan.timestamp < chain_.config().earliest_timestamp(head.header.timestamp))
        return std::unexpected(ProposalError{ProposalErrorCode::early_timestamp, plan.timestamp,
                                             head.header.timestamp});
    const BlockEnv env = chain_.env_of_next(chain_.next_header(head, plan.timestamp), head);
    identify(proposal.transactions);
    const auto invalid = [](std::size_t i, TransactionError error) {
        return std::unexpected(ProposalError{ProposalErrorCode::invalid_transaction, i, 0, error});
    };
    std::size_t bytes = 0;
    // Of a list above it others would leave out what does not fit, and an honest proposer knows.
    const std::size_t room = room_for_transactions(env.revision, plan.withdrawals.size());
    std::size_t taken = 0;
    Bytes encoded;
    for (std::size_t i = 0; i < proposal.transactions.size(); ++i) {
        const Transaction& tx = proposal.transactions[i];
        if (!tx.sender.has_value()) return invalid(i, TransactionError::invalid_signature);
        // Whether it pays enough depends on the block it comes into, as everything that merely
        // keeps it from being executed.
        if (const auto valid = vm::validate_stateless(tx, env);
            !valid.has_value() && valid.error() != TransactionError::max_fee_below_base_fee)
            return invalid(i, valid.error());
        encoded.clear();
        encode_transaction(tx, encoded);
        bytes += encoded.size();
        taken += bytes_in_block(encoded.size(), tx.type);
        if (bytes > plan.max_bytes || taken > room)
            return std::unexpected(
                ProposalError{ProposalErrorCode::too_large, 0, std::min(plan.max_bytes, room)});
    }
    return {};
}

std::vector<Hash> ChainApplication::identify(std::vector<Transaction>& transactions) const {
    std::vector<Hash> hashes(transactions.size());
    consensus_adapter::parallel_for(transactions.size(), 1, [&](std::size_t i) {
        Transaction& tx = transactions[i];
        remember_hash(tx);
        hashes[i] = *tx.hash.value;
        if (tx.sender.has_value()) return;
        if (const SharedTransaction known = mempool_.find(hashes[i])) {
            tx.sender = known->tx.sender;
            tx.authorization_list = known->tx.authorization_list;  // with what is remembered of it
        }
    });
    recover_unknown(transactions);
    return hashes;
}

void ChainApplication::recover_unknown(std::vector<Transaction>& transactions) const {
    UnknownSigners unknown;
    for (Transaction& tx : transactions)
        unknown.add(tx);
    if (unknown.pieces() == 0) return;
    const std::uint64_t began_ns = ExecutionLog::now_ns();
    consensus_adapter::parallel_for(unknown.pieces(), 1,
                                    [&](std::size_t piece) { unknown.recover(piece); });
    if (executions_ != nullptr) executions_->recovered(ExecutionLog::now_ns() - began_ns);
}

}  // namespace heddle::node
