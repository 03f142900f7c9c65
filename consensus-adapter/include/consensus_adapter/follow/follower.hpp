// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The engine of a node that decides nothing: it takes blocks that are final at another node, in
// their order, into a streaming executor, which verifies them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <executor/executor.hpp>
#include <types/block_error.hpp>
#include <types/hash.hpp>

#include <consensus_adapter/application.hpp>
#include <consensus_adapter/follow/origin.hpp>

namespace heddle::consensus_adapter::follow {

/// The chain that grows by what is taken. Blocks reach it through the executor's sink.
/// Thread safety: begin() by one thread; the rest any.
class FollowedChain {
public:
    virtual ~FollowedChain() = default;

    [[nodiscard]] virtual ChainIdentity identity() const = 0;
    /// The newest block that is kept.
    [[nodiscard]] virtual BlockId head() const = 0;
    /// Of that block.
    [[nodiscard]] virtual std::uint64_t head_gas_limit() const = 0;
    /// Of a block up to that one; nullopt: it is not kept any more.
    [[nodiscard]] virtual std::optional<Hash> hash_of(std::uint64_t number) const = 0;
    /// Starts a stream on the head; what an earlier one left unfinished is dropped.
    /// Errors: storage_failed.
    [[nodiscard]] virtual std::expected<executor::Executor*, BlockError> begin() = 0;
};

struct FollowOptions {
    /// A block is taken once so many are on top of it; nullopt: once the origin calls it finalized,
    /// and where the origin calls none so, `unknown_finality_depth`.
    std::optional<std::uint64_t> depth;
    std::uint64_t unknown_finality_depth = 64;  // two epochs of Ethereum's consensus
    /// Conversations that fetch at the same time.
    unsigned connections = 4;
    /// Blocks that are asked for at once.
    std::size_t batch = 16;
    /// Blocks fetched and not yet taken, beyond which nothing more is asked for. What is on its
    /// way then still comes: a batch for each connection.
    std::size_t max_ready_blocks = 256;
    std::size_t max_ready_bytes = std::size_t{64} << 20;
    /// Longest time between two looks at the origin's head.
    std::chrono::milliseconds poll = std::chrono::seconds{2};
    /// After the first failure; doubled with each further one, up to `max_pause`. Each is
    /// shortened by up to a half at random, so that many followers do not come back at once.
    std::chrono::milliseconds pause = std::chrono::milliseconds{250};
    std::chrono::milliseconds max_pause = std::chrono::seconds{30};
    /// Of that chance, which reaches no result.
    std::uint64_t seed = 0;
    /// The conversation failed and is begun anew after this pause. From the follower's thread.
    std::function<void(const FollowError&, std::chrono::milliseconds pause)> on_retry = nullptr;
    /// What is worth knowing, in a sentence. From the follower's thread.
    std::function<void(const std::string&)> on_news = nullptr;
    /// Nothing more is taken: why, and what to do. From the follower's thread.
    std::function<void(const FollowError&)> on_failure = nullptr;
};

/// What is known of the origin.
struct FollowStatus {
    bool is_connected = false;
    std::string client;          // ChainIdentity::client, the last one
    std::uint64_t newest = 0;    // its newest block, the last one known
    std::uint64_t final = 0;     // the newest that is to be taken
    std::uint64_t starting = 0;  // where this chain was when the follower began
    std::string error;           // why it is not connected
};

/// Since the follower began.
struct FollowCounters {
    std::uint64_t fetched_blocks = 0;
    std::uint64_t fetched_bytes = 0;    // of their RLP
    std::uint64_t retries = 0;          // questions asked again, conversations begun anew
    std::uint64_t reorganisations = 0;  // seen at the origin, above what is final
    std::uint64_t refused_blocks = 0;   // executed, and not what they claimed to be
};

/// It goes through rounds, on a thread of its own:
///
///     state      event                                       next       does
///     away       the pause is over                           checking   begins a conversation
///     checking   chain id, genesis, our head are the same    behind     starts the executor
///     checking   they are not, for the third time in a row   ended      on_failure
///     behind     blocks that are final come                  behind     feeds the executor
///     behind     none is missing                             waiting    waits for the executor
///     waiting    a new head, or `poll`                       behind     asks what is final
///     any        an error, or a block that is not valid      away       pauses, ever longer
///     any        a block cannot be kept                      ended      on_failure
///     any        stop()                                      ended      keeps what was executed
///
/// The executor never waits for a block that is still to come: where none is ready, what it was
/// given is finished first, so that a wrong block is found at once and a good one is kept.
///
/// Only blocks that are final are taken. If the origin takes one back all the same, nothing of it
/// can be undone here without taking back what readers were told; the follower ends and says so.
///
/// Thread safety: any.
class Follower {
public:
    /// Begins at once. @param chain  Outlives it.
    Follower(FollowedChain& chain, MakeOrigin make_origin, FollowOptions options);
    /// As stop().
    ~Follower();
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

    [[nodiscard]] FollowStatus status() const;
    [[nodiscard]] FollowCounters counters() const;
    /// Ends it; blocks that were given to the executor are kept. Returns when it has ended.
    void stop();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Whether somebody's chain is ours. Errors: other_chain, with both values.
[[nodiscard]] std::expected<void, FollowError> check_identity(const ChainIdentity& ours,
                                                              const ChainIdentity& theirs);

}  // namespace heddle::consensus_adapter::follow
