// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "shim/replayer.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/counted.hpp>

namespace heddle::node {
namespace {

/// Transactions given at once: their senders are recovered together.
constexpr std::size_t kMostAtOnce = 256;

std::string text_of(const Admission::Refusal* why) {
    return why == nullptr ? "taken" : fmt::format("refused ({}): {}", why->code, why->message);
}

std::string text_of(const PoolCounts& counts) {
    return fmt::format("{} pending, {} queued, {}", counts.pending, counts.queued,
                       counted(counts.bytes, "byte"));
}

std::string error_of(const auto& result) {
    return result.has_value() ? std::string{} : to_string(result.error());
}

std::string or_none(const std::string& error) {
    return error.empty() ? "no error" : error;
}

}  // namespace

std::string to_string(const Difference& difference) {
    return fmt::format("at {}, {}: recorded: {}; now: {}", to_string(difference.at),
                       difference.what, difference.recorded, difference.found);
}

void Replayer::note(std::string what, std::string recorded, std::string found) {
    ++differences_;
    if (!first_.has_value())
        first_ = Difference{time_, std::move(what), std::move(recorded), std::move(found)};
}

bool Replayer::is_over() const noexcept {
    return is_lost_ || (stop_.has_value() && time_ >= *stop_);
}

bool Replayer::leave_failed_process() {
    while (const Event* const front = log_.peek()) {
        const auto* const start = std::get_if<RecordedStart>(front);
        if (start != nullptr && !start->is_continued) {
            storage_failure_.reset();
            return true;
        }
        (void)log_.take();
    }
    return false;
}

Event Replayer::take() {
    Event event = log_.take();
    ++time_.index;
    return event;
}

const Event* Replayer::next() {
    feed();
    return is_over() ? nullptr : log_.peek();
}

/// Gives transactions, and shows blocks, up to the next event that is something else.
void Replayer::feed() {
    while (!is_over()) {
        const Event* const front = log_.peek();
        if (front == nullptr) return;
        if (std::holds_alternative<OmittedAdmissions>(*front)) {
            (void)take();
            continue;
        }
        if (const auto* const head = std::get_if<HeadShown>(front)) {
            const std::uint64_t number = head->number;
            (void)take();
            show_(number);
            continue;
        }
        const auto* const first = std::get_if<RecordedAdmission>(front);
        if (first == nullptr) return;
        const std::uint8_t origin = first->origin;
        std::size_t most = kMostAtOnce;
        if (stop_.has_value() && stop_->height == time_.height)
            most = std::min<std::size_t>(most, stop_->index - time_.index);
        std::vector<std::shared_ptr<const Bytes>> held;
        while (held.size() < most) {
            const Event* const event = log_.peek(held.size());
            const auto* const next =
                event == nullptr ? nullptr : std::get_if<RecordedAdmission>(event);
            if (next == nullptr || next->origin != origin) break;
            held.push_back(next->encoded);
        }
        std::vector<BytesView> views;
        views.reserve(held.size());
        for (const auto& encoded : held)
            views.emplace_back(*encoded);
        feed_(views, origin);
    }
}

Shim::TimePoint Replayer::now() {
    if (!is_lost_)
        if (const Event* const front = log_.peek()) {
            if (const auto* const admission = std::get_if<RecordedAdmission>(front))
                now_ms_ = admission->time_ms;
            else if (const auto* const step = std::get_if<RecordedStep>(front))
                now_ms_ = step->time_ms;
        }
    return TimePoint{std::chrono::milliseconds{now_ms_}};
}

void Replayer::before(PoolStep step) {
    feed();
    const Event* const front = is_over() ? nullptr : log_.peek();
    if (front == nullptr || std::holds_alternative<RecordedStart>(*front)) return;
    const auto* const recorded = std::get_if<RecordedStep>(front);
    if (recorded != nullptr && recorded->step == step) return;
    // The recorded disk failed where this one goes on: commit_ends() tells of it.
    const auto* const failed = std::get_if<CommitEnds>(front);
    if (failed != nullptr && failed->is_storage_error) return;
    note("what happens next",
         std::string{recorded != nullptr ? to_string(recorded->step) : name_of(*front)},
         std::string{to_string(step)});
    is_lost_ = true;
}

void Replayer::reached(PoolStep step, const PoolCounts& counts) {
    const Event* const front = is_over() ? nullptr : log_.peek();
    const auto* const recorded = front == nullptr ? nullptr : std::get_if<RecordedStep>(front);
    if (recorded == nullptr) return;
    if (step == PoolStep::followed && recorded->counts != counts)
        note("the mempool after the block", text_of(recorded->counts), text_of(counts));
    (void)take();
}

void Replayer::admitted(const Admission& admission) {
    const Event* const front = is_lost_ ? nullptr : log_.peek();
    const auto* const recorded = front == nullptr ? nullptr : std::get_if<RecordedAdmission>(front);
    HEDDLE_ASSERT(is_lost_ || recorded != nullptr);  // feed() gives what is there
    if (recorded == nullptr) return;
    const Admission::Refusal* const why = recorded->why.has_value() ? &*recorded->why : nullptr;
    const bool is_same = (why == nullptr) == (admission.why == nullptr) &&
                         (why == nullptr || *why == *admission.why);
    if (!is_same) note("a transaction for the mempool", text_of(why), text_of(admission.why));
    (void)take();
}

template <typename End>
std::optional<End> Replayer::answer(std::string_view what) {
    feed();
    const Event* const front = is_over() ? nullptr : log_.peek();
    // Where the recorded process has ended in the middle there is nothing to compare with.
    if (front == nullptr || std::holds_alternative<RecordedStart>(*front)) return std::nullopt;
    if (!std::holds_alternative<End>(*front)) {
        note("what happens next", std::string{name_of(*front)}, std::string{what});
        is_lost_ = true;
        return std::nullopt;
    }
    // Counted by whoever compares, so that a difference is named by its own time.
    return std::get<End>(log_.take());
}

void Replayer::prepare_ends(const Prepared& result) {
    const auto recorded = answer<PrepareEnds>("the answer to a call for a proposal");
    if (!recorded.has_value()) return;
    if (const std::string error = error_of(result); error != recorded->error) {
        note("the proposal", or_none(recorded->error), or_none(error));
    } else if (result.has_value()) {
        const Digest digest = digest_of(
            outline_of(result->transactions, result->object_sets, result->access_list, digester_),
            digester_);
        const auto text = [](std::size_t transactions, const Digest& of) {
            return fmt::format("{}, digest {}", counted(transactions, "transaction"),
                               to_string(of));
        };
        if (digest != recorded->digest)
            note("the proposal", text(recorded->transactions, recorded->digest),
                 text(result->transactions.size(), digest));
    }
    ++time_.index;
}

void Replayer::process_ends(const Processed& result) {
    const auto recorded = answer<ProcessEnds>("the answer to a call to judge a proposal");
    if (!recorded.has_value()) return;
    if (const std::string error = error_of(result); error != recorded->error)
        note("the judgement of a proposal", or_none(recorded->error), or_none(error));
    ++time_.index;
}

void Replayer::compare_receipts(std::span<const std::uint32_t> recorded,
                                std::span<const std::uint32_t> found) {
    const auto [ours, theirs] = std::ranges::mismatch(found, recorded);
    if (ours != found.end() && theirs != recorded.end()) {
        note(fmt::format("the receipt of transaction {}", ours - found.begin()),
             fmt::format("{:08x}", *theirs), fmt::format("{:08x}", *ours));
    } else if (found.size() != recorded.size()) {
        note("the number of transactions in the block", std::to_string(recorded.size()),
             std::to_string(found.size()));
    }
}

void Replayer::compare_hash(const Hash& recorded, const Hash& found) {
    if (found != recorded) note("the block's hash", to_string(recorded), to_string(found));
}

void Replayer::compare_block(const FinalizeEnds& recorded,
                             const consensus_adapter::FinalizedBlock& found) {
    compare_receipts(recorded.receipts, receipt_tags(found.receipts, digester_));
    compare_hash(recorded.hash, found.hash);
    if (const Digest digest = digest_of(found, digester_); digest != recorded.digest)
        note("what was left out of the block or wrongly declared", to_string(recorded.digest),
             to_string(digest));
}

template <typename Recorded, typename Result, typename Compare>
void Replayer::block_ends_as(const std::optional<Recorded>& recorded, const Result& result,
                             Compare&& compare) {
    if (!recorded.has_value()) return;
    if (recorded->is_storage_error) {
        storage_failure_ = recorded->error;
    } else if (const std::string error = error_of(result); error != recorded->error) {
        note("the block", or_none(recorded->error), or_none(error));
    } else if (result.has_value()) {
        compare(*recorded, *result);
    }
    ++time_.index;
}

void Replayer::finalize_ends(const Finalized& result) {
    block_ends_as(
        answer<FinalizeEnds>("the answer to a call to execute a block"), result,
        [this](const auto& recorded, const auto& found) { compare_block(recorded, found); });
}

void Replayer::block_ends(const Taken& result) {
    block_ends_as(answer<BlockEnds>("what came of a block that somebody else has made"), result,
                  [this](const auto& recorded, const auto& found) {
                      compare_receipts(recorded.receipts, found.receipts);
                      compare_hash(recorded.hash, found.hash);
                  });
}

void Replayer::commit_ends(const Committed& result) {
    const auto recorded = answer<CommitEnds>("the answer to a call to commit a block");
    if (recorded.has_value()) {
        if (recorded->is_storage_error)
            storage_failure_ = recorded->error;
        else if (const std::string error = error_of(result); error != recorded->error)
            note("the commit", or_none(recorded->error), or_none(error));
        ++time_.index;
    }
    if (result.has_value()) time_ = {result->number + 1, 0};
}

}  // namespace heddle::node
