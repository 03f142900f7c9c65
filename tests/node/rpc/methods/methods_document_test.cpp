// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of methods in docs/json-rpc.md is that of the code, and what it says of methods that
// other programs have is so.
#include <algorithm>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <consensus_adapter/solo.hpp>

#include "building/chain_application.hpp"
#include "chain/dev_chain.hpp"
#include "development/chain_control.hpp"
#include "program.hpp"
#include "rpc/methods/control_api.hpp"
#include "rpc/methods/dev_api.hpp"
#include "rpc/methods/execution_api.hpp"
#include "rpc/methods/lanes_api.hpp"
#include "rpc_node.hpp"

namespace heddle::node {
namespace {

/// Only the names of what it answers are of interest.
class NoLanes final : public lanes::LanesView {
public:
    [[nodiscard]] lanes::LanesStatus status() const override { return {}; }
    [[nodiscard]] std::vector<UnitHome> homes_of(const Address&) const override { return {}; }
    [[nodiscard]] std::optional<lanes::PlacedTransaction> placed(const Hash&) const override {
        return std::nullopt;
    }
};

using Names = std::set<std::string>;

/// Ascending.
Names methods_of_code() {
    test::RpcNode node{dev_genesis()};
    ChainApplication application{node.chain(), node.mempool(), {}};
    consensus_adapter::SoloOptions options;
    options.schedule = {};
    options.clock = [] { return std::uint64_t{1}; };
    consensus_adapter::Solo solo{application, options};
    ChainControl control{node.chain(), node.mempool(), {{}, {}, options.clock}};
    control.attach(solo, application);
    rpc::Services services = node.services();
    services.control = &control;
    const NoLanes no_lanes;
    rpc::add_lanes_methods(node.methods(), no_lanes);
    rpc::add_join_methods(node.methods(), nullptr);
    rpc::add_control_methods(node.methods(), services);
    rpc::add_execution_methods(node.methods(), services, nullptr, {});
    rpc::add_dev_methods(node.methods(), node.services(), dev_accounts());

    const auto names = node.methods().names();
    return {names.begin(), names.end()};
}

Names names_in(const std::string& text) {
    const std::regex name{
        "`((eth|debug|trace|ots|admin|heddle|net|web3|txpool|rpc|testing|evm|anvil|hardhat|"
        "personal|erigon|reth|miner)_[A-Za-z0-9_]+)`"};
    Names found;
    for (std::sregex_iterator i{text.begin(), text.end(), name}; i != std::sregex_iterator{}; ++i)
        found.insert((*i)[1]);
    return found;
}

/// The document in two parts: what is there, and what is not.
struct Parts {
    std::string there;
    std::string absent;
};
Parts parts_of_document() {
    const std::string document = test::read_text(HEDDLE_RPC_DOCUMENT);
    const std::size_t end = document.find("## What is not there");
    return {document.substr(0, end), document.substr(end)};
}

/// The second column of a table: methods, and not what is there in place of them.
std::string second_column(const std::string& text) {
    std::istringstream lines{text};
    std::string column;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with('|')) continue;
        const std::size_t begin = line.find('|', 1);
        column += line.substr(begin, line.find('|', begin + 1) - begin);
    }
    return column;
}

TEST(MethodsDocument, names_every_method_and_no_other) {
    std::vector<std::string> different;
    std::ranges::set_symmetric_difference(names_in(parts_of_document().there), methods_of_code(),
                                          std::back_inserter(different));
    EXPECT_THAT(different, testing::IsEmpty());
}

TEST(MethodsDocument, gives_a_reason_for_each_method_of_others_that_is_not_there) {
    const Names there = methods_of_code();
    Names explained = names_in(second_column(parts_of_document().absent));
    explained.erase("debug_setHead");  // there on some chains, explained for the others
    std::istringstream lines{test::read_text(HEDDLE_OFFERED_METHODS)};
    std::size_t offered = 0;
    Names absent;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('#')) continue;
        ++offered;
        const std::string name = line.substr(0, line.find(' '));
        if (!there.contains(name)) absent.insert(name);
    }
    std::vector<std::string> different;
    std::ranges::set_symmetric_difference(explained, absent, std::back_inserter(different));
    EXPECT_THAT(different, testing::IsEmpty());
    // The numbers in the text.
    const std::string text = parts_of_document().absent;
    EXPECT_THAT(text, testing::HasSubstr(fmt::format("offer {} methods together", offered)));
    EXPECT_THAT(text, testing::HasSubstr(fmt::format("{} of them are here; of the others, {},",
                                                     offered - absent.size(), absent.size())));
}

}  // namespace
}  // namespace heddle::node
