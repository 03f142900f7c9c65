// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "storage/schema.hpp"

#include <functional>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "random.hpp"
#include "random_blocks.hpp"

namespace heddle::ledger::schema {
namespace {

using test::Random;

AccountRecord random_record(Random& random) {
    AccountRecord record{random.account()};
    if (random.one_in(2)) record.storage_root = test::random_hash(random);
    return record;
}

BlockChanges random_changes(Random& random) {
    BlockChanges changes;
    for (std::uint64_t i = 1; i <= 8; ++i) {
        if (random.one_in(2)) continue;
        AccountUpdate& update = changes.accounts.emplace_back();
        update.address = address_from_low64(i);
        if (random.one_in(2)) update.before = random_record(random);
        if (random.one_in(2)) update.after = random_record(random);
        for (std::uint64_t slot = 0; slot < 5; ++slot)
            if (random.one_in(2))
                update.slots.push_back({slot, random.one_in(2) ? Uint256{} : random.word(),
                                        test::random_word(random)});
    }
    return changes;
}

/// One kind of record: bytes of a random one, and what its decoder makes of any bytes: the bytes
/// that the decoded value has again, or nullopt.
struct Codec {
    const char* name;
    std::function<Bytes(Random&)> make;
    std::function<std::optional<Bytes>(BytesView)> again;
};

template <typename Decode, typename Encode>
auto recode(Decode decode, Encode encode) {
    return [=](BytesView bytes) -> std::optional<Bytes> {
        const auto value = decode(bytes);
        if (!value.has_value()) return std::nullopt;
        Bytes again;
        encode(*value, again);
        return again;
    };
}

template <typename Make, typename Encode>
auto encoded(Make make, Encode encode) {
    return [=](Random& random) {
        Bytes bytes;
        encode(make(random), bytes);
        return bytes;
    };
}

template <typename Make, typename Encode, typename Decode>
Codec codec(const char* name, Make make, Encode encode, Decode decode) {
    return {name, encoded(make, encode), recode(decode, encode)};
}

const std::vector<Codec>& codecs() {
    const auto encode_number = [](std::uint64_t number, Bytes& out) { out = number_key(number); };
    const auto encode_account = [](const AccountEntry& entry, Bytes& out) {
        encode_account_entry(entry.address, entry.record, out);
    };
    const auto encode_slot = [](const SlotEntry& entry, Bytes& out) {
        encode_slot_entry(entry.slot, entry.value, out);
    };
    static const std::vector<Codec> all{
        codec(
            "number", [](Random& random) { return random.word().low64(); }, encode_number,
            decode_number_key),
        codec(
            "mark",
            [](Random& random) {
                return BlockMark{random.word().low64(), test::random_hash(random)};
            },
            encode_mark, decode_mark),
        codec(
            "header",
            [](Random& random) {
                return HeaderRecord{test::random_hash(random), test::random_word(random),
                                    test::random_header(random, random.below(1000))};
            },
            encode_header_record, decode_header_record),
        codec(
            "receipts",
            [](Random& random) {
                return test::random_receipts(random, test::random_block(random, 1));
            },
            [](const std::vector<Receipt>& receipts, Bytes& out) {
                encode_receipts(receipts, out);
            },
            decode_receipts),
        codec(
            "place",
            [](Random& random) {
                return TransactionPlace{random.below(1 << 30),
                                        static_cast<std::uint32_t>(random.below(1000))};
            },
            encode_place, decode_place),
        codec(
            "account",
            [](Random& random) {
                return AccountEntry{test::random_address(random), random_record(random)};
            },
            encode_account, decode_account_entry),
        codec(
            "slot",
            [](Random& random) {
                return SlotEntry{test::random_word(random), random.word() | Uint256(1)};
            },
            encode_slot, decode_slot_entry),
        codec(
            "past account",
            [](Random& random) {
                return random.one_in(4) ? std::nullopt : std::optional{random_record(random)};
            },
            encode_past_account, decode_past_account),
        codec(
            "past slot", [](Random& random) { return test::random_word(random); }, encode_past_slot,
            decode_past_slot),
        codec("changes", random_changes, encode_changes, decode_changes),
    };
    return all;
}

class SchemaCodec : public testing::TestWithParam<std::size_t> {
protected:
    const Codec& codec_ = codecs()[GetParam()];
};
INSTANTIATE_TEST_SUITE_P(all, SchemaCodec, testing::Range<std::size_t>(0, codecs().size()));

TEST_P(SchemaCodec, records_come_back) {
    SCOPED_TRACE(codec_.name);
    Random random(1);
    for (int i = 0; i < 300; ++i) {
        const Bytes bytes = codec_.make(random);
        const auto again = codec_.again(bytes);
        ASSERT_TRUE(again.has_value());
        ASSERT_EQ(to_hex(*again), to_hex(bytes));
    }
}

TEST_P(SchemaCodec, what_is_read_of_other_bytes_is_written_as_these_bytes) {
    SCOPED_TRACE(codec_.name);
    Random random(2);
    for (int i = 0; i < 300; ++i) {
        Bytes bytes = codec_.make(random);
        if (bytes.empty()) continue;
        bytes[random.below(bytes.size())] ^= static_cast<std::uint8_t>(1 + random.below(255));
        if (const auto again = codec_.again(bytes)) {
            ASSERT_EQ(to_hex(*again), to_hex(bytes));
        }
    }
}

TEST_P(SchemaCodec, part_of_a_record_is_no_record_unless_it_is_written_so) {
    SCOPED_TRACE(codec_.name);
    Random random(3);
    for (int i = 0; i < 20; ++i) {
        const Bytes bytes = codec_.make(random);
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            const BytesView part = BytesView{bytes}.first(size);
            if (const auto again = codec_.again(part)) {
                ASSERT_EQ(to_hex(*again), to_hex(part));
            }
        }
        Bytes longer = bytes;
        longer.push_back(static_cast<std::uint8_t>(random.below(256)));
        if (const auto again = codec_.again(longer)) {
            ASSERT_EQ(to_hex(*again), to_hex(longer));
        }
    }
}

TEST_P(SchemaCodec, any_bytes_are_read_without_harm) {
    SCOPED_TRACE(codec_.name);
    Random random(4);
    for (int i = 0; i < 2000; ++i) {
        const Bytes bytes = random.bytes(random.below(120));
        if (const auto again = codec_.again(bytes)) {
            ASSERT_EQ(to_hex(*again), to_hex(bytes));
        }
    }
}

TEST(Schema, decoded_values_are_those_encoded) {
    Random random(5);
    for (int i = 0; i < 200; ++i) {
        const BlockChanges changes = random_changes(random);
        Bytes bytes;
        encode_changes(changes, bytes);
        ASSERT_EQ(decode_changes(bytes), changes);

        const HeaderRecord header{test::random_hash(random), test::random_word(random),
                                  test::random_header(random, 7)};
        bytes.clear();
        encode_header_record(header, bytes);
        ASSERT_EQ(decode_header_record(bytes), header);

        const std::optional<AccountRecord> past =
            random.one_in(3) ? std::nullopt : std::optional{random_record(random)};
        bytes.clear();
        encode_past_account(past, bytes);
        ASSERT_EQ(bytes.empty(), !past.has_value());
        const auto decoded = decode_past_account(bytes);
        ASSERT_TRUE(decoded.has_value());
        ASSERT_EQ(*decoded, past);
    }
}

TEST(Schema, block_is_its_header_its_body_and_its_senders) {
    Random random(6);
    for (int i = 0; i < 200; ++i) {
        const Block block = test::random_block(random, random.below(1000));
        Bytes body;
        encode_body(block, body);
        Bytes senders;
        encode_senders(block.transactions, senders);
        Bytes whole;
        encode_block(block, whole);

        const Bytes joined = join_block(block.header, body);
        auto decoded = decode_block(joined);

        ASSERT_EQ(to_hex(joined), to_hex(whole));
        ASSERT_TRUE(decoded.has_value()) << to_string(decoded.error());
        ASSERT_TRUE(decode_senders(senders, decoded->transactions));
        ASSERT_EQ(*decoded, block);
    }
}

TEST(Schema, sender_that_nobody_recovered_stays_unknown) {
    std::vector<Transaction> transactions(3);
    transactions[1].sender = address_from_low64(7);
    Bytes bytes;
    encode_senders(transactions, bytes);
    std::vector<Transaction> read(3);

    ASSERT_TRUE(decode_senders(bytes, read));

    EXPECT_EQ(read[0].sender, std::nullopt);
    EXPECT_EQ(read[1].sender, address_from_low64(7));
    EXPECT_EQ(read[2].sender, std::nullopt);
}

TEST(Schema, another_number_of_senders_is_refused) {
    std::vector<Transaction> transactions(2);
    EXPECT_FALSE(decode_senders(Bytes(39), transactions));
    EXPECT_FALSE(decode_senders(Bytes(41), transactions));
    EXPECT_FALSE(decode_senders(Bytes(20), transactions));
    EXPECT_TRUE(decode_senders(Bytes(40), transactions));
}

TEST(Schema, receipts_tell_gas_and_blooms_again) {
    Random random(7);
    for (int i = 0; i < 100; ++i) {
        const Block block = test::random_block(random, 1);
        const std::vector<Receipt> receipts = test::random_receipts(random, block);
        Bytes bytes;
        encode_receipts(receipts, bytes);

        const auto decoded = decode_receipts(bytes);

        ASSERT_TRUE(decoded.has_value());
        ASSERT_EQ(decoded->size(), receipts.size());
        for (std::size_t k = 0; k < receipts.size(); ++k) {
            Receipt expected = receipts[k];
            expected.blob_gas_used = 0;
            expected.contract_address.reset();
            expected.effective_gas_price = 0;
            ASSERT_EQ((*decoded)[k], expected);
        }
    }
}

/// While it grew they were in memory once and a half more.
TEST(Schema, receipts_are_encoded_into_room_that_is_made_once) {
    constexpr std::size_t kLogs = 100;
    constexpr std::size_t kLogBytes = 10'000;
    std::vector<Receipt> receipts(3);
    for (Receipt& receipt : receipts)
        receipt.logs.assign(kLogs, {.address = {}, .topics = {Hash{}}, .data = Bytes(kLogBytes)});
    Bytes bytes;

    encode_receipts(receipts, bytes);

    EXPECT_GT(bytes.size(), 3 * kLogs * kLogBytes);
    EXPECT_LT(bytes.capacity(), bytes.size() + bytes.size() / 50);
}

TEST(Schema, receipts_whose_gas_falls_are_refused) {
    std::vector<Receipt> receipts(2);
    receipts[0].cumulative_gas_used = 5;
    receipts[1].cumulative_gas_used = 4;
    Bytes bytes;
    encode_receipts(receipts, bytes);

    EXPECT_EQ(decode_receipts(bytes), std::nullopt);
}

TEST(Schema, removed_slot_is_no_entry) {
    Bytes bytes;
    encode_slot_entry(1, 0, bytes);
    EXPECT_EQ(decode_slot_entry(bytes), std::nullopt);
}

TEST(Schema, code_and_storage_of_an_account_are_told_in_one_way) {
    Bytes with_flags(20);
    with_flags.insert(with_flags.end(), {1, 0, 0});  // code, nonce 0, balance 0
    Bytes no_code = with_flags;
    no_code.insert(no_code.end(), kEmptyCodeHash.bytes.begin(), kEmptyCodeHash.bytes.end());
    Bytes some_code = with_flags;
    some_code.insert(some_code.end(), kEmptyTrieRoot.bytes.begin(), kEmptyTrieRoot.bytes.end());

    EXPECT_EQ(decode_account_entry(no_code), std::nullopt);
    EXPECT_TRUE(decode_account_entry(some_code).has_value());
}

TEST(Schema, changes_out_of_order_are_refused) {
    BlockChanges changes;
    changes.accounts.resize(2);
    changes.accounts[0].address = address_from_low64(2);
    changes.accounts[1].address = address_from_low64(1);
    Bytes bytes;
    encode_changes(changes, bytes);
    EXPECT_EQ(decode_changes(bytes), std::nullopt);

    changes.accounts[1].address = address_from_low64(2);
    bytes.clear();
    encode_changes(changes, bytes);
    EXPECT_EQ(decode_changes(bytes), std::nullopt);

    changes.accounts.resize(1);
    changes.accounts[0].slots = {{2, 0, 1}, {1, 0, 1}};
    bytes.clear();
    encode_changes(changes, bytes);
    EXPECT_EQ(decode_changes(bytes), std::nullopt);
}

TEST(Schema, counts_that_promise_too_much_cost_nothing) {
    const Bytes most = *from_hex("ffffffffffffffffff01");
    EXPECT_EQ(decode_changes(most), std::nullopt);

    Bytes slots{1};
    slots.resize(1 + 20 + 1);
    slots.insert(slots.end(), most.begin(), most.end());
    EXPECT_EQ(decode_changes(slots), std::nullopt);
}

TEST(Schema, format_names_ledger_and_version) {
    Bytes bytes;
    encode_format(bytes);
    EXPECT_TRUE(decode_format(bytes).is_ours);
    EXPECT_EQ(decode_format(bytes).version, kFormatVersion);

    Bytes later = bytes;
    later.back() = 0x7f;
    EXPECT_TRUE(decode_format(later).is_ours);
    EXPECT_EQ(decode_format(later).version, 0x7fu);
    Bytes foreign = bytes;
    foreign[0] ^= 1;
    EXPECT_FALSE(decode_format(foreign).is_ours);
    EXPECT_FALSE(decode_format({}).is_ours);
    EXPECT_FALSE(decode_format(BytesView{bytes}.first(bytes.size() - 1)).is_ours);
    bytes.push_back(0);
    EXPECT_FALSE(decode_format(bytes).is_ours);
}

TEST(Schema, history_of_accounts_and_slots_lies_apart_and_in_order) {
    const Hash address = hash_of(address_from_low64(1));
    const SlotKey slot(address, hash_of_slot(2));

    const Bytes account_at_1 = history_key(address.view(), 1);
    const Bytes account_at_256 = history_key(address.view(), 256);
    const Bytes slot_at_1 = history_key(slot.view(), 1);

    EXPECT_LT(account_at_1, account_at_256);
    EXPECT_LT(account_at_256, slot_at_1);
    EXPECT_EQ(account_at_1.size(), 1u + 32 + 8);
    EXPECT_EQ(slot_at_1.size(), 1u + 64 + 8);
}

}  // namespace
}  // namespace heddle::ledger::schema
