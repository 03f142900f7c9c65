// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The JSON-RPC conversations of ethereum/execution-apis: each request is answered over the chain
// that comes with them, and the answer must be the one written there.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "fixtures.hpp"
#include "rpc_node.hpp"
#include "rpc_schema.hpp"

namespace heddle::test {
namespace {

using boost::json::value;
namespace fs = std::filesystem;

/// A folder of conversations and how many there are. All together: kConversations.
struct Folder {
    std::string method;
    std::size_t count = 0;
};
void PrintTo(const Folder& folder, std::ostream* out) {
    *out << folder.method;
}

constexpr std::size_t kConversations = 173;

const std::vector<Folder>& folders() {
    static const std::vector<Folder> all{
        {"debug_getRawBlock", 2},
        {"debug_getRawHeader", 1},
        {"debug_getRawReceipts", 3},
        {"debug_getRawTransaction", 1},
        {"debug_traceBlockByHash", 3},
        {"debug_traceBlockByNumber", 6},
        {"debug_traceTransaction", 2},
        {"eth_blobBaseFee", 1},
        {"eth_blockNumber", 1},
        {"eth_call", 5},
        {"eth_capabilities", 1},
        {"eth_createAccessList", 3},
        {"eth_estimateGas", 5},
        {"eth_feeHistory", 1},
        {"eth_getBalance", 2},
        {"eth_getBlockByHash", 2},
        {"eth_getBlockByNumber", 8},
        {"eth_getBlockReceipts", 7},
        {"eth_getBlockTransactionCountByNumber", 2},
        {"eth_getCode", 3},
        {"eth_getLogs", 8},
        {"eth_getProof", 3},
        {"eth_getStorageAt", 2},
        {"eth_getStorageValues", 3},
        {"eth_getTransactionByBlockHashAndIndex", 1},
        {"eth_getTransactionByHash", 6},
        {"eth_getTransactionCount", 4},
        {"eth_getTransactionReceipt", 7},
        {"eth_sendRawTransaction", 4},
        {"eth_simulateV1", 72},
        {"eth_syncing", 1},
        {"testing_buildBlockV1", 2},
        {"txpool_content", 1},
    };
    return all;
}

/// One request and what is to be answered.
struct Exchange {
    std::string request;
    std::string response;
};

struct Conversation {
    bool is_schema_only = false;
    std::vector<Exchange> exchanges;
};

Conversation read_conversation(const fs::path& file) {
    Conversation conversation;
    std::ifstream stream(file);
    std::string line;
    while (std::getline(stream, line)) {
        if (line.starts_with("//") && line.find("speconly:") != std::string::npos)
            conversation.is_schema_only = true;
        if (line.starts_with(">> ")) conversation.exchanges.push_back({line.substr(3), {}});
        if (line.starts_with("<< ")) conversation.exchanges.back().response = line.substr(3);
    }
    return conversation;
}

value parse(const std::string& text) {
    boost::json::parse_options options;
    options.max_depth = 64;
    return boost::json::parse(text, {}, options);
}

/// Appends where and how two values differ, up to a few places. Texts of errors do not count.
void find_differences(const value& expected, const value& actual, const std::string& path,
                      std::vector<std::string>& differences) {
    constexpr std::size_t kMost = 8;
    constexpr std::size_t kMostText = 160;
    if (expected == actual || path == "$.error.message" || differences.size() >= kMost) return;
    if (expected.is_object() && actual.is_object()) {
        for (const auto& member : expected.get_object()) {
            const value* other = actual.get_object().if_contains(member.key());
            const std::string place = path + "." + std::string(member.key());
            if (other == nullptr)
                differences.push_back(place + " is missing");
            else
                find_differences(member.value(), *other, place, differences);
        }
        for (const auto& member : actual.get_object())
            if (!expected.get_object().contains(member.key()))
                differences.push_back(path + "." + std::string(member.key()) + " is too much: " +
                                      serialize(member.value()).substr(0, kMostText));
        return;
    }
    if (expected.is_array() && actual.is_array() &&
        expected.get_array().size() == actual.get_array().size()) {
        for (std::size_t i = 0; i < expected.get_array().size(); ++i)
            find_differences(expected.get_array()[i], actual.get_array()[i],
                             path + "[" + std::to_string(i) + "]", differences);
        return;
    }
    differences.push_back(path + " is " + serialize(actual).substr(0, kMostText) + ", not " +
                          serialize(expected).substr(0, kMostText));
}

/// Of an answer whose values are left to the node.
std::vector<std::string> find_problems(const std::string& method, const value& expected,
                                       const value& actual) {
    const auto& answer = actual.get_object();
    if (expected.get_object().contains("error")) {
        const auto code = [](const value& json) {
            return json.get_object().contains("error") ? json.at("error").at("code") : value{};
        };
        if (code(expected) == code(actual)) return {};
        return {"the error code is " + serialize(code(actual)) + ", not " +
                serialize(code(expected)) + ": " + serialize(actual).substr(0, 300)};
    }
    const value* result = answer.if_contains("result");
    if (result == nullptr) return {"no result: " + serialize(actual).substr(0, 300)};
    const auto problem = find_schema_problem(method, *result);
    return problem.has_value() ? std::vector{*problem} : std::vector<std::string>{};
}

std::vector<std::string> hold(const RpcNode& node, const Conversation& conversation) {
    std::vector<std::string> problems;
    for (const Exchange& exchange : conversation.exchanges) {
        const value request = parse(exchange.request);
        const value expected = parse(exchange.response);
        const value actual = parse(node.dispatch(exchange.request));
        if (conversation.is_schema_only) {
            const std::string method(request.at("method").as_string());
            std::ranges::copy(find_problems(method, expected, actual),
                              std::back_inserter(problems));
        } else {
            find_differences(expected, actual, "$", problems);
        }
    }
    return problems;
}

class RpcConversations : public testing::TestWithParam<Folder> {};

TEST_P(RpcConversations, are_answered_as_written) {
    fs::path folder;
    const auto node = make_conversation_node(&folder);
    if (!node) GTEST_SKIP() << missing_fixture_message("rpc-tests");

    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder / GetParam().method))
        if (entry.path().extension() == ".io") files.push_back(entry.path());
    std::ranges::sort(files);

    std::size_t right = 0;
    for (const fs::path& file : files) {
        const auto problems = hold(*node, read_conversation(file));
        for (const std::string& problem : problems)
            ADD_FAILURE() << file.stem().native() << ": " << problem;
        right += problems.empty() ? 1 : 0;
    }
    std::cout << GetParam().method << ": " << right << " of " << files.size() << '\n';
    EXPECT_EQ(files.size(), GetParam().count);
}

INSTANTIATE_TEST_SUITE_P(ExecutionApis, RpcConversations, testing::ValuesIn(folders()),
                         [](const auto& info) { return info.param.method; });

TEST(RpcConversationFolders, are_all_known_and_complete) {
    const auto archive = fixture_archive("rpc-tests");
    if (!archive) GTEST_SKIP() << missing_fixture_message("rpc-tests");

    std::size_t on_disk = 0;
    for (const auto& entry : fs::recursive_directory_iterator(*archive / "rpc-tests"))
        on_disk += entry.path().extension() == ".io" ? 1 : 0;
    const std::size_t known =
        std::accumulate(folders().begin(), folders().end(), std::size_t{0},
                        [](std::size_t sum, const Folder& folder) { return sum + folder.count; });

    EXPECT_EQ(known, kConversations);
    EXPECT_EQ(on_disk, kConversations);
}

}  // namespace
}  // namespace heddle::test
