// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/comet_monitor.hpp"

#include <memory>
#include <string_view>
#include <utility>

#include "logging/log.hpp"

namespace heddle::node {
namespace {

using consensus_adapter::cometbft::CometRpc;
using consensus_adapter::cometbft::CometStatus;

bool is_supported(std::string_view version) {
    if (version.starts_with('v')) version.remove_prefix(1);
    for (const std::string_view series : {"0.38.", "0.39.", "0.40."})
        if (version.starts_with(series)) return true;
    return false;
}

CometMonitor::Ask asking(CometRpc rpc) {
    // Shared because a std::function is copied; only the monitor's thread uses it.
    const auto shared = std::make_shared<CometRpc>(std::move(rpc));
    return [shared] { return shared->status(); };
}

}  // namespace

CometMonitor::CometMonitor(Ask ask, CometMonitorOptions options)
    : ask_(std::move(ask)), options_(std::move(options)), thread_([this] { run(); }) {}

CometMonitor::CometMonitor(CometRpc rpc, CometMonitorOptions options)
    : CometMonitor(asking(std::move(rpc)), std::move(options)) {}

CometMonitor::~CometMonitor() {
    stop();
}

void CometMonitor::stop() {
    {
        const std::scoped_lock lock{mutex_};
        is_stopped_ = true;
    }
    wakeup_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void CometMonitor::run() {
    std::unique_lock lock{mutex_};
    while (!is_stopped_) {
        lock.unlock();
        take(ask_());
        lock.lock();
        wakeup_.wait_for(lock, options_.interval, [this] { return is_stopped_; });
    }
}

void CometMonitor::check_identity(const CometStatus& status) {
    if (std::exchange(checked_version_, status.version) == status.version) return;
    auto& log = logger(Component::consensus);
    if (!is_supported(status.version))
        log.warn("CometBFT says it is {}; this node knows 0.38 to 0.40", status.version);
    if (!options_.network.empty() && status.network != options_.network)
        log.warn(
            "CometBFT is of the network {}, this node of {}: is cometbft.rpc the address of "
            "its own CometBFT?",
            status.network, options_.network);
}

void CometMonitor::take(std::expected<CometStatus, CometError> answer) {
    auto& log = logger(Component::consensus);
    const CometView before = view();
    const bool is_first = !std::exchange(was_asked_, true);
    CometView now = before;
    now.is_reachable = answer.has_value();
    if (!answer.has_value()) {
        if (before.is_reachable || is_first) log.warn("{}", to_string(answer.error()));
        now.error = to_string(answer.error());
    } else {
        const CometStatus& status = *answer;
        now.error.clear();
        now.at = std::chrono::steady_clock::now();
        if (!before.is_reachable)
            log.info("CometBFT {} of network {} is at height {} with {} peers", status.version,
                     status.network, status.latest_height, status.peers);
        check_identity(status);
        const bool was_catching_up = before.status.is_catching_up;
        if (status.is_catching_up && !was_catching_up) {
            now.catching_up_from = status.latest_height;
            log.info("CometBFT is catching up from height {}", status.latest_height);
        } else if (!status.is_catching_up && was_catching_up) {
            log.info("CometBFT has caught up at height {}", status.latest_height);
        }
        now.status = *std::move(answer);
    }
    const std::scoped_lock lock{mutex_};
    view_ = std::move(now);
}

CometView CometMonitor::view() const {
    const std::scoped_lock lock{mutex_};
    return view_;
}

std::uint64_t CometMonitor::peers() const {
    const std::scoped_lock lock{mutex_};
    return view_.is_reachable ? view_.status.peers : 0;
}

bool CometMonitor::is_listening() const {
    const std::scoped_lock lock{mutex_};
    return view_.is_reachable;
}

std::optional<SyncProgress> CometMonitor::catching_up() const {
    const std::scoped_lock lock{mutex_};
    if (!view_.status.is_catching_up) return std::nullopt;
    return SyncProgress{view_.catching_up_from, view_.status.latest_height};
}

}  // namespace heddle::node
