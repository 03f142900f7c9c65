// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Every event is read as it was written, what was said before included; bytes that are none are an
// error wherever they end.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <consensus_adapter/block_rules.hpp>

#include "building/chain_application_fixture.hpp"
#include "shim/digest.hpp"
#include "shim/event_codec.hpp"
#include "shim/given_block.hpp"
#include "shim/transaction_window.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::BlockId;

BlockId head_of_test() {
    return {41, keccak256(Bytes{41})};
}

RecordedStart start_of_test() {
    RecordedStart start;
    start.link = {3, {}};
    start.link.previous.bytes[5] = 7;
    start.program = "a program";
    start.is_continued = true;
    start.chain = {1, 2, 3};
    start.genesis_hash = keccak256(Bytes{1});
    start.head = head_of_test();
    start.head_timestamp = 1'000;
    start.state_root = keccak256(Bytes{2});
    start.settings = {{"mempool.size", "5"}, {"building.builder", "aria"}};
    start.pool.arrivals = 9;
    start.pool.last_expiry_ms = -4;
    start.pool.senders.push_back({address_from_low64(5),
                                  7,
                                  Uint256{1, 2, 3, 4},
                                  true,
                                  {{Bytes{1, 2}, 1, 8, 77}, {Bytes{3}, 2, 6, -1}}});
    return start;
}

BlockPlan plan_of_test() {
    BlockPlan plan;
    plan.timestamp = 1'003;
    plan.beneficiary = address_from_low64(6);
    plan.prev_randao = consensus_adapter::prev_randao_after(head_of_test());
    plan.parent_beacon_block_root = keccak256(Bytes{3});
    plan.extra_data = {9, 9};
    plan.withdrawals = {{1, 2, address_from_low64(7), 3}};
    plan.gas_limit = 30'000'000;
    plan.max_bytes = 1'234;
    plan.wants_access_list = true;
    return plan;
}

void expect_plan(const BlockPlan& found, const BlockPlan& wanted) {
    EXPECT_EQ(found.timestamp, wanted.timestamp);
    EXPECT_EQ(found.beneficiary, wanted.beneficiary);
    EXPECT_EQ(found.prev_randao, wanted.prev_randao);
    EXPECT_EQ(found.parent_beacon_block_root, wanted.parent_beacon_block_root);
    EXPECT_EQ(found.extra_data, wanted.extra_data);
    EXPECT_EQ(found.withdrawals, wanted.withdrawals);
    EXPECT_EQ(found.gas_limit, wanted.gas_limit);
    EXPECT_EQ(found.max_bytes, wanted.max_bytes);
    EXPECT_EQ(found.wants_access_list, wanted.wants_access_list);
}

Proposal proposal_of_test() {
    Proposal proposal;
    for (std::uint64_t nonce = 0; nonce < 3; ++nonce)
        proposal.transactions.emplace_back(transfer(1, nonce, 2)).sender.reset();
    proposal.object_sets.resize(3);
    proposal.object_sets[1] =
        ObjectSet{{{{address_from_low64(3), ObjectKind::storage, Uint256{5}}, AccessMode::write}}};
    proposal.access_list = {0xc0};
    return proposal;
}

OrderedBlock decided_block_of_test() {
    const Proposal proposal = proposal_of_test();
    OrderedBlock block;
    block.start = consensus_adapter::block_start(plan_of_test());
    block.start.mode = executor::BlockMode::decided;
    block.start.access_list = proposal.access_list;
    block.transactions = proposal.transactions;
    block.object_sets = proposal.object_sets;
    return block;
}

class EventCodecTest : public testing::Test {
protected:
    /// Reads the next event, of this kind.
    template <typename Kind>
    Kind next() {
        if (!fields_.has_value()) fields_.emplace(bytes_);
        auto event = decoder_.next(*fields_);
        if (!event.has_value()) {
            ADD_FAILURE() << event.error();
            return {};
        }
        if (const auto* const wanted = std::get_if<Kind>(&*event)) return *wanted;
        ADD_FAILURE() << name_of(*event);
        return {};
    }

    EventEncoder encoder_;
    Bytes bytes_;
    EventDecoder decoder_;
    std::optional<FieldReader> fields_;
};

TEST_F(EventCodecTest, a_start_is_read_as_it_was_written) {
    const RecordedStart wanted = start_of_test();
    encoder_.start(wanted, bytes_);
    const auto found = next<RecordedStart>();
    EXPECT_EQ(found.link, wanted.link);
    EXPECT_EQ(found.program, wanted.program);
    EXPECT_EQ(found.is_continued, wanted.is_continued);
    EXPECT_EQ(found.chain, wanted.chain);
    EXPECT_EQ(found.genesis_hash, wanted.genesis_hash);
    EXPECT_EQ(found.head, wanted.head);
    EXPECT_EQ(found.head_timestamp, wanted.head_timestamp);
    EXPECT_EQ(found.state_root, wanted.state_root);
    EXPECT_EQ(found.settings, wanted.settings);
    EXPECT_EQ(found.pool, wanted.pool);
}

TEST_F(EventCodecTest, a_transaction_that_was_given_is_referred_to) {
    const Transaction tx = transfer(1, 0, 2);
    Bytes encoded;
    encode_transaction(tx, encoded);
    const Hash hash = transaction_hash(tx);
    const Admission::Refusal why{3, "no"};
    Admission admission;
    admission.encoded = encoded;
    admission.origin = 2;
    admission.hash = &hash;
    encoder_.start(start_of_test(), bytes_);
    encoder_.admission(admission, 12, bytes_);
    const std::size_t before = bytes_.size();
    admission.why = &why;
    encoder_.admission(admission, 15, bytes_);
    EXPECT_LT(bytes_.size() - before, 10u);

    (void)next<RecordedStart>();
    const auto first = next<RecordedAdmission>();
    EXPECT_EQ(*first.encoded, encoded);
    EXPECT_EQ(first.origin, 2);
    EXPECT_EQ(first.time_ms, 12);
    EXPECT_FALSE(first.why.has_value());
    const auto second = next<RecordedAdmission>();
    EXPECT_EQ(*second.encoded, encoded);
    EXPECT_EQ(second.why, why);
    EXPECT_EQ(second.time_ms, 15);
}

TEST_F(EventCodecTest, an_accepted_transaction_takes_few_bytes_beyond_its_own) {
    encoder_.start(start_of_test(), bytes_);
    const std::size_t begin = bytes_.size();
    std::size_t own = 0;
    constexpr std::uint64_t kCount = 100;
    for (std::uint64_t nonce = 0; nonce < kCount; ++nonce) {
        const Transaction tx = transfer(1, nonce, 2);
        Bytes encoded;
        encode_transaction(tx, encoded);
        const Hash hash = transaction_hash(tx);
        Admission admission;
        admission.encoded = encoded;
        admission.hash = &hash;
        encoder_.admission(admission, static_cast<std::int64_t>(nonce), bytes_);
        own += encoded.size();
    }
    EXPECT_LE(bytes_.size() - begin - own, kCount * 5);
}

TEST_F(EventCodecTest, proposals_are_read_as_they_were_written) {
    const BlockPlan plan = plan_of_test();
    const Proposal proposal = proposal_of_test();
    encoder_.start(start_of_test(), bytes_);
    encoder_.prepare_begins(plan, bytes_);
    const std::size_t before = bytes_.size();
    encoder_.prepare_begins(plan, bytes_);
    EXPECT_LE(bytes_.size() - before, 3u);  // nothing has changed
    encoder_.prepare_ends({.transactions = 3, .digest = {{1, 2}}, .error = ""}, bytes_);
    encoder_.prepare_ends({.transactions = 0, .digest = {}, .error = "none"}, bytes_);
    encoder_.process_begins(plan, {}, proposal, bytes_);
    encoder_.process_ends({"bad"}, bytes_);

    (void)next<RecordedStart>();
    expect_plan(next<PrepareBegins>().plan, plan);
    expect_plan(next<PrepareBegins>().plan, plan);
    const auto prepared = next<PrepareEnds>();
    EXPECT_EQ(prepared.transactions, 3u);
    EXPECT_EQ(prepared.digest, (Digest{{1, 2}}));
    EXPECT_EQ(next<PrepareEnds>().error, "none");
    const auto processed = next<ProcessBegins>();
    EXPECT_EQ(processed.given.transactions, proposal.transactions);
    EXPECT_EQ(processed.given.object_sets, proposal.object_sets);
    EXPECT_EQ(processed.given.access_list, proposal.access_list);
    EXPECT_EQ(next<ProcessEnds>().error, "bad");
    EXPECT_TRUE(fields_->is_empty());
}

// A crafted recording names one large transaction - as often as it likes, in a byte or three each -
// and a rerun has all of them in memory.
TEST_F(EventCodecTest, a_proposal_is_no_larger_than_a_message_however_often_it_names_one) {
    constexpr std::size_t kFit = 8;
    Proposal proposal;
    Transaction large = transfer(1, 0, 2);
    large.sender.reset();
    large.data.assign(kMostProposalBytes / kFit - 1'000, 7);
    proposal.transactions.assign(kFit, large);
    encoder_.start(start_of_test(), bytes_);
    encoder_.process_begins(plan_of_test(), {}, proposal, bytes_);
    proposal.transactions.push_back(large);
    encoder_.process_begins(plan_of_test(), {}, proposal, bytes_);
    EXPECT_LT(bytes_.size(), kMostProposalBytes / kFit + 1'000);

    (void)next<RecordedStart>();
    EXPECT_EQ(next<ProcessBegins>().given.transactions.size(), kFit);
    EXPECT_FALSE(decoder_.next(*fields_).has_value());
}

TEST_F(EventCodecTest, decided_blocks_are_read_as_they_were_written) {
    const OrderedBlock block = decided_block_of_test();
    encoder_.start(start_of_test(), bytes_);
    encoder_.finalize_begins(block, {ProposalSource::Kind::processed, 2}, Unexecutable::left_out,
                             bytes_);
    encoder_.finalize_begins(block, {}, Unexecutable::refused, bytes_);
    encoder_.finalize_ends({keccak256(Bytes{9}), {{5}}, {0x01020304, 7}, "", false}, bytes_);
    encoder_.finalize_ends({{}, {}, {}, "disk", true}, bytes_);
    encoder_.commit_begins(bytes_);
    encoder_.commit_ends({"full", true}, bytes_);

    (void)next<RecordedStart>();
    const auto known = next<FinalizeBegins>();
    EXPECT_EQ(known.source.kind, ProposalSource::Kind::processed);
    EXPECT_EQ(known.source.back, 2u);
    EXPECT_EQ(known.mode, executor::BlockMode::decided);
    EXPECT_TRUE(known.has_list);
    EXPECT_EQ(known.unexecutable, Unexecutable::left_out);
    EXPECT_EQ(consensus_adapter::block_start(known.plan).header, block.start.header);
    const auto given = next<FinalizeBegins>();
    EXPECT_EQ(given.given.transactions, block.transactions);
    EXPECT_EQ(given.unexecutable, Unexecutable::refused);
    const auto finalized = next<FinalizeEnds>();
    EXPECT_EQ(finalized.hash, keccak256(Bytes{9}));
    EXPECT_EQ(finalized.digest, (Digest{{5}}));
    EXPECT_EQ(finalized.receipts, (std::vector<std::uint32_t>{0x01020304, 7}));
    EXPECT_FALSE(finalized.is_storage_error);
    const auto failed = next<FinalizeEnds>();
    EXPECT_EQ(failed.error, "disk");
    EXPECT_TRUE(failed.is_storage_error);
    (void)next<CommitBegins>();
    const auto committed = next<CommitEnds>();
    EXPECT_EQ(committed.error, "full");
    EXPECT_TRUE(committed.is_storage_error);
    EXPECT_TRUE(fields_->is_empty());
}

TEST_F(EventCodecTest, what_happens_to_the_pool_is_read_as_it_was_written) {
    encoder_.start(start_of_test(), bytes_);
    encoder_.omitted(77, bytes_);
    encoder_.step(PoolStep::followed, {1, 2, 300}, 40, bytes_);

    (void)next<RecordedStart>();
    EXPECT_EQ(next<OmittedAdmissions>().count, 77u);
    const auto step = next<RecordedStep>();
    EXPECT_EQ(step.step, PoolStep::followed);
    EXPECT_EQ(step.counts, (PoolCounts{1, 2, 300}));
    EXPECT_EQ(step.time_ms, 40);
    EXPECT_TRUE(fields_->is_empty());
}

TEST_F(EventCodecTest, blocks_of_a_stream_are_read_as_they_were_written) {
    OrderedBlock streamed = decided_block_of_test();
    streamed.start.ommers.resize(2);
    streamed.start.withdrawals.emplace(3);
    streamed.start.encoded_size_bytes = 777;
    streamed.start.header.base_fee_per_gas = Uint256{7};
    streamed.start.header.withdrawals_root = keccak256(Bytes{1});
    streamed.start.header.blob_gas_used = 2;
    streamed.start.header.excess_blob_gas = 3;
    streamed.start.header.parent_beacon_block_root = keccak256(Bytes{2});
    GivenBlockWriter writer;
    writer.begin(streamed.start);
    for (std::size_t i = 0; i < streamed.transactions.size(); ++i)
        writer.add(streamed.transactions[i], streamed.object_sets[i]);
    encoder_.start(start_of_test(), bytes_);
    encoder_.block_begins(writer.finish(), bytes_);
    encoder_.block_ends({keccak256(Bytes{8}), {5, 6}, "", false}, bytes_);
    encoder_.block_ends({{}, {}, "wrong", false}, bytes_);
    encoder_.head_shown({1'000}, bytes_);

    (void)next<RecordedStart>();
    const auto came = next<BlockBegins>();
    EXPECT_EQ(came.block.start.header, streamed.start.header);
    EXPECT_EQ(came.block.start.ommers, streamed.start.ommers);
    EXPECT_EQ(came.block.start.withdrawals, streamed.start.withdrawals);
    EXPECT_EQ(came.block.start.encoded_size_bytes, 777u);
    EXPECT_EQ(came.block.start.access_list, streamed.start.access_list);
    EXPECT_EQ(came.block.transactions, streamed.transactions);
    EXPECT_EQ(came.block.object_sets, streamed.object_sets);
    const auto taken = next<BlockEnds>();
    EXPECT_EQ(taken.hash, keccak256(Bytes{8}));
    EXPECT_EQ(taken.receipts, (std::vector<std::uint32_t>{5, 6}));
    EXPECT_EQ(next<BlockEnds>().error, "wrong");
    EXPECT_EQ(next<HeadShown>().number, 1'000u);
    EXPECT_TRUE(fields_->is_empty());
}

// More transactions than may be referred to: the oldest are given once more, and read as such.
TEST_F(EventCodecTest, what_was_given_too_long_ago_is_given_again) {
    const Bytes large(std::size_t{1} << 20, 7);
    const auto hash_of = [](std::uint64_t number) {
        return keccak256(Bytes{static_cast<std::uint8_t>(number)});
    };
    encoder_.start(start_of_test(), bytes_);
    const auto admit = [&](std::uint64_t number) {
        const Hash hash = hash_of(number);
        Admission admission;
        admission.encoded = large;
        admission.hash = &hash;
        Bytes out;
        encoder_.admission(admission, 0, out);
        bytes_.insert(bytes_.end(), out.begin(), out.end());
        return out.size();
    };
    constexpr std::uint64_t kFit = WindowBounds::kMostBytes >> 20;
    for (std::uint64_t number = 1; number <= kFit; ++number)
        ASSERT_GT(admit(number), large.size());
    EXPECT_LT(admit(1), 8u);            // still there
    ASSERT_GT(admit(0), large.size());  // takes the place of the first
    ASSERT_GT(admit(1), large.size());
    EXPECT_LT(admit(3), 8u);
    (void)next<RecordedStart>();
    for (std::uint64_t left = kFit + 4; left != 0; --left)
        ASSERT_EQ(next<RecordedAdmission>().encoded->size(), large.size());
}

// A line of the table that is full loses its oldest: few, and never one for another.
TEST(TransactionWindowTest, finds_nearly_all_that_are_in_it_and_nothing_else) {
    constexpr std::uint64_t kMost = WindowBounds::kMostTransactions;
    std::mt19937_64 random(3);
    std::vector<Hash> given(kMost + kMost / 2);
    TransactionWindow window;
    for (Hash& hash : given) {
        for (std::uint8_t& byte : hash.bytes)
            byte = static_cast<std::uint8_t>(random());
        EXPECT_EQ(window.distance_to(hash), 0u);
        window.add(&hash, 100);
        EXPECT_EQ(window.distance_to(hash), 1u);
    }
    std::uint64_t lost = 0;
    for (std::uint64_t back = 1; back <= given.size(); ++back) {
        const std::uint64_t distance = window.distance_to(given[given.size() - back]);
        if (distance == 0 && back <= kMost)
            ++lost;
        else
            ASSERT_EQ(distance, back <= kMost ? back : 0);
    }
    EXPECT_LT(lost, kMost / 500);
    window.add(&given.back(), 100);
    window.add(nullptr, 100);
    EXPECT_EQ(window.distance_to(given.back()), 2u);  // the newer one
}

TEST_F(EventCodecTest, bytes_that_end_early_or_were_changed_are_never_more_than_an_error) {
    const Proposal proposal = proposal_of_test();
    encoder_.start(start_of_test(), bytes_);
    encoder_.process_begins(plan_of_test(), {}, proposal, bytes_);
    const auto read_all = [](BytesView bytes) {
        EventDecoder decoder;
        FieldReader fields(bytes);
        std::size_t events = 0;
        while (!fields.is_empty()) {
            if (!decoder.next(fields).has_value()) return std::optional<std::size_t>{};
            ++events;
        }
        return std::optional{events};
    };
    EXPECT_EQ(read_all(bytes_), 2u);
    Bytes alone;
    EventEncoder{}.start(start_of_test(), alone);
    for (std::size_t size = 1; size < bytes_.size(); ++size) {
        if (size == alone.size()) continue;
        EXPECT_EQ(read_all(BytesView{bytes_}.first(size)), std::nullopt) << size;
    }
    std::mt19937_64 random(5);
    for (int i = 0; i < 20'000; ++i) {
        Bytes changed = bytes_;
        for (std::uint64_t left = 1 + random() % 4; left != 0; --left)
            changed[random() % changed.size()] = static_cast<std::uint8_t>(random());
        (void)read_all(changed);  // any answer, but one
    }
}

/// Whether it is read after another event of the time 1 ms.
bool is_read_after(std::int64_t passed_ms) {
    Bytes first;
    EventEncoder{}.step(PoolStep::shown, {}, 1, first);
    Bytes second = first;
    second.pop_back();  // the time
    put_signed(passed_ms, second);
    EventDecoder decoder;
    FieldReader fields(first);
    EXPECT_TRUE(decoder.next(fields).has_value());
    FieldReader more(second);
    return decoder.next(more).has_value();
}

/// Whether a start is read whose mempool has these times.
bool is_read_with(std::int64_t last_expiry_ms, std::int64_t since_ms) {
    RecordedStart start = start_of_test();
    start.pool.last_expiry_ms = last_expiry_ms;
    start.pool.senders.at(0).entries.at(1).since_ms = since_ms;
    Bytes bytes;
    EventEncoder{}.start(start, bytes);
    FieldReader fields(bytes);
    return EventDecoder{}.next(fields).has_value();
}

// Half of what a clock of nanoseconds counts: nobody who subtracts two of them overflows.
TEST_F(EventCodecTest, times_that_no_clock_shows_are_an_error) {
    using Limits = std::numeric_limits<std::int64_t>;
    constexpr std::int64_t kMost = Limits::max() / 2'000'000;

    for (const std::int64_t time_ms : {kMost, -kMost}) {
        EXPECT_TRUE(is_read_after(time_ms - 1));
        EXPECT_TRUE(is_read_with(time_ms, 0));
        EXPECT_TRUE(is_read_with(0, time_ms));
    }
    for (const std::int64_t time_ms : {kMost + 1, -kMost - 1, Limits::max(), Limits::min()}) {
        EXPECT_FALSE(is_read_after(time_ms - (time_ms == Limits::min() ? 0 : 1))) << time_ms;
        EXPECT_FALSE(is_read_with(time_ms, 0)) << time_ms;
        EXPECT_FALSE(is_read_with(0, time_ms)) << time_ms;
    }
}

// Receipts that are alike are hashed once in a row, and those between them for themselves.
TEST(ReceiptTagsTest, those_of_a_block_are_those_of_each_receipt_alone) {
    const auto receipt = [](bool success, std::uint64_t gas, std::size_t logs) {
        Receipt made;
        made.success = success;
        made.gas_used = gas;
        made.logs.resize(logs);
        for (Log& log : made.logs)
            log.data.resize(2'000, static_cast<std::uint8_t>(gas));
        return made;
    };
    const std::vector<Receipt> block{receipt(true, 21'000, 0),  receipt(true, 21'000, 0),
                                     receipt(true, 21'000, 1),  receipt(true, 21'000, 0),
                                     receipt(false, 21'000, 0), receipt(false, 30'000, 0),
                                     receipt(true, 30'000, 2),  receipt(true, 21'000, 0)};
    Digester digester;
    const std::vector<std::uint32_t> tags = receipt_tags(block, digester);
    ASSERT_EQ(tags.size(), block.size());
    std::set<std::uint32_t> distinct;
    for (std::size_t i = 0; i < block.size(); ++i) {
        Digester another;
        EXPECT_EQ(tags[i], receipt_tags(std::span{&block[i], 1}, another).front()) << i;
        distinct.insert(tags[i]);
    }
    EXPECT_EQ(distinct.size(), 5u);
}

// Wherever its pieces end, before, at and behind the end of what is gathered.
TEST(DigesterTest, the_digest_does_not_depend_on_the_pieces) {
    Bytes all(5'000);
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
    Digester digester;
    const Digest whole = digester.add(BytesView{all}).finish();
    for (const std::size_t size : {1u, 7u, 32u, 1'023u, 1'024u, 1'025u, 3'000u}) {
        for (BytesView left{all}; !left.empty(); left = left.subspan(std::min(size, left.size())))
            digester.add(left.first(std::min(size, left.size())));
        EXPECT_EQ(digester.finish(), whole) << size;
    }
}

}  // namespace
}  // namespace heddle::node
