// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "replication/primary_role.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include <consensus_adapter/replication/epoch.hpp>
#include <types/assert.hpp>

#include "logging/log.hpp"

namespace heddle::node::replication {
namespace {

using consensus_adapter::replication::AcknowledgementOptions;
using consensus_adapter::replication::BackupStatus;
using consensus_adapter::replication::epoch_of;
using consensus_adapter::replication::PrimaryStart;
using consensus_adapter::replication::ReplicationEvent;
using consensus_adapter::replication::Tail;
using Clock = std::chrono::steady_clock;

/// The epoch's first block is sought no further back than blocks are held back.
PrimaryStart start_of(const Chain& chain, std::uint64_t epoch) {
    PrimaryStart start;
    start.shown = chain.head().header.number;
    start.kept = chain.kept_head().header.number;
    start.first_block = start.kept + 1;
    while (start.first_block > start.shown + 1) {
        const auto header = chain.kept_header(start.first_block - 1);
        if (!header.has_value() || !header->has_value() ||
            epoch_of((*header)->header.extra_data) != epoch)
            break;
        --start.first_block;
    }
    return start;
}

}  // namespace

/// Ends with the last reference: then the backup has left.
class PrimaryRole::Session final : public BackupSession {
public:
    Session(PrimaryRole& role, std::string backup, std::uint64_t number)
        : role_(role), backup_(std::move(backup)), number_(number) {}
    ~Session() override {
        const std::scoped_lock lock{role_.mutex_};
        if (!is_present()) return;
        role_.acknowledgements_.left(backup_, Clock::now());
        role_.tell_thread();
    }
    void acknowledged(std::uint64_t number) override {
        const std::scoped_lock lock{role_.mutex_};
        if (!is_present() || role_.is_fenced_) return;
        role_.acknowledgements_.acknowledged(backup_, number, Clock::now());
        role_.tell_thread();
    }

private:
    [[nodiscard]] bool is_present() const {  // with the lock
        const auto found = role_.sessions_.find(backup_);
        return found != role_.sessions_.end() && found->second == number_;
    }

    PrimaryRole& role_;
    const std::string backup_;
    const std::uint64_t number_;
};

PrimaryRole::PrimaryRole(Chain& chain, MemberFiles& files, AcknowledgementOptions options,
                         std::uint64_t epoch)
    : chain_(chain),
      files_(files),
      options_(std::move(options)),
      kept_at_start_(chain.kept_head().header.number),
      acknowledgements_(options_, start_of(chain, epoch), Clock::now()),
      thread_([this](const std::stop_token& stop) { run(stop); }),
      kept_(chain.kept().subscribe([this](const SharedBlock& block) {
          const std::scoped_lock lock{mutex_};
          acknowledgements_.kept(block->block.header.number, Clock::now());
          tell_thread();
      })) {}

PrimaryRole::~PrimaryRole() {
    stop();
}

void PrimaryRole::stop() {
    kept_ = {};
    thread_.request_stop();
    {
        const std::scoped_lock lock{mutex_};
        changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
}

void PrimaryRole::tell_thread() {
    has_news_ = true;
    changed_.notify_all();
}

std::optional<std::string> PrimaryRole::wait_for_room() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, thread_.get_stop_token(), [this] {
        return is_fenced_ || acknowledgements_.is_stopped() || acknowledgements_.has_room();
    });
    if (thread_.get_stop_token().stop_requested()) return "the node is to end";
    if (is_fenced_) return "another member leads: this one is fenced";
    if (!acknowledgements_.has_room()) return waiting_text();
    return std::nullopt;
}

std::optional<std::string> PrimaryRole::refusal() const {
    const std::scoped_lock lock{mutex_};
    if (is_fenced_) return "this node is not the primary any more: send it to the one that is";
    if (acknowledgements_.is_stopped()) return waiting_text();
    return std::nullopt;
}

std::string PrimaryRole::waiting_text() const {
    std::string backups;
    for (const BackupStatus& backup : acknowledgements_.backups()) {
        const char* const how = !backup.is_connected ? "is not connected"
                                : backup.is_lost     ? "says nothing"
                                                     : "is connected";
        backups += fmt::format("{}{} {} and has block {}", backups.empty() ? "" : ", ", backup.name,
                               how, backup.number);
    }
    return fmt::format(
        "block {} has not been acknowledged by {} of its backups within {} ms ({}); it goes on "
        "when they have it",
        acknowledgements_.shown() + 1, options_.acks, options_.timeout.count(), backups);
}

std::shared_ptr<BackupSession> PrimaryRole::join(const std::string& backup) {
    const std::scoped_lock lock{mutex_};
    if (is_fenced_ || !acknowledgements_.joined(backup, Clock::now())) return nullptr;
    const std::uint64_t number = next_session_++;
    sessions_[backup] = number;
    tell_thread();
    return std::make_shared<Session>(*this, backup, number);
}

void PrimaryRole::fence() {
    const std::scoped_lock lock{mutex_};
    is_fenced_ = true;
    tell_thread();
}

Tail PrimaryRole::tail() const {
    std::uint64_t number = 0;
    {
        const std::scoped_lock lock{mutex_};
        // Before this process began it may have shown what it had then.
        number = std::max(acknowledgements_.shown(), kept_at_start_);
    }
    const auto header = chain_.kept_header(number);
    HEDDLE_ASSERT(header.has_value() && header->has_value());
    return {epoch_of((*header)->header.extra_data), number, (*header)->hash};
}

PrimaryRole::Status PrimaryRole::status() const {
    const std::scoped_lock lock{mutex_};
    Status status;
    status.condition = is_fenced_                        ? "fenced"
                       : acknowledgements_.is_stopped()  ? "stopped"
                       : acknowledgements_.is_degraded() ? "degraded"
                                                         : "good";
    status.backups = acknowledgements_.backups();
    status.lost_backups = lost_backups_;
    return status;
}

void PrimaryRole::run(const std::stop_token& stop) {
    std::uint64_t told = chain_.head().header.number;
    std::unique_lock lock{mutex_};
    while (!stop.stop_requested()) {
        has_news_ = false;
        acknowledgements_.tick(Clock::now());
        const auto events = acknowledgements_.take_events();
        const std::uint64_t shown = is_fenced_ ? told : acknowledgements_.shown();
        if (!events.empty() || shown != told) {
            lost_backups_ += static_cast<std::uint64_t>(
                std::ranges::count(events, ReplicationEvent::Kind::lost, &ReplicationEvent::kind));
            changed_.notify_all();  // whoever waits for room
            lock.unlock();
            log(events);
            if (shown != told) {
                files_.note_shown(shown);
                chain_.show_up_to(shown);
            }
            told = shown;
            lock.lock();
            continue;
        }
        const auto next = acknowledgements_.next_tick();
        const auto has_news = [this] { return has_news_; };
        if (next.has_value())
            (void)changed_.wait_until(lock, stop, *next, has_news);
        else
            (void)changed_.wait(lock, stop, has_news);
    }
}

void PrimaryRole::log(const std::vector<ReplicationEvent>& events) {
    using Kind = ReplicationEvent::Kind;
    auto& log = logger(Component::consensus);
    for (const ReplicationEvent& event : events) {
        switch (event.kind) {
            case Kind::joined:
                log.info("backup {} is connected", event.backup);
                break;
            case Kind::left:
                log.warn("backup {} is gone; it has block {}", event.backup, event.number);
                break;
            case Kind::lost:
                log.warn("backup {} has said nothing for {} ms: it is lost; it has block {}",
                         event.backup, options_.timeout.count(), event.number);
                break;
            case Kind::returned:
                log.info("backup {} is back", event.backup);
                break;
            case Kind::degraded:
                log.error(
                    "block {} has waited {} ms for {} acknowledgements: from now on blocks are "
                    "shown without any (replication.on_timeout is degrade), and what is lost with "
                    "this machine is lost",
                    event.number, options_.timeout.count(), options_.acks);
                break;
            case Kind::stopped:
                log.error(
                    "block {} has waited {} ms for {} acknowledgements: no more is made, and no "
                    "transaction taken, until it has them (replication.on_timeout is stop)",
                    event.number, options_.timeout.count(), options_.acks);
                break;
            case Kind::restored:
                log.info("up to block {} everything is acknowledged: it goes on as before",
                         event.number);
                break;
        }
    }
}

}  // namespace heddle::node::replication
