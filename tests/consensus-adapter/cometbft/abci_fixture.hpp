// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The calls of ABCI on a chain that executes nothing, without sockets.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cometbft/abci_application.hpp"
#include "fake_chain.hpp"

namespace heddle::consensus_adapter::cometbft {

class AbciFixture : public testing::Test {
public:
    AbciFixture() {
        options.version = "0.1.0";
        options.beneficiary = address_from_low64(0xbe);
        options.on_warning = [this](const std::string& text) { warnings.push_back(text); };
        options.on_decision = [this](const DecisionReport& r) { decisions.push_back(r); };
        options.on_proposal = [this](const ProposalReport& r) { proposals.push_back(r); };
    }

    abci::Response ask(const abci::Request& request) {
        abci::Response response;
        if (const auto failure = application.answer(request, response))
            failures.push_back(*failure);
        return response;
    }
    /// The text of the Exception; empty: it was answered.
    std::string exception_of(const abci::Request& request) {
        return ask(request).exception().error();
    }

    static abci::Request prepare_request(std::int64_t height, std::int64_t seconds,
                                         std::int64_t max_tx_bytes = 1 << 20) {
        abci::Request request;
        auto& prepare = *request.mutable_prepare_proposal();
        prepare.set_height(height);
        prepare.mutable_time()->set_seconds(seconds);
        prepare.set_max_tx_bytes(max_tx_bytes);
        prepare.set_proposer_address(std::string(20, 'p'));
        return request;
    }
    static abci::Request process_request(std::int64_t height, std::int64_t seconds,
                                         const std::vector<Bytes>& items,
                                         const std::string& hash = "hash") {
        abci::Request request;
        auto& process = *request.mutable_process_proposal();
        process.set_height(height);
        process.mutable_time()->set_seconds(seconds);
        process.set_hash(hash);
        process.set_proposer_address(std::string(20, 'p'));
        for (const Bytes& item : items)
            process.add_txs(as_field(item));
        return request;
    }
    static abci::Request finalize_request(std::int64_t height, std::int64_t seconds,
                                          const std::vector<Bytes>& items,
                                          const std::string& hash = "hash") {
        abci::Request request;
        auto& finalize = *request.mutable_finalize_block();
        finalize.set_height(height);
        finalize.mutable_time()->set_seconds(seconds);
        finalize.set_hash(hash);
        finalize.set_proposer_address(std::string(20, 'p'));
        for (const Bytes& item : items)
            finalize.add_txs(as_field(item));
        return request;
    }
    static abci::Request commit_request() {
        abci::Request request;
        request.mutable_commit();
        return request;
    }

    bool accepts(const abci::Request& process) {
        const abci::Response response = ask(process);
        EXPECT_TRUE(response.has_process_proposal()) << response.exception().error();
        return response.process_proposal().status() == 1;
    }
    std::vector<Bytes> prepared(const abci::Request& prepare) {
        const abci::Response response = ask(prepare);
        EXPECT_TRUE(response.has_prepare_proposal()) << response.exception().error();
        std::vector<Bytes> items;
        for (const std::string& tx : response.prepare_proposal().txs())
            items.emplace_back(as_bytes(tx).begin(), as_bytes(tx).end());
        return items;
    }
    /// Decides and commits a block of the items.
    abci::ResponseFinalizeBlock decide(std::int64_t height, std::int64_t seconds,
                                       const std::vector<Bytes>& items,
                                       const std::string& hash = "hash") {
        const abci::Response response = ask(finalize_request(height, seconds, items, hash));
        EXPECT_TRUE(response.has_finalize_block()) << response.exception().error();
        EXPECT_EQ(exception_of(commit_request()), "");
        return response.finalize_block();
    }
    static Bytes preamble(std::vector<ObjectSet> sets = {},
                          std::uint64_t gas_limit = kGenesisGasLimit) {
        return encode_preamble({.beneficiary = address_from_low64(9),
                                .gas_limit = gas_limit,
                                .object_sets = std::move(sets)});
    }

    FakeHost host;
    AbciServerOptions options;
    AbciApplication application{host, options};
    std::vector<std::string> warnings;
    std::vector<std::string> failures;
    std::vector<DecisionReport> decisions;
    std::vector<ProposalReport> proposals;
};

}  // namespace heddle::consensus_adapter::cometbft
