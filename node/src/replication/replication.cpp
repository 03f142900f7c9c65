// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "replication/replication.hpp"

#include <algorithm>
#include <future>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <consensus_adapter/replication/epoch.hpp>

#include "follow/rpc_caller.hpp"
#include "logging/log.hpp"
#include "program/error.hpp"

namespace heddle::node::replication {
namespace {

using consensus_adapter::replication::AcknowledgementOptions;
using consensus_adapter::replication::epoch_of;
using consensus_adapter::replication::is_too_far;
using consensus_adapter::replication::may_lead;
using consensus_adapter::replication::Promise;
using consensus_adapter::replication::Refusal;
using consensus_adapter::replication::Role;

constexpr int kServerError = -32'000;
/// For questions that nobody waits for.
constexpr std::chrono::milliseconds kLook{1'000};

AcknowledgementOptions acknowledgement_options(const ReplicationSettings& settings) {
    AcknowledgementOptions options;
    for (const std::string& member : settings.membership.members)
        if (member != settings.membership.name) options.backups.push_back(member);
    options.acks = settings.membership.acks;
    options.on_timeout = settings.on_timeout;
    options.timeout = settings.timeout;
    options.window = settings.window;
    return options;
}

std::string refusal_text(const MemberState& state, Refusal refusal) {
    return fmt::format("{}: this member is {} in epoch {}, whose leader is {}", to_string(refusal),
                       state.role == Role::primary ? "the primary" : "a backup", state.epoch,
                       state.leader);
}

/// One question to one member. What another one answers there is not its word: whoever stands at
/// two addresses of the list would promise twice.
std::expected<MemberStatus, std::string> ask(
    const std::pair<const std::string, follow::Endpoint>& member, follow::ConnectionLimits limits,
    std::stop_token stop, std::string_view method, const std::string& params) {
    const auto& [name, endpoint] = member;
    follow::RpcCaller caller(endpoint, limits, std::move(stop));
    const auto answer = caller.call({method, params});
    if (!answer.has_value()) return std::unexpected(answer.error().sentence);
    try {
        MemberStatus status = parse_member_status(*answer);
        if (status.member == name) return status;
        return std::unexpected(fmt::format("{}: is member {}, not {}", endpoint.name(),
                                           status.member.substr(0, 100), name));
    } catch (const InputError& problem) {
        return std::unexpected(fmt::format("{}: {}", endpoint.name(), problem.what()));
    }
}

}  // namespace

Replication::Replication(ReplicationSettings settings, Chain& chain, Mempool& mempool,
                         const KeptMember& kept, ReplicationEvents events)
    : settings_(std::move(settings)),
      chain_(chain),
      mempool_(mempool),
      files_(kept.files),
      member_(settings_.membership, kept.state, kept.files),
      events_(std::move(events)),
      was_primary_(kept.state.role == Role::primary) {
    if (was_primary_)
        primary_ = std::make_unique<PrimaryRole>(
            chain, kept.files, acknowledgement_options(settings_), kept.state.epoch);
}

Replication::~Replication() {
    stop();
}

void Replication::start(follow::ChainStreamOptions stream) {
    if (was_primary_) {
        watch_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
        return;
    }
    auto made = std::make_unique<follow::ChainStream>(chain_, mempool_, std::move(stream));
    const std::scoped_lock lock{changing_};
    {
        const std::scoped_lock guard{mutex_};  // others look at it
        stream_ = std::move(made);
    }
    start_link();
}

void Replication::stop() {
    stop_.request_stop();
    {
        const std::scoped_lock lock{mutex_};
        if (relay_) relay_->stop();
    }
    watch_.request_stop();
    if (watch_.joinable()) watch_.join();
    const std::scoped_lock lock{changing_};
    stop_link();
    if (primary_) primary_->stop();
}

bool Replication::misses_backups() const {
    return !std::ranges::all_of(primary_->status().backups, &BackupStatus::is_connected);
}

void Replication::watch(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        {
            std::unique_lock lock{mutex_};
            (void)wakeup_.wait_for(lock, stop, settings_.timeout, [] { return false; });
        }
        if (!stop.stop_requested() && misses_backups()) look_around();
    }
}

void Replication::be_fenced() {
    const MemberState now = member_.state();
    primary_->fence();
    logger(Component::consensus)
        .error("epoch {} is led by {}: this member is fenced", now.epoch, now.leader);
    events_.on_restart(std::nullopt);
}

void Replication::look_around() {
    if (!was_primary_ || member_.state().role != Role::primary) return;
    const MemberState own = member_.state();
    bool is_unknown = false;
    for (const auto& [name, status] : ask_others("heddle_replication", "[]", kLook)) {
        if (!status.has_value()) continue;
        if (status->state.epoch > own.epoch) {
            const Refusal refusal = member_.admit(status->state).error();
            if (refusal == Refusal::epoch_too_far || refusal == Refusal::not_member) {
                logger(Component::consensus)
                    .error("{} takes {} for the leader of epoch {}: {}", name, status->state.leader,
                           status->state.epoch, to_string(refusal));
                continue;
            }
            return be_fenced();
        }
        if (status->state.epoch == own.epoch && status->state.leader != own.leader) {
            // Two configurations name two leaders of epoch 1, or different members: an epoch that
            // was promoted to belongs to one member alone.
            primary_->fence();
            logger(Component::consensus)
                .error(
                    "{} takes {} for the leader of epoch {}, and this is {}: no block is made. "
                    "replication.primary and members must be the same at every member",
                    name, status->state.leader, own.epoch, own.leader);
            return;
        }
        is_unknown = is_unknown || status->state.epoch < own.epoch;
    }
    if (is_unknown) (void)ask_others("heddle_promise", promise_params(own.epoch), kLook);
}

void Replication::start_link() {
    const std::string leader = member_.state().leader;
    if (was_primary_ || stop_.stop_requested() || leader == settings_.membership.name) return;
    // Members may ask before start(), which then follows whoever leads.
    if (!stream_) return;
    const follow::Endpoint& endpoint = settings_.addresses.at(leader);
    BackupLinkOptions options;
    options.leader = leader;
    options.endpoint = endpoint;
    options.limits = settings_.limits;
    options.timeout = settings_.timeout;
    options.on_other_branch = [this](std::uint64_t common) { events_.on_restart(common); };
    options.on_failure = events_.on_failure;
    auto relay = std::make_shared<follow::TransactionRelay>(endpoint, settings_.limits);
    auto link = std::make_unique<BackupLink>(chain_, files_, *stream_, member_, std::move(options));
    const std::scoped_lock lock{mutex_};
    relay_ = std::move(relay);
    link_ = std::move(link);
}

void Replication::stop_link() {
    std::unique_ptr<BackupLink> link;
    std::shared_ptr<follow::TransactionRelay> relay;
    {
        const std::scoped_lock lock{mutex_};
        link = std::move(link_);
        relay = std::move(relay_);
        if (link) leader_head_ = std::max(leader_head_, link->status().leader_head);
    }
    if (relay) relay->stop();
    if (link) link->stop();
}

void Replication::take_part() {
    const bool is_primary = member_.state().role == Role::primary;
    if (is_primary != was_primary_) return events_.on_restart(std::nullopt);
    start_link();
}

Tail Replication::tail() const {
    if (primary_) return primary_->tail();
    const ledger::StoredHeader head = chain_.kept_head();
    return {epoch_of(head.header.extra_data), head.header.number, head.hash};
}

Replication::Health Replication::health() const {
    Health health;
    health.is_primary = was_primary_;
    if (primary_) {
        const PrimaryRole::Status status = primary_->status();
        health.condition = status.condition;
        health.lost_backups = status.lost_backups;
        return health;
    }
    const std::scoped_lock lock{mutex_};
    const LinkStatus link = link_ ? link_->status() : LinkStatus{};
    health.link_error = link.error;
    health.condition = link.is_diverged ? "diverged" : link.is_connected ? "good" : "alone";
    return health;
}

MemberStatus Replication::status() const {
    MemberStatus status;
    status.member = settings_.membership.name;
    status.state = member_.state();
    status.tail = tail();
    status.kept = chain_.kept_head().header.number;
    status.shown = chain_.head().header.number;
    status.condition = health().condition;
    if (primary_) status.backups = primary_->status().backups;
    return status;
}

std::optional<executor::MemoryUse> Replication::executor_memory() const {
    const std::scoped_lock lock{mutex_};
    if (!stream_) return std::nullopt;
    return stream_->executor_memory();
}

std::expected<void, MemberRefusal> Replication::check_members(const Membership& theirs) const {
    const Membership& ours = settings_.membership;
    if (!ours.has(theirs.name) || theirs.name == ours.name)
        return std::unexpected(
            fmt::format("{} is none of the other members: {}", theirs.name, ours.members));
    if (theirs.members != ours.members || theirs.acks != ours.acks)
        return std::unexpected(fmt::format(
            "replication.members and acks must be the same at every member: here they are {} and "
            "{}, there {} and {}",
            ours.members, ours.acks, theirs.members, theirs.acks));
    return {};
}

auto Replication::admit(const ReplicateRequest& request)
    -> std::expected<Admission, MemberRefusal> {
    if (const auto same = check_members(request.membership); !same.has_value())
        return std::unexpected(same.error());
    if (request.genesis != chain_.ledger().block_hash(0))
        return std::unexpected(fmt::format("the genesis block is {} here and {} there",
                                           to_string(chain_.ledger().block_hash(0)),
                                           to_string(request.genesis)));
    const auto admitted = member_.admit(request.state);
    if (!admitted.has_value()) {
        const MemberState now = member_.state();
        if (primary_ && now.role != Role::primary) {
            be_fenced();
        }
        return std::unexpected(refusal_text(now, admitted.error()));
    }
    if (!primary_) return std::unexpected("this member is about to lead: ask again");
    Admission admission;
    admission.member = settings_.membership.name;
    // Not what state() says: whoever promises meanwhile changes that, and a backup that is told of
    // another's epoch would keep this member as its leader.
    admission.epoch = *admitted;
    for (const consensus_adapter::BlockId& block : request.locator) {
        const auto header = chain_.kept_header(block.number);
        if (!header.has_value() || !header->has_value() || (*header)->hash != block.hash) continue;
        if (block != request.locator.front()) {
            admission.common = block.number;
            return admission;
        }
        admission.session = primary_->join(request.membership.name);
        if (!admission.session) return std::unexpected("this member is fenced: ask again");
        return admission;
    }
    return std::unexpected(
        "none of those blocks is on this chain: give the backup a snapshot of another member");
}

auto Replication::promise(const PromiseRequest& request)
    -> std::expected<MemberStatus, MemberRefusal> {
    if (const auto same = check_members(request.membership); !same.has_value())
        return std::unexpected(same.error());
    if (request.candidate != request.membership.name)
        return std::unexpected("who asks for a promise is its candidate");
    // Two that ask each other must not wait for each other.
    const std::unique_lock lock{changing_, std::try_to_lock};
    if (!lock.owns_lock()) return std::unexpected("this member is changing its part: ask again");
    const MemberState before = member_.state();
    if (const auto may = member_.may_promise(request.epoch, request.candidate); !may.has_value())
        return std::unexpected(refusal_text(before, may.error()));
    if (request.epoch == before.epoch) {
        // It is known here already, and whoever heard of it may be about to fence this member: what
        // is answered must hold all that is ever shown.
        if (primary_ && before.role != Role::primary) primary_->fence();
        return status();
    }
    // Everything that is said in the old epoch has been said before the promise.
    if (primary_)
        primary_->fence();
    else
        stop_link();
    const auto promised = member_.promise(request.epoch, request.candidate);
    MemberStatus answer = status();
    if (promised.has_value())
        logger(Component::consensus)
            .warn("promised epoch {} to {}; the chain here ends with block {}", request.epoch,
                  request.candidate, answer.tail.number);
    // One whose disk failed is fenced until it is started again: nobody knows what was written.
    take_part();
    if (promised.has_value()) return answer;
    return std::unexpected(refusal_text(member_.state(), promised.error()));
}

std::string Replication::promise_params(std::uint64_t epoch) const {
    std::string params = "[";
    JsonWriter out{params, JsonWriter::Style::compact};
    write(PromiseRequest{epoch, settings_.membership.name, settings_.membership}, out);
    return params + "]";
}

auto Replication::ask_others(std::string_view method, const std::string& params,
                             std::chrono::milliseconds longest) const -> Statuses {
    follow::ConnectionLimits limits = settings_.limits;
    limits.timeout = std::min(limits.timeout, longest);
    std::vector<std::pair<std::string, std::future<std::expected<MemberStatus, std::string>>>>
        asked;
    for (const auto& address : settings_.addresses) {
        if (address.first == settings_.membership.name) continue;
        asked.emplace_back(address.first,
                           std::async(std::launch::async, [&, stop = stop_.get_token()] {
                               return ask(address, limits, stop, method, params);
                           }));
    }
    Statuses statuses;
    for (auto& [name, answer] : asked)
        statuses.emplace_back(name, answer.get());
    return statuses;
}

auto Replication::promote(bool forced) -> std::expected<Promotion, MemberRefusal> {
    const std::unique_lock lock{changing_, std::try_to_lock};
    if (!lock.owns_lock()) return std::unexpected("this member is changing its part: ask again");
    const Membership& membership = settings_.membership;
    if (was_primary_) return std::unexpected("this member is, or was just, the primary");
    const auto promises_of = [&](const Statuses& statuses) {
        std::vector<Promise> promises;
        for (const auto& [name, status] : statuses)
            if (status.has_value()) promises.push_back({name, status->tail});
        return promises;
    };
    const auto with_reasons = [](std::string sentence, const Statuses& statuses) {
        for (const auto& [name, status] : statuses)
            if (!status.has_value()) sentence += fmt::format("; {}: {}", name, status.error());
        return sentence;
    };

    // What could only fail is not begun: a promise that leads to nothing fences a good primary.
    const Statuses now = ask_others("heddle_replication", "[]", settings_.timeout);
    if (const auto may = may_lead(membership, tail(), promises_of(now)); !may && !forced)
        return std::unexpected(with_reasons(may.error(), now));
    const std::uint64_t own_epoch = member_.state().epoch;
    std::uint64_t epoch = own_epoch;
    for (const auto& [name, status] : now) {
        if (!status.has_value()) continue;
        const std::uint64_t theirs = status->state.epoch;
        if (!is_too_far(theirs, own_epoch))
            epoch = std::max(epoch, theirs);
        else if (!forced)
            return std::unexpected(fmt::format("{} is in epoch {}, and this member in {}: {}", name,
                                               theirs, own_epoch,
                                               to_string(Refusal::epoch_too_far)));
    }
    epoch = membership.next_epoch(epoch);

    stop_link();
    if (const auto own = member_.promise(epoch, membership.name); !own.has_value()) {
        start_link();
        return std::unexpected(refusal_text(member_.state(), own.error()));
    }
    const Statuses promised =
        ask_others("heddle_promise", promise_params(epoch), settings_.timeout);
    const std::vector<Promise> promises = promises_of(promised);
    Promotion promotion{epoch, tail(), {}, 0};
    if (const auto may = may_lead(membership, promotion.tail, promises); !may && !forced)
        return std::unexpected(with_reasons(may.error(), promised));
    if (const auto leads = member_.lead(epoch); !leads.has_value())
        return std::unexpected(refusal_text(member_.state(), leads.error()));
    for (const Promise& promise : promises)
        promotion.promised_by.push_back(promise.member);
    {
        const std::scoped_lock guard{mutex_};
        promotion.leader_head = leader_head_;
    }
    logger(Component::consensus)
        .warn("promoted: this member leads in epoch {}, after block {}; promised by {}", epoch,
              promotion.tail.number, fmt::join(promotion.promised_by, ", "));
    take_part();
    return promotion;
}

std::expected<Hash, SendError> Replication::send(BytesView encoded,
                                                 std::chrono::steady_clock::time_point deadline) {
    std::shared_ptr<follow::TransactionRelay> relay;
    {
        const std::scoped_lock lock{mutex_};
        relay = relay_;
    }
    if (!relay)
        return std::unexpected(
            SendError{kServerError, "no member leads: one of them is to be promoted", {}});
    return relay->send(encoded, deadline);
}

}  // namespace heddle::node::replication
