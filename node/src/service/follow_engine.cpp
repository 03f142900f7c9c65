// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/follow_engine.hpp"

#include <algorithm>
#include <utility>

#include <types/counted.hpp>

#include "follow/rpc_origin.hpp"
#include "follow/stream_origin.hpp"
#include "logging/log.hpp"
#include "program/error.hpp"
#include "service/node_options.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::follow::FollowCounters;
using consensus_adapter::follow::Follower;
using consensus_adapter::follow::FollowError;
using consensus_adapter::follow::FollowOptions;
using consensus_adapter::follow::FollowStatus;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// How far behind each block is still worth a line of the log.
constexpr std::uint64_t kBlocksInTheLog = 8;
constexpr std::chrono::seconds kProgress{5};
/// For the first question, which keeps the node from starting.
constexpr milliseconds kFirstQuestion{3'000};

follow::ConnectionLimits relay_limits(const NodeConfig& config) {
    follow::ConnectionLimits limits = follow_limits(config);
    limits.timeout =
        std::min(limits.timeout,
                 milliseconds{parse_milliseconds(config.rpc.call_timeout, "rpc.call_timeout")});
    return limits;
}

/// `stream` with somebody who is told of each block.
follow::ChainStreamOptions telling(
    follow::ChainStreamOptions stream,
    std::function<void(const executor::BlockReport& report)> on_block) {
    stream.executor.on_block = std::move(on_block);
    return stream;
}

}  // namespace

void FollowEngine::check(const NodeConfig& config) {
    (void)follow_origin(config);
    (void)relay_limits(config);
    (void)follow_options(config);
}

FollowEngine::FollowEngine(const NodeConfig& config, NodeMetrics& metrics, FollowingParts parts,
                           std::function<void(const std::string&)> on_failure)
    : config_(config),
      metrics_(metrics),
      on_failure_(std::move(on_failure)),
      relay_(follow_origin(config), relay_limits(config)),
      stream_(parts.chain, parts.mempool,
              telling(std::move(parts.stream),
                      [this](const executor::BlockReport& report) { on_block(report); })) {}

FollowEngine::~FollowEngine() {
    stop();
}

void FollowEngine::check_origin() const {
    follow::ConnectionLimits limits = follow_limits(config_);
    limits.timeout = std::min(limits.timeout, kFirstQuestion);
    follow::RpcOrigin origin(follow_origin(config_), limits, {});
    const auto theirs = origin.identify();
    if (!theirs.has_value()) {
        logger(Component::consensus)
            .warn("{}; until it answers this node shows what it has", theirs.error().sentence);
        return;
    }
    const auto same = consensus_adapter::follow::check_identity(stream_.identity(), *theirs);
    if (!same.has_value())
        fail_input("follow.origin: {}: {}", follow_origin(config_).name(), same.error().sentence);
}

void FollowEngine::start() {
    FollowOptions options = follow_options(config_);
    options.on_news = [](const std::string& news) {
        logger(Component::consensus).info("{}", news);
    };
    options.on_retry = [](const FollowError& error, milliseconds pause) {
        logger(Component::consensus)
            .warn("{}; trying again in {} ms", error.sentence, pause.count());
    };
    options.on_failure = [this](const FollowError& error) { on_failure_(error.sentence); };
    auto make_origin =
        [endpoint = follow_origin(config_), limits = follow_limits(config_)](
            std::stop_token stop) -> std::unique_ptr<consensus_adapter::follow::Origin> {
        if (endpoint.is_websocket)
            return std::make_unique<follow::StreamOrigin>(endpoint, limits, stop);
        return std::make_unique<follow::RpcOrigin>(endpoint, limits, std::move(stop));
    };
    logger(Component::consensus).info("following {}", follow_origin(config_).name());
    auto follower = std::make_unique<Follower>(stream_, std::move(make_origin), std::move(options));
    const std::scoped_lock lock{mutex_};
    follower_ = std::move(follower);
}

void FollowEngine::stop() {
    relay_.stop();
    if (follower_) follower_->stop();
}

FollowStatus FollowEngine::status() const {
    const std::scoped_lock lock{mutex_};
    return follower_ ? follower_->status() : FollowStatus{};
}

FollowCounters FollowEngine::counters() const {
    const std::scoped_lock lock{mutex_};
    return follower_ ? follower_->counters() : FollowCounters{};
}

std::optional<SyncProgress> FollowEngine::catching_up() const {
    const FollowStatus now = status();
    if (now.final <= stream_.head().number) return std::nullopt;
    return SyncProgress{now.starting, now.final};
}

void FollowEngine::on_block(const executor::BlockReport& report) {
    metrics_.on_followed(report);
    ++blocks_since_;
    const std::uint64_t number = report.header.number;
    const std::uint64_t final = status().final;
    const Clock::time_point now = Clock::now();
    const bool is_near = number + kBlocksInTheLog >= final;
    if (is_near && blocks_since_ == 1)
        logger(Component::consensus)
            .info("block {} {}: {}, {} gas, {:.1f} ms", number, to_string(report.hash),
                  counted(report.transaction_count, "transaction"), report.header.gas_used,
                  static_cast<double>(report.timing.execution_ns + report.timing.verification_ns +
                                      report.timing.commit_ns) /
                      1e6);
    else if (is_near || now - last_progress_ >= kProgress)
        logger(Component::consensus)
            .info("block {} {}: {} more, {} to go", number, to_string(report.hash),
                  counted(blocks_since_, "block"), final - std::min(final, number));
    else
        return;
    blocks_since_ = 0;
    last_progress_ = now;
}

}  // namespace heddle::node
