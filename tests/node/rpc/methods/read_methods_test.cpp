// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is answered where there is nothing to answer, as by go-ethereum 1.17.
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "queries/made_node.hpp"

namespace heddle::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kNowhere = "\"0x" + std::string(64, '7') + "\"";
const std::string kAccount = "\"" + to_string(account_of(1)) + "\"";

std::string list(std::string_view first, std::string_view rest = {}) {
    return "[" + std::string{first} + (rest.empty() ? "" : ",") + std::string{rest} + "]";
}

class ReadMethods : public testing::Test {
protected:
    [[nodiscard]] std::string call(std::string_view name, const std::string& params) const {
        return node_.call(name, params);
    }
    [[nodiscard]] std::string failure(std::string_view name, const std::string& params) const {
        return node_.failure(name, params);
    }

    MadeNode node_;
};

TEST_F(ReadMethods, a_block_that_is_not_there_is_null) {
    for (const char* name :
         {"eth_getBlockTransactionCountByNumber", "eth_getUncleCountByBlockNumber",
          "eth_getHeaderByNumber", "eth_getBlockReceipts", "debug_getRawReceipts"})
        EXPECT_EQ(call(name, R"(["0x1"])"), "null") << name;
    for (const char* name : {"eth_getBlockTransactionCountByHash", "eth_getUncleCountByBlockHash",
                             "eth_getHeaderByHash", "eth_getBlockReceipts",
                             "eth_getTransactionByHash", "eth_getTransactionReceipt"})
        EXPECT_EQ(call(name, list(kNowhere)), "null") << name;
    EXPECT_EQ(call("eth_getBlockByNumber", R"(["0x1",true])"), "null");
    EXPECT_EQ(call("eth_getBlockByHash", list(kNowhere, "true")), "null");
    EXPECT_EQ(call("eth_getTransactionByBlockNumberAndIndex", R"(["0x0","0x0"])"), "null");
    EXPECT_EQ(call("eth_getTransactionByBlockNumberAndIndex", R"(["0x0",""])"), "null");
    EXPECT_EQ(call("eth_getUncleByBlockHashAndIndex", list(kNowhere, R"("0x0")")), "null");
}

TEST_F(ReadMethods, raw_bytes_that_are_not_there_are_empty) {
    for (const char* name : {"debug_getRawBlock", "debug_getRawHeader"}) {
        EXPECT_EQ(call(name, R"(["0x1"])"), R"("0x")") << name;
        EXPECT_THAT(failure(name, list(kNowhere)), HasSubstr("not found")) << name;
        EXPECT_THAT(failure(name, R"(["pending"])"), HasSubstr("not found")) << name;
        EXPECT_EQ(failure(name, R"([""])"), "-32602: invalid argument 0: empty hex string");
    }
    EXPECT_EQ(call("debug_getRawReceipts", list(kNowhere)), "[]");
    EXPECT_EQ(call("debug_getRawTransaction", list(kNowhere)), R"("0x")");
    EXPECT_EQ(call("eth_getRawTransactionByHash", list(kNowhere)), R"("0x")");
    EXPECT_EQ(call("eth_getRawTransactionByBlockNumberAndIndex", R"(["0x0","0x0"])"), R"("0x")");
}

TEST_F(ReadMethods, a_state_that_is_not_there_is_an_error) {
    for (const char* name : {"eth_getBalance", "eth_getCode", "eth_getTransactionCount"}) {
        EXPECT_EQ(failure(name, list(kAccount, R"("0x1")")), "-32000: header not found") << name;
        EXPECT_EQ(failure(name, list(kAccount, kNowhere)), "-32000: header for hash not found")
            << name;
        EXPECT_EQ(failure(name, list(kAccount, R"("0x01")")),
                  "-32602: invalid argument 1: hex number with leading zero digits")
            << name;
        EXPECT_EQ(failure(name, "[]"), "-32602: missing value for required argument 0") << name;
        EXPECT_EQ(failure(name, list(kAccount, R"("latest",1)")),
                  "-32602: too many arguments, want at most 2")
            << name;
    }
    EXPECT_EQ(failure("eth_getProof", list(kAccount, R"([],"0x1")")), "-32000: header not found");
}

TEST_F(ReadMethods, calls_say_which_argument_means_no_block) {
    for (const char* name : {"eth_call", "eth_estimateGas", "eth_createAccessList"}) {
        EXPECT_EQ(failure(name, R"([{},"0x01"])"),
                  "-32602: invalid argument 1: hex number with leading zero digits")
            << name;
        EXPECT_EQ(failure(name, R"([{},{}])"),
                  "-32602: invalid argument 1: must specify either BlockHash or BlockNumber")
            << name;
    }
    EXPECT_THAT(failure("eth_simulateV1", R"([{"blockStateCalls":[{}]},1])"),
                HasSubstr("-32602: invalid argument 1: "));
    EXPECT_THAT(failure("eth_callMany", R"([[],{"blockNumber":1}])"),
                HasSubstr("-32602: invalid argument 1: "));
    EXPECT_THAT(failure("trace_call", R"([{},["trace"],"0x01"])"),
                HasSubstr("-32602: invalid argument 2: "));
}

TEST_F(ReadMethods, an_account_is_read_after_the_block_asked_for) {
    TestChain::Plan plan;
    TestChain::set_account(plan.diff, account_of(1), 3, Uint256{5}, Bytes{0x60});
    (void)node_.made().commit(std::move(plan));

    EXPECT_EQ(call("eth_getBalance", list(kAccount)), R"("0x5")");
    EXPECT_EQ(call("eth_getBalance", list(kAccount, R"("pending")")), R"("0x5")");
    EXPECT_EQ(call("eth_getBalance", list(kAccount, R"("earliest")")), R"("0x8ac7230489e80000")");
    EXPECT_EQ(call("eth_getCode", list(kAccount)), R"("0x60")");
    EXPECT_EQ(call("eth_getCode", list(kAccount, R"("0x0")")), R"("0x")");
    EXPECT_EQ(call("eth_getTransactionCount", list(kAccount, R"({"blockNumber":"0x1"})")),
              R"("0x3")");
}

TEST_F(ReadMethods, storage_is_asked_for_by_short_keys_and_in_bulk) {
    const std::string word = "\"0x" + std::string(64, '0') + "\"";

    EXPECT_EQ(call("eth_getStorageAt", list(kAccount, R"("0x1")")), word);
    EXPECT_EQ(call("eth_getStorageAt", list(kAccount, R"("")")), word);
    EXPECT_EQ(failure("eth_getStorageAt", list(kAccount, R"("0xasdf")")),
              "-32602: invalid hex in storage key: \"0xasdf\"");
    EXPECT_EQ(call("eth_getStorageValues", "[{" + kAccount + ":" + list(word) + "}]"),
              "{" + kAccount + ":" + list(word) + "}");
    EXPECT_EQ(failure("eth_getStorageValues", "[{}]"), "-32602: empty request");
    EXPECT_EQ(failure("eth_getStorageValues", "[{" + kAccount + R"(:["0x0"]}])"),
              "-32602: invalid argument 0: hex string of odd length");
    std::string keys = word;
    for (int i = 0; i < 1024; ++i)
        keys += "," + word;
    EXPECT_EQ(failure("eth_getStorageValues", "[{" + kAccount + ":[" + keys + "]}]"),
              "-38026: too many slots (max 1024)");
    EXPECT_EQ(failure("eth_getProof", "[" + kAccount + ",[" + keys + "]]"),
              "-32602: too many storage keys requested (max 1024, got 1025)");
}

TEST_F(ReadMethods, the_proof_of_nobody_has_no_code_and_no_storage) {
    const std::string zero = "\"0x" + std::string(64, '0') + "\"";
    const std::string nobody = "\"0x" + std::string(40, '9') + "\"";

    const std::string proof = call("eth_getProof", list(nobody, R"(["0x1"])"));

    EXPECT_THAT(proof, HasSubstr(R"("balance":"0x0","nonce":"0x0","codeHash":)" + zero +
                                 R"(,"storageHash":)" + zero +
                                 R"(,"storageProof":[{"key":"0x1","value":"0x0","proof":[]}]})"));
}

TEST(PendingBlock, a_pending_block_is_what_somebody_would_build_on_the_head) {
    // Its system calls need no contracts, of which this chain has none.
    MadeNode node{Revision::cancun};
    const ledger::StoredHeader head = node.chain().head();

    const std::string block = node.call("eth_getBlockByNumber", R"(["pending",true])");

    EXPECT_THAT(block, StartsWith(R"({"hash":null,"miner":null,"nonce":null,"parentHash":")" +
                                  to_string(head.hash) + "\""));
    EXPECT_THAT(block, HasSubstr(R"("number":"0x1")"));
    EXPECT_THAT(block, HasSubstr(R"("withdrawals":[])"));
    EXPECT_EQ(node.call("eth_getBlockTransactionCountByNumber", R"(["pending"])"), R"("0x0")");
    EXPECT_EQ(node.call("eth_getBlockReceipts", R"(["pending"])"), "[]");
    EXPECT_EQ(node.call("eth_getHeaderByNumber", R"(["pending"])"), "null");
}

TEST_F(ReadMethods, every_block_is_safe_and_final) {
    (void)node_.made().commit({});

    const std::string latest = call("eth_getBlockByNumber", R"(["latest",false])");

    EXPECT_THAT(latest, HasSubstr(R"("number":"0x1")"));
    EXPECT_EQ(call("eth_getBlockByNumber", R"(["safe",false])"), latest);
    EXPECT_EQ(call("eth_getBlockByNumber", R"(["finalized",false])"), latest);
    EXPECT_EQ(call("eth_getBlockByNumber", R"(["0x1",false])"), latest);
    EXPECT_EQ(call("eth_blockNumber", "[]"), R"("0x1")");
    EXPECT_EQ(call("eth_syncing", "[]"), "false");
}

TEST_F(ReadMethods, a_node_says_what_it_is) {
    EXPECT_EQ(call("eth_chainId", "[]"), R"("0x539")");
    EXPECT_EQ(call("net_version", "[]"), R"("1337")");
    EXPECT_EQ(call("net_listening", "[]"), "true");
    EXPECT_EQ(call("net_peerCount", "[]"), R"("0x0")");
    EXPECT_EQ(call("web3_clientVersion", "[]"), R"("heddle/test")");
    // Keccak-256 of "hello world".
    EXPECT_EQ(call("web3_sha3", R"(["0x68656c6c6f20776f726c64"])"),
              R"("0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad")");
    EXPECT_THAT(call("rpc_modules", "[]"),
                HasSubstr(R"("eth":"1.0","heddle":"1.0","net":"1.0","ots":"1.0","reth":"1.0",)"
                          R"("rpc":"1.0")"));
}

}  // namespace
}  // namespace heddle::test
