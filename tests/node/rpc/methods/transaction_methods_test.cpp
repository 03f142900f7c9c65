// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <types/rlp.hpp>
#include <vm/blob_proof.hpp>

#include "mempool/blob_sidecar.hpp"
#include "queries/made_node.hpp"
#include "rpc/envelope/json_rpc.hpp"
#include "rpc/queries/pending_block.hpp"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string quoted(const Hash& hash) {
    return "\"" + to_string(hash) + "\"";
}

std::string list(const std::string& element) {
    return "[" + element + "]";
}

class TransactionMethods : public testing::Test {
protected:
    explicit TransactionMethods(Revision revision = Revision::osaka) : node_(revision) {}

    [[nodiscard]] std::string raw() const { return "\"" + to_hex(encoded(tx_)) + "\""; }
    void seal() {
        TestChain::Plan plan;
        plan.transactions = {tx_};
        TestChain::set_account(plan.diff, account_of(1), 1, Uint256{kEther});
        node_.mempool().on_head(*node_.made().commit(std::move(plan)));
    }

    MadeNode node_;
    const Transaction tx_ = transfer({.from = 1});
    const Hash hash_ = transaction_hash(tx_);
};

TEST_F(TransactionMethods, a_transaction_is_pending_until_a_block_holds_it) {
    EXPECT_EQ(node_.call("eth_sendRawTransaction", list(raw())), quoted(hash_));

    EXPECT_THAT(node_.call("eth_getTransactionByHash", list(quoted(hash_))),
                StartsWith(R"({"blockHash":null,"blockNumber":null)"));
    EXPECT_EQ(node_.call("eth_getTransactionReceipt", list(quoted(hash_))), "null");
    EXPECT_EQ(node_.call("eth_getRawTransactionByHash", list(quoted(hash_))), raw());
    EXPECT_EQ(node_.call("debug_getRawTransaction", list(quoted(hash_))), raw());
    const std::string sender = "\"" + to_string(account_of(1)) + "\"";
    EXPECT_EQ(node_.call("eth_getTransactionCount", "[" + sender + ",\"pending\"]"), R"("0x1")");
    EXPECT_EQ(node_.call("eth_getTransactionCount", "[" + sender + ",\"latest\"]"), R"("0x0")");

    seal();

    EXPECT_THAT(node_.call("eth_getTransactionByHash", list(quoted(hash_))),
                HasSubstr(R"("blockNumber":"0x1")"));
    EXPECT_THAT(node_.call("eth_getTransactionReceipt", list(quoted(hash_))),
                HasSubstr(R"("transactionHash":)" + quoted(hash_)));
    EXPECT_THAT(node_.call("eth_getTransactionByBlockNumberAndIndex", R"(["0x1","0x0"])"),
                HasSubstr(quoted(hash_)));
    EXPECT_EQ(node_.call("eth_getRawTransactionByHash", list(quoted(hash_))), raw());
    EXPECT_THAT(node_.call("eth_getBlockByNumber", R"(["0x1",false])"),
                HasSubstr(R"("transactions":[)" + quoted(hash_) + "]"));
}

/// A transaction with a blob of zeros, whose commitment and proofs are the point at infinity.
Bytes with_blob() {
    Bytes infinity(vm::kKzgPointBytes);
    infinity.front() = 0xc0;
    Transaction tx = transfer({.from = 1});
    tx.type = TransactionType::blob;
    tx.max_fee_per_blob_gas = kGwei;
    tx.blob_versioned_hashes = {vm::blob_versioned_hash(infinity)};
    HEDDLE_ASSERT(sign_transaction(tx, secret_of(1)));
    Bytes sidecar;
    rlp::encode_uint64(1, sidecar);
    const auto append_list = [&](BytesView item, std::size_t count) {
        const std::size_t begin = sidecar.size();
        for (std::size_t i = 0; i < count; ++i)
            rlp::encode_string(item, sidecar);
        rlp::wrap_list(begin, sidecar);
    };
    append_list(Bytes(vm::kBlobBytes), 1);
    append_list(infinity, 1);
    append_list(infinity, vm::kCellsPerBlob);
    return node::join_network_form(encoded(tx), sidecar);
}

// Its raw form lacked the blobs, and was refused where somebody sent it again.
TEST_F(TransactionMethods, a_waiting_transaction_has_its_blobs_in_its_raw_form) {
    const std::string sent = "\"" + to_hex(with_blob()) + "\"";

    const std::string hash = node_.call("eth_sendRawTransaction", list(sent));

    EXPECT_EQ(node_.call("eth_getRawTransactionByHash", list(hash)), sent);
    EXPECT_EQ(node_.call("debug_getRawTransaction", list(hash)), sent);
}

class PendingTransactions : public TransactionMethods {
protected:
    // Its system calls need no contracts, of which this chain has none.
    PendingTransactions() : TransactionMethods(Revision::cancun) {}
};

TEST_F(PendingTransactions, a_pending_block_holds_what_the_pool_would_put_into_it) {
    const auto pending = [&](const std::string& in_full) {
        return node_.call("eth_getBlockByNumber", "[\"pending\"," + in_full + "]");
    };
    EXPECT_THAT(pending("false"), HasSubstr(R"("transactions":[])"));
    EXPECT_EQ(node_.call("eth_getTransactionByBlockNumberAndIndex", R"(["pending","0x0"])"),
              "null");

    (void)node_.call("eth_sendRawTransaction", list(raw()));
    const Transaction waiting = transfer({.from = 1, .nonce = 5});
    (void)node_.call("eth_sendRawTransaction", list("\"" + to_hex(encoded(waiting)) + "\""));

    EXPECT_THAT(pending("false"), AllOf(HasSubstr(R"("transactions":[)" + quoted(hash_) + "]"),
                                        HasSubstr(R"("gasUsed":"0x5208")")));
    EXPECT_THAT(pending("true"), HasSubstr(R"("transactions":[{"blockHash":null)"));
    EXPECT_EQ(node_.call("eth_getBlockTransactionCountByNumber", R"(["pending"])"), R"("0x1")");
    EXPECT_THAT(node_.call("eth_getTransactionByBlockNumberAndIndex", R"(["pending","0x0"])"),
                AllOf(StartsWith(R"({"blockHash":null)"), HasSubstr(quoted(hash_))));
    EXPECT_EQ(node_.call("eth_getRawTransactionByBlockNumberAndIndex", R"(["pending","0x0"])"),
              raw());
    EXPECT_EQ(node_.call("eth_getRawTransactionByBlockNumberAndIndex", R"(["pending","0x1"])"),
              R"("0x")");

    seal();
    EXPECT_THAT(pending("false"), HasSubstr(R"("transactions":[])"));
}

TEST_F(PendingTransactions, receipts_of_the_pending_block_are_told) {
    const auto receipts = [&] { return node_.call("eth_getBlockReceipts", R"(["pending"])"); };
    EXPECT_EQ(receipts(), "[]");

    (void)node_.call("eth_sendRawTransaction", list(raw()));
    (void)node_.call("eth_sendRawTransaction",
                     list("\"" + to_hex(encoded(transfer({.from = 1, .nonce = 1}))) + "\""));

    EXPECT_THAT(receipts(), AllOf(StartsWith(R"([{"blockHash":"0x)"),
                                  HasSubstr(R"("blockNumber":"0x1","transactionHash":)" +
                                            quoted(hash_) + R"(,"transactionIndex":"0x0")"),
                                  HasSubstr(R"("gasUsed":"0x5208","cumulativeGasUsed":"0x5208")"),
                                  HasSubstr(R"("gasUsed":"0x5208","cumulativeGasUsed":"0xa410")")));
}

// As geth traces it.
TEST_F(PendingTransactions, the_pending_block_is_traced) {
    const auto traces = [&] {
        return node_.call("debug_traceBlockByNumber", R"(["pending",{"tracer":"callTracer"}])");
    };
    EXPECT_EQ(traces(), "[]");

    (void)node_.call("eth_sendRawTransaction", list(raw()));

    EXPECT_THAT(traces(), AllOf(StartsWith(R"([{"txHash":)" + quoted(hash_) + R"(,"result":{)"),
                                HasSubstr(R"("gasUsed":"0x5208")")));
}

TEST_F(PendingTransactions, a_fee_history_knows_what_the_pending_block_pays) {
    const auto history = [&] { return node_.call("eth_feeHistory", R"(["0x1","pending",[50]])"); };
    EXPECT_THAT(history(), AllOf(HasSubstr(R"({"oldestBlock":"0x1","reward":[["0x0"]])"),
                                 HasSubstr(R"("gasUsedRatio":[0])")));

    (void)node_.call("eth_sendRawTransaction", list(raw()));

    // Its tip: a gwei.
    EXPECT_THAT(history(), AllOf(HasSubstr(R"({"oldestBlock":"0x1","reward":[["0x3b9aca00"]])"),
                                 Not(HasSubstr(R"("gasUsedRatio":[0])"))));
}

TEST_F(TransactionMethods, a_pending_block_is_made_by_those_who_execute) {
    for (const std::string_view params :
         {R"(["pending",true])", R"([ "pending" ])", R"(["\u0070ending",false])"})
        EXPECT_EQ(node::rpc::pending_weight(params), node::rpc::Weight::executing) << params;
    for (const std::string_view params : {R"(["latest",true])", R"(["0x1"])", R"([])", ""})
        EXPECT_EQ(node::rpc::pending_weight(params), node::rpc::Weight::reading) << params;
}

TEST_F(TransactionMethods, the_pool_is_shown_by_sender_and_nonce) {
    (void)node_.call("eth_sendRawTransaction", list(raw()));
    const Transaction waiting = transfer({.from = 1, .nonce = 5});
    (void)node_.call("eth_sendRawTransaction", list("\"" + to_hex(encoded(waiting)) + "\""));

    const std::string sender = to_checksum_string(account_of(1));
    EXPECT_EQ(node_.call("txpool_status"), R"({"pending":"0x1","queued":"0x1"})");
    EXPECT_THAT(node_.call("txpool_content"),
                StartsWith(R"({"pending":{")" + sender + R"(":{"0":{"blockHash":null)"));
    EXPECT_THAT(node_.call("txpool_content"),
                HasSubstr(R"("queued":{")" + sender + R"(":{"5":{"blockHash":null)"));
    EXPECT_THAT(node_.call("txpool_contentFrom", list("\"" + sender + "\"")),
                StartsWith(R"({"pending":{"0":{"blockHash":null)"));
    EXPECT_THAT(node_.call("txpool_inspect"), HasSubstr(": 0 wei + 21000 gas × 10000000000 wei"));
}

TEST_F(TransactionMethods, what_is_no_transaction_is_refused) {
    EXPECT_THAT(node_.failure("eth_sendRawTransaction", R"(["0x01"])"), StartsWith("-32000: "));
    EXPECT_EQ(node_.failure("eth_sendRawTransaction", R"(["01"])"),
              "-32602: invalid argument 0: hex string without 0x prefix");
    EXPECT_THAT(node_.failure("eth_sendRawTransactionSync", R"(["0x01"])"), StartsWith("-32000: "));
}

/// A batch of calls with what is said of each.
std::string batch_of(const std::vector<std::string>& params) {
    std::string text;
    for (const std::string& one : params)
        text += std::string(text.empty() ? "[" : ",") +
                R"({"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":)" + one +
                "}";
    return text + "]";
}

TEST_F(TransactionMethods, a_batch_is_taken_as_its_transactions_one_after_another) {
    const auto in_time = std::chrono::steady_clock::now() + std::chrono::minutes{10};
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        std::mt19937_64 random(seed);
        std::vector<std::string> params{R"(["0x01"])", R"([])", R"(["zz"])", R"(["0x01",1])"};
        for (std::uint32_t sender = 1; sender <= 5; ++sender)
            for (std::uint64_t nonce = 0; nonce < 3; ++nonce) {
                const Bytes raw = encoded(transfer({.from = sender, .nonce = nonce}));
                params.push_back(list("\"" + to_hex(raw) + "\""));
                if (random() % 3 == 0) params.push_back(params.back());
            }
        std::ranges::shuffle(params, random);
        MadeNode together;
        MadeNode alone;
        std::string expected;
        const node::rpc::Responder one_by_one(alone.methods());
        for (const std::string& one : params) {
            const std::string answer = one_by_one.answer(batch_of({one}), {}, in_time);
            expected += (expected.empty() ? "" : ",") + answer.substr(1, answer.size() - 2);
        }

        EXPECT_EQ(node::rpc::Responder(together.methods()).answer(batch_of(params), {}, in_time),
                  "[" + expected + "]")
            << "seed " << seed;
        EXPECT_EQ(together.call("txpool_content"), alone.call("txpool_content"));
    }
}

TEST_F(TransactionMethods, sending_may_wait_for_the_receipt) {
    std::string receipt;
    std::thread asking(
        [&] { receipt = node_.call("eth_sendRawTransactionSync", list(raw() + ",60000")); });
    while (!node_.mempool().find(hash_))
        std::this_thread::yield();

    seal();
    asking.join();

    EXPECT_THAT(receipt, HasSubstr(R"("transactionHash":)" + quoted(hash_)));
}

TEST_F(TransactionMethods, a_wait_that_is_over_names_the_transaction) {
    try {
        (void)node_.call("eth_sendRawTransactionSync", list(raw() + ",1"));
        FAIL() << "there is no block";
    } catch (const node::rpc::RpcError& error) {
        EXPECT_EQ(error.code(), 4);  // EIP-7966
        EXPECT_EQ(error.data(), quoted(hash_));
    }
    EXPECT_TRUE(node_.mempool().find(hash_));
}

TEST_F(TransactionMethods, a_wait_that_is_over_says_how_long_it_was) {
    const std::string answer =
        node::rpc::Responder(node_.methods())
            .answer(R"({"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransactionSync","params":)" +
                        list(raw() + ",60000") + "}",
                    {}, std::chrono::steady_clock::now() + std::chrono::seconds{1});
    EXPECT_THAT(answer, HasSubstr("wasn't processed in "));
    EXPECT_THAT(answer, Not(HasSubstr("60000")));
}

}  // namespace
}  // namespace heddle::test
