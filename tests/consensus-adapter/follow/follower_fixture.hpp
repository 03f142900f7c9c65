// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A follower that does not wait long, and what it says of its troubles.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "comes_true.hpp"
#include "scripted_origin.hpp"

namespace heddle::consensus_adapter::follow::test {

class FollowerFixture : public testing::Test {
protected:
    FollowOptions quick() {
        FollowOptions options;
        options.depth = 0;
        options.poll = std::chrono::milliseconds{20};
        options.pause = std::chrono::milliseconds{1};
        options.max_pause = std::chrono::milliseconds{5};
        options.on_failure = [this](const FollowError& error) {
            const std::scoped_lock lock{mutex_};
            failure_ = error;
            failed_.notify_all();
        };
        options.on_retry = [this](const FollowError& error, std::chrono::milliseconds pause) {
            const std::scoped_lock lock{mutex_};
            retried_.push_back(error);
            EXPECT_LE(pause, std::chrono::milliseconds{5});
            failed_.notify_all();
        };
        return options;
    }
    static MakeOrigin ask(ScriptedChain& chain) {
        return [&chain](std::stop_token stop) {
            return std::make_unique<ScriptedOrigin>(chain, std::move(stop));
        };
    }
    std::optional<FollowError> wait_for_failure() {
        std::unique_lock lock{mutex_};
        (void)heddle::test::comes_true(failed_, lock, [this] { return failure_.has_value(); });
        return failure_;
    }
    /// Before another follower.
    void forget_failure() {
        const std::scoped_lock lock{mutex_};
        failure_.reset();
    }
    /// The first error of this kind that was followed by a new conversation.
    std::optional<FollowError> wait_for_retry(FollowFault fault) {
        std::unique_lock lock{mutex_};
        std::optional<FollowError> found;
        (void)heddle::test::comes_true(failed_, lock, [&] {
            for (const FollowError& error : retried_)
                if (error.fault == fault) found = error;
            return found.has_value();
        });
        return found;
    }

private:
    std::mutex mutex_;
    std::condition_variable failed_;
    std::optional<FollowError> failure_;
    std::vector<FollowError> retried_;
};

}  // namespace heddle::consensus_adapter::follow::test
