// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What who sends a transaction is told where it fails in its block: its hash, or with
// --throw-on-failure an error.
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "development_node.hpp"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Copies the rest of the code, 100 bytes, to memory and reverts with it: PUSH1 100 PUSH1 10 PUSH0
// CODECOPY PUSH1 100 PUSH0 REVERT.
constexpr std::string_view kRevertsWith = "6064600a5f3960645ffd";
// The same with 36 bytes.
constexpr std::string_view kRevertsWithWord = "6024600a5f3960245ffd";

/// Solidity's Error("no").
std::string error_no() {
    return "08c379a0" + word(0x20) + word(2) + "6e6f" + std::string(60, '0');
}
/// Solidity's Panic(0x12).
std::string panic() {
    return "4e487b71" + word(0x12);
}

class SentFailures : public DevelopmentTest {
protected:
    void SetUp() override { start({"--throw-on-failure"}); }

    void put_code(const std::string& code) {
        ask("hardhat_setCode", R"("{}","0x{}")", kContract, code);
    }
    /// With a gas limit, so that nothing is estimated.
    std::string call_contract() {
        return ask("eth_sendTransaction", R"({{"from":"{}","to":"{}","gas":"0x30d40"}})", kAlice,
                   kContract);
    }
    /// The receipt of the transaction that the error names.
    std::string receipt_of_failed(const std::string& answer) {
        constexpr std::string_view kName = R"("txHash":)";
        const auto found = answer.find(kName);
        if (found == std::string::npos) return "no txHash in " + answer;
        return receipt(answer.substr(found + kName.size(), 68));
    }
};

TEST_F(SentFailures, a_revert_is_an_error_with_its_reason_and_the_transaction_is_in_its_block) {
    put_code(std::string{kRevertsWith} + error_no());

    const std::string answer = call_contract();

    EXPECT_THAT(answer, AllOf(HasSubstr("\"code\":-32603"),
                              HasSubstr("VM Exception while processing transaction: reverted with "
                                        "reason string 'no'"),
                              HasSubstr("\"data\":\"0x" + error_no() + '"')));
    EXPECT_EQ(head(), 1U);
    EXPECT_THAT(receipt_of_failed(answer), HasSubstr(R"("status":"0x0")"));
    EXPECT_EQ(number("eth_getTransactionCount", R"("{}","latest")", kAlice), 1U);
}

TEST_F(SentFailures, panics_custom_errors_and_reverts_without_data_are_told_apart) {
    put_code(std::string{kRevertsWithWord} + panic());
    EXPECT_THAT(call_contract(), HasSubstr("reverted with panic code 0x12"));

    put_code(std::string{kRevertsWithWord} + "12345678" + word(7));
    EXPECT_THAT(call_contract(), AllOf(HasSubstr("custom error (return data: 0x12345678"),
                                       HasSubstr("\"data\":\"0x12345678" + word(7) + '"')));

    put_code("5f5ffd");
    EXPECT_THAT(call_contract(),
                AllOf(HasSubstr("reverted without a reason"), HasSubstr(R"("data":"0x")")));
}

TEST_F(SentFailures, code_that_halts_is_named) {
    put_code("fe");
    EXPECT_THAT(call_contract(), HasSubstr("invalid opcode: INVALID"));

    put_code("5b5f56");  // jumps to itself for ever
    EXPECT_THAT(call_contract(), HasSubstr("ran out of gas"));
}

TEST_F(SentFailures, a_signed_transaction_that_fails_is_told_of_as_well) {
    put_code(std::string{kRevertsWith} + error_no());
    const std::string made =
        ask("eth_signTransaction",
            R"({{"from":"{}","to":"{}","gas":"0x30d40","nonce":"0x0","gasPrice":"0x77359400"}})",
            kAlice, kContract);
    constexpr std::string_view kName = R"("raw":)";
    const std::size_t begin = made.find(kName) + kName.size();
    const std::string raw = made.substr(begin, made.find('"', begin + 1) + 1 - begin);

    const std::string answer = ask("eth_sendRawTransaction", "{}", raw);

    EXPECT_THAT(answer, HasSubstr("reason string 'no'"));
    EXPECT_THAT(receipt_of_failed(answer), HasSubstr(R"("status":"0x0")"));
}

TEST_F(SentFailures, the_one_of_several_transactions_of_a_block_is_explained_that_was_asked_for) {
    put_code(std::string{kRevertsWith} + error_no());
    ask("evm_setAutomine", "false");
    const std::string first = call_contract();
    EXPECT_THAT(first, StartsWith("\"0x")) << "it is in no block yet";
    ask("evm_setAutomine", "true");

    const std::string answer = call_contract();

    EXPECT_THAT(answer, HasSubstr("reason string 'no'"));
    EXPECT_THAT(answer, Not(HasSubstr(first)));
    EXPECT_THAT(receipt_of_failed(answer), HasSubstr(R"("status":"0x0")"));
    EXPECT_THAT(receipt(first), HasSubstr(R"("status":"0x0")"));
}

TEST_F(SentFailures, what_succeeds_is_answered_with_its_hash) {
    const std::string hash = send(kAlice, kNobody);

    EXPECT_THAT(hash, StartsWith("\"0x"));
    EXPECT_THAT(receipt(hash), HasSubstr(R"("status":"0x1")"));
}

TEST_F(SentFailures, without_the_option_the_hash_is_the_answer) {
    start();
    put_code(std::string{kRevertsWith} + error_no());

    const std::string hash = call_contract();

    EXPECT_THAT(hash, StartsWith("\"0x"));
    EXPECT_THAT(receipt(hash), HasSubstr(R"("status":"0x0")"));
}

}  // namespace
}  // namespace heddle::test
