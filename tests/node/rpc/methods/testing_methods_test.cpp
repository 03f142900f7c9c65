// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks that are built for a call (testing_buildBlockV1), as payloads that somebody else imports.
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <types/block.hpp>
#include <types/block_access_list.hpp>
#include <types/signing.hpp>
#include <vm/block.hpp>

#include "chain/dev_chain.hpp"
#include "formats/strict_hex.hpp"
#include "rpc_node.hpp"

namespace heddle::node::rpc {
namespace {

using testing::HasSubstr;

/// A whole word.
constexpr std::string_view kRandao =
    "0x1111111111111111111111111111111111111111111111111111111111111111";

class BuiltBlocks : public testing::Test {
protected:
    /// @param more      Members of the attributes, each behind a comma.
    /// @param and_then  Arguments behind the attributes, each behind a comma.
    static std::string build(test::RpcNode& node, std::string_view more,
                             std::string_view and_then = ",[]") {
        const ledger::StoredHeader head = node.chain().head();
        return node.call("testing_buildBlockV1",
                         fmt::format(R"(["{}",{{"timestamp":"{:#x}","prevRandao":"{}",)"
                                     R"("suggestedFeeRecipient":"0x{:040x}","withdrawals":[],)"
                                     R"("parentBeaconBlockRoot":"{}"{}}}{}])",
                                     to_string(head.hash), head.header.timestamp + 1, kRandao,
                                     0xfee, kRandao, more, and_then));
    }
    static std::string failure(test::RpcNode& node, std::string_view more,
                               std::string_view and_then) {
        try {
            return "built: " + build(node, more, and_then);
        } catch (const RpcError& error) {
            return error.what();
        }
    }
    /// The block hash as everybody computes it who is given the payload.
    static Hash hash_of(const JsonView& payload, const JsonView& requests) {
        BlockHeader header;
        header.parent_hash = to_hash32(payload.at("parentHash"));
        header.beneficiary = to_address(payload.at("feeRecipient"));
        header.state_root = to_hash32(payload.at("stateRoot"));
        header.receipts_root = to_hash32(payload.at("receiptsRoot"));
        header.prev_randao = to_hash32(payload.at("prevRandao"));
        header.number = to_uint64(payload.at("blockNumber"));
        header.gas_limit = to_uint64(payload.at("gasLimit"));
        header.gas_used = to_uint64(payload.at("gasUsed"));
        header.timestamp = to_uint64(payload.at("timestamp"));
        header.extra_data = to_bytes(payload.at("extraData"));
        header.base_fee_per_gas = Uint256{to_uint64(payload.at("baseFeePerGas"))};
        header.ommers_hash = kEmptyListHash;
        header.withdrawals_root = kEmptyTrieRoot;
        header.blob_gas_used = to_uint64(payload.at("blobGasUsed"));
        header.excess_blob_gas = to_uint64(payload.at("excessBlobGas"));
        header.parent_beacon_block_root = *hash_from_hex(kRandao);
        EXPECT_EQ(requests.size(), 0u);
        header.requests_hash = kEmptyRequestsHash;
        header.block_access_list_hash = keccak256(to_bytes(payload.at("blockAccessList")));
        header.slot_number = to_uint64(payload.at("slotNumber"));
        return header_hash(header);
    }
};

TEST_F(BuiltBlocks, have_all_that_their_hash_is_made_of) {
    test::RpcNode node{dev_genesis(Revision::amsterdam)};

    const std::string text = build(node, R"(,"slotNumber":"0x77")");

    JsonParser parser;
    const JsonView answer = parser.parse(text, "answer");
    const JsonView payload = answer.at("executionPayload");
    EXPECT_EQ(to_uint64(payload.at("slotNumber")), 0x77u);
    EXPECT_TRUE(decode_block_access_list(to_bytes(payload.at("blockAccessList"))).has_value());
    EXPECT_EQ(hash_of(payload, answer.at("executionRequests")), to_hash32(payload.at("blockHash")));
}

TEST_F(BuiltBlocks, have_the_slot_after_their_parents_where_none_is_given) {
    test::RpcNode node{dev_genesis(Revision::amsterdam)};
    EXPECT_THAT(build(node, ""), HasSubstr(R"("slotNumber":"0x1")"));
    EXPECT_THAT(failure(node, R"(,"slotNumber":"0x077")", ""), HasSubstr("invalid argument 1"));
}

TEST_F(BuiltBlocks, have_nothing_of_later_forks) {
    test::RpcNode node{dev_genesis(Revision::osaka)};
    const std::string text = build(node, R"(,"slotNumber":"0x77")");
    EXPECT_EQ(text.find("slotNumber"), std::string::npos);
    EXPECT_EQ(text.find("blockAccessList"), std::string::npos);
}

TEST_F(BuiltBlocks, move_to_the_gas_limit_that_is_wanted) {
    test::RpcNode node{dev_genesis(Revision::amsterdam)};
    const std::uint64_t limit = node.chain().head().header.gas_limit;
    const auto gas_limit_with = [&](std::string_view more) {
        const std::string text = build(node, more);
        JsonParser parser;
        return to_uint64(parser.parse(text, "answer").at("executionPayload").at("gasLimit"));
    };
    EXPECT_EQ(gas_limit_with(""), limit);
    EXPECT_EQ(gas_limit_with(R"(,"targetGasLimit":"0x1")"), limit - (limit / 1024 - 1));
    EXPECT_EQ(gas_limit_with(R"(,"targetGasLimit":"0xffffffffff")"), limit + (limit / 1024 - 1));
}

// EIP-7934 for what is given; of the pool no more is taken than by who seals, which was twice that.
TEST_F(BuiltBlocks, are_no_larger_than_a_block_may_be_nor_fuller_of_the_pool_than_those_sealed) {
    constexpr std::size_t kCount = 70;
    Genesis genesis = dev_genesis(Revision::osaka);
    genesis.header.gas_limit = 200'000'000;
    test::RpcNode node{genesis};
    std::string list;
    for (std::size_t nonce = 0; nonce < kCount; ++nonce) {
        Transaction tx;
        tx.type = TransactionType::dynamic_fee;
        tx.chain_id = genesis.config.chain_id;
        tx.nonce = nonce;
        tx.max_fee_per_gas = Uint256{10'000'000'000};
        tx.gas_limit = 1'400'000;
        tx.to = dev_accounts()[1].address;
        tx.data.assign(130'000, 0);
        ASSERT_TRUE(sign_transaction(tx, dev_accounts()[0].secret));
        Bytes encoded;
        encode_transaction(tx, encoded);
        const auto added = node.mempool().add(encoded, Origin::remote);
        ASSERT_TRUE(added.has_value()) << added.error().message;
        list += (nonce == 0 ? "\"" : ",\"") + to_hex(encoded) + '"';
    }

    const std::string built = build(node, "", "");
    const std::string pending = node.call("eth_getBlockByNumber", R"(["pending",false])");

    JsonParser parser;
    const std::size_t chosen =
        parser.parse(built, "answer").at("executionPayload").at("transactions").size();
    EXPECT_EQ(chosen, 4'194'304u / 130'120);
    EXPECT_EQ(parser.parse(pending, "pending").at("transactions").size(), chosen);
    EXPECT_THAT(failure(node, "", ",[" + list + "]"),
                HasSubstr(fmt::format("transaction {}: the block would be too large",
                                      8'388'608 / 130'120)));
}

// A configured gas limit was that of the blocks, and not that of the pending one.
TEST(PendingBlock, its_gas_limit_moves_to_what_the_node_wants) {
    constexpr std::uint64_t kWanted = 1'000'000'000;
    const test::RpcNode still{dev_genesis(Revision::osaka)};
    const test::RpcNode moving{dev_genesis(Revision::osaka), {.gas_limit = kWanted}};
    const std::string parent = still.call("eth_getBlockByNumber", R"(["latest",false])");
    const auto limit = [](const test::RpcNode& node) {
        const std::string block = node.call("eth_getBlockByNumber", R"(["pending",false])");
        const auto at = block.find(R"("gasLimit":")") + 12;
        return std::stoull(block.substr(at, block.find('"', at) - at), nullptr, 16);
    };
    EXPECT_THAT(parent, HasSubstr(fmt::format(R"("gasLimit":"{:#x}")", limit(still))));
    // By less than a 1,024th of the parent's (YP 4.3.4).
    EXPECT_EQ(limit(moving), limit(still) + limit(still) / 1024 - 1);
}

}  // namespace
}  // namespace heddle::node::rpc
