// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The primary's part: blocks that it keeps are shown once its backups have them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <consensus_adapter/replication/acknowledgements.hpp>
#include <consensus_adapter/replication/member.hpp>

#include "chain/chain.hpp"
#include "chain/feed.hpp"
#include "chain/transaction_target.hpp"
#include "replication/member_files.hpp"

namespace heddle::node::replication {

/// A backup's conversation, from the first to the last reference to it.
/// Thread safety: any.
class BackupSession {
public:
    virtual ~BackupSession() = default;
    /// The backup has all blocks up to this one on its disk.
    virtual void acknowledged(std::uint64_t number) = 0;
};

/// Four kinds of threads meet under `mutex_`, and none of them waits for another or calls the
/// chain while it holds it:
///
///     who                              does
///     the sealing thread               wait_for_room() before a block; says what is kept, through
///                                      Chain::kept()
///     threads of connections           joined, acknowledged, left; refusal()
///     its own                          shows blocks, looks at the time, writes the log
///     whoever promises an epoch        fence(): nothing is shown after it has returned that tail()
///                                      does not have
///
/// Thread safety: any.
class PrimaryRole final : public TransactionIntake {
public:
    /// @param chain  Holds back its blocks; both outlive it. @param epoch  It rules in.
    PrimaryRole(Chain& chain, MemberFiles& files,
                consensus_adapter::replication::AcknowledgementOptions options,
                std::uint64_t epoch);
    /// As stop(); sessions have ended.
    ~PrimaryRole() override;
    PrimaryRole(const PrimaryRole&) = delete;
    PrimaryRole& operator=(const PrimaryRole&) = delete;

    /// Waits until a block may be made: no longer than the policy lets a block wait.
    /// @return why none may; nullopt: one may.
    [[nodiscard]] std::optional<std::string> wait_for_room();
    /// Why transactions are not taken; nullopt: they are.
    [[nodiscard]] std::optional<std::string> refusal() const override;

    /// Null: it is none of ours. A session of the same backup before it counts no more.
    [[nodiscard]] std::shared_ptr<BackupSession> join(const std::string& backup);

    /// Another leads, or may do so soon: nothing more is made or shown.
    void fence();
    /// The newest block that may have been acknowledged.
    [[nodiscard]] consensus_adapter::replication::Tail tail() const;

    struct Status {
        std::string condition;  // good, degraded, stopped, fenced
        std::vector<consensus_adapter::replication::BackupStatus> backups;
        std::uint64_t lost_backups = 0;  // since it began
    };
    [[nodiscard]] Status status() const;

    /// Shows nothing more, and lets go of whoever waits.
    void stop();

private:
    class Session;

    void run(const std::stop_token& stop);
    void log(const std::vector<consensus_adapter::replication::ReplicationEvent>& events);
    void tell_thread();  // with the lock, as the next
    [[nodiscard]] std::string waiting_text() const;

    Chain& chain_;
    MemberFiles& files_;
    const consensus_adapter::replication::AcknowledgementOptions options_;
    const std::uint64_t kept_at_start_;

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    // Guarded by mutex_.
    consensus_adapter::replication::Acknowledgements acknowledgements_;
    std::map<std::string, std::uint64_t> sessions_;  // the present one of each backup
    std::uint64_t next_session_ = 1;
    std::uint64_t lost_backups_ = 0;
    bool is_fenced_ = false;
    bool has_news_ = false;  // for the thread

    std::jthread thread_;
    Feed<SharedBlock>::Subscription kept_;  // last: it uses everything above
};

}  // namespace heddle::node::replication
