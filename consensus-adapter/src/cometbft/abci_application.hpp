// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Every call of ABCI, as a message in and a message out. What carries the messages is not its
// business.
//
// | calls                                                        | may run                        |
// |--------------------------------------------------------------|--------------------------------|
// | InitChain, PrepareProposal, ProcessProposal, FinalizeBlock,  | one at a time, whichever       |
// | Commit, OfferSnapshot, ApplySnapshotChunk                    | connection they come from      |
// | Echo, Flush, Info, CheckTx, InsertTx, ReapTxs, Query,        | at any time, beside each other |
// | ListSnapshots, LoadSnapshotChunk, ExtendVote,                | and beside the ones above      |
// | VerifyVoteExtension                                          |                                |
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "cometbft/abci_answers.hpp"
#include "cometbft/block_calls.hpp"

namespace heddle::consensus_adapter::cometbft {

/// Thread safety: any.
class AbciApplication final : public AbciAnswers {
public:
    /// @param host, options  Outlive it.
    AbciApplication(AbciHost& host, const AbciServerOptions& options);

    [[nodiscard]] std::optional<std::string> answer(const abci::Request& request,
                                                    abci::Response& response) override;
    /// The senders of all are recovered together.
    void answer_new(std::span<const abci::Request* const> requests,
                    std::span<abci::Response* const> responses) override;

private:
    using Answer = BlockCalls::Answer;

    [[nodiscard]] Answer check_new(std::span<const abci::Request* const> requests,
                                   std::span<abci::Response* const> responses);

    [[nodiscard]] Answer dispatch(const abci::Request& request, abci::Response& response);
    [[nodiscard]] Answer dispatch_serial(const abci::Request& request, abci::Response& response);
    [[nodiscard]] Answer dispatch_snapshot(const abci::Request& request, abci::Response& response);

    [[nodiscard]] Answer info(const abci::RequestInfo& request, abci::ResponseInfo& response);
    [[nodiscard]] Answer init_chain(const abci::RequestInitChain& request,
                                    abci::ResponseInitChain& response);
    [[nodiscard]] Answer check_tx(const abci::RequestCheckTx& request,
                                  abci::ResponseCheckTx& response);
    [[nodiscard]] Answer insert_tx(const abci::RequestInsertTx& request,
                                   abci::ResponseInsertTx& response);
    [[nodiscard]] Answer reap_txs(const abci::RequestReapTxs& request,
                                  abci::ResponseReapTxs& response);
    void query(const abci::RequestQuery& request, abci::ResponseQuery& response);
    void list_snapshots(abci::ResponseListSnapshots& response);
    void offer_snapshot(const abci::RequestOfferSnapshot& request,
                        abci::ResponseOfferSnapshot& response);
    [[nodiscard]] Answer apply_chunk(const abci::RequestApplySnapshotChunk& request,
                                     abci::ResponseApplySnapshotChunk& response);

    AbciHost& host_;
    const AbciServerOptions& options_;

    std::mutex serial_;  // held by the calls of which there is one at a time
    BlockCalls blocks_;  // guarded by serial_, as the next
    bool is_failure_told_ = false;
};

}  // namespace heddle::consensus_adapter::cometbft
