// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a follower asks of the node whose blocks it takes, whatever protocol that node speaks. None
// of it is believed: blocks are executed, and every claim of their headers is verified.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <types/hash.hpp>

#include <consensus_adapter/application.hpp>
#include <consensus_adapter/ordered_block.hpp>
#include <consensus_adapter/paid_block.hpp>

namespace heddle::consensus_adapter::follow {

enum class FollowFault : std::uint8_t {
    unreachable,     // nobody is there, or the connection broke
    timed_out,       // no answer in time
    too_large,       // an answer beyond the limit, even to a question about one block; more
                     // questions at once than the origin takes
    too_fast,        // questions came faster than the origin takes them, or more of them at once
    misunderstood,   // an answer in no form that the protocol has
    refused,         // the origin says no
    absent,          // the origin does not have the block, though it said so
    wrong_block,     // what came is not the block that was asked for, or none at all
    disconnected,    // two blocks that should follow each other do not
    invalid_block,   // executing it gave something else than its header claims
    other_chain,     // chain id or genesis are another chain's
    reorganised,     // a block that was taken as final is not on the origin's chain
    storage_failed,  // a block was good and cannot be kept here
    stopped,         // the follower was told to end
};

struct FollowError {
    FollowFault fault = FollowFault::unreachable;
    /// With who, which block, what was found, and what to do where that is known.
    std::string sentence;
    /// For how long the origin wants nothing to be asked; zero: it does not say.
    std::chrono::milliseconds rest{};
};

/// Which chain somebody has.
struct ChainIdentity {
    std::uint64_t chain_id = 0;
    Hash genesis;
    std::string client;  // the software, in its own words; may be empty
    /// Whether blocks come in a stream, so that one conversation fetches them all.
    bool has_streams = false;
};

/// Where the origin's chain ends.
struct OriginHead {
    BlockId newest;
    Hash parent;  // of the newest
    /// The newest block that the origin will not take back, where it says so.
    std::optional<std::uint64_t> finalized;
    /// Why it does not say so, where that may be for the moment; empty: it knows of none, or does.
    std::string finality_refusal;
};

struct FetchedBlock {
    OrderedBlock block;  // its header is a claim; encoded_size_bytes is filled in
    Hash hash;           // of that header
};

/// One conversation with the origin. Every call ends in bounded time and with a bounded answer, and
/// as soon as a stop is requested. After an error the next call begins anew.
/// Thread safety: one caller at a time.
class Origin {
public:
    virtual ~Origin() = default;

    [[nodiscard]] virtual std::expected<ChainIdentity, FollowError> identify() = 0;
    [[nodiscard]] virtual std::expected<OriginHead, FollowError> head() = 0;
    /// nullopt: it has no such block, or not yet.
    [[nodiscard]] virtual std::expected<std::optional<Hash>, FollowError> hash_of(
        std::uint64_t number) = 0;
    /// Blocks from `first` on: at least one and at most `count`, which is at least 1; fewer where
    /// they are large. They are decodable and have the numbers asked for. None is decoded that has
    /// more transactions than `bound` pays for.
    [[nodiscard]] virtual std::expected<std::vector<FetchedBlock>, FollowError> blocks(
        std::uint64_t first, std::size_t count, const GasBound& bound) = 0;
    /// Until there may be a new head, at most so long.
    [[nodiscard]] virtual std::expected<void, FollowError> wait_for_head(
        std::chrono::milliseconds longest) = 0;
};

/// Makes a conversation; nothing is asked before its first call. From any thread.
using MakeOrigin = std::function<std::unique_ptr<Origin>(std::stop_token stop)>;

}  // namespace heddle::consensus_adapter::follow
