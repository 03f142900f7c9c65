// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The backup's part: takes the blocks of its leader in a stream, executes, keeps and acknowledges
// them, and shows those that it hears are acknowledged.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <expected>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include <consensus_adapter/follow/origin.hpp>
#include <consensus_adapter/replication/member.hpp>
#include <executor/executor.hpp>

#include "chain/chain.hpp"
#include "follow/chain_stream.hpp"
#include "follow/rpc_connection.hpp"
#include "formats/json.hpp"
#include "replication/member_files.hpp"

namespace heddle::node::replication {

struct BackupLinkOptions {
    std::string leader;         // its name
    follow::Endpoint endpoint;  // its JSON-RPC, a WebSocket
    follow::ConnectionLimits limits;
    /// A leader that says nothing for so long is asked anew over another connection.
    std::chrono::milliseconds timeout = std::chrono::seconds{5};
    /// The newest common block is this one, and what is above it here has never been shown: it is
    /// to be taken back. From the link's thread, which has ended its session.
    std::function<void(std::uint64_t common)> on_other_branch;
    /// Nothing more can be kept. From the link's thread.
    std::function<void(const std::string&)> on_failure;
};

struct LinkStatus {
    bool is_connected = false;
    bool is_diverged = false;  // it has shown what is not on the leader's chain
    std::string error;         // why it is not connected; empty: it is, or has just begun
    std::uint64_t leader_head = 0;
};

/// A conversation after another, on a thread of its own:
///
///     state     event                                   next      does
///     away      the pause is over                       asking    sends where its chain ends
///     asking    the leader has that block               joined    keeps the leader's epoch, says
///                                                                 what it has
///     asking    it has not                              away      on_other_branch, or says so
///     joined    a block that the leader has             joined    into the executor
///     joined    a block that it is still writing        joined    holds it, decoded and its
///                                                                 senders recovered
///     joined    the leader has that block now           joined    into the executor
///     joined    nothing is ready                        joined    waits for the executor, then
///                                                                 acknowledges what is kept
///     any       an error, a leader that says nothing    away      pauses, up to two seconds;
///                                                                 what is held is dropped
///     any       stop()                                  ended     what was executed is kept
///
/// Every acknowledgement is sent by this thread, and stop() returns when it has ended: so whoever
/// promises another epoch after stop() has said everything that it will ever say in this one.
///
/// Thread safety: any.
class BackupLink {
public:
    /// Begins at once. Everything outlives it.
    BackupLink(Chain& chain, MemberFiles& files, follow::ChainStream& stream,
               consensus_adapter::replication::Member& member, BackupLinkOptions options);
    /// As stop().
    ~BackupLink();
    BackupLink(const BackupLink&) = delete;
    BackupLink& operator=(const BackupLink&) = delete;

    [[nodiscard]] LinkStatus status() const;
    void stop();

private:
    using FollowError = consensus_adapter::follow::FollowError;
    using Result = std::expected<void, FollowError>;
    using Clock = std::chrono::steady_clock;

    void run(const std::stop_token& stop);
    /// Until it fails or is to stop.
    [[nodiscard]] Result converse(const std::stop_token& stop);
    [[nodiscard]] Result begin(follow::RpcConnection& connection);
    [[nodiscard]] Result other_branch(std::uint64_t common);
    [[nodiscard]] Result exchange(follow::RpcConnection& connection, const std::stop_token& stop);
    [[nodiscard]] Result take(const std::string& message);
    [[nodiscard]] Result take_block(const JsonView& result);
    /// Executes what is held, if the leader has it on its disk.
    [[nodiscard]] Result release();
    /// Waits until everything that was executed is kept.
    [[nodiscard]] Result settle();
    [[nodiscard]] Result acknowledge(follow::RpcConnection& connection);
    void show();
    [[nodiscard]] FollowError error(consensus_adapter::follow::FollowFault fault,
                                    std::string_view what) const;

    Chain& chain_;
    MemberFiles& files_;
    follow::ChainStream& stream_;
    consensus_adapter::replication::Member& member_;
    const BackupLinkOptions options_;

    // The thread's own, of this conversation.
    JsonParser parser_;
    executor::Executor* executor_ = nullptr;
    bool is_settled_ = true;
    std::string subscription_;
    std::uint64_t epoch_ = 0;         // of the session
    std::uint64_t next_ = 0;          // the block that comes next
    std::uint64_t parent_epoch_ = 0;  // of the block before
    consensus_adapter::GasBound bound_;
    std::uint64_t shown_there_ = 0;  // what the leader shows
    std::uint64_t kept_there_ = 0;   // what it has on its disk
    /// The newest block that came, while the leader has it not on its disk. A leader that loses it
    /// makes another one of that number in the same epoch: so this one must not be kept before.
    std::optional<executor::OrderedBlock> held_;
    std::uint64_t acknowledged_ = 0;
    Clock::time_point said_;   // the last acknowledgement
    Clock::time_point heard_;  // the last message

    mutable std::mutex mutex_;
    std::condition_variable_any wakeup_;
    LinkStatus status_;    // guarded by mutex_
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace heddle::node::replication
