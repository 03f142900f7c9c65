// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A development chain that answers, for tests of the methods that drive it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "running_node.hpp"

namespace heddle::test {

// The first two development accounts, and somebody without anything.
inline constexpr std::string_view kAlice = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
inline constexpr std::string_view kBob = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
inline constexpr std::string_view kNobody = "0x00000000000000000000000000000000000000aa";
inline constexpr std::string_view kContract = "0x00000000000000000000000000000000000000cc";
// Returns the value of slot 0: PUSH0 SLOAD PUSH0 MSTORE PUSH1 32 PUSH0 RETURN.
inline constexpr std::string_view kReadsSlot = "0x5f545f5260205ff3";
// Returns the block's time, number, base fee and randomness.
constexpr std::string_view kTellsBlock = "0x425f5243602052486040524460605260805ff3";

class DevelopmentTest : public testing::Test {
protected:
    void start(std::vector<std::string> more = {}) {
        node_.reset();
        more.insert(more.begin(),
                    {"--dev", "--seal", "automine", "--timestamps", "distinct", "--sync", "1s"});
        node_ = std::make_unique<RunningNode>(more);
    }
    void SetUp() override { start(); }

    /// The JSON text of the result; that of the error where there is none.
    template <typename... Values>
    std::string ask(std::string_view method, fmt::format_string<Values...> format,
                    Values&&... values) {
        const std::string params = "[" + fmt::format(format, std::forward<Values>(values)...) + "]";
        std::string response = node_->call(method, params);
        constexpr std::string_view kResult = R"("result":)";
        const auto found = response.find(kResult);
        if (found == std::string::npos) return response;
        std::string result = response.substr(found + kResult.size());
        result.pop_back();
        return result;
    }
    std::string ask(std::string_view method) { return ask(method, ""); }
    std::uint64_t number(std::string_view method) { return node_->number(method); }
    template <typename... Values>
    std::uint64_t number(std::string_view method, fmt::format_string<Values...> format,
                         Values&&... values) {
        return node_->number(method,
                             "[" + fmt::format(format, std::forward<Values>(values)...) + "]");
    }

    std::string balance(std::string_view account, std::string_view block = "latest") {
        return ask("eth_getBalance", R"("{}","{}")", account, block);
    }
    std::uint64_t head() { return number("eth_blockNumber"); }
    std::uint64_t time(std::string_view block = "latest") {
        const std::string text = ask("eth_getBlockByNumber", R"("{}",false)", block);
        constexpr std::string_view kName = R"("timestamp":")";
        return std::stoull(text.substr(text.find(kName) + kName.size()), nullptr, 16);
    }
    /// @return the hash, in quotes.
    std::string send(std::string_view from, std::string_view to, std::string_view value = "0x1") {
        return ask("eth_sendTransaction", R"({{"from":"{}","to":"{}","value":"{}"}})", from, to,
                   value);
    }
    std::string receipt(const std::string& hash) {
        return ask("eth_getTransactionReceipt", "{}", hash);
    }
    /// What code at kContract returns that is put there for the question.
    std::string call(std::string_view code, std::string_view block = "latest") {
        return ask("eth_call", R"({{"to":"{0}"}},"{1}",{{"{0}":{{"code":"{2}"}}}})", kContract,
                   block, code);
    }

    std::unique_ptr<RunningNode> node_;
};

inline std::string word(std::uint64_t value) {
    return fmt::format("{:064x}", value);
}

}  // namespace heddle::test
