// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of methods in docs/json-rpc.md is that of the code.
#include <algorithm>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(MethodsDocument, names_every_method_and_no_other) {
    test::RpcNode node{dev_genesis()};
    ChainApplication application{node.chain(), node.mempool(), {}};
    consensus_adapter::SoloOptions options;
    options.sealing = consensus_adapter::Sealing::on_command;
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

    std::string document = test::read_text(HEDDLE_RPC_DOCUMENT);
    document.resize(document.find("## What is not there"));
    std::set<std::string> documented;
    const std::regex name{
        "`((eth|debug|trace|ots|admin|heddle|net|web3|txpool|rpc|testing|evm|anvil|hardhat|"
        "personal)_["
        "A-Za-z0-9_]+)"
        "`"};
    for (std::sregex_iterator i{document.begin(), document.end(), name};
         i != std::sregex_iterator{}; ++i)
        documented.insert((*i)[1]);

    const auto names = node.methods().names();
    const std::set<std::string> there{names.begin(), names.end()};
    std::vector<std::string> different;
    std::ranges::set_symmetric_difference(documented, there, std::back_inserter(different));
    EXPECT_THAT(different, testing::IsEmpty());
}

}  // namespace
}  // namespace heddle::node
