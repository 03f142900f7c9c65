// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Every method of a development chain with whatever parameters: each call is answered by a result
// or by an error that says what is wrong, and the chain goes on.
#include <random>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "announced_seed.hpp"
#include "development_node.hpp"

namespace heddle::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// As docs/json-rpc.md lists them, which is what the code has (methods_document_test.cpp).
std::vector<std::string> control_methods() {
    std::string document = read_text(HEDDLE_RPC_DOCUMENT);
    document.resize(document.find("## What is not there"));
    const std::regex name{"`((evm|anvil|hardhat)_[A-Za-z0-9_]+|debug_setHead)`"};
    std::set<std::string> names{"eth_call",
                                "eth_callMany",
                                "eth_fillTransaction",
                                "eth_sendTransaction",
                                "eth_sendUnsignedTransaction",
                                "debug_getModifiedAccountsByNumber",
                                "reth_getBalanceChangesInBlock"};
    for (std::sregex_iterator i{document.begin(), document.end(), name};
         i != std::sregex_iterator{}; ++i)
        names.insert((*i)[1]);
    return {names.begin(), names.end()};
}

/// JSON that some parameter may be, and that none may be.
std::vector<std::string> values() {
    std::vector<std::string> all{"null",
                                 "true",
                                 "false",
                                 "0",
                                 "1",
                                 "-1",
                                 "1.5",
                                 "1e300",
                                 "1e400",
                                 "4000000000",
                                 "9007199254740991",
                                 "9223372036854775808",
                                 "18446744073709551615",
                                 "18446744073709551616",
                                 R"("")",
                                 R"("0x")",
                                 R"("0x0")",
                                 R"("0x1")",
                                 R"("0xff")",
                                 R"("-1")",
                                 R"("0x-1")",
                                 R"("1")",
                                 R"("0xg")",
                                 R"("0Xff")",
                                 R"(" 0x1")",
                                 R"("0xffffffffffffffff")",
                                 R"("latest")",
                                 R"("\u0000")",
                                 "[]",
                                 "[[]]",
                                 "{}",
                                 R"({"forking":{}})",
                                 R"({"forking":7})",
                                 R"({"forking":{"blockNumber":-1}})",
                                 R"({"forking":{"jsonRpcUrl":"nowhere"}})",
                                 R"({"forking":{"jsonRpcUrl":"http://127.0.0.1:1"}})",
                                 R"({"timestamp":-1})",
                                 R"({"timestamp":"0xffffffffffffffff","blocks":2})",
                                 R"({"blocks":3})",
                                 R"({"blocks":18446744073709551615})",
                                 R"({"blocks":{}})"};
    for (const std::string_view account : {kAlice, kBob, kNobody, kContract})
        all.push_back(fmt::format(R"("{}")", account));
    for (const std::size_t digits : {31U, 39U, 41U, 63U, 64U, 65U, 60'000U})
        all.push_back(fmt::format(R"("0x{:f>{}}")", "", digits));
    for (const std::string_view rest :
         {R"("value":"0x1")", R"("gas":"0x0")", R"("nonce":"0xffffffffffffffff")",
          R"("data":"0x5b5f56")", R"("gasPrice":"0xffffffffffffffffffffffffffffffff")",
          R"("maxFeePerGas":"0x0","gas":"0x5208")"})
        all.push_back(fmt::format(R"({{"from":"{}","to":"{}",{}}})", kAlice, kBob, rest));
    return all;
}

TEST_F(DevelopmentTest, whatever_is_asked_of_the_chain_is_answered) {
    constexpr int kCalls = 4'000;
    std::mt19937_64 random{announced_seed()};
    const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
    const std::vector<std::string> methods = control_methods();
    const std::vector<std::string> pool = values();
    const std::string snapshot = ask("evm_snapshot");
    ASSERT_GT(methods.size(), 70U);

    std::size_t results = 0;
    for (int i = 0; i < kCalls; ++i) {
        const std::string& method = methods[below(methods.size())];
        // Now and then: it takes everything back that the calls before have done.
        if (method.ends_with("_reset") && below(10) != 0) continue;
        std::string params;
        for (std::size_t count = below(5); count > 0; --count)
            params += (params.empty() ? "" : ",") + pool[below(pool.size())];
        const std::string answer = ask(method, "{}", params);
        const std::string call = fmt::format("{} [{:.300}]", method, params);
        if (answer.find(R"("error":)") == std::string::npos) {
            ++results;
            continue;
        }
        // -32603 is what a mistake of the node's own would be.
        ASSERT_THAT(answer, Not(HasSubstr("-32603"))) << call;
        ASSERT_THAT(answer, Not(HasSubstr(R"("message":"")"))) << call;
    }

    // Not all of it was refused, and the chain can still be used, from its start.
    EXPECT_GT(results, kCalls / 20U);
    ask("evm_setIntervalMining", "0");
    ask("evm_setAutomine", "true");
    ask("anvil_reset");
    EXPECT_EQ(ask("evm_revert", "{}", snapshot), "false");
    EXPECT_EQ(head(), 0U);
    EXPECT_THAT(receipt(send(kAlice, kBob)), HasSubstr(R"("status":"0x1")"));
    EXPECT_EQ(balance(kNobody), R"("0x0")");
    EXPECT_EQ(node_->program().end(), 0);
}

}  // namespace
}  // namespace heddle::test
