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

#include <expected>
#include <mutex>
#include <optional>
#include <string>

#include "cometbft/abci_messages.hpp"
#include "cometbft/block_calls.hpp"

namespace heddle::consensus_adapter::cometbft {

/// Thread safety: any.
class AbciApplication {
public:
    /// @param host, options  Outlive it.
    AbciApplication(AbciHost& host, const AbciServerOptions& options);

    /// Fills `response`: with an Exception where the request is unknown, out of turn or failed.
    /// @return why no more blocks can be executed, once, with the answer that says so first; the
    ///         caller passes it to AbciServerOptions::on_failure once that answer is on its way.
    [[nodiscard]] std::optional<std::string> answer(const abci::Request& request,
                                                    abci::Response& response);

    /// Whether the request is a CheckTx that may be answered together with others of the kind.
    [[nodiscard]] static bool is_new_transaction(const abci::Request& request) noexcept;
    /// answer() of each of several such requests. Their senders are recovered together.
    void answer_new(std::span<const abci::Request* const> requests,
                    std::span<abci::Response* const> responses);

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

/// A sentence where CometBFT of this version cannot be served; empty otherwise.
/// @param version       Of CometBFT.
/// @param abci_version  Of its protocol; may be empty.
[[nodiscard]] std::string refusal_of_version(const std::string& version,
                                             const std::string& abci_version);

}  // namespace heddle::consensus_adapter::cometbft
