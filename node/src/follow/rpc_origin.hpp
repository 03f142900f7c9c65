// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Any Ethereum node as the origin of a follower's blocks, by methods that all of them have: raw
// blocks where the node gives them (debug_getRawBlock), else blocks rebuilt from what it says of
// them. New heads are announced over WebSocket and asked for over HTTP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <stop_token>
#include <vector>

#include <consensus_adapter/follow/origin.hpp>

#include "follow/rpc_caller.hpp"
#include "follow/rpc_connection.hpp"

namespace heddle::node::follow {

/// Errors: as Origin.
class RpcOrigin final : public consensus_adapter::follow::Origin {
public:
    RpcOrigin(Endpoint endpoint, ConnectionLimits limits, std::stop_token stop);

    using FollowError = consensus_adapter::follow::FollowError;
    using FetchedBlock = consensus_adapter::follow::FetchedBlock;
    using GasBound = consensus_adapter::GasBound;

    [[nodiscard]] std::expected<consensus_adapter::follow::ChainIdentity, FollowError> identify()
        override;
    [[nodiscard]] std::expected<consensus_adapter::follow::OriginHead, FollowError> head() override;
    [[nodiscard]] std::expected<std::optional<Hash>, FollowError> hash_of(
        std::uint64_t number) override;
    [[nodiscard]] std::expected<std::vector<FetchedBlock>, FollowError> blocks(
        std::uint64_t first, std::size_t count, const GasBound& bound) override;
    [[nodiscard]] std::expected<void, FollowError> wait_for_head(
        std::chrono::milliseconds longest) override;

private:
    using Blocks = std::vector<FetchedBlock>;

    /// Before it is asked again where it was asked too fast. @return false: a stop is requested.
    [[nodiscard]] bool pause(std::chrono::milliseconds rest) const;
    /// All questions about blocks from `first` on, with `method` and what follows the number.
    [[nodiscard]] std::expected<std::vector<Answer>, FollowError> ask_for(std::string_view method,
                                                                          std::string_view rest,
                                                                          std::uint64_t first,
                                                                          std::size_t count);
    [[nodiscard]] std::expected<Blocks, FollowError> raw_blocks(std::uint64_t first,
                                                                std::size_t count);
    [[nodiscard]] std::expected<Blocks, FollowError> rebuilt_blocks(std::uint64_t first,
                                                                    std::size_t count);
    [[nodiscard]] std::expected<Blocks, FollowError> blocks_somehow(std::uint64_t first,
                                                                    std::size_t count);
    [[nodiscard]] std::expected<std::vector<BlockHeader>, FollowError> ommers(
        std::uint64_t number, const std::vector<Hash>& hashes);
    /// Asks for heads to be announced, where that was not asked for over this connection.
    [[nodiscard]] std::expected<void, FollowError> subscribe();
    [[nodiscard]] FollowError wrong_block(std::uint64_t number, std::string_view what) const;

    RpcCaller caller_;
    const std::stop_token stop_;
    bool gives_raw_blocks_ = true;  // as far as is known
    std::size_t together_ = 16;     // most other questions at once, as far as is known
    /// How many blocks fit well into one answer, learnt from those before.
    std::size_t batch_ = 1;
    std::size_t stays_for_ = 0;     // so many answers: one that was larger was refused
    std::size_t answer_bytes_ = 0;  // of the last ask_for()
    GasBound bound_;                // of the last blocks()
    std::optional<std::uint64_t> subscribed_connection_;  // RpcConnection::connections()
    bool announces_heads_ = true;                         // as far as is known
};

}  // namespace heddle::node::follow
