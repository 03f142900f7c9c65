// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The calls of ABCI for an application that only orders: messages to what an OrderingHost is asked.
//
// | state     | call            | leads to  |                                                |
// |-----------|-----------------|-----------|------------------------------------------------|
// | any       | FinalizeBlock   | finalized | what was finalized before is dropped           |
// | finalized | Commit          | committed |                                                |
// | committed | Commit          |           | Exception                                      |
// | failed    | any of blocks   | failed    | Exception: a height could not be kept          |
//
// InitChain, PrepareProposal, ProcessProposal, FinalizeBlock and Commit run one at a time, under
// `serial_`; every other call beside them.
#pragma once

#include <expected>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include <consensus_adapter/cometbft/abci_server.hpp>
#include <consensus_adapter/cometbft/ordering_host.hpp>

#include "cometbft/abci_answers.hpp"

namespace heddle::consensus_adapter::cometbft {

/// Thread safety: any.
class OrderingCalls final : public AbciAnswers {
public:
    /// @param host, options  Outlive it.
    OrderingCalls(OrderingHost& host, const AbciServerOptions& options);

    [[nodiscard]] std::optional<std::string> answer(const abci::Request& request,
                                                    abci::Response& response) override;
    void answer_new(std::span<const abci::Request* const> requests,
                    std::span<abci::Response* const> responses) override;

private:
    /// Errors: the text of an Exception.
    using Answer = std::expected<void, std::string>;

    [[nodiscard]] Answer dispatch(const abci::Request& request, abci::Response& response);
    [[nodiscard]] Answer dispatch_serial(const abci::Request& request, abci::Response& response);
    [[nodiscard]] Answer info(const abci::RequestInfo& request, abci::ResponseInfo& response);
    [[nodiscard]] Answer init_chain(const abci::RequestInitChain& request);
    [[nodiscard]] Answer prepare(const abci::RequestPrepareProposal& request,
                                 abci::ResponsePrepareProposal& response);
    [[nodiscard]] Answer process(const abci::RequestProcessProposal& request,
                                 abci::ResponseProcessProposal& response);
    [[nodiscard]] Answer finalize(const abci::RequestFinalizeBlock& request,
                                  abci::ResponseFinalizeBlock& response);
    [[nodiscard]] Answer commit(abci::ResponseCommit& response);
    void check(const abci::RequestCheckTx& request, abci::ResponseCheckTx& response);
    [[nodiscard]] Answer expect_turn(std::int64_t height) const;
    void warn(const std::string& sentence) const;

    OrderingHost& host_;
    const AbciServerOptions& options_;

    std::mutex serial_;
    bool is_finalized_ = false;  // guarded by serial_, as the next two
    std::string failure_;        // empty: heights can be kept
    bool is_failure_told_ = false;
};

}  // namespace heddle::consensus_adapter::cometbft
