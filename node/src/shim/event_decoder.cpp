// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "shim/event_codec.hpp"
#include "shim/event_kinds.hpp"
#include "shim/given_block.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::BlockPlan;
using consensus_adapter::Proposal;
using consensus_adapter::Unexecutable;

Uint256 take_uint256(FieldReader& fields) {
    Uint256 value;
    for (std::uint64_t& word : value.words)
        word = fields.number();
    return value;
}

/// Of times in either direction: a clock counts nanoseconds in 64 bits, and two are subtracted.
constexpr std::int64_t kMostTimeMs = std::numeric_limits<std::int64_t>::max() / 2'000'000;

/// What was damaged may have any time.
std::int64_t take_time(FieldReader& fields) {
    const std::int64_t time_ms = fields.signed_number();
    if (time_ms >= -kMostTimeMs && time_ms <= kMostTimeMs) return time_ms;
    fields.fail();
    return 0;
}

/// Moves a time by what has passed since, which is what two times may be apart at most.
void pass(FieldReader& fields, std::int64_t& time_ms) {
    const std::int64_t passed_ms = fields.signed_number();
    if (passed_ms > kMostTimeMs - time_ms || passed_ms < -kMostTimeMs - time_ms)
        return fields.fail();
    time_ms += passed_ms;
}

PoolContent take_pool(FieldReader& fields) {
    constexpr std::size_t kLeastSender = 27;
    constexpr std::size_t kLeastEntry = 4;
    PoolContent pool;
    pool.arrivals = fields.number();
    pool.last_expiry_ms = take_time(fields);
    pool.senders.resize(fields.count(kLeastSender));
    for (PoolContent::Sender& sender : pool.senders) {
        fields.fill(sender.address.bytes);
        sender.nonce = fields.number();
        sender.balance = take_uint256(fields);
        sender.is_delegated = fields.byte() != 0;
        sender.entries.resize(fields.count(kLeastEntry));
        for (PoolContent::Entry& entry : sender.entries) {
            const BytesView encoded = fields.bytes();
            entry.encoded.assign(encoded.begin(), encoded.end());
            entry.origin = fields.byte();
            entry.arrival = fields.number();
            entry.since_ms = take_time(fields);
        }
    }
    return pool;
}

ProposalSource take_source(FieldReader& fields) {
    using Kind = ProposalSource::Kind;
    const std::size_t number = fields.byte();
    const auto first_processed = static_cast<std::size_t>(Kind::processed);
    if (number < first_processed) return {static_cast<Kind>(number), 0};
    if (number - first_processed >= kRememberedProposals) fields.fail();
    return {Kind::processed, number - first_processed};
}

std::string take_error(std::uint8_t flags, FieldReader& fields) {
    return (flags & kHasFailed) != 0 ? fields.text() : std::string{};
}

std::vector<std::uint32_t> take_tags(FieldReader& fields) {
    std::vector<std::uint32_t> tags(fields.count(sizeof(std::uint32_t)));
    for (std::uint32_t& tag : tags)
        for (unsigned shift = 0; shift < 32; shift += 8)
            tag |= std::uint32_t{fields.byte()} << shift;
    return tags;
}

PrepareEnds take_prepare_ends(std::uint8_t flags, FieldReader& fields) {
    PrepareEnds event;
    event.error = take_error(flags, fields);
    if (!event.error.empty()) return event;
    event.transactions = fields.number();
    fields.fill(event.digest.bytes);
    return event;
}

FinalizeEnds take_finalize_ends(std::uint8_t flags, FieldReader& fields) {
    FinalizeEnds event;
    event.error = take_error(flags, fields);
    event.is_storage_error = (flags & kIsStorageError) != 0;
    if (!event.error.empty()) return event;
    fields.fill(event.hash.bytes);
    fields.fill(event.digest.bytes);
    event.receipts = take_tags(fields);
    return event;
}

BlockEnds take_block_ends(std::uint8_t flags, FieldReader& fields) {
    BlockEnds event;
    event.error = take_error(flags, fields);
    event.is_storage_error = (flags & kIsStorageError) != 0;
    if (!event.error.empty()) return event;
    fields.fill(event.hash.bytes);
    event.receipts = take_tags(fields);
    return event;
}

}  // namespace

void EventDecoder::remember(std::shared_ptr<const Bytes> encoded) {
    window_bytes_ += encoded->size();
    window_.push_back(std::move(encoded));
    while (window_.size() > WindowBounds::kMostTransactions ||
           window_bytes_ > WindowBounds::kMostBytes) {
        window_bytes_ -= window_.front()->size();
        window_.pop_front();
    }
}

std::shared_ptr<const Bytes> EventDecoder::remembered(std::uint64_t distance, FieldReader& fields) {
    if (distance != 0 && distance <= window_.size()) return window_[window_.size() - distance];
    fields.fail();
    return std::make_shared<const Bytes>();
}

std::shared_ptr<const Bytes> EventDecoder::transaction(FieldReader& fields) {
    const BytesView bytes = fields.bytes();
    auto encoded = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
    remember(encoded);
    return encoded;
}

BlockPlan EventDecoder::plan(FieldReader& fields) {
    BlockPlan plan = last_plan_;
    const std::uint8_t flags = fields.byte();
    plan.timestamp += static_cast<std::uint64_t>(fields.signed_number());
    if ((flags & kSameBeneficiary) == 0) fields.fill(plan.beneficiary.bytes);
    if ((flags & kDerivedRandao) != 0)
        plan.prev_randao = consensus_adapter::prev_randao_after(head_);
    else
        fields.fill(plan.prev_randao.bytes);
    if ((flags & kSameBeaconRoot) == 0) fields.fill(plan.parent_beacon_block_root.bytes);
    if ((flags & kSameExtraData) == 0) {
        const BytesView extra_data = fields.bytes();
        plan.extra_data.assign(extra_data.begin(), extra_data.end());
    }
    if ((flags & kSameWithdrawals) == 0) plan.withdrawals = take_withdrawals(fields);
    if ((flags & kSameGasLimit) == 0)
        plan.gas_limit += static_cast<std::uint64_t>(fields.signed_number());
    if ((flags & kSameMaxBytes) == 0) plan.max_bytes = static_cast<std::size_t>(fields.number());
    plan.wants_access_list = (flags & kWantsList) != 0;
    last_plan_ = plan;
    return plan;
}

Proposal EventDecoder::proposal(FieldReader& fields) {
    Proposal proposal;
    const std::size_t count = fields.count(1);
    std::size_t room = kMostProposalBytes;
    for (std::size_t i = 0; i < count && !fields.has_failed(); ++i) {
        const std::uint64_t distance = fields.number();
        const auto encoded = distance != 0 ? remembered(distance, fields) : transaction(fields);
        if (encoded->size() > room) {
            fields.fail();
            break;
        }
        room -= encoded->size();
        auto tx = decode_transaction(*encoded);
        if (!tx.has_value()) {
            fields.fail();
            break;
        }
        proposal.transactions.push_back(*std::move(tx));
    }
    proposal.object_sets = take_sets(fields);
    const BytesView list = fields.bytes();
    proposal.access_list.assign(list.begin(), list.end());
    return proposal;
}

RecordedStart EventDecoder::start(FieldReader& fields) {
    *this = {};
    RecordedStart start;
    start.link.number = fields.number();
    fields.fill(start.link.previous.bytes);
    start.program = fields.text();
    const BytesView chain = fields.bytes();
    start.chain.assign(chain.begin(), chain.end());
    fields.fill(start.genesis_hash.bytes);
    start.head.number = fields.number();
    fields.fill(start.head.hash.bytes);
    start.head_timestamp = fields.number();
    fields.fill(start.state_root.bytes);
    start.settings.resize(fields.count(2));
    for (auto& [name, value] : start.settings) {
        name = fields.text();
        value = fields.text();
    }
    start.pool = take_pool(fields);
    head_ = start.head;
    last_plan_.timestamp = start.head_timestamp;
    return start;
}

RecordedAdmission EventDecoder::admission(std::uint8_t flags, FieldReader& fields) {
    RecordedAdmission event;
    event.origin = flags & kOriginBits;
    pass(fields, time_ms_);
    event.time_ms = time_ms_;
    event.encoded =
        (flags & kIsReference) != 0 ? remembered(fields.number(), fields) : transaction(fields);
    if ((flags & kIsRefused) == 0) return event;
    const std::uint8_t code = fields.byte();
    event.why = Admission::Refusal{code, fields.text()};
    return event;
}

// NOLINTNEXTLINE(readability-function-size): one case for each kind
Event EventDecoder::decode(std::uint8_t kind, std::uint8_t flags, FieldReader& fields) {
    switch (static_cast<EventKind>(kind)) {
        case EventKind::start: {
            RecordedStart event = start(fields);
            event.is_continued = flags != 0;
            return event;
        }
        case EventKind::admission:
            return admission(flags, fields);
        case EventKind::omitted:
            return OmittedAdmissions{fields.number()};
        case EventKind::step: {
            RecordedStep event;
            event.step = static_cast<PoolStep>(flags);
            if (event.step > PoolStep::followed) fields.fail();
            pass(fields, time_ms_);
            event.time_ms = time_ms_;
            if (event.step == PoolStep::followed) {
                event.counts.pending = fields.number();
                event.counts.queued = fields.number();
                event.counts.bytes = fields.number();
            }
            return event;
        }
        case EventKind::prepare_begins:
            return PrepareBegins{plan(fields)};
        case EventKind::prepare_ends:
            return take_prepare_ends(flags, fields);
        case EventKind::process_begins: {
            ProcessBegins event{plan(fields), take_source(fields), {}};
            if (event.source.kind == ProposalSource::Kind::given) event.given = proposal(fields);
            return event;
        }
        case EventKind::process_ends:
            return ProcessEnds{take_error(flags, fields)};
        case EventKind::finalize_begins: {
            FinalizeBegins event{.plan = plan(fields), .source = take_source(fields), .given = {}};
            if (event.source.kind == ProposalSource::Kind::given) event.given = proposal(fields);
            if ((flags & kIsDecided) != 0) event.mode = executor::BlockMode::decided;
            event.has_list = (flags & kHasList) != 0;
            if ((flags & kLeavesOut) != 0) event.unexecutable = Unexecutable::left_out;
            return event;
        }
        case EventKind::finalize_ends: {
            FinalizeEnds event = take_finalize_ends(flags, fields);
            if (event.error.empty()) finalized_ = event.hash;
            return event;
        }
        case EventKind::commit_begins:
            return CommitBegins{};
        case EventKind::commit_ends: {
            CommitEnds event{take_error(flags, fields), (flags & kIsStorageError) != 0};
            if (event.error.empty()) head_ = {head_.number + 1, finalized_};
            return event;
        }
        case EventKind::block_begins:
            return BlockBegins{take_given_block(fields)};
        case EventKind::block_ends: {
            BlockEnds event = take_block_ends(flags, fields);
            if (event.error.empty()) finalized_ = event.hash;
            return event;
        }
        case EventKind::head_shown:
            return HeadShown{fields.number()};
    }
    fields.fail();
    return OmittedAdmissions{};
}

std::expected<Event, std::string> EventDecoder::next(FieldReader& fields) {
    const std::uint8_t first = fields.byte();
    const std::uint8_t kind = first & kKindBits;
    if (static_cast<EventKind>(kind) == EventKind::start) {
        const std::uint64_t format = fields.number();
        if (!fields.has_failed() && format != kRecordingFormat)
            return std::unexpected(fmt::format("its format is {}, and this program reads format {}",
                                               format, kRecordingFormat));
    }
    Event event = decode(kind, static_cast<std::uint8_t>(first >> kFlagShift), fields);
    if (fields.has_failed()) return std::unexpected("an event that cannot be read");
    return event;
}

std::string_view name_of(const Event& event) noexcept {
    constexpr std::string_view kNames[] = {
        "a start",
        "a transaction for the mempool",
        "transactions left out",
        "a step of the mempool",
        "a call for a proposal",
        "the answer to a call for a proposal",
        "a call to judge a proposal",
        "the answer to a call to judge a proposal",
        "a call to execute a block",
        "the answer to a call to execute a block",
        "a call to commit a block",
        "the answer to a call to commit a block",
        "a block that somebody else has made",
        "what came of a block that somebody else has made",
        "blocks that are acknowledged",
    };
    static_assert(std::size(kNames) == std::variant_size_v<Event>);
    return kNames[event.index()];
}

}  // namespace heddle::node
