// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "shim/recorder.hpp"

#include <algorithm>
#include <utility>

#include <types/expected.hpp>

namespace heddle::node {
namespace {

/// Events in memory beyond which whoever adds one writes them.
constexpr std::size_t kMostGathered = std::size_t{8} << 20;

std::chrono::milliseconds whole_milliseconds(Shim::TimePoint::duration time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time);
}

}  // namespace

Recorder::Recorder(std::unique_ptr<LogSink> log, RecordedStart start, RecorderOptions options)
    : options_(options),
      log_(std::move(log)),
      start_(std::move(start)),
      begin_(std::chrono::steady_clock::now()) {}

std::expected<std::unique_ptr<Recorder>, std::string> Recorder::begin(std::unique_ptr<LogSink> log,
                                                                      RecordedStart start,
                                                                      RecorderOptions options) {
    std::unique_ptr<Recorder> recorder(new Recorder(std::move(log), std::move(start), options));
    HEDDLE_CHECK(recorder->log_->begin_segment([&](const SegmentLink& link) {
        recorder->start_.link = link;
        Bytes out;
        recorder->encoder_.start(recorder->start_, out);
        recorder->start_.pool = {};
        recorder->start_bytes_ = out.size();
        return out;
    }));
    return recorder;
}

Recorder::~Recorder() {
    {
        const std::scoped_lock lock{mutex_};
        write_omitted();
    }
    write_durably();
}

void Recorder::fail(std::string reason) {
    const std::scoped_lock lock{mutex_};
    if (failure_.empty()) failure_ = std::move(reason);
}

void Recorder::append_gathered() {
    {
        const std::scoped_lock lock{mutex_};
        if (events_.empty() || !failure_.empty()) return;
        // Both keep their memory.
        std::swap(events_, writing_);
    }
    if (auto written = log_->append(writing_); !written.has_value())
        fail(std::move(written).error());
    writing_.clear();
}

void Recorder::write_out() {
    const std::scoped_lock lock{writing_mutex_};
    append_gathered();
}

void Recorder::write_durably() {
    const std::scoped_lock lock{writing_mutex_};
    append_gathered();
    log_->request_durable();
}

void Recorder::write_omitted() {
    if (omitted_ != 0) encoder_.omitted(std::exchange(omitted_, 0), events_);
}

bool Recorder::wants_segment() const {
    return log_->segment_bytes() >= start_bytes_ + std::max(start_bytes_, options_.segment_bytes);
}

void Recorder::begin_segment(const consensus_adapter::BlockId& head, std::uint64_t head_timestamp,
                             const Hash& state_root, PoolContent pool) {
    const std::scoped_lock writing{writing_mutex_};
    {
        const std::scoped_lock lock{mutex_};
        write_omitted();
    }
    append_gathered();
    std::unique_lock lock{mutex_};
    if (!failure_.empty()) return;
    start_.is_continued = true;
    start_.head = head;
    start_.head_timestamp = head_timestamp;
    start_.state_root = state_root;
    auto begun = log_->begin_segment([&](const SegmentLink& link) {
        start_.link = link;
        start_.pool = std::move(pool);
        Bytes out;
        encoder_.start(start_, out);
        start_.pool = {};
        start_bytes_ = out.size();
        return out;
    });
    lock.unlock();
    if (!begun.has_value()) fail(std::move(begun).error());
    prepared_.reset();
    processed_.clear();
}

// --- The mempool ---------------------------------------------------------------------------------

/// In whole milliseconds, so that what is given here is what is written.
Shim::TimePoint Recorder::now() {
    const auto since = whole_milliseconds(std::chrono::steady_clock::now() - begin_);
    time_ms_ = since.count();
    return TimePoint{since};
}

void Recorder::reached(PoolStep step, const PoolCounts& counts) {
    const std::scoped_lock lock{mutex_};
    write_omitted();
    encoder_.step(step, counts, time_ms_, events_);
}

/// All that a proposal is made of: while it is put together the disk has time.
void Recorder::after(PoolStep step) {
    if (step == PoolStep::chose) write_durably();
}

void Recorder::admitted(const Admission& admission) {
    std::unique_lock lock{mutex_};
    if (admission.why != nullptr && !admission.has_changed) {
        refused_bytes_ += admission.encoded.size();
        if (refused_bytes_ > kMostRefusedBytes) {
            ++omitted_;
            return;
        }
    }
    write_omitted();
    encoder_.admission(admission, time_ms_, events_);
    if (events_.size() <= kMostGathered) return;
    lock.unlock();
    write_out();
}

// --- Consensus -----------------------------------------------------------------------------------

ProposalSource Recorder::source_of(const ProposalOutline& wanted) const {
    if (prepared_ == wanted) return {ProposalSource::Kind::prepared, 0};
    const auto found = std::ranges::find(processed_, wanted);
    if (found == processed_.end()) return {};
    return {ProposalSource::Kind::processed, static_cast<std::size_t>(found - processed_.begin())};
}

void Recorder::prepare_begins(const BlockPlan& plan) {
    const std::scoped_lock lock{mutex_};
    write_omitted();
    encoder_.prepare_begins(plan, events_);
}

void Recorder::prepare_ends(const Prepared& result) {
    PrepareEnds event;
    prepared_.reset();
    if (result.has_value()) {
        event.transactions = result->transactions.size();
        prepared_ =
            outline_of(result->transactions, result->object_sets, result->access_list, digester_);
        event.digest = digest_of(*prepared_, digester_);
    } else {
        event.error = to_string(result.error());
    }
    const std::scoped_lock lock{mutex_};
    write_omitted();
    encoder_.prepare_ends(event, events_);
}

void Recorder::process_begins(const BlockPlan& plan, const Proposal& proposal) {
    ProposalOutline known =
        outline_of(proposal.transactions, proposal.object_sets, proposal.access_list, digester_);
    const ProposalSource source = source_of(known);
    {
        const std::scoped_lock lock{mutex_};
        write_omitted();
        encoder_.process_begins(plan, source, proposal, events_);
    }
    write_durably();
    processed_.push_front(std::move(known));
    if (processed_.size() > kRememberedProposals) processed_.pop_back();
}

void Recorder::process_ends(const Processed& result) {
    const std::scoped_lock lock{mutex_};
    write_omitted();
    encoder_.process_ends({result.has_value() ? std::string{} : to_string(result.error())},
                          events_);
}

ProposalSource Recorder::source_of(const OrderedBlock& block) {
    const bool has_list = !block.start.access_list.empty();
    if (options_.keeps_prepared && prepared_.has_value() && !has_list &&
        std::ranges::equal(prepared_->transactions, block.transactions, {}, {}, transaction_hash))
        return {ProposalSource::Kind::prepared, 0};
    ProposalOutline known =
        outline_of(block.transactions, block.object_sets, block.start.access_list, digester_);
    ProposalSource source = source_of(known);
    // An engine that has no use for the access list leaves it out.
    if (source.kind == ProposalSource::Kind::given && !has_list && prepared_.has_value()) {
        known.access_list = prepared_->access_list;
        source = source_of(known);
    }
    return source;
}

void Recorder::finalize_begins(const OrderedBlock& block, Unexecutable unexecutable) {
    const ProposalSource source = source_of(block);
    {
        const std::scoped_lock lock{mutex_};
        write_omitted();
        encoder_.finalize_begins(block, source, unexecutable, events_);
    }
    // Which of the proposals it is can be told by the hash of what comes of it.
    if (source.kind == ProposalSource::Kind::given)
        write_durably();
    else
        write_out();
}

void Recorder::finalize_ends(const Finalized& result) {
    FinalizeEnds event;
    if (result.has_value()) {
        event.hash = result->hash;
        event.digest = digest_of(*result, digester_);
        event.receipts = receipt_tags(result->receipts, digester_);
    } else {
        event.error = to_string(result.error());
        event.is_storage_error = result.error().code == BlockErrorCode::storage_failed;
    }
    const std::scoped_lock lock{mutex_};
    write_omitted();
    encoder_.finalize_ends(event, events_);
}

// --- Blocks that others have made -------------------------------------------------------------

/// Forced to the disk from here on: commit_begins() waits for it.
void Recorder::block_begins(const GivenBlock& block) {
    {
        const std::scoped_lock lock{mutex_};
        write_omitted();
        encoder_.block_begins(block, events_);
    }
    write_durably();
}

void Recorder::block_ends(const Taken& result) {
    BlockEnds event;
    if (result.has_value()) {
        event.hash = result->hash;
        event.receipts = result->receipts;
    } else {
        event.error = to_string(result.error());
        event.is_storage_error = result.error().code == BlockErrorCode::storage_failed;
    }
    {
        const std::scoped_lock lock{mutex_};
        write_omitted();
        encoder_.block_ends(event, events_);
    }
    // No commit follows that would write it.
    if (!result.has_value()) write_out();
}

void Recorder::shown(std::uint64_t number) {
    const std::scoped_lock lock{mutex_};
    write_omitted();
    encoder_.head_shown({number}, events_);
}

// --- Commits -------------------------------------------------------------------------------------

std::expected<void, BlockError> Recorder::commit_begins() {
    {
        const std::scoped_lock lock{mutex_};
        write_omitted();
        encoder_.commit_begins(events_);
    }
    write_out();
    std::string reason;
    {
        const std::scoped_lock lock{mutex_};
        reason = failure_;
    }
    if (reason.empty())
        if (auto durable = log_->wait_durable(); !durable.has_value())
            reason = std::move(durable).error();
    if (reason.empty()) return {};
    BlockError error;
    error.code = BlockErrorCode::storage_failed;
    error.number = start_.head.number + 1;
    error.detail = "the recording cannot be written: " + reason +
                   " (see to its disk and start again; acknowledged blocks are safe)";
    return std::unexpected(std::move(error));
}

void Recorder::commit_ends(const Committed& result) {
    CommitEnds event;
    if (!result.has_value()) {
        event.error = to_string(result.error());
        event.is_storage_error = result.error().code == BlockErrorCode::storage_failed;
    }
    prepared_.reset();
    processed_.clear();
    const std::scoped_lock lock{mutex_};
    if (result.has_value()) start_.head = *result;
    write_omitted();
    encoder_.commit_ends(event, events_);
    refused_bytes_ = 0;
}

}  // namespace heddle::node
