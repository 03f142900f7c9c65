// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/member_engine.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include <types/counted.hpp>

#include <consensus_adapter/replication/epoch.hpp>
#include <ledger/maintenance.hpp>

#include "inputs/ledger_flags.hpp"
#include "inputs/maintenance_flags.hpp"
#include "logging/log.hpp"
#include "program/error.hpp"
#include "rpc/transport/jwt.hpp"
#include "service/node_options.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::replication::epoch_of;
using consensus_adapter::replication::first_state;
using consensus_adapter::replication::kEpochBytes;
using consensus_adapter::replication::MemberState;
using consensus_adapter::replication::OnTimeout;
using consensus_adapter::replication::with_epoch;

constexpr std::size_t kMaxName = 32;
constexpr std::size_t kMaxMembers = 16;
/// Below what proofs and simulated state roots can be made for (ledger::kProofBlocks).
constexpr std::uint64_t kMaxWindow = 100;
constexpr std::uint64_t kLeastHistory = 256;
constexpr std::size_t kMaxText = 32 - kEpochBytes;

bool is_name(std::string_view name) {
    return !name.empty() && name.size() <= kMaxName && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_';
    });
}

std::function<std::string()> authorization_of(const NodeConfig& config) {
    return [secret = jwt_secret(config)] {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        return "Bearer " +
               rpc::make_jwt(secret, std::chrono::duration_cast<std::chrono::seconds>(now));
    };
}

void read_members(const NodeConfig& config, replication::ReplicationSettings& settings) {
    if (config.replication.members.size() > kMaxMembers)
        fail_input("replication.members: at most {}", kMaxMembers);
    const auto authorization = authorization_of(config);
    for (const std::string& member : config.replication.members) {
        const std::size_t equals = std::min(member.find('='), member.size());
        const std::string name = member.substr(0, equals);
        if (equals == member.size() || !is_name(name))
            fail_input(
                "replication.members: {}: expected NAME=ws://HOST:PORT, the name of letters, "
                "digits, - and _",
                member);
        follow::Endpoint endpoint =
            follow::parse_endpoint(member.substr(equals + 1), "replication.members");
        if (!endpoint.is_websocket)
            fail_input("replication.members: {}: members speak over WebSocket, ws://HOST:PORT",
                       member);
        endpoint.authorization = authorization;
        settings.addresses.emplace(name, std::move(endpoint));
        settings.membership.members.push_back(name);
    }
    std::ranges::sort(settings.membership.members);
}

}  // namespace

bool is_replicated(const NodeConfig& config) {
    const std::string& mode = config.replication.mode;
    if (mode != "off" && mode != "async" && mode != "sync")
        fail_input("replication.mode: {}: expected off, async or sync", mode);
    return mode != "off";
}

replication::ReplicationSettings replication_settings(const NodeConfig& config) {
    const auto& wanted = config.replication;
    if (config.rpc.jwt_secret.empty())
        fail_input("rpc.jwt_secret: members of a replicated chain need it, the same at each");
    replication::ReplicationSettings settings;
    settings.membership.name = wanted.name;
    if (wanted.mode == "sync") {
        if (wanted.acks == 0) fail_input("replication.acks: 0: expected 1 or more with `sync`");
        settings.membership.acks = wanted.acks;
    }
    read_members(config, settings);
    if (const auto checked = check(settings.membership); !checked.has_value())
        fail_input("replication: {}", checked.error());
    settings.first_leader = wanted.primary;
    if (!settings.membership.has(wanted.primary))
        fail_input("replication.primary: {}: is not among the members", wanted.primary);
    settings.timeout =
        std::chrono::milliseconds{parse_milliseconds(wanted.timeout, "replication.timeout")};
    if (settings.timeout < std::chrono::milliseconds{100})
        fail_input("replication.timeout: {}: expected 100ms or more", wanted.timeout);
    if (wanted.on_timeout != "stop" && wanted.on_timeout != "degrade")
        fail_input("replication.on_timeout: {}: expected stop or degrade", wanted.on_timeout);
    settings.on_timeout = wanted.on_timeout == "stop" ? OnTimeout::stop : OnTimeout::degrade;
    if (wanted.window == 0 || wanted.window > kMaxWindow)
        fail_input("replication.window: {}: expected 1 to {}", wanted.window, kMaxWindow);
    settings.window = wanted.window;
    settings.limits.timeout = settings.timeout;
    settings.limits.max_answer_bytes = memory_plan(config).messages;
    return settings;
}

void check_replication(const NodeConfig& config, bool is_dev) {
    if (!is_replicated(config)) return;
    (void)replication_settings(config);
    if (is_dev) fail_input("replication.mode does not go with --dev: its data is gone at the end");
    if (engine_of(config) != Engine::solo)
        fail_input("replication.mode goes with consensus.engine = \"solo\"");
    if (config.ledger.sync != "block")
        fail_input(
            "ledger.sync: {}: expected `block` with replication: what is acknowledged is on the "
            "disk",
            config.ledger.sync);
    if (config.ledger.history < kLeastHistory)
        fail_input("ledger.history: {}: expected {} or more with replication",
                   config.ledger.history, kLeastHistory);
    if (config.consensus.extra_data.size() > kMaxText)
        fail_input("consensus.extra_data: is longer than the {} bytes that the epoch leaves of it",
                   kMaxText);
}

void take_back(const NodeConfig& config, std::uint64_t to) {
    LedgerFlags flags;
    flags.datadir = config.chain.datadir;
    flags.memory_mib = config.ledger.memory;
    StepProgress progress;
    const auto report = ledger::rollback(make_maintenance_options(flags, progress), to);
    if (!report.has_value()) throw StorageError(to_string(report.error()));
    logger(Component::chain)
        .warn("{} never acknowledged and taken back: the head is block {} {}",
              counted(report->from - report->to, "block"), report->to,
              to_string(report->head_hash));
}

MemberEngine::MemberEngine(const NodeConfig& config, Chain& chain, Mempool& mempool,
                           replication::ReplicationEvents events)
    : chain_(chain), files_(config.chain.datadir, config.replication.name) {
    replication::ReplicationSettings settings = replication_settings(config);
    auto state = files_.load();
    if (!state.has_value()) {
        state = first_state(settings.membership.name, settings.first_leader);
        if (!files_.save(*state)) throw StorageError("replication.state cannot be written");
    }
    epoch_ = state->epoch;
    const std::uint64_t kept = chain.kept_head().header.number;
    // A full window may be unacknowledged, and the first block of each leader's epoch beside it.
    const std::uint64_t noted =
        files_.shown().value_or(replication::shown_without_note(chain, kMaxWindow + kMaxMembers));
    const std::uint64_t shown =
        std::clamp(noted, std::min(chain.ledger().first_state(), kept), kept);
    if (noted < shown)
        logger(Component::consensus)
            .warn(
                "block {} is shown, for there is no earlier state here; nothing here says that "
                "it was acknowledged",
                shown);
    files_.note_shown(shown);
    files_.force_shown();
    if (const auto held = chain.hold_back(shown); !held.has_value())
        throw StorageError(to_string(held.error()));
    logger(Component::consensus)
        .info("member {} of {}: {} in epoch {}, whose leader is {}; block {}, of which {} is shown",
              settings.membership.name, settings.membership.members.size(), to_string(state->role),
              epoch_, state->leader, kept, shown);
    replication_ = std::make_unique<replication::Replication>(
        std::move(settings), chain, mempool, replication::KeptMember{files_, *state},
        std::move(events));
}

consensus_adapter::Application& MemberEngine::over(consensus_adapter::Application& application) {
    application_ =
        std::make_unique<replication::ReplicatedApplication>(application, *replication_->primary());
    return *application_;
}

Bytes MemberEngine::extra_data(BytesView text) const {
    return with_epoch(text, epoch_);
}

bool MemberEngine::begins_epoch() const {
    return epoch_of(chain_.kept_head().header.extra_data) != epoch_;
}

}  // namespace heddle::node
