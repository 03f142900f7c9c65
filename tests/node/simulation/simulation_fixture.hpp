// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A development chain at its genesis block, on which nothing happens but what tests ask for.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "bytecode.hpp"
#include "chain/dev_chain.hpp"
#include "formats/json.hpp"
#include "rpc_node.hpp"

namespace heddle::node::simulation::test {

/// Funded.
inline constexpr std::string_view kRich = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
/// Nobody.
inline constexpr std::string_view kCode = "0x00000000000000000000000000000000c0de0001";
inline constexpr std::string_view kOther = "0x00000000000000000000000000000000c0de0002";
inline constexpr std::string_view kPoor = "0x00000000000000000000000000000000c0de0003";

class SimulationTest : public testing::Test {
public:
    // Nothing changes the node: the tests of a suite share one.
    static void SetUpTestSuite() {
        shared_ = std::make_unique<heddle::test::RpcNode>(dev_genesis());
    }
    static void TearDownTestSuite() { shared_.reset(); }

protected:
    /// The result as JSON text.
    [[nodiscard]] std::string call(std::string_view method, std::string_view params) const {
        return node_.call(method, params);
    }
    /// `code: message`, and the data where there is some, of a call that must fail.
    [[nodiscard]] std::string failure(std::string_view method, std::string_view params) const {
        try {
            return "accepted: " + call(method, params);
        } catch (const rpc::RpcError& error) {
            std::string text = fmt::format("{}: {}", error.code(), error.what());
            if (!error.data().empty()) text += " " + error.data();
            return text;
        }
    }
    /// Parameters that call `code` at kCode; `members` go into the call.
    [[nodiscard]] static std::string on_code(const vm::test::Bytecode& code,
                                             std::string_view members = {},
                                             std::string_view override_members = {}) {
        return fmt::format(R"([{{"to":"{}"{}}},"latest",{{"{}":{{"code":"{}"{}}}}}])", kCode,
                           members, kCode, to_hex(code.bytes()), override_members);
    }
    /// What eth_call gives for it, without quotes.
    [[nodiscard]] std::string result_of(const vm::test::Bytecode& code,
                                        std::string_view members = {},
                                        std::string_view override_members = {}) const {
        const std::string quoted = call("eth_call", on_code(code, members, override_members));
        return quoted.substr(1, quoted.size() - 2);
    }
    [[nodiscard]] static std::string word(const Uint256& value) {
        return to_string(to_hash(value));
    }
    /// Answers to a client that has given up already.
    [[nodiscard]] int code_after_deadline(std::string_view method, std::string_view params) {
        JsonParser parser;
        std::string text;
        JsonWriter out(text, JsonWriter::Style::compact);
        rpc::Call late{.params = rpc::Params{parser.parse(params, "params")},
                       .deadline = std::chrono::steady_clock::now() - std::chrono::seconds{1},
                       .max_result_bytes = 1 << 20,
                       .session = nullptr};
        try {
            node_.methods().find(method)->handler(late, out);
        } catch (const rpc::RpcError& error) {
            return error.code();
        }
        return 0;
    }

    heddle::test::RpcNode& node_ = *shared_;

private:
    static inline std::unique_ptr<heddle::test::RpcNode> shared_;
};

}  // namespace heddle::node::simulation::test
