// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Conversations of a real CometBFT, asked again byte for byte: a network of one validator that
// starts, makes blocks, is handed transactions and restarts; and one that gives an application
// without data every block again.
#include "recording.hpp"

#include <map>
#include <memory>

#include <gtest/gtest.h>

#include <consensus_adapter/cometbft/abci_server.hpp>

#include "abci_client.hpp"

namespace heddle::consensus_adapter::cometbft {
namespace {

class Recording : public testing::TestWithParam<std::string> {
public:
    Recording() : exchanges(read_recording(HEDDLE_RECORDED "/" + GetParam())) {
        host.has_chain = false;
        host.application.to_propose = recorded_proposal(1);
        options.address = "tcp://127.0.0.1:0";
        options.version = "recorded";
        options.beneficiary = address_from_low64(0xbe);
        options.on_decision = [this](const DecisionReport& report) {
            host.application.to_propose = recorded_proposal(report.block.number + 1);
        };
        auto started = AbciServer::start(host, options);
        if (started.has_value()) server = std::move(*started);
    }
    AbciClient& client(std::size_t connection) {
        auto& found = clients[connection];
        if (!found) found = std::make_unique<AbciClient>(server->address());
        return *found;
    }
    static Bytes framed(const Bytes& message) {
        Bytes out;
        append_length(message.size(), out);
        out.insert(out.end(), message.begin(), message.end());
        return out;
    }

    const std::vector<Exchange> exchanges;
    FakeHost host;
    AbciServerOptions options;
    std::unique_ptr<AbciServer> server;
    std::map<std::size_t, std::unique_ptr<AbciClient>> clients;
};

TEST_P(Recording, is_answered_byte_for_byte) {
    ASSERT_TRUE(server);
    std::map<int, std::size_t> kinds;
    for (std::size_t i = 0; i < exchanges.size(); ++i) {
        AbciClient& at = client(exchanges[i].connection);
        ASSERT_TRUE(at.send(framed(exchanges[i].request)));
        const std::optional<Bytes> answer = at.receive_bytes();
        ASSERT_TRUE(answer.has_value()) << i;
        abci::Response response;
        ASSERT_TRUE(response.ParseFromArray(answer->data(), static_cast<int>(answer->size())));
        ++kinds[response.value_case()];
        ASSERT_EQ(to_hex(*answer), to_hex(exchanges[i].answer))
            << "exchange " << i << " of connection " << exchanges[i].connection;
    }
    // The recording is of what it should be.
    EXPECT_EQ(kinds[abci::Response::kException], 0u);
    EXPECT_GE(kinds[abci::Response::kCommit], 5u);
    EXPECT_GE(kinds[abci::Response::kInfo], 1u);
    EXPECT_GE(kinds[abci::Response::kInitChain], 1u);
    EXPECT_EQ(kinds[abci::Response::kCommit], kinds[abci::Response::kFinalizeBlock]);
}

TEST_P(Recording, is_answered_byte_for_byte_when_each_connection_sends_it_in_pieces) {
    ASSERT_TRUE(server);
    std::size_t piece = 1;
    for (const Exchange& exchange : exchanges) {
        AbciClient& at = client(exchange.connection);
        const Bytes bytes = framed(exchange.request);
        for (BytesView left = bytes; !left.empty();) {
            const std::size_t count = std::min(left.size(), piece);
            ASSERT_TRUE(at.send(left.first(count)));
            left = left.subspan(count);
            piece = piece % 97 + 1;
        }
        ASSERT_EQ(at.receive_bytes(), exchange.answer);
    }
}

INSTANTIATE_TEST_SUITE_P(CometBft, Recording,
                         testing::Values("v0.38.26_start_and_restart", "v0.38.26_replay"),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::ranges::replace(name, '.', '_');
                             return name;
                         });

}  // namespace
}  // namespace heddle::consensus_adapter::cometbft
