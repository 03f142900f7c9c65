// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The whole load against the real node.
#include "load/load_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "program/error.hpp"
#include "service/node.hpp"

namespace heddle::node::load {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class LoadRun : public testing::Test {
protected:
    LoadRun() {
        NodeConfig config;
        config.chain.datadir = folder_.path().string();
        config.rpc.port = 0;
        config.log.level = "error";
        node_.emplace(config, true);
        node_->start();
        options_.rpc = {"http://" + node_->endpoint()};
        options_.transactions = 300;
        options_.accounts = 20;
    }

    test::TemporaryFolder folder_;
    std::optional<Node> node_;
    LoadOptions options_;
};

TEST_F(LoadRun, every_kind_is_committed_as_planned) {
    for (const char* kind : {"transfers", "erc20", "mixed"}) {
        options_.kind = kind;

        const LoadReport report = run_load(options_);

        EXPECT_TRUE(report.is_right()) << describe(report, false);
        EXPECT_EQ(report.check.succeeded, 300U) << kind;
        EXPECT_GT(report.seconds, 0);
        EXPECT_GE(report.gas_used, 300U * 21'000);
        EXPECT_GE(report.latency.max, report.latency.p50);
        EXPECT_THAT(describe(report, false), HasSubstr("300 accepted, 0 rejected"));
        EXPECT_THAT(describe(report, true), HasSubstr("\"succeeded\": 300"));
    }
}

TEST_F(LoadRun, an_account_without_funds_cannot_pay) {
    options_.key = std::string(63, '0') + "7";

    // Before, it said that no development account has funds, and to name one.
    EXPECT_THAT([this] { (void)run_load(options_); },
                ThrowsMessage<InputError>(HasSubstr("--key: its account, 0x")));
}

TEST_F(LoadRun, an_unknown_kind_is_refused) {
    options_.kind = "swaps";

    EXPECT_THROW((void)run_load(options_), InputError);
}

}  // namespace
}  // namespace heddle::node::load
