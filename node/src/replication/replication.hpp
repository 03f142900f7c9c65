// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A member of a replicated chain, whichever part it has: who it answers to, what it promises, and
// how it is promoted (docs/replication.md, ADR 24).
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <consensus_adapter/replication/acknowledgements.hpp>
#include <consensus_adapter/replication/member.hpp>

#include "chain/chain.hpp"
#include "chain/transaction_target.hpp"
#include "follow/chain_stream.hpp"
#include "follow/transaction_relay.hpp"
#include "mempool/mempool.hpp"
#include "replication/backup_link.hpp"
#include "replication/member_files.hpp"
#include "replication/member_messages.hpp"
#include "replication/primary_role.hpp"

namespace heddle::node::replication {

struct ReplicationSettings {
    Membership membership;                              // no acknowledgements with `async`
    std::string first_leader;                           // of epoch 1
    std::map<std::string, follow::Endpoint> addresses;  // of all members, with authorization
    std::chrono::milliseconds timeout = std::chrono::seconds{5};
    consensus_adapter::replication::OnTimeout on_timeout =
        consensus_adapter::replication::OnTimeout::stop;
    std::uint64_t window = 64;
    follow::ConnectionLimits limits;
};

/// What a member does not do by itself. From any of its threads; must not wait for it.
struct ReplicationEvents {
    /// Its role is another one now, or blocks above `rollback_to` are to be taken back in the state
    /// that it is in: it is to be stopped and made anew.
    std::function<void(std::optional<std::uint64_t> rollback_to)> on_restart;
    /// Nothing more can be kept.
    std::function<void(const std::string&)> on_failure;
};

/// What a member has on its disk.
struct KeptMember {
    MemberFiles& files;
    const MemberState& state;  // what is in them
};

/// Why a member does not do what it was asked for: a sentence.
using MemberRefusal = std::string;

/// Which part it has is fixed when it is made; another one begins with another Replication over the
/// same files (ADR 24).
///
/// Thread safety: any. `changing_` is held by one promise or promotion at a time, while the link is
/// stopped and others are asked; `mutex_` for a moment.
class Replication final : public TransactionTarget {
public:
    /// Chain, mempool and files outlive it. The chain holds back its blocks.
    Replication(ReplicationSettings settings, Chain& chain, Mempool& mempool,
                const KeptMember& kept, ReplicationEvents events);
    /// As stop().
    ~Replication() override;

    /// A primary asks the others whether one of them knows a higher epoch, by which it is fenced,
    /// and tells those of a smaller one that it leads. Before it makes its first block, and again
    /// by itself as long as backups are missing: an old primary that comes back, or was cut off,
    /// need not be found by anybody. Who does not answer within a second is left out.
    void look_around();
    /// Begins to make blocks known, or to take them: of whoever leads by then, for others may ask
    /// for a promise before.
    /// @param stream  What a backup's blocks go into.
    void start(follow::ChainStreamOptions stream);
    /// Ends it; what was executed is kept.
    void stop();

    /// Null: it is a backup.
    [[nodiscard]] PrimaryRole* primary() noexcept { return primary_.get(); }
    [[nodiscard]] const PrimaryRole* primary() const noexcept { return primary_.get(); }

    [[nodiscard]] MemberStatus status() const;
    struct Health {
        bool is_primary = false;
        std::string condition;  // MemberStatus::condition
        std::uint64_t lost_backups = 0;
        std::string link_error;  // of a backup; empty: it is connected
    };
    [[nodiscard]] Health health() const;
    /// Of a backup's executor; nullopt: it has none.
    [[nodiscard]] std::optional<executor::MemoryUse> executor_memory() const;

    /// Lets a backup in. @return its session and, where the newest block of its locator is not on
    /// this chain, the newest one that is.
    struct Admission {
        std::string member;  // this one
        std::uint64_t epoch = 0;
        std::shared_ptr<BackupSession> session;  // null where there is `common`
        std::optional<std::uint64_t> common;
    };
    [[nodiscard]] std::expected<Admission, MemberRefusal> admit(const ReplicateRequest& request);
    /// Promises an epoch to somebody who wants to lead.
    [[nodiscard]] std::expected<MemberStatus, MemberRefusal> promise(const PromiseRequest& request);

    struct Promotion {
        std::uint64_t epoch = 0;
        Tail tail;
        std::vector<std::string> promised_by;
        std::uint64_t leader_head = 0;  // of the last leader, as far as it was heard
    };
    /// Makes this backup the primary. @param forced  Whatever the others say.
    [[nodiscard]] std::expected<Promotion, MemberRefusal> promote(bool forced);

    // As TransactionTarget: to the leader.
    [[nodiscard]] std::expected<Hash, SendError> send(
        BytesView encoded, std::chrono::steady_clock::time_point deadline) override;

private:
    using Statuses = std::vector<std::pair<std::string, std::expected<MemberStatus, std::string>>>;

    void start_link();
    void stop_link();
    /// After the state has changed: whoever must do something else now does.
    void take_part();
    /// A primary whose state is another's now.
    void be_fenced();
    [[nodiscard]] bool misses_backups() const;
    void watch(const std::stop_token& stop);
    [[nodiscard]] Tail tail() const;
    /// Asks all other members at once. `params` as JSON, with brackets.
    [[nodiscard]] Statuses ask_others(std::string_view method, const std::string& params,
                                      std::chrono::milliseconds longest) const;
    [[nodiscard]] std::string promise_params(std::uint64_t epoch) const;
    [[nodiscard]] std::expected<void, MemberRefusal> check_members(const Membership& theirs) const;

    const ReplicationSettings settings_;
    Chain& chain_;
    Mempool& mempool_;
    MemberFiles& files_;
    consensus_adapter::replication::Member member_;
    const ReplicationEvents events_;
    const bool was_primary_;
    std::unique_ptr<PrimaryRole> primary_;  // null: it is a backup
    std::stop_source stop_;

    std::mutex changing_;
    std::condition_variable_any wakeup_;               // of the watch, with mutex_
    mutable std::mutex mutex_;                         // guards what follows
    std::unique_ptr<follow::ChainStream> stream_;      // of a backup, once it has started
    std::unique_ptr<BackupLink> link_;                 // null: it follows nobody
    std::shared_ptr<follow::TransactionRelay> relay_;  // with those who are sending
    std::uint64_t leader_head_ = 0;                    // the last that was heard
    std::jthread watch_;                               // of a primary; last
};

}  // namespace heddle::node::replication
