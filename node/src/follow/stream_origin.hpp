// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Another Heddle as the origin: it sends blocks in a stream, one after another without being asked
// for each, with what it knows of their accesses, as long as they are acknowledged. Everything else
// is asked for as of any node, and so are blocks where there turns out to be no stream.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <consensus_adapter/follow/origin.hpp>

#include "follow/rpc_connection.hpp"
#include "follow/rpc_origin.hpp"
#include "formats/json.hpp"

namespace heddle::node::follow {

/// A stream goes on for as long as blocks are asked for in order; other blocks begin another one.
/// Errors: as Origin.
class StreamOrigin final : public consensus_adapter::follow::Origin {
public:
    using FollowError = consensus_adapter::follow::FollowError;
    using FetchedBlock = consensus_adapter::follow::FetchedBlock;

    /// @param endpoint  Of a WebSocket.
    StreamOrigin(const Endpoint& endpoint, ConnectionLimits limits, const std::stop_token& stop);

    [[nodiscard]] std::expected<consensus_adapter::follow::ChainIdentity, FollowError> identify()
        override {
        return rpc_.identify();
    }
    [[nodiscard]] std::expected<consensus_adapter::follow::OriginHead, FollowError> head()
        override {
        return rpc_.head();
    }
    [[nodiscard]] std::expected<std::optional<Hash>, FollowError> hash_of(
        std::uint64_t number) override {
        return rpc_.hash_of(number);
    }
    [[nodiscard]] std::expected<void, FollowError> wait_for_head(
        std::chrono::milliseconds longest) override {
        return rpc_.wait_for_head(longest);
    }
    [[nodiscard]] std::expected<std::vector<FetchedBlock>, FollowError> blocks(
        std::uint64_t first, std::size_t count, const consensus_adapter::GasBound& bound) override;

private:
    [[nodiscard]] std::expected<std::vector<FetchedBlock>, FollowError> streamed(
        std::uint64_t first, std::size_t count);
    /// Begins a stream. @return false: the origin has none.
    [[nodiscard]] std::expected<bool, FollowError> subscribe(std::uint64_t first);
    /// That everything given out was taken.
    [[nodiscard]] std::expected<void, FollowError> acknowledge();
    /// The next block, where it is there or comes within `longest`.
    [[nodiscard]] std::expected<std::optional<FetchedBlock>, FollowError> receive(
        std::chrono::milliseconds longest);
    /// What a message brings; nullopt: no block. Errors: InputError.
    [[nodiscard]] std::expected<std::optional<FetchedBlock>, FollowError> read(
        const std::string& message);
    [[nodiscard]] FollowError error(consensus_adapter::follow::FollowFault fault,
                                    std::string_view what) const;

    RpcOrigin rpc_;
    RpcConnection connection_;  // of the stream alone
    const ConnectionLimits limits_;
    JsonParser parser_;
    bool has_streams_ = true;  // as far as is known
    std::string id_;           // of the stream; empty: there is none
    std::uint64_t next_ = 0;   // the block that comes next
    std::uint64_t acknowledged_ = 0;
    std::size_t received_bytes_ = 0;     // since blocks were last asked for
    consensus_adapter::GasBound bound_;  // of the last blocks()
    Hash last_hash_;                     // of the block before `next_`, where `next_` is not 0
};

}  // namespace heddle::node::follow
