// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Committed blocks on their way to nodes that follow this one, each with what is known of its
// transactions' accesses. A follower says how far it is; what it has not taken yet is read from the
// ledger again when its turn comes, so that a slow one costs nothing but its connection.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <types/hash.hpp>

#include "chain/chain.hpp"
#include "replication/primary_role.hpp"
#include "rpc/envelope/method.hpp"

namespace heddle::node::rpc {

/// How far a primary is, for its backups.
struct StreamProgress {
    std::uint64_t kept = 0;
    std::uint64_t shown = 0;
};

/// A stream of blocks goes through these steps; `mutex_` guards them:
///
///     step          by                            then
///     begun         add()                         blocks from `from` on are to be sent
///     sent          the thread, in turns, while   the block counts as outstanding
///                   fewer than `window` blocks
///                   and kMaxOutstandingBytes are
///     kept          the thread, of a stream       where it was sent while it was on its way to
///                   `ahead`                       the disk, the backup hears that it is there
///     acknowledged  acknowledge()                 that block and those before count no more; where
///                                                 it is a backup's, the primary hears of it
///     taken back    a rewind of the chain         blocks above its new head count no more, and
///                                                 those in their place are sent
///     ended         remove(), the connection, or  forgotten
///                   end() and whoever gets its
///                   place, which say so
///
/// Thread safety: any.
class BlockStreams {
public:
    static constexpr std::size_t kMaxStreams = 64;
    static constexpr std::uint64_t kMaxWindow = 256;
    /// Sent and not acknowledged, of one stream; below what a connection may have unread. A block
    /// that is larger goes alone.
    static constexpr std::size_t kMaxOutstandingBytes = std::size_t{4} << 20;

    /// @param chain  Outlives it.
    explicit BlockStreams(Chain& chain);
    ~BlockStreams();
    BlockStreams(const BlockStreams&) = delete;
    BlockStreams& operator=(const BlockStreams&) = delete;

    struct Request {
        std::uint64_t from = 0;
        std::optional<Hash> parent = {};  // of that block, where the follower has it
        std::uint64_t window = kMaxWindow;
        std::uint64_t client = 0;  // who wants it (Call::client)
        /// Of a backup, which gets blocks that are not shown yet, and is told what is shown.
        std::shared_ptr<replication::BackupSession> backup = nullptr;
        /// Of a backup that waits for `head` before it keeps a block: it gets one while that is
        /// still on its way to the disk here.
        bool ahead = false;
    };
    /// Where there is no room, the client that has most loses its newest stream, as by end().
    /// @return its identifier, before anything of it is sent over the session.
    /// Errors: RpcError: too many, where nobody else has more; the block before is another one
    /// here; blocks that are not kept or not there.
    [[nodiscard]] std::string add(const std::shared_ptr<Session>& session, const Request& request);
    /// The follower has taken blocks up to `number`. @return false: there is no such stream of this
    /// connection, or that block was not sent.
    bool acknowledge(const Session* session, std::string_view id, std::uint64_t number);
    /// @return false: there is no such stream of this connection.
    bool remove(const Session* session, std::string_view id);
    /// Ends all streams, each with a last notification that has `error` in place of `result`; a
    /// block that is being sent may come behind it. None begins from now on.
    /// @param why  A sentence.
    void end(std::string_view why);

private:
    struct Stream {
        std::shared_ptr<Session> session;  // with its connection
        std::string id;
        std::uint64_t client = 0;
        std::uint64_t serial = 0;  // ascending
        std::uint64_t next = 0;    // to be sent
        std::uint64_t window = 0;
        std::deque<std::pair<std::uint64_t, std::size_t>> outstanding;  // number and bytes
        std::size_t outstanding_bytes = 0;
        bool waits_for_rewind = false;                       // its next block is being taken back
        std::shared_ptr<replication::BackupSession> backup;  // ends with the stream
        bool ahead = false;                                  // a backup, as the next two
        std::uint64_t told_shown = 0;
        std::uint64_t told_kept = 0;
    };
    using SharedStream = std::shared_ptr<Stream>;
    /// Outlived by connections that are still open.
    struct State {
        std::mutex mutex;  // guards what follows, and all streams
        std::condition_variable changed;
        std::unordered_map<std::string, SharedStream> streams;
        /// Whose end is waited for: once each, however many streams come and go over them.
        std::unordered_set<const Session*> sessions;
        std::uint64_t head = 0;
        std::uint64_t kept = 0;     // the head, or above it
        std::uint64_t rewinds = 0;  // that were told of
        std::uint64_t next_serial = 0;
        SharedBlock made;  // the block after it, on its way to the disk; null: none is
        bool stops = false;
        std::string ended;  // why; empty: streams may begin
    };

    void run();
    /// With the lock.
    [[nodiscard]] std::vector<SharedStream> ready() const;
    [[nodiscard]] bool has_block(const Stream& stream) const;
    [[nodiscard]] bool has_news(const Stream& stream) const;
    /// What it is told now.
    [[nodiscard]] StreamProgress take_progress(Stream& stream) const;
    void send_next(const SharedStream& stream);
    /// Tells a backup what is shown. @return whether it could be told.
    [[nodiscard]] bool send_shown(const SharedStream& stream);
    [[nodiscard]] bool send_block(const SharedStream& stream);
    void check(const Request& request) const;
    /// With the lock, of a follower's stream. @return the one that is to end for it; null: none.
    /// Errors: RpcError limit_exceeded.
    [[nodiscard]] SharedStream make_room(const Stream& wanted) const;
    /// With the lock: block `head` and what came before it is all that is left.
    void take_back(std::uint64_t head);
    /// With the lock. Null: this connection has none.
    [[nodiscard]] SharedStream find(const Session* session, std::string_view id) const;

    Chain& chain_;
    const std::shared_ptr<State> state_ = std::make_shared<State>();  // see there
    std::thread thread_;
    // Last: they use everything above.
    Feed<SharedBlock>::Subscription made_;
    Feed<SharedBlock>::Subscription kept_;
    Feed<SharedBlock>::Subscription heads_;
    Feed<SharedBlock>::Subscription rewinds_;
};

}  // namespace heddle::node::rpc
