// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Events as bytes. An event begins with its kind (low four bits) and flags (high four bits); what
// follows is in docs/determinism.md. What was said before is not said again: plans are told by what
// changed, transactions by how long ago they were given, times by what has passed. So a segment is
// read from its beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "shim/block_shim.hpp"
#include "shim/byte_fields.hpp"
#include "shim/events.hpp"
#include "shim/transaction_window.hpp"

namespace heddle::node {

inline constexpr std::uint64_t kRecordingFormat = 1;
/// Of the transactions of one proposal, each as often as it is named. As large as the largest
/// message of an engine (AbciServerOptions::max_message_bytes): naming one again takes a byte or
/// three, so that the size of a file bounds nothing.
inline constexpr std::size_t kMostProposalBytes = std::size_t{128} << 20;

/// Thread safety: none.
class EventEncoder {
public:
    void start(const RecordedStart& start, Bytes& out);
    void admission(const Admission& admission, std::int64_t time_ms, Bytes& out);
    void omitted(std::uint64_t count, Bytes& out);
    void step(PoolStep step, const PoolCounts& counts, std::int64_t time_ms, Bytes& out);
    void prepare_begins(const consensus_adapter::BlockPlan& plan, Bytes& out);
    void prepare_ends(const PrepareEnds& event, Bytes& out);
    /// @param proposal  Counts where the source is `given`.
    void process_begins(const consensus_adapter::BlockPlan& plan, ProposalSource source,
                        const consensus_adapter::Proposal& proposal, Bytes& out);
    void process_ends(const ProcessEnds& event, Bytes& out);
    /// Block and source say the same; what the block consists of is read from it where `given`.
    void finalize_begins(const consensus_adapter::OrderedBlock& block, ProposalSource source,
                         consensus_adapter::Unexecutable unexecutable, Bytes& out);
    void finalize_ends(const FinalizeEnds& event, Bytes& out);
    void commit_begins(Bytes& out);
    void commit_ends(const CommitEnds& event, Bytes& out);
    void block_begins(const GivenBlock& block, Bytes& out);
    void block_ends(const BlockEnds& event, Bytes& out);
    void head_shown(const HeadShown& event, Bytes& out);

private:
    void plan(const consensus_adapter::BlockPlan& plan, Bytes& out);
    void source(ProposalSource source, Bytes& out);
    void transactions(const std::vector<Transaction>& transactions, Bytes& out);

    consensus_adapter::BlockPlan last_plan_;
    consensus_adapter::BlockId head_;
    Hash finalized_;
    std::int64_t time_ms_ = 0;
    TransactionWindow window_;
    Bytes scratch_;
};

/// Thread safety: none.
class EventDecoder {
public:
    /// The next event of a record. @return also why the bytes are none, with what was read before
    /// lost.
    [[nodiscard]] std::expected<Event, std::string> next(FieldReader& fields);

private:
    [[nodiscard]] Event decode(std::uint8_t kind, std::uint8_t flags, FieldReader& fields);
    [[nodiscard]] RecordedStart start(FieldReader& fields);
    [[nodiscard]] RecordedAdmission admission(std::uint8_t flags, FieldReader& fields);
    [[nodiscard]] consensus_adapter::BlockPlan plan(FieldReader& fields);
    [[nodiscard]] consensus_adapter::Proposal proposal(FieldReader& fields);
    [[nodiscard]] std::shared_ptr<const Bytes> transaction(FieldReader& fields);
    [[nodiscard]] std::shared_ptr<const Bytes> remembered(std::uint64_t distance,
                                                          FieldReader& fields);
    void remember(std::shared_ptr<const Bytes> encoded);

    consensus_adapter::BlockPlan last_plan_;
    consensus_adapter::BlockId head_;
    Hash finalized_;
    std::int64_t time_ms_ = 0;
    std::deque<std::shared_ptr<const Bytes>> window_;
    std::size_t window_bytes_ = 0;
};

}  // namespace heddle::node
