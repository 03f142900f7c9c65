// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The shim that records: what comes in goes into a log, before the block is committed that it is
// part of; of what goes out a digest.
#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "shim/block_shim.hpp"
#include "shim/digest.hpp"
#include "shim/event_codec.hpp"
#include "shim/log_sink.hpp"
#include "shim/shim.hpp"

namespace heddle::node {

struct RecorderOptions {
    /// A segment is followed by another one when it has as many bytes, or as many as it began with
    /// where that is more, so that a full mempool is not written again with every block.
    std::uint64_t segment_bytes = std::uint64_t{64} << 20;
    /// Whether the engine hands on what prepare() answered as it is, or not at all, as Solo does: a
    /// decided block with the same transactions is then that proposal, and its object sets need not
    /// be hashed once more.
    bool keeps_prepared = false;
};

/// Refused transactions that changed nothing are kept for up to so many bytes before a block, so
/// that who is refused for nothing cannot fill the log: beyond that they are counted.
inline constexpr std::size_t kMostRefusedBytes = std::size_t{1} << 20;

/// Events are gathered in memory. They are written when a block is finalized; what a proposal is
/// made of goes to the disk while it is put together or judged, and is durable when the block is
/// committed.
///
/// Two locks: `mutex_` for what is gathered, which admissions take under the pool's lock and which
/// is therefore held for moments only; `writing_mutex_` for the log. Who writes takes the latter
/// first, then takes what is gathered out under the former, and hashes and writes with the latter
/// alone: so what was gathered first is written first, and nobody who only adds waits for it.
///
/// Thread safety: as Shim. Its locks are taken last, `mutex_` after `writing_mutex_`.
class Recorder final : public BlockShim {
public:
    /// @param start  Its link is filled in. Errors: those of the log.
    [[nodiscard]] static std::expected<std::unique_ptr<Recorder>, std::string> begin(
        std::unique_ptr<LogSink> log, RecordedStart start, RecorderOptions options = {});
    /// What is left is written.
    ~Recorder() override;

    /// Whether the segment is full. From the thread that commits.
    [[nodiscard]] bool wants_segment() const;
    /// Goes on in another one, that begins with `head` and this mempool. While no call of consensus
    /// is under way, under the pool's lock. A failure is told with the next commit.
    void begin_segment(const consensus_adapter::BlockId& head, std::uint64_t head_timestamp,
                       const Hash& state_root, PoolContent pool);

    [[nodiscard]] bool keeps_order() const noexcept override { return true; }
    [[nodiscard]] TimePoint now() override;
    void reached(PoolStep step, const PoolCounts& counts) override;
    void after(PoolStep step) override;
    void admitted(const Admission& admission) override;
    void prepare_begins(const BlockPlan& plan) override;
    void prepare_ends(const Prepared& result) override;
    void process_begins(const BlockPlan& plan, const Proposal& proposal) override;
    void process_ends(const Processed& result) override;
    void finalize_begins(const OrderedBlock& block, Unexecutable unexecutable) override;
    void finalize_ends(const Finalized& result) override;
    [[nodiscard]] std::expected<void, BlockError> commit_begins() override;
    void commit_ends(const Committed& result) override;
    void block_begins(const GivenBlock& block) override;
    void block_ends(const Taken& result) override;
    void shown(std::uint64_t number) override;

private:
    Recorder(std::unique_ptr<LogSink> log, RecordedStart start, RecorderOptions options);
    [[nodiscard]] ProposalSource source_of(const ProposalOutline& wanted) const;
    [[nodiscard]] ProposalSource source_of(const OrderedBlock& block);
    void write_omitted();
    // Without locks.
    void write_out();
    void write_durably();
    // With writing_mutex_ only.
    void append_gathered();
    void fail(std::string reason);

    const RecorderOptions options_;
    const std::unique_ptr<LogSink> log_;
    RecordedStart start_;  // of the segment; without the mempool
    const TimePoint begin_;
    std::uint64_t start_bytes_ = 0;  // of the segment; the consensus thread's

    std::mutex writing_mutex_;
    Bytes writing_;  // guarded by writing_mutex_, as writes to log_: empty but during a write

    std::mutex mutex_;
    EventEncoder encoder_;           // guarded by mutex_, as what follows
    Bytes events_;                   // not written yet
    std::size_t refused_bytes_ = 0;  // since the last block
    std::uint64_t omitted_ = 0;      // since the last event
    std::string failure_;            // empty: none

    /// That was given last: written with the pool's lock held alone, read with it held.
    std::int64_t time_ms_ = 0;

    // The consensus thread's.
    Digester digester_;
    // Proposals that a block may turn out to be.
    std::optional<ProposalOutline> prepared_;
    std::deque<ProposalOutline> processed_;  // the newest first
};

}  // namespace heddle::node
