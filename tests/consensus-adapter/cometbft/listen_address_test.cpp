// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/listen_address.hpp"

#include <gtest/gtest.h>

namespace heddle::consensus_adapter::cometbft {
namespace {

TEST(ListenAddress, is_written_as_cometbft_writes_it) {
    for (const char* const text : {"tcp://127.0.0.1:26658", "tcp://[::1]:1", "tcp://0.0.0.0:0",
                                   "unix:///run/abci.sock", "unix://relative"}) {
        const auto address = parse_listen_address(text);
        ASSERT_TRUE(address.has_value()) << text << ": " << address.error();
        EXPECT_EQ(to_string(*address), text);
    }
}

TEST(ListenAddress, other_text_is_refused_with_an_example) {
    for (const char* const text :
         {"", "tcp://", "tcp://:1", "tcp://127.0.0.1", "tcp://127.0.0.1:", "tcp://127.0.0.1:65536",
          "tcp://127.0.0.1:1x", "tcp://host:1", "127.0.0.1:26658", "http://127.0.0.1:1", "unix://",
          "tcp:/127.0.0.1:1"}) {
        const auto address = parse_listen_address(text);
        ASSERT_FALSE(address.has_value()) << text;
        EXPECT_NE(address.error().find("write tcp://127.0.0.1:26658 or unix://"),
                  std::string::npos);
    }
}

TEST(ListenAddress, a_path_that_no_socket_can_have_is_refused) {
    EXPECT_TRUE(parse_listen_address("unix://" + std::string(107, 'x')).has_value());
    EXPECT_FALSE(parse_listen_address("unix://" + std::string(108, 'x')).has_value());
}

}  // namespace
}  // namespace heddle::consensus_adapter::cometbft
