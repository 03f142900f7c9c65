// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A server where there are too few threads.
#include <cstdlib>
#include <memory>
#include <system_error>

#include <gtest/gtest.h>

#include "few_threads.hpp"
#include "rpc/envelope/json_rpc.hpp"
#include "rpc/transport/server.hpp"

namespace heddle::node::rpc {
namespace {

// In a process of its own, which has room for a few stacks more. The end of the server was that of
// the process: it waited for threads that there were not.
TEST(Server, that_gets_too_few_threads_says_so_and_ends_those_that_it_has) {
    if (!test::can_have_few_threads()) GTEST_SKIP() << "sanitizers lay out terabytes";
    const auto start_too_many = [] {
        const MethodTable methods;
        const Responder responder{methods};
        ServerOptions options;
        options.io_threads = 64;
        auto server = std::make_unique<Server>(responder, options);
        test::have_few_threads();
        try {
            server->start();
        } catch (const std::system_error&) {
            server.reset();
            std::exit(7);
        }
        std::exit(1);
    };
    EXPECT_EXIT(start_too_many(), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace heddle::node::rpc
