// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "shim/event_codec.hpp"
#include "shim/event_kinds.hpp"
#include "shim/given_block.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::BlockPlan;
using consensus_adapter::OrderedBlock;
using consensus_adapter::Proposal;
using consensus_adapter::Unexecutable;

std::uint8_t kind_byte(EventKind kind, std::uint8_t flags) {
    return static_cast<std::uint8_t>(static_cast<unsigned>(kind) | static_cast<unsigned>(flags)
                                                                       << kFlagShift);
}
void put_kind(EventKind kind, std::uint8_t flags, Bytes& out) {
    out.push_back(kind_byte(kind, flags));
}

void put_uint256(const Uint256& value, Bytes& out) {
    for (const std::uint64_t word : value.words)
        put_number(word, out);
}

void put_pool(const PoolContent& pool, Bytes& out) {
    put_number(pool.arrivals, out);
    put_signed(pool.last_expiry_ms, out);
    put_number(pool.senders.size(), out);
    for (const PoolContent::Sender& sender : pool.senders) {
        put_raw(sender.address.view(), out);
        put_number(sender.nonce, out);
        put_uint256(sender.balance, out);
        out.push_back(sender.is_delegated ? 1 : 0);
        put_number(sender.entries.size(), out);
        for (const PoolContent::Entry& entry : sender.entries) {
            put_bytes(entry.encoded, out);
            out.push_back(entry.origin);
            put_number(entry.arrival, out);
            put_signed(entry.since_ms, out);
        }
    }
}

void put_tags(const std::vector<std::uint32_t>& tags, Bytes& out) {
    put_number(tags.size(), out);
    for (const std::uint32_t tag : tags)
        for (unsigned shift = 0; shift < 32; shift += 8)
            out.push_back(static_cast<std::uint8_t>(tag >> shift));
}

std::uint8_t failure_flags(const std::string& error, bool is_storage_error) {
    if (error.empty()) return 0;
    return static_cast<std::uint8_t>(kHasFailed | (is_storage_error ? kIsStorageError : 0));
}

}  // namespace

void EventEncoder::start(const RecordedStart& start, Bytes& out) {
    *this = {};
    head_ = start.head;
    last_plan_.timestamp = start.head_timestamp;
    put_kind(EventKind::start, start.is_continued ? 1 : 0, out);
    put_number(kRecordingFormat, out);
    put_number(start.link.number, out);
    put_raw(start.link.previous.bytes, out);
    put_text(start.program, out);
    put_bytes(start.chain, out);
    put_raw(start.genesis_hash.view(), out);
    put_number(start.head.number, out);
    put_raw(start.head.hash.view(), out);
    put_number(start.head_timestamp, out);
    put_raw(start.state_root.view(), out);
    put_number(start.settings.size(), out);
    for (const auto& [name, value] : start.settings) {
        put_text(name, out);
        put_text(value, out);
    }
    put_pool(start.pool, out);
    time_ms_ = 0;
}

void EventEncoder::admission(const Admission& admission, std::int64_t time_ms, Bytes& out) {
    const std::uint64_t distance =
        admission.hash != nullptr ? window_.distance_to(*admission.hash) : 0;
    std::uint8_t flags = admission.origin & kOriginBits;
    if (distance != 0) flags |= kIsReference;
    if (admission.why != nullptr) flags |= kIsRefused;
    // All that stands before the bytes at once: every transaction pays for this.
    std::array<std::uint8_t, 1 + 2 * kMostNumberBytes> head;
    head[0] = kind_byte(EventKind::admission, flags);
    std::uint8_t* end = write_number(folded(time_ms - std::exchange(time_ms_, time_ms)), &head[1]);
    end = write_number(distance != 0 ? distance : admission.encoded.size(), end);
    put_raw({head.data(), end}, out);
    if (distance == 0) {
        put_raw(admission.encoded, out);
        window_.add(admission.hash, admission.encoded.size());
    }
    if (admission.why == nullptr) return;
    out.push_back(admission.why->code);
    put_text(admission.why->message, out);
}

void EventEncoder::omitted(std::uint64_t count, Bytes& out) {
    put_kind(EventKind::omitted, 0, out);
    put_number(count, out);
}

void EventEncoder::step(PoolStep step, const PoolCounts& counts, std::int64_t time_ms, Bytes& out) {
    put_kind(EventKind::step, static_cast<std::uint8_t>(step), out);
    put_signed(time_ms - std::exchange(time_ms_, time_ms), out);
    if (step != PoolStep::followed) return;
    put_number(counts.pending, out);
    put_number(counts.queued, out);
    put_number(counts.bytes, out);
}

void EventEncoder::plan(const BlockPlan& plan, Bytes& out) {
    const BlockPlan& last = last_plan_;
    std::uint8_t flags = 0;
    const auto note = [&](bool is_so, std::uint8_t flag) {
        if (is_so) flags |= flag;
        return is_so;
    };
    const std::size_t place = out.size();
    out.push_back(0);
    put_signed(static_cast<std::int64_t>(plan.timestamp - last.timestamp), out);
    if (!note(plan.beneficiary == last.beneficiary, kSameBeneficiary))
        put_raw(plan.beneficiary.view(), out);
    if (!note(plan.prev_randao == consensus_adapter::prev_randao_after(head_), kDerivedRandao))
        put_raw(plan.prev_randao.view(), out);
    if (!note(plan.parent_beacon_block_root == last.parent_beacon_block_root, kSameBeaconRoot))
        put_raw(plan.parent_beacon_block_root.view(), out);
    if (!note(plan.extra_data == last.extra_data, kSameExtraData)) put_bytes(plan.extra_data, out);
    if (!note(plan.withdrawals == last.withdrawals, kSameWithdrawals))
        put_withdrawals(plan.withdrawals, out);
    if (!note(plan.gas_limit == last.gas_limit, kSameGasLimit))
        put_signed(static_cast<std::int64_t>(plan.gas_limit - last.gas_limit), out);
    if (!note(plan.max_bytes == last.max_bytes, kSameMaxBytes)) put_number(plan.max_bytes, out);
    note(plan.wants_access_list, kWantsList);
    out[place] = flags;
    last_plan_ = plan;
}

void EventEncoder::source(ProposalSource source, Bytes& out) {
    using Kind = ProposalSource::Kind;
    out.push_back(static_cast<std::uint8_t>(
        source.kind == Kind::processed ? static_cast<std::size_t>(Kind::processed) + source.back
                                       : static_cast<std::size_t>(source.kind)));
}

void EventEncoder::transactions(const std::vector<Transaction>& transactions, Bytes& out) {
    put_number(transactions.size(), out);
    for (const Transaction& tx : transactions) {
        const Hash hash = transaction_hash(tx);
        const std::uint64_t distance = window_.distance_to(hash);
        put_number(distance, out);
        if (distance != 0) continue;
        scratch_.clear();
        encode_transaction(tx, scratch_);
        put_bytes(scratch_, out);
        window_.add(&hash, scratch_.size());
    }
}

void EventEncoder::prepare_begins(const BlockPlan& wanted, Bytes& out) {
    put_kind(EventKind::prepare_begins, 0, out);
    plan(wanted, out);
}

void EventEncoder::prepare_ends(const PrepareEnds& event, Bytes& out) {
    put_kind(EventKind::prepare_ends, failure_flags(event.error, false), out);
    if (!event.error.empty()) return put_text(event.error, out);
    put_number(event.transactions, out);
    put_raw(event.digest.bytes, out);
}

void EventEncoder::process_begins(const BlockPlan& wanted, ProposalSource from,
                                  const Proposal& proposal, Bytes& out) {
    put_kind(EventKind::process_begins, 0, out);
    plan(wanted, out);
    source(from, out);
    if (from.kind != ProposalSource::Kind::given) return;
    transactions(proposal.transactions, out);
    put_sets(proposal.object_sets, out);
    put_bytes(proposal.access_list, out);
}

void EventEncoder::process_ends(const ProcessEnds& event, Bytes& out) {
    put_kind(EventKind::process_ends, failure_flags(event.error, false), out);
    if (!event.error.empty()) put_text(event.error, out);
}

void EventEncoder::finalize_begins(const OrderedBlock& block, ProposalSource from,
                                   Unexecutable unexecutable, Bytes& out) {
    std::uint8_t flags = 0;
    if (unexecutable == Unexecutable::left_out) flags |= kLeavesOut;
    if (block.start.mode == executor::BlockMode::decided) flags |= kIsDecided;
    if (!block.start.access_list.empty()) flags |= kHasList;
    put_kind(EventKind::finalize_begins, flags, out);
    BlockPlan wanted = plan_of(block.start);
    // Nothing that finalizing asks for.
    wanted.max_bytes = last_plan_.max_bytes;
    wanted.wants_access_list = last_plan_.wants_access_list;
    plan(wanted, out);
    source(from, out);
    if (from.kind != ProposalSource::Kind::given) return;
    transactions(block.transactions, out);
    put_sets(block.object_sets, out);
    put_bytes(block.start.access_list, out);
}

void EventEncoder::finalize_ends(const FinalizeEnds& event, Bytes& out) {
    put_kind(EventKind::finalize_ends, failure_flags(event.error, event.is_storage_error), out);
    if (!event.error.empty()) return put_text(event.error, out);
    finalized_ = event.hash;
    put_raw(event.hash.view(), out);
    put_raw(event.digest.bytes, out);
    put_tags(event.receipts, out);
}

void EventEncoder::commit_begins(Bytes& out) {
    put_kind(EventKind::commit_begins, 0, out);
}

void EventEncoder::commit_ends(const CommitEnds& event, Bytes& out) {
    put_kind(EventKind::commit_ends, failure_flags(event.error, event.is_storage_error), out);
    if (!event.error.empty()) return put_text(event.error, out);
    head_ = {head_.number + 1, finalized_};
}

void EventEncoder::block_begins(const GivenBlock& block, Bytes& out) {
    put_kind(EventKind::block_begins, 0, out);
    put_raw(block.encoded, out);
}

void EventEncoder::block_ends(const BlockEnds& event, Bytes& out) {
    put_kind(EventKind::block_ends, failure_flags(event.error, event.is_storage_error), out);
    if (!event.error.empty()) return put_text(event.error, out);
    finalized_ = event.hash;
    put_raw(event.hash.view(), out);
    put_tags(event.receipts, out);
}

void EventEncoder::head_shown(const HeadShown& event, Bytes& out) {
    put_kind(EventKind::head_shown, 0, out);
    put_number(event.number, out);
}

}  // namespace heddle::node
