// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Asks a running node for what one joins by (join_source.hpp): each answer in bounded time and of
// bounded size, none of it believed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <stop_token>
#include <string>
#include <vector>

#include <consensus_adapter/follow/origin.hpp>
#include <types/bytes.hpp>

#include "follow/rpc_caller.hpp"
#include "lanes/join_source.hpp"

namespace heddle::node::lanes {

/// Thread safety: one caller at a time; a requested stop ends every call.
class JoinClient {
public:
    using FollowError = consensus_adapter::follow::FollowError;

    JoinClient(follow::Endpoint endpoint, std::stop_token stop);

    /// Errors, here and below: as RpcCaller.
    [[nodiscard]] std::expected<std::vector<JoinOffer>, FollowError> offers();
    /// Exactly `size` bytes from `offset` on, at most kMostPartBytes. Errors: also misunderstood:
    /// there are more or fewer.
    [[nodiscard]] std::expected<Bytes, FollowError> part(std::uint64_t number, const JoinPart& part,
                                                         std::uint64_t offset, std::size_t size);
    /// Encoded headers of the blocks from this one on, at most kMostHeaders. Errors: also absent:
    /// one of them is not there.
    [[nodiscard]] std::expected<std::vector<Bytes>, FollowError> headers(std::uint64_t from,
                                                                         std::size_t count);
    [[nodiscard]] std::string name() const { return caller_.connection().endpoint().name(); }

    static constexpr std::size_t kMostHeaders = 100;

private:
    follow::RpcCaller caller_;
};

}  // namespace heddle::node::lanes
