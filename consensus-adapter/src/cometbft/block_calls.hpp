// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The calls of ABCI that blocks go through, one after another, on their way into the chain:
// PrepareProposal, ProcessProposal, FinalizeBlock, Commit. What they mean to the Application; not
// how they come in, nor the calls that no block depends on.
//
// | state     | call            | leads to  |                                                    |
// |-----------|-----------------|-----------|----------------------------------------------------|
// | any       | PrepareProposal | the same  | the list is remembered, for its proposer is the    |
// |           |                 |           | first to be asked about it                         |
// | any       | ProcessProposal | the same  | what an accepted list decodes to is remembered     |
// | any       | FinalizeBlock   | finalized | a block finalized before is dropped                |
// | finalized | Commit          | committed | all that was remembered is dropped                 |
// | committed | Commit          |           | Exception                                          |
// | failed    | any             | failed    | Exception                                          |
//
// Each call but Commit is for the height after the head, or an Exception. The first state is
// `committed`, also after a restart. `failed` is where a decided block cannot be executed or kept.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "cometbft/abci_messages.hpp"
#include "cometbft/block_contents.hpp"

namespace heddle::consensus_adapter::cometbft {

/// Thread safety: one caller at a time.
class BlockCalls {
public:
    /// Errors: the text of an Exception.
    using Answer = std::expected<void, std::string>;

    /// @param host, options  Outlive it.
    BlockCalls(AbciHost& host, const AbciServerOptions& options);

    [[nodiscard]] Answer prepare(const abci::RequestPrepareProposal& request,
                                 abci::ResponsePrepareProposal& response);
    [[nodiscard]] Answer process(const abci::RequestProcessProposal& request,
                                 abci::ResponseProcessProposal& response);
    [[nodiscard]] Answer finalize(const abci::RequestFinalizeBlock& request,
                                  abci::ResponseFinalizeBlock& response);
    [[nodiscard]] Answer commit(abci::ResponseCommit& response);

    /// Why no more blocks can be executed; empty: they can.
    [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
    /// Memory of the proposals that are kept decoded, in bytes.
    [[nodiscard]] std::size_t kept_bytes() const noexcept;

private:
    using Clock = std::chrono::steady_clock;

    /// A block that it is the turn of.
    struct Turn {
        AbciChain chain;
        Committed committed;
    };
    struct Prepared {
        std::vector<Bytes> items;
        BlockContents contents;
    };
    struct Processed {
        std::string hash;  // of CometBFT's block
        BlockContents contents;
        std::size_t bytes = 0;
    };
    void keep(Processed processed);
    struct Finalized {
        Hash hash;
        DecisionReport report;
    };

    [[nodiscard]] std::expected<Turn, std::string> turn(std::int64_t height) const;
    [[nodiscard]] BlockContents contents_of(std::span<const BytesView> items);
    [[nodiscard]] BlockContents take_contents(const abci::RequestFinalizeBlock& request);
    [[nodiscard]] std::string judge(const Turn& turn, const BlockPlan& plan,
                                    BlockContents& contents) const;
    [[nodiscard]] Answer update_validators(const Turn& turn,
                                           const abci::RequestFinalizeBlock& request,
                                           abci::ResponseFinalizeBlock& response);
    [[nodiscard]] std::unexpected<std::string> fail(const std::string& why);
    void warn(const std::string& sentence) const;

    AbciHost& host_;
    const AbciServerOptions& options_;
    std::optional<Prepared> prepared_;
    std::deque<Processed> processed_;  // the oldest first
    std::optional<Finalized> finalized_;
    std::string failure_;
};

}  // namespace heddle::consensus_adapter::cometbft
