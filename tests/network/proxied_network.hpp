// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Four validators, the first of which talks to its application through a proxy.
#pragma once

#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "abci_proxy.hpp"
#include "network.hpp"

namespace heddle::test {

class ProxiedNetwork : public testing::Test {
protected:
    static constexpr std::uint16_t kAbciPort = 26658;
    static constexpr std::uint16_t kBehindProxy = 36658;

    void SetUp() override {
        if (!find_cometbft().has_value()) GTEST_SKIP() << "cometbft is not installed";
        network_ = std::make_unique<Network>(NetworkOptions{});
    }
    /// Starts all of it.
    void start(AbciProxy::OnMessage on_message) {
        auto options = first().node_options();
        options.push_back("cometbft.abci=tcp://" + first().address() + ":" +
                          std::to_string(kBehindProxy));
        first().set_node_options(std::move(options));
        proxy_ = std::make_unique<AbciProxy>(first().address(), kAbciPort, kBehindProxy,
                                             std::move(on_message));
        network_->start();
    }
    void TearDown() override {
        if (network_) network_->stop();
        proxy_.reset();
    }
    Validator& first() { return network_->at(0); }

    std::unique_ptr<Network> network_;
    std::unique_ptr<AbciProxy> proxy_;  // its actions use the network: ends first
};

}  // namespace heddle::test
