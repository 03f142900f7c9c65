// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/lane_watch.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "../follow/hostile_server.hpp"

namespace heddle::node::lanes {
namespace {

/// Answers three times as it is told to, then as the lane that is wanted, with height 9.
class Pretender {
public:
    explicit Pretender(std::string pretence) {
        server.on("lane_status",
                  [this, pretence = std::move(pretence)](const rpc::Call&, JsonWriter& out) {
                      const std::string lane = R"({"lane":"0x1","laneCount":"0x3","leading":"0x0")";
                      out.raw((++asked <= 3 ? pretence + R"(,"height":"0x7")"
                                            : lane + R"(,"chainId":"0x539","height":"0x9")") +
                              R"(,"waiting":"0x0","timeUs":"0x1"})");
                  });
        server.start();
    }
    std::atomic<int> asked = 0;
    follow::test::PoliteServer server;
};

TEST(LaneWatch, believes_no_other_lane_and_none_of_another_chain) {
    for (const char* pretence : {
             R"({"lane":"0x2","laneCount":"0x3","leading":"0x0","chainId":"0x539")",
             R"({"lane":"0x1","laneCount":"0x4","leading":"0x0","chainId":"0x539")",
             R"({"lane":"0x1","laneCount":"0x3","leading":"0x2","chainId":"0x539")",
             R"({"lane":"0x1","laneCount":"0x3","leading":"0x0","chainId":"0x53a")",
         }) {
        Pretender lane{pretence};
        std::atomic<std::uint64_t> first = 0;
        const LaneWatch watch{
            lane.server.endpoint(false), {1, 3, 0}, 1337, [&](std::uint64_t height) {
                std::uint64_t none = 0;
                first.compare_exchange_strong(none, height);
                return true;
            }};
        while (first == 0)
            std::this_thread::yield();
        EXPECT_EQ(first, 9u) << pretence;
    }
}

}  // namespace
}  // namespace heddle::node::lanes
