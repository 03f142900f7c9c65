// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/receipt.hpp>
#include <types/receipt_blooms.hpp>
#include <types/receipt_codec.hpp>

#include <algorithm>
#include <bit>

#include <gtest/gtest.h>

#include <types/rlp.hpp>

namespace heddle {
namespace {

Log example_log() {
    return {address_from_low64(0xabcd),
            {to_hash(Uint256{1}), to_hash(Uint256{2})},
            Bytes{0xde, 0xad, 0xbe, 0xef}};
}

std::size_t bits_set(const LogsBloom& bloom) {
    std::size_t count = 0;
    for (const std::uint8_t byte : bloom.bytes)
        count += static_cast<std::size_t>(std::popcount(byte));
    return count;
}

// YP 4.3.1: three times the low eleven bits of the first three byte pairs of the hash.
TEST(LogsBloom, sets_the_three_bits_of_the_yellow_paper) {
    const Hash topic = to_hash(Uint256{1});
    const Hash hash = keccak256(topic.view());
    LogsBloom expected;
    for (std::size_t i = 0; i < 6; i += 2) {
        const unsigned bit = (hash.bytes[i] * 256u + hash.bytes[i + 1]) % 2048;
        expected.bytes[255 - bit / 8] |= static_cast<std::uint8_t>(1u << bit % 8);
    }
    LogsBloom bloom;

    bloom.add(topic.view());

    EXPECT_EQ(bloom, expected);
    EXPECT_LE(bits_set(bloom), 3u);
}

TEST(LogsBloom, bloom_of_logs_is_the_union_of_its_items) {
    const Log log = example_log();
    LogsBloom parts;
    parts.add(log.address.view());
    LogsBloom topics;
    for (const Hash& topic : log.topics)
        topics.add(topic.view());
    parts |= topics;

    EXPECT_EQ(logs_bloom({log}), parts);
    EXPECT_EQ(logs_bloom({log, log}), parts);
    EXPECT_EQ(logs_bloom({}), LogsBloom{});
}

TEST(LogsBloom, blooms_filled_in_together_are_those_of_each_receipt) {
    std::vector<Receipt> receipts(200);
    for (std::size_t i = 0; i < receipts.size(); ++i) {
        receipts[i].bloom.bytes.fill(0xff);  // what was there before goes
        for (std::size_t log = 0; log < i % 7; ++log) {
            Log& made = receipts[i].logs.emplace_back();
            made.address = address_from_low64(i % 5);
            for (std::size_t topic = 0; topic < (i + log) % 5; ++topic)
                made.topics.push_back(to_hash(Uint256{i * 100 + topic}));
        }
    }

    fill_blooms(receipts);

    for (const Receipt& receipt : receipts)
        ASSERT_EQ(receipt.bloom, logs_bloom(receipt.logs));
    fill_blooms({});
}

Receipt receipt_of(std::uint64_t address, const std::vector<std::uint64_t>& topics) {
    Receipt receipt;
    Log& log = receipt.logs.emplace_back();
    log.address = address_from_low64(address);
    for (const std::uint64_t topic : topics)
        log.topics.push_back(to_hash(Uint256{topic}));
    return receipt;
}

TEST(LogsBloom, hashes_that_are_remembered_are_those_of_what_was_hashed) {
    BloomMaker maker;
    for (std::uint64_t round = 0; round < 3; ++round) {
        // More items than are remembered, each of them twice in a round.
        std::vector<Receipt> receipts;
        for (std::uint64_t i = 0; i < 2'000; ++i)
            receipts.push_back(receipt_of(i / 2, {i % 1'000, round}));
        for (Receipt& receipt : receipts)
            maker.fill(receipt);
        maker.finish();

        for (const Receipt& receipt : receipts)
            ASSERT_EQ(receipt.bloom, logs_bloom(receipt.logs));
    }
}

TEST(LogsBloom, an_address_is_no_topic_with_the_same_bytes) {
    Receipt receipt = receipt_of(7, {});
    Log& log = receipt.logs[0];
    Hash topic;
    std::ranges::copy(log.address.bytes, topic.bytes.begin());
    log.topics.push_back(topic);
    BloomMaker maker;
    for (int i = 0; i < 2; ++i) {
        maker.fill(receipt);
        maker.finish();

        EXPECT_EQ(receipt.bloom, logs_bloom(receipt.logs));
    }
}

TEST(LogsBloom, one_item_that_is_everywhere_waits_for_its_hash_everywhere) {
    BloomMaker maker;
    std::vector<Receipt> receipts(5'000, receipt_of(7, {7, 7, 7}));
    for (Receipt& receipt : receipts)
        maker.fill(receipt);
    maker.finish();
    maker.finish();

    const LogsBloom expected = logs_bloom(receipts[0].logs);
    for (const Receipt& receipt : receipts)
        ASSERT_EQ(receipt.bloom, expected);
}

Bytes encoded(const Receipt& receipt) {
    Bytes out;
    encode_receipt(receipt, out);
    return out;
}

TEST(Receipt, fields_are_status_gas_bloom_and_logs) {
    Receipt receipt;
    receipt.success = true;
    receipt.cumulative_gas_used = 21'000;
    receipt.logs = {example_log()};
    receipt.bloom = logs_bloom(receipt.logs);
    const Bytes bytes = encoded(receipt);

    rlp::Reader reader(bytes);
    auto fields = reader.read_list();
    ASSERT_TRUE(fields.has_value());
    EXPECT_EQ(fields->read_uint64(), 1u);
    EXPECT_EQ(fields->read_uint64(), 21'000u);
    LogsBloom bloom;
    EXPECT_TRUE(fields->read_fixed(bloom.bytes).has_value());
    EXPECT_EQ(bloom, receipt.bloom);
    auto logs = fields->read_list();
    ASSERT_TRUE(logs.has_value());
    auto log = logs->read_list();
    ASSERT_TRUE(log.has_value());
    EXPECT_EQ(log->read_address(), receipt.logs[0].address);
    auto topics = log->read_list();
    ASSERT_TRUE(topics.has_value());
    EXPECT_EQ(topics->read_hash(), receipt.logs[0].topics[0]);
    EXPECT_EQ(topics->read_hash(), receipt.logs[0].topics[1]);
    EXPECT_TRUE(topics->at_end());
    EXPECT_EQ(to_hex(*log->read_string()), "0xdeadbeef");
    EXPECT_TRUE(log->at_end());
    EXPECT_TRUE(logs->at_end());
    EXPECT_TRUE(fields->at_end());
    EXPECT_TRUE(reader.at_end());
}

TEST(Receipt, type_stands_before_all_but_legacy) {
    Receipt receipt;
    const Bytes legacy = encoded(receipt);
    receipt.type = TransactionType::blob;
    const Bytes blob = encoded(receipt);

    EXPECT_EQ(blob[0], 0x03);
    EXPECT_TRUE(equal(legacy, {blob.data() + 1, blob.size() - 1}));
}

TEST(Receipt, failure_is_an_empty_string_and_a_state_root_takes_its_place) {
    Receipt receipt;
    Bytes bytes = encoded(receipt);
    EXPECT_EQ(bytes[3], 0x80);

    receipt.post_state = kEmptyTrieRoot;
    bytes = encoded(receipt);
    EXPECT_EQ(bytes[3], 0xa0);
    EXPECT_TRUE(equal({bytes.data() + 4, 32}, kEmptyTrieRoot.view()));
}

TEST(Logs, are_read_as_they_were_written) {
    const std::vector<Log> logs{example_log(), {}, example_log()};
    Bytes encoded;
    encode_logs(logs, encoded);
    encode_logs({}, encoded);
    rlp::Reader reader(encoded);
    EXPECT_EQ(decode_logs(reader), logs);
    EXPECT_EQ(decode_logs(reader), std::vector<Log>{});
    EXPECT_TRUE(reader.at_end());
}

TEST(Logs, with_a_further_field_or_one_too_few_are_none) {
    for (const std::size_t fields : {2U, 4U}) {
        Bytes encoded;
        rlp::encode_address(Address{}, encoded);
        rlp::encode_list_header(0, encoded);
        for (std::size_t i = 2; i < fields; ++i)
            rlp::encode_string({}, encoded);
        rlp::wrap_list(0, encoded);
        rlp::wrap_list(0, encoded);
        rlp::Reader reader(encoded);
        EXPECT_FALSE(decode_logs(reader).has_value()) << fields;
    }
}

TEST(Logs, have_four_topics_at_most) {
    for (const std::size_t topics : {4U, 5U}) {
        Bytes encoded;
        rlp::encode_address(Address{}, encoded);
        const std::size_t begin = encoded.size();
        for (std::size_t i = 0; i < topics; ++i)
            rlp::encode_string(kEmptyTrieRoot.view(), encoded);
        rlp::wrap_list(begin, encoded);
        rlp::encode_string({}, encoded);
        rlp::wrap_list(0, encoded);
        rlp::wrap_list(0, encoded);
        rlp::Reader reader(encoded);
        const auto logs = decode_logs(reader);
        ASSERT_EQ(logs.has_value(), topics == 4);
        if (logs.has_value())
            EXPECT_EQ(logs->front().topics,
                      (LogTopics{kEmptyTrieRoot, kEmptyTrieRoot, kEmptyTrieRoot, kEmptyTrieRoot}));
    }
}

TEST(Receipt, hash_of_no_logs_is_that_of_an_empty_list) {
    EXPECT_EQ(logs_hash({}), kEmptyListHash);
    EXPECT_NE(logs_hash({example_log()}), kEmptyListHash);
}

}  // namespace
}  // namespace heddle
