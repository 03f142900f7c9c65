// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Golden texts, members in the order in which they are written. That the values are right is held
// against real chains by the conversations in tests/conformance/rpc_test.cpp.
#include "rpc/queries/codec.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::node::rpc {
namespace {

using testing::HasSubstr;
using testing::Not;

template <typename Write>
std::string text_of(Write write) {
    std::string text;
    JsonWriter out(text, JsonWriter::Style::compact);
    write(out);
    return text;
}

std::string digits(char digit, std::size_t bytes) {
    return "\"0x" + std::string(2 * bytes, digit) + "\"";
}

template <typename Fixed>
Fixed filled(std::uint8_t byte) {
    Fixed value;
    value.bytes.fill(byte);
    return value;
}

Transaction make_transaction(TransactionType type) {
    Transaction tx;
    tx.type = type;
    tx.chain_id = 1;
    tx.nonce = 2;
    tx.max_fee_per_gas = 100;
    tx.max_priority_fee_per_gas = type >= TransactionType::dynamic_fee ? 7 : 100;
    tx.gas_limit = 21'000;
    tx.to = filled<Address>(0x22);
    tx.value = 3;
    tx.data = {0xab};
    tx.y_parity = 1;
    tx.r = 4;
    tx.s = 5;
    tx.sender = filled<Address>(0x11);
    return tx;
}

std::string write(const Transaction& tx, const std::optional<TransactionPlace>& place = {}) {
    return text_of([&](JsonWriter& out) { write_transaction(tx, filled<Hash>(0x99), place, out); });
}

TEST(Codec, a_pending_transaction_stands_nowhere) {
    EXPECT_EQ(write(make_transaction(TransactionType::legacy)),
              R"({"blockHash":null,"blockNumber":null,"blockTimestamp":null,)"
              R"("transactionIndex":null,"from":)" +
                  digits('1', 20) + R"(,"gas":"0x5208","gasPrice":"0x64","hash":)" +
                  digits('9', 32) + R"(,"input":"0xab","nonce":"0x2","to":)" + digits('2', 20) +
                  R"(,"value":"0x3","type":"0x0","chainId":"0x1","v":"0x26","r":"0x4","s":"0x5"})");
}

TEST(Codec, v_says_how_a_legacy_transaction_was_signed) {
    Transaction tx = make_transaction(TransactionType::legacy);
    tx.chain_id.reset();
    EXPECT_THAT(write(tx), HasSubstr(R"("v":"0x1c")"));
    EXPECT_THAT(write(tx), Not(HasSubstr("chainId")));

    // EIP-155 of the largest chain id takes more than 64 bits.
    tx.chain_id = ~0ULL;
    EXPECT_THAT(write(tx), HasSubstr(R"("v":"0x20000000000000022")"));
}

TEST(Codec, a_gas_price_is_what_was_paid) {
    const Transaction tx = make_transaction(TransactionType::dynamic_fee);
    TransactionPlace place;
    place.base_fee_per_gas = Uint256{50};

    EXPECT_THAT(write(tx), HasSubstr(R"("gasPrice":"0x64")"));
    EXPECT_THAT(write(tx, place), HasSubstr(R"("gasPrice":"0x39")"));
    place.base_fee_per_gas = Uint256{99};
    EXPECT_THAT(write(tx, place), HasSubstr(R"("gasPrice":"0x64")"));
}

TEST(Codec, later_types_have_members_of_their_own) {
    Transaction tx = make_transaction(TransactionType::set_code);
    tx.access_list = {{filled<Address>(0x33), {filled<Hash>(0x44)}}, {filled<Address>(0x55), {}}};
    Authorization authorization;
    authorization.address = filled<Address>(0x66);
    authorization.r = 8;
    tx.authorization_list = {authorization};

    EXPECT_THAT(write(tx), HasSubstr(R"("type":"0x4","chainId":"0x1","maxFeePerGas":"0x64",)"
                                     R"("maxPriorityFeePerGas":"0x7","accessList":[{"address":)" +
                                     digits('3', 20) + R"(,"storageKeys":[)" + digits('4', 32) +
                                     R"(]},{"address":)" + digits('5', 20) +
                                     R"(,"storageKeys":[]}],"yParity":"0x1",)"
                                     R"("authorizationList":[{"chainId":"0x0","address":)" +
                                     digits('6', 20) +
                                     R"(,"nonce":"0x0","yParity":"0x0","r":"0x8","s":"0x0"}],)"
                                     R"("v":"0x1")"));

    Transaction blob = make_transaction(TransactionType::blob);
    blob.max_fee_per_blob_gas = 6;
    blob.blob_versioned_hashes = {filled<Hash>(0x77)};
    EXPECT_THAT(write(blob), HasSubstr(R"("maxFeePerBlobGas":"0x6","blobVersionedHashes":[)" +
                                       digits('7', 32) + "]"));
    EXPECT_THAT(write(make_transaction(TransactionType::access_list)),
                Not(HasSubstr("maxFeePerGas")));
}

TEST(Codec, a_creation_goes_to_nobody) {
    Transaction tx = make_transaction(TransactionType::legacy);
    tx.to.reset();

    EXPECT_THAT(write(tx), HasSubstr(R"("to":null)"));
}

Block make_block() {
    Block block;
    block.header.number = 5;
    block.header.gas_limit = 30'000'000;
    block.header.base_fee_per_gas = Uint256{10};
    block.transactions = {make_transaction(TransactionType::legacy)};
    return block;
}

TEST(Codec, a_header_shows_the_members_of_its_fork_only) {
    const auto header_text = [](const BlockHeader& header) {
        return text_of([&](JsonWriter& out) {
            out.begin_object();
            write_header_members(header, filled<Hash>(0x99), out);
            out.end_object();
        });
    };
    BlockHeader header;
    EXPECT_THAT(header_text(header), HasSubstr(R"("difficulty":"0x0")"));
    for (const char* name : {"baseFeePerGas", "withdrawalsRoot", "blobGasUsed", "excessBlobGas",
                             "parentBeaconBlockRoot", "requestsHash"})
        EXPECT_THAT(header_text(header), Not(HasSubstr(name)));

    header.base_fee_per_gas.emplace();
    header.withdrawals_root.emplace();
    header.blob_gas_used = 0;
    header.excess_blob_gas = 1;
    header.parent_beacon_block_root.emplace();
    header.requests_hash.emplace();
    EXPECT_THAT(header_text(header),
                HasSubstr(R"("baseFeePerGas":"0x0","withdrawalsRoot":)" + digits('0', 32) +
                          R"(,"blobGasUsed":"0x0","excessBlobGas":"0x1","parentBeaconBlockRoot":)" +
                          digits('0', 32) + R"(,"requestsHash":)" + digits('0', 32) + "}"));
}

TEST(Codec, a_block_names_its_transactions_or_shows_them) {
    const Block block = make_block();
    const auto block_text = [&](bool with_transactions) {
        return text_of([&](JsonWriter& out) {
            write_block(block, filled<Hash>(0x99), with_transactions, 600, out);
        });
    };

    const std::string hash = to_string(transaction_hash(block.transactions[0]));
    EXPECT_THAT(block_text(false),
                HasSubstr(R"("size":"0x258","transactions":[")" + hash + R"("],"uncles":[]})"));
    EXPECT_THAT(block_text(true), HasSubstr(R"("transactions":[{"blockHash":)" + digits('9', 32) +
                                            R"(,"blockNumber":"0x5")"));
    EXPECT_THAT(block_text(false), Not(HasSubstr("withdrawals")));
}

TEST(Codec, withdrawals_are_listed_from_shanghai_on) {
    Block block = make_block();
    block.withdrawals = {{1, 2, filled<Address>(0x33), 4}};

    EXPECT_THAT(text_of([&](JsonWriter& out) { write_block(block, {}, false, 0, out); }),
                HasSubstr(R"("withdrawals":[{"index":"0x1","validatorIndex":"0x2","address":)" +
                          digits('3', 20) + R"(,"amount":"0x4"}])"));
}

TEST(Codec, a_pending_block_has_no_hash_no_miner_and_no_nonce) {
    const Block block = make_block();
    const std::vector<Hash> hashes(block.transactions.size(), filled<Hash>(0x77));
    ASSERT_FALSE(hashes.empty());
    const auto text = [&](bool with_transactions) {
        return text_of(
            [&](JsonWriter& out) { write_pending_block(block, hashes, with_transactions, out); });
    };

    EXPECT_THAT(text(false), HasSubstr(R"({"hash":null,"miner":null,"nonce":null,"parentHash":)"));
    EXPECT_THAT(text(false), HasSubstr(R"("transactions":[)" + digits('7', 32)));
    EXPECT_THAT(text(true), HasSubstr(R"("transactions":[{"blockHash":null)"));
}

TEST(Codec, an_ommer_is_a_block_without_transactions) {
    const std::string text = text_of([](JsonWriter& out) { write_ommer({}, out); });

    EXPECT_THAT(text, HasSubstr("\"hash\":\"" + to_string(header_hash({})) + "\""));
    EXPECT_THAT(text, HasSubstr(R"("uncles":[])"));
    EXPECT_THAT(text, Not(HasSubstr("\"transactions\"")));
}

std::string write(const Receipt& receipt, const Transaction& tx) {
    TransactionPlace place;
    place.block_number = 5;
    place.index = 1;
    return text_of([&](JsonWriter& out) {
        write_receipt(receipt, tx, filled<Hash>(0x99), {place, 3, 17}, out);
    });
}

TEST(Codec, a_receipt_has_a_status_or_before_byzantium_a_root) {
    Receipt receipt;
    const Transaction tx = make_transaction(TransactionType::legacy);
    EXPECT_THAT(write(receipt, tx), HasSubstr(R"("status":"0x0")"));
    receipt.success = true;
    EXPECT_THAT(write(receipt, tx), HasSubstr(R"("status":"0x1")"));
    receipt.post_state = filled<Hash>(0x44);
    EXPECT_THAT(write(receipt, tx), HasSubstr(R"("root":)" + digits('4', 32)));
    EXPECT_THAT(write(receipt, tx), Not(HasSubstr("status")));
}

TEST(Codec, a_receipt_counts_its_logs_on_from_those_before) {
    Receipt receipt;
    receipt.logs = {{filled<Address>(0x33), {filled<Hash>(0x44)}, {1}}, {}};
    const std::string text = write(receipt, make_transaction(TransactionType::legacy));

    EXPECT_THAT(
        text,
        HasSubstr(R"("logs":[{"address":)" + digits('3', 20) + R"(,"topics":[)" + digits('4', 32) +
                  R"(],"data":"0x01","blockNumber":"0x5","transactionHash":)" + digits('9', 32) +
                  R"(,"transactionIndex":"0x1","blockHash":)" + digits('0', 32) +
                  R"(,"blockTimestamp":"0x0","logIndex":"0x3","removed":false})"));
    EXPECT_THAT(text, HasSubstr(R"("logIndex":"0x4")"));
}

TEST(Codec, a_receipt_with_blobs_says_what_they_cost) {
    Receipt receipt;
    receipt.blob_gas_used = 131'072;

    EXPECT_THAT(write(receipt, make_transaction(TransactionType::blob)),
                HasSubstr(R"("blobGasUsed":"0x20000","blobGasPrice":"0x11")"));
    EXPECT_THAT(write(receipt, make_transaction(TransactionType::legacy)),
                Not(HasSubstr("blobGas")));
}

}  // namespace
}  // namespace heddle::node::rpc
