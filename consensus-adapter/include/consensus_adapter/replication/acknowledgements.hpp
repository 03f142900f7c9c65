// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a primary knows of its backups, and which of its blocks may be shown for it. Knows no clock:
// it is told what time it is (ADR 24, docs/replication.md).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::consensus_adapter::replication {

/// What happens when a block is not acknowledged in time.
enum class OnTimeout : std::uint8_t {
    degrade,  // it is shown all the same, and so are others until enough backups have caught up
    stop,     // nothing more is shown or sealed until it is acknowledged
};

struct AcknowledgementOptions {
    std::vector<std::string> backups;
    std::size_t acks = 0;  // how many of them; 0: none is waited for
    OnTimeout on_timeout = OnTimeout::stop;
    std::chrono::milliseconds timeout = std::chrono::seconds{5};
    /// Blocks that may be kept and not shown, beyond which none is made.
    std::uint64_t window = 64;
};

/// Where a primary begins.
struct PrimaryStart {
    std::uint64_t shown = 0;        // its newest block that is shown
    std::uint64_t kept = 0;         // its newest block
    std::uint64_t first_block = 0;  // the first of its epoch, there or to come
};

struct BackupStatus {
    std::string name;
    bool is_connected = false;
    bool is_lost = false;      // connected, and has said nothing for the timeout
    std::uint64_t number = 0;  // the last block that it has on its disk, as far as is known
};

/// What is worth a line of the log.
struct ReplicationEvent {
    enum class Kind : std::uint8_t {
        joined,
        left,
        lost,      // has said nothing for the timeout
        returned,  // said something after it was lost
        degraded,  // blocks are shown without acknowledgements from now on
        stopped,   // none is made
        restored,  // acknowledgements are waited for again, or blocks are made again
    };
    Kind kind = Kind::joined;
    std::string backup;        // whose; empty: nobody's
    std::uint64_t number = 0;  // of the backup's block, or of the first that waits
};

/// Thread safety: one caller at a time. Time must not go back.
///
///     state     event                                          next      does
///     synced    the oldest block not shown waits the timeout   degraded  shows all (degrade)
///     synced    the same                                       stopped   makes no more (stop)
///     degraded  enough backups have all but half a window      synced
///     stopped   all that was kept is shown                     synced
///
/// Invariants: 1. what may be shown never goes back; 2. a block that may be shown for an
/// acknowledgement is on the disks of `acks` backups with all before it and a block of this epoch.
class Acknowledgements {
public:
    using Time = std::chrono::steady_clock::time_point;

    Acknowledgements(AcknowledgementOptions options, const PrimaryStart& start, Time now);

    /// This primary has block `number` on its disk.
    void kept(std::uint64_t number, Time now);
    /// A backup has begun a session; what it has it says next. @return false: it is none of ours.
    bool joined(const std::string& backup, Time now);
    /// It has all up to this block on its disk; also said again, so that it is not taken for lost.
    /// What is not kept here is not believed.
    void acknowledged(const std::string& backup, std::uint64_t number, Time now);
    void left(const std::string& backup, Time now);
    /// Looks whether somebody or something has waited too long.
    void tick(Time now);

    /// The newest block that may be shown.
    [[nodiscard]] std::uint64_t shown() const noexcept { return shown_; }
    [[nodiscard]] std::uint64_t newest() const noexcept { return kept_; }
    /// Whether another block may be made.
    [[nodiscard]] bool has_room() const noexcept;
    [[nodiscard]] bool is_degraded() const noexcept { return state_ == State::degraded; }
    [[nodiscard]] bool is_stopped() const noexcept { return state_ == State::stopped; }
    /// When tick() has something to look at; nullopt: not before something else happens.
    [[nodiscard]] std::optional<Time> next_tick() const;
    [[nodiscard]] std::vector<BackupStatus> backups() const;
    /// What has happened since the last time.
    [[nodiscard]] std::vector<ReplicationEvent> take_events() { return std::exchange(events_, {}); }

private:
    enum class State : std::uint8_t { synced, degraded, stopped };
    struct Backup {
        bool is_connected = false;
        bool is_lost = false;
        std::uint64_t number = 0;
        Time heard;
    };
    struct Waiting {
        std::uint64_t number = 0;
        Time since;
    };

    void hear(const std::string& name, Backup& backup, std::uint64_t number, Time now);
    /// The newest block that enough backups have.
    [[nodiscard]] std::uint64_t common() const;
    void advance();
    void show(std::uint64_t number);
    void note(ReplicationEvent::Kind kind, std::string backup, std::uint64_t number);

    const AcknowledgementOptions options_;
    const std::uint64_t first_block_;
    std::map<std::string, Backup> backups_;
    State state_ = State::synced;
    std::uint64_t kept_;
    std::uint64_t shown_;
    std::deque<Waiting> waiting_;  // kept and not shown, ascending
    std::vector<ReplicationEvent> events_;
};

}  // namespace heddle::consensus_adapter::replication
