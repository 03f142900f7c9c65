// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/decision_results.hpp"

#include <types/assert.hpp>

namespace heddle::consensus_adapter::cometbft {
namespace {

void set_code(abci::ExecTxResult& result, TransactionCode code, std::string_view reason) {
    result.set_code(static_cast<std::uint32_t>(code));
    result.set_log(std::string{reason});
    result.set_codespace("heddle");
}

}  // namespace

DecisionResults::DecisionResults(const BlockContents& contents) : contents_(contents) {
    gas_limits_.reserve(contents.proposal.transactions.size());
    for (const Transaction& tx : contents.proposal.transactions)
        gas_limits_.push_back(tx.gas_limit);
}

void DecisionResults::write(const FinalizedBlock& block,
                            abci::ResponseFinalizeBlock& response) const {
    HEDDLE_ASSERT(block.receipts.size() + block.left_out.size() == gas_limits_.size());
    response.mutable_tx_results()->Reserve(static_cast<int>(contents_.item_count));
    for (std::size_t item = 0; item < contents_.item_count; ++item)
        response.add_tx_results();
    const auto result_of = [&](std::size_t item) -> abci::ExecTxResult& {
        return *response.mutable_tx_results(static_cast<int>(item));
    };
    for (const Fault& fault : contents_.faults)
        set_code(result_of(fault.item), fault.code, fault.reason);

    auto left_out = block.left_out.begin();
    auto receipt = block.receipts.begin();
    for (std::size_t i = 0; i < gas_limits_.size(); ++i) {
        abci::ExecTxResult& result = result_of(contents_.items[i]);
        result.set_gas_wanted(as_signed(gas_limits_[i]));
        if (left_out != block.left_out.end() && left_out->index == i) {
            set_code(result,
                     left_out->error == TransactionError::invalid_signature
                         ? TransactionCode::malformed
                         : TransactionCode::not_executable,
                     to_string(left_out->error));
            ++left_out;
            continue;
        }
        result.set_gas_used(as_signed(receipt->gas_used));
        if (!receipt->success) set_code(result, TransactionCode::failed, "failed");
        ++receipt;
    }
    HEDDLE_ASSERT(left_out == block.left_out.end());
}

}  // namespace heddle::consensus_adapter::cometbft
