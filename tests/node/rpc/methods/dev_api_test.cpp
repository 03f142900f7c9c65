// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/dev_api.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vm/blob_proof.hpp>

#include "mempool/blob_sidecar.hpp"
#include "rpc_node.hpp"

namespace heddle::node::rpc {
namespace {

constexpr std::string_view kFirst = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
constexpr std::string_view kSecond = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";

/// A development chain at its genesis block, where nothing seals.
class DevApi : public testing::Test {
protected:
    DevApi() { add_dev_methods(node_.methods(), node_.services(), dev_accounts()); }

    [[nodiscard]] std::string call(std::string_view name, std::string_view params) const {
        return node_.call(name, params);
    }
    /// The pooled transaction that eth_sendTransaction makes of these members and a sender.
    SharedTransaction send(std::string_view members) {
        const std::string answer =
            call("eth_sendTransaction",
                 R"([{"from":")" + std::string{kFirst} + "\"," + std::string{members} + "}]");
        const auto hash = hash_from_hex(std::string_view{answer}.substr(1, 66));
        return hash.has_value() ? node_.mempool().find(*hash) : nullptr;
    }
    /// The text of the error of a call that must fail.
    [[nodiscard]] std::string failure(std::string_view name, std::string_view params) const {
        try {
            return "accepted: " + call(name, params);
        } catch (const RpcError& error) {
            return error.what();
        }
    }

    test::RpcNode node_{dev_genesis()};
};

TEST_F(DevApi, names_the_ten_accounts) {
    JsonParser parser;
    const std::string text = call("eth_accounts", "[]");
    const JsonView list = parser.parse(text, "accounts");

    ASSERT_EQ(list.size(), 10U);
    EXPECT_EQ(list.element(0).string(), kFirst);
    EXPECT_EQ(list.element(1).string(), kSecond);
    EXPECT_EQ(call("eth_requestAccounts", "[]"), text);
}

TEST(DevMethods, a_node_without_accounts_names_none_and_signs_nothing) {
    test::RpcNode node{dev_genesis()};
    add_dev_methods(node.methods(), node.services(), {});

    EXPECT_EQ(node.call("eth_accounts", "[]"), "[]");
    EXPECT_EQ(node.methods().find("eth_sendTransaction"), nullptr);
    EXPECT_EQ(node.methods().find("eth_sign"), nullptr);
}

TEST(Services, whose_transactions_are_local_is_a_matter_of_configuration) {
    test::RpcNode node{dev_genesis()};
    Services services = node.services();
    const auto origins = [&](LocalCallers callers) {
        services.local_callers = callers;
        Call call{.params = Params{}, .deadline = {}, .session = nullptr};
        const Origin from_afar = services.origin_of(call);
        call.is_loopback = true;
        return std::pair{services.origin_of(call), from_afar};
    };

    EXPECT_EQ(services.local_callers, LocalCallers::none) << "where nothing is said";
    using Pair = std::pair<Origin, Origin>;
    EXPECT_EQ(origins(LocalCallers::none), Pair(Origin::submitted, Origin::submitted));
    EXPECT_EQ(origins(LocalCallers::loopback), Pair(Origin::local, Origin::submitted));
    EXPECT_EQ(origins(LocalCallers::all), Pair(Origin::local, Origin::local));
}

TEST(Services, a_transaction_that_anybody_sends_is_not_local) {
    test::RpcNode node{dev_genesis()};
    add_dev_methods(node.methods(), node.services(), dev_accounts());
    const std::string signed_tx = node.call(
        "eth_signTransaction",
        R"([{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","gas":"0x5208","nonce":"0x0",)"
        R"("to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gasPrice":"0x77359400"}])");
    JsonParser parser;
    const std::string raw{parser.parse(signed_tx, "signed").at("raw").string()};
    const std::string hash = node.call("eth_sendRawTransaction", "[\"" + raw + "\"]");
    const auto pooled = node.mempool().find(hash_from_hex(hash.substr(1, 66)).value());
    ASSERT_NE(pooled, nullptr);
    EXPECT_EQ(pooled->origin, Origin::submitted);
}

TEST_F(DevApi, fills_in_what_a_transaction_lacks) {
    const auto pooled = send(R"("to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","value":"0x1")");

    ASSERT_NE(pooled, nullptr);
    const BlockHeader genesis = node_.chain().head().header;
    const Transaction& tx = pooled->tx;
    EXPECT_EQ(tx.type, TransactionType::dynamic_fee);
    EXPECT_EQ(tx.chain_id, 1337U);
    EXPECT_EQ(tx.nonce, 0U);
    EXPECT_EQ(tx.gas_limit, 21'000U);
    EXPECT_EQ(tx.max_fee_per_gas,
              genesis.base_fee_per_gas.value() * Uint256{2} + tx.max_priority_fee_per_gas);
    EXPECT_EQ(pooled->origin, Origin::local);
    EXPECT_EQ(tx.sender, dev_accounts()[0].address);
    EXPECT_EQ(send(R"("to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8")")->tx.nonce, 1U);
}

TEST_F(DevApi, the_prices_choose_the_type) {
    constexpr std::string_view kTo = R"("to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8",)";
    const auto type = [&](std::string_view members) {
        return send(std::string{kTo} + std::string{members})->tx.type;
    };

    EXPECT_EQ(type(R"("gasPrice":"0x77359400")"), TransactionType::legacy);
    EXPECT_EQ(type(R"("gasPrice":"0x77359400","accessList":[])"), TransactionType::access_list);
    EXPECT_EQ(type(R"("accessList":[])"), TransactionType::dynamic_fee);
}

TEST_F(DevApi, a_type_that_is_named_is_the_type_that_is_sent) {
    constexpr std::string_view kTo = R"("to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8",)";
    const auto sent = [&](std::string_view members) {
        return send(std::string{kTo} + std::string{members})->tx;
    };
    const Uint256 base_fee = node_.chain().head().header.base_fee_per_gas.value();

    for (const std::string_view type : {R"("type":"0x0")", R"("type":"0x1")"}) {
        const Transaction tx = sent(type);
        EXPECT_EQ(tx.type,
                  type.contains('1') ? TransactionType::access_list : TransactionType::legacy);
        EXPECT_GT(tx.max_fee_per_gas, base_fee) << type;
        EXPECT_EQ(tx.max_fee_per_gas, tx.max_priority_fee_per_gas) << "one price";
    }
    EXPECT_EQ(sent(R"("type":"0x0","accessList":[])").type, TransactionType::legacy);
    EXPECT_EQ(sent(R"("type":"0x1","gasPrice":"0x77359400")").type, TransactionType::access_list);
    EXPECT_EQ(sent(R"("type":"0x2")").type, TransactionType::dynamic_fee);
    EXPECT_EQ(sent(R"("type":"0x02","maxFeePerGas":"0x77359400")").type,
              TransactionType::dynamic_fee);
}

TEST_F(DevApi, what_the_named_type_has_no_place_for_is_refused) {
    const auto send_failure = [&](std::string_view members) {
        return failure("eth_sendTransaction", R"([{"from":")" + std::string{kFirst} +
                                                  R"(","to":")" + std::string{kSecond} + "\"," +
                                                  std::string{members} + "}]");
    };
    constexpr std::string_view kBlobs =
        "blobs are signed by the client: use eth_sendRawTransaction";
    constexpr std::string_view kBegin = "invalid argument 0: ";
    const auto expected = [&](std::string_view text) { return std::string{kBegin}.append(text); };

    EXPECT_EQ(send_failure(R"("type":"0x0","maxFeePerGas":"0x77359400")"),
              expected("a transaction of type 0 has no maxFeePerGas"));
    EXPECT_EQ(send_failure(R"("type":"0x1","maxPriorityFeePerGas":"0x1")"),
              expected("a transaction of type 1 has no maxPriorityFeePerGas"));
    EXPECT_EQ(send_failure(R"("type":"0x2","gasPrice":"0x77359400")"),
              expected("a transaction of type 2 has no gasPrice"));
    EXPECT_EQ(send_failure(R"("type":"0x0","accessList":[{"address":")" + std::string{kFirst} +
                           R"(","storageKeys":[]}])"),
              expected("a transaction of type 0 has no accessList"));
    EXPECT_EQ(send_failure(R"("type":"0x2","authorizationList":[])"),
              expected("a transaction of type 2 has no authorizationList"));
    EXPECT_EQ(send_failure(R"("type":"0x4")"),
              expected("a transaction of type 4 needs an authorizationList"));
    EXPECT_EQ(send_failure(R"("type":"0x5")"), expected("transaction type not supported"));
    EXPECT_EQ(send_failure(R"("type":"0x3")"), kBlobs);
    EXPECT_EQ(send_failure(R"("blobs":[])"), kBlobs);
    EXPECT_EQ(send_failure(R"("maxFeePerBlobGas":"0x1")"), kBlobs);
    EXPECT_EQ(node_.mempool().status().pending, 0U);
}

TEST_F(DevApi, transactions_sent_at_once_get_nonces_of_their_own) {
    constexpr std::size_t kThreads = 4;
    constexpr std::size_t kEach = 8;
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (std::size_t i = 0; i < kThreads; ++i)
        threads.emplace_back([&] {
            for (std::size_t j = 0; j < kEach; ++j)
                (void)send(R"("to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8")");
        });
    for (std::thread& thread : threads)
        thread.join();

    EXPECT_EQ(node_.mempool().status().pending, kThreads * kEach);
    EXPECT_EQ(node_.mempool().next_nonce(dev_accounts()[0].address), kThreads * kEach);
}

// anvil 1.7.1 and hardhat do so; geth has no account of the address zero.
TEST_F(DevApi, a_transaction_of_nobody_is_the_first_accounts) {
    const std::string to = R"("to":")" + std::string{kSecond} + '"';
    EXPECT_NE(failure("eth_sendTransaction", "[{" + to + "}]"), "unknown account");
    EXPECT_NE(failure("eth_sendTransaction", "[{\"from\":null," + to + "}]"), "unknown account");
    EXPECT_EQ(node_.mempool().next_nonce(dev_accounts()[0].address), 2u);
    const std::string priced = to + R"(,"gas":"0x5208","gasPrice":"0x77359400","nonce":"0x7")";
    EXPECT_EQ(
        call("eth_signTransaction", "[{" + priced + "}]"),
        call("eth_signTransaction", R"([{"from":")" + std::string{kFirst} + "\"," + priced + "}]"));
}

TEST_F(DevApi, refuses_what_geth_refuses_in_its_words) {
    const auto send_failure = [&](std::string_view members) {
        return failure("eth_sendTransaction",
                       R"([{"from":")" + std::string{kFirst} + "\"," + std::string{members} + "}]");
    };

    EXPECT_EQ(
        failure("eth_sendTransaction", R"([{"from":"0x0000000000000000000000000000000000000000",)"
                                       R"("to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8"}])"),
        "unknown account");
    EXPECT_EQ(send_failure(R"("value":"0x1")"), "contract creation without any data provided");
    EXPECT_EQ(send_failure(R"("gasPrice":"0x1","maxFeePerGas":"0x1")"),
              "both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified");
    EXPECT_EQ(send_failure(R"("gasPrice":"0x0","data":"0x00")"),
              "gasPrice must be non-zero after london fork");
    EXPECT_EQ(send_failure(R"("maxFeePerGas":"0x1","maxPriorityFeePerGas":"0x2","data":"0x00")"),
              "maxFeePerGas (0x1) < maxPriorityFeePerGas (0x2)");
    EXPECT_EQ(send_failure(R"("data":"0x00","chainId":"0x1")"),
              "chainId does not match node's (have=1, want=1337)");
    EXPECT_EQ(failure("eth_signTransaction", R"([{"from":")" + std::string{kFirst} + R"(","to":")" +
                                                 std::string{kSecond} + "\"}]"),
              "gas not specified");
}

TEST_F(DevApi, a_creation_that_reverts_is_not_sent) {
    // PUSH1 0, PUSH1 0, REVERT
    EXPECT_EQ(failure("eth_sendTransaction",
                      R"([{"from":")" + std::string{kFirst} + R"(","data":"0x60006000fd"}])"),
              "execution reverted");
    EXPECT_EQ(node_.mempool().status().pending, 0U);
}

TEST_F(DevApi, a_signed_transaction_is_returned_and_not_sent) {
    const std::string text =
        call("eth_signTransaction", R"([{"from":")" + std::string{kFirst} + R"(","to":")" +
                                        std::string{kSecond} +
                                        R"(","gas":"0x5208","nonce":"0x5","maxFeePerGas":"0x9",)" +
                                        R"("maxPriorityFeePerGas":"0x1"}])");
    JsonParser parser;
    const JsonView answer = parser.parse(text, "answer");
    const auto tx = decode_transaction(answer.at("raw").bytes());

    ASSERT_TRUE(tx.has_value());
    EXPECT_EQ(tx->nonce, 5U);
    EXPECT_EQ(recover_sender(*tx), dev_accounts()[0].address);
    EXPECT_EQ(answer.at("tx").at("hash").string(), to_string(transaction_hash(*tx)));
    EXPECT_EQ(node_.mempool().status().pending, 0U);
}

// Answers of geth 1.17.8 to the same questions.
TEST_F(DevApi, a_transaction_to_be_signed_has_the_prices_of_its_type_alone) {
    const auto filled = [&](std::string_view prices) {
        return call("eth_fillTransaction",
                    fmt::format(R"([{{"from":"{0}","to":"{1}","gas":"0x5208",{2}}}])", kFirst,
                                kSecond, prices));
    };
    EXPECT_EQ(filled(R"("gasPrice":"0x77359400")"),
              R"({"raw":"0xe3808477359400825208)"
              R"(9470997970c51812dc3a010c7d01b50e0d17dc79c88080808080",)"
              R"("tx":{"type":"0x0","nonce":"0x0",)"
              R"("to":"0x70997970c51812dc3a010c7d01b50e0d17dc79c8","gas":"0x5208",)"
              R"("gasPrice":"0x77359400","maxPriorityFeePerGas":null,"maxFeePerGas":null,)"
              R"("value":"0x0","input":"0x","v":"0x0","r":"0x0","s":"0x0","hash":)"
              R"("0x02166ef38f501f71da12eab7a1ea9f1db29acf4a92f831e264e929d958315cb2"}})");
    const std::string newer = filled(R"("maxFeePerGas":"0x77359400","maxPriorityFeePerGas":"0x1")");
    EXPECT_THAT(newer, testing::HasSubstr(R"("chainId":"0x539")"));
    EXPECT_THAT(newer, testing::HasSubstr(R"("gasPrice":null)"));
    EXPECT_THAT(newer, testing::HasSubstr(R"("yParity":"0x0")"));
    EXPECT_THAT(newer, testing::Not(testing::HasSubstr("blockHash")));
}

/// What geth 1.17.8 answers where it refuses to fill something in.
TEST_F(DevApi, blobs_to_be_signed_are_checked) {
    const std::string blob = "\"0x" + std::string(2 * vm::kBlobBytes, '0') + "\"";
    const auto refusal = [&](std::string_view members) {
        return failure("eth_fillTransaction",
                       fmt::format(R"([{{"from":"{}","gas":"0x5208",{}}}])", kFirst, members));
    };
    const std::string to = fmt::format(R"("to":"{}")", kSecond);
    const std::string infinity = "[\"0xc0" + std::string(94, '0') + "\"]";
    EXPECT_EQ(refusal(to + R"(,"blobs":[])"), "need at least 1 blob for a blob transaction");
    EXPECT_EQ(refusal(R"("blobVersionedHashes":[])"),
              "need at least 1 blob for a blob transaction");
    EXPECT_EQ(refusal(R"("blobs":[)" + blob + "]"), "missing \"to\" in blob transaction");
    EXPECT_EQ(refusal(to + R"(,"maxFeePerBlobGas":"0x0")"),
              "maxFeePerBlobGas, if specified, must be non-zero");
    std::string seven = blob;
    for (int i = 1; i < 7; ++i)
        seven += "," + blob;
    EXPECT_EQ(refusal(to + R"(,"blobs":[)" + seven + "]"),
              "too many blobs in transaction (have=7, max=6)");
    EXPECT_EQ(refusal(to + R"(,"blobs":[)" + blob + R"(],"commitments":)" + infinity),
              "blob commitments provided while proofs were not");
    EXPECT_EQ(refusal(to + R"(,"blobs":[)" + blob + R"(],"proofs":)" + infinity),
              "blob proofs provided while commitments were not");
    EXPECT_EQ(refusal(to + R"(,"blobs":[)" + blob + R"(],"blobVersionedHashes":[])"),
              "number of blobs and hashes mismatch (have=0, want=1)");
    const std::string ones = "\"0x01" + std::string(62, '1') + "\"";
    EXPECT_EQ(refusal(to + R"(,"blobs":[)" + blob + R"(],"blobVersionedHashes":[)" + ones + "]"),
              "blob hash verification failed (have=0x01" + std::string(62, '1') +
                  ", want=0x010657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014)");
    EXPECT_EQ(refusal(to + R"(,"blobs":["0x)" + std::string(2 * vm::kBlobBytes, 'f') + "\"]"),
              "blobs[0]: error computing commitment: scalar is not canonical when interpreted as "
              "a big integer in big-endian");
    EXPECT_EQ(refusal(to + R"(,"blobs":["0x"])"),
              "invalid argument 0: hex string has length 0, want 262144 for a blob");
}

TEST_F(DevApi, blobs_to_be_signed_get_what_belongs_to_them) {
    std::string blob = "0x" + std::string(2 * vm::kBlobBytes, '0');
    blob.back() = '7';
    const std::string answer =
        call("eth_fillTransaction",
             fmt::format(R"([{{"from":"{}","to":"{}","gas":"0x5208","blobs":["{}"]}}])", kFirst,
                         kSecond, blob));
    JsonParser parser;
    const JsonView filled = parser.parse(answer, "answer");

    const Bytes raw = filled.at("raw").bytes();
    ASSERT_TRUE(has_sidecar(raw));
    const auto form = split_network_form(raw);
    ASSERT_TRUE(form.has_value());
    const JsonView told = filled.at("tx");
    const auto hash = hash_from_hex(told.at("blobVersionedHashes").element(0).string());
    ASSERT_TRUE(hash.has_value());
    const auto sidecar = decode_sidecar(form->sidecar);
    ASSERT_TRUE(sidecar.has_value());
    EXPECT_TRUE(check_sidecar(*sidecar, {*hash}, Revision::osaka).has_value());
    EXPECT_TRUE(verify_proofs(*sidecar).has_value());
    EXPECT_EQ(sidecar->version, 1U) << "proofs of cells";
    EXPECT_EQ(told.at("maxFeePerBlobGas").string(), "0x2") << "twice the least price";
    EXPECT_EQ(told.at("hash").string(), to_string(keccak256(form->canonical)));
    EXPECT_EQ(told.at("type").string(), "0x3");
    EXPECT_EQ(told.at("blobs").element(0).string(), blob);
    EXPECT_EQ(told.at("commitments").size(), 1U);
    EXPECT_EQ(told.at("proofs").size(), vm::kCellsPerBlob);

    // What was made is taken when it is given; a proof of the whole blob is made anew.
    const auto again = [&](std::string_view proofs) {
        return call(
            "eth_fillTransaction",
            fmt::format(R"([{{"from":"{}","to":"{}","gas":"0x5208","blobs":["{}"],)"
                        R"("commitments":["{}"],"proofs":[{}]}}])",
                        kFirst, kSecond, blob, told.at("commitments").element(0).string(), proofs));
    };
    std::string proofs;
    for (std::size_t i = 0; i < vm::kCellsPerBlob; ++i)
        proofs += fmt::format("{}\"{}\"", i == 0 ? "" : ",", told.at("proofs").element(i).string());
    EXPECT_EQ(again(proofs), answer);
    EXPECT_EQ(again("\"0xc0" + std::string(94, '0') + "\""), answer);
    std::string exchanged = proofs;
    std::swap_ranges(exchanged.begin() + 1, exchanged.begin() + 99, exchanged.begin() + 102);
    EXPECT_THROW((void)again(exchanged), RpcError);
}

TEST_F(DevApi, hashes_of_blobs_alone_are_filled_in_without_them) {
    const std::string answer =
        call("eth_fillTransaction",
             fmt::format(R"([{{"from":"{}","to":"{}","gas":"0x5208","blobVersionedHashes":)"
                         R"(["0x01{}"],"maxFeePerBlobGas":"0x9"}}])",
                         kFirst, kSecond, std::string(62, '1')));
    JsonParser parser;
    const JsonView filled = parser.parse(answer, "answer");
    EXPECT_FALSE(has_sidecar(filled.at("raw").bytes()));
    EXPECT_EQ(filled.at("tx").at("maxFeePerBlobGas").string(), "0x9");
    EXPECT_EQ(filled.at("tx").at("blobVersionedHashes").size(), 1U);
    EXPECT_FALSE(filled.at("tx").find("blobs").has_value());
}

// Signatures of ethers 6.17 with the same key.
TEST_F(DevApi, signs_messages_as_wallets_do) {
    constexpr std::string_view kHello =
        "\"0xf16ea9a3478698f695fd1401bfe27e9e4a7e8e3da94aa72b021125e31fa899cc"
        "573c48ea3fe1d4ab61a9db10c19032026e3ed2dbccba5a178235ac27f94504311c\"";
    constexpr std::string_view kNothing =
        "\"0xc1977b761f1dd36c29795783460d241885c8e7f9d962dbe7bba2753fd94e89b4"
        "44a1cd9ed855dd09afa3b73f7c2bd097ec9abc2d2775d737505a02d3f0cafa591b\"";
    const std::string first{kFirst};

    EXPECT_EQ(call("eth_sign", "[\"" + first + R"(","0x68656c6c6f"])"), kHello);
    EXPECT_EQ(call("personal_sign", R"(["0x68656c6c6f",")" + first + "\"]"), kHello);
    EXPECT_EQ(call("personal_sign", R"(["0x68656c6c6f",")" + first + R"(","password"])"), kHello);
    EXPECT_EQ(call("eth_sign", "[\"" + first + R"(","0x"])"), kNothing);
    EXPECT_EQ(failure("eth_sign", R"(["0x0000000000000000000000000000000000000001","0x"])"),
              "unknown account");
}

TEST_F(DevApi, typed_data_is_hashed_on_no_thread_that_others_wait_for) {
    EXPECT_EQ(node_.methods().find("eth_signTypedData_v4")->weight, Weight::heavy);
}

TEST_F(DevApi, typed_data_may_be_an_object_or_its_text) {
    const std::string data = R"({"types":{"T":[{"name":"x","type":"uint8"}]},"primaryType":"T",)"
                             R"("domain":{"name":"d"},"message":{"x":7}})";
    std::string text;
    append_json_string(data, text);
    const std::string first = "[\"" + std::string{kFirst} + "\",";

    const std::string signature = call("eth_signTypedData_v4", first + data + "]");

    EXPECT_EQ(signature.size(), 2 + 2 + 2 * 65U);
    EXPECT_EQ(call("eth_signTypedData_v4", first + text + "]"), signature);
    EXPECT_NE(failure("eth_signTypedData_v4", first + R"("{"])").find("invalid argument 1"),
              std::string::npos);
}

}  // namespace
}  // namespace heddle::node::rpc
