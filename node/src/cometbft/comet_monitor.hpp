// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What CometBFT says of peers and progress, asked for once a second by a thread of its own, so that
// nobody who wants to know waits for another process.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <expected>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <consensus_adapter/cometbft/comet_rpc.hpp>

#include "chain/network_view.hpp"

namespace heddle::node {

struct CometMonitorOptions {
    std::chrono::milliseconds interval = std::chrono::seconds{1};
    /// The chain id that CometBFT should have; empty: any.
    std::string network;
};

/// What is known of CometBFT.
struct CometView {
    bool is_reachable = false;
    consensus_adapter::cometbft::CometStatus status;          // the last one; default before
    std::string error;                                        // why it is not reachable
    std::optional<std::chrono::steady_clock::time_point> at;  // of that status
    std::uint64_t catching_up_from = 0;  // height when it was first seen to be catching up
};

/// It logs once when CometBFT becomes reachable or is so no more, and when it begins and ends to
/// catch up; what it says comes to nothing else. Thread safety: any.
class CometMonitor final : public NetworkView {
public:
    using CometError = consensus_adapter::cometbft::CometError;
    using CometStatus = consensus_adapter::cometbft::CometStatus;
    /// CometRpc::status(). Called from the monitor's thread.
    using Ask = std::function<std::expected<CometStatus, CometError>()>;

    explicit CometMonitor(Ask ask, CometMonitorOptions options = {});
    CometMonitor(consensus_adapter::cometbft::CometRpc rpc, CometMonitorOptions options);
    /// As stop().
    ~CometMonitor() override;
    CometMonitor(const CometMonitor&) = delete;
    CometMonitor& operator=(const CometMonitor&) = delete;

    [[nodiscard]] CometView view() const;
    /// Waits for the question that is being asked.
    void stop();

    [[nodiscard]] std::uint64_t peers() const override;
    [[nodiscard]] bool is_listening() const override;
    [[nodiscard]] std::optional<SyncProgress> catching_up() const override;

private:
    void run();
    void take(std::expected<CometStatus, CometError> answer);
    void check_identity(const CometStatus& status);

    const Ask ask_;
    const CometMonitorOptions options_;
    bool was_asked_ = false;       // of the thread
    std::string checked_version_;  // of the thread
    mutable std::mutex mutex_;
    std::condition_variable wakeup_;
    bool is_stopped_ = false;  // guarded by mutex_
    CometView view_;           // guarded by mutex_
    std::thread thread_;
};

}  // namespace heddle::node
