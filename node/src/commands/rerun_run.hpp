// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A recorded node once more: its inputs, in their order, into the same parts, without network and
// clock.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ledger/durable_ledger.hpp>

#include "building/chain_application.hpp"
#include "chain/chain.hpp"
#include "commands/rerun_stream.hpp"
#include "mempool/mempool.hpp"
#include "shim/log_reader.hpp"
#include "shim/replayer.hpp"
#include "shim/shimmed_application.hpp"

namespace heddle::node {

struct RerunOptions {
    /// Stops at the first point between two calls at or behind this one.
    std::optional<LogicalTime> stop;
    /// Stops at the first difference, before the block that it is in is committed.
    bool until_difference = false;
    /// The executor's; nullopt: as it is by default. With one, it executes proposals of the
    /// recorded node as well, which that node did not execute twice.
    std::optional<std::string> scheduler;
    std::optional<unsigned> workers;
};

struct RerunReport {
    consensus_adapter::BlockId head;
    LogicalTime time;  // of what would come next
    std::uint64_t blocks = 0;
    std::uint64_t transactions = 0;  // in them
    /// Blocks that the recorded node has taken back, of a chain that it was no longer to lead.
    std::uint64_t taken_back = 0;
    /// Of a member of a replicated chain: the newest block that it has shown.
    std::optional<std::uint64_t> shown;
    std::uint64_t differences = 0;
    std::optional<Difference> first;
    /// Disks that failed, each of which ended the recorded process.
    std::vector<std::string> failures;
    /// Why it ended before the recording did; empty: it did not, or was asked or told to.
    std::string stopped;
    /// Whether what was recorded ends inside the making of a block, which is left out.
    bool ends_inside_block = false;
};

/// Thread safety: none.
class Rerun {
public:
    /// @param log     Begins with a start after the ledger's head.
    /// @param ledger  Is written to. Both outlive it.
    Rerun(LogReader& log, ledger::DurableLedger& ledger, RerunOptions options);
    ~Rerun();

    /// Once. Errors: InputError where the recording was made with settings that are not known.
    [[nodiscard]] RerunReport run();

private:
    /// What may be decided, with the plan that it was made or judged for.
    struct Known {
        consensus_adapter::BlockPlan plan;
        consensus_adapter::Proposal proposal;
    };

    // What an event does; each has been taken from the log.
    void handle(const RecordedStart& start);
    void handle(const PrepareBegins& event);
    void handle(ProcessBegins& event);
    void handle(FinalizeBegins& event);
    void handle(const CommitBegins& event);
    void handle(BlockBegins& event);
    template <typename Other>
    void handle(const Other& event);

    void rebuild(const RecordedStart& start);
    void take_back(const RecordedStart& start);
    void show(std::uint64_t number);
    [[nodiscard]] bool may_keep_streamed();
    void note_commit(const consensus_adapter::BlockId& block);
    void feed(std::span<const BytesView> encoded, std::uint8_t origin);
    void commit();
    void commit_before(const RecordedStart& start);
    [[nodiscard]] bool finalize_as(const Known& known, const Hash& hash);
    [[nodiscard]] consensus_adapter::Proposal proposal_of(ProposalSource source,
                                                          consensus_adapter::Proposal given) const;
    /// Whether the recorded node has committed the block that it was about to.
    [[nodiscard]] bool was_committed();
    void compare_pool(const PoolContent& recorded);

    LogReader& log_;
    ledger::DurableLedger& ledger_;
    const RerunOptions options_;
    Replayer shim_;
    RerunReport report_;

    // In the order in which they are made.
    std::unique_ptr<Chain> chain_;
    std::unique_ptr<Mempool> mempool_;
    std::unique_ptr<ChainApplication> application_;
    std::unique_ptr<ShimmedApplication> shimmed_;
    follow::ChainStreamOptions stream_options_;
    std::unique_ptr<RerunStream> stream_;  // null: no block has come that somebody else has made

    std::optional<Known> prepared_;
    std::deque<Known> processed_;    // the newest first
    std::optional<Hash> finalized_;  // and not committed
};

}  // namespace heddle::node
