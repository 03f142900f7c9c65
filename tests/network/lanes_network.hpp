// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Lanes and nodes that merge them on this machine, as `heddle testnet --lanes` writes them, with a
// real CometBFT for each validator of a lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "network.hpp"
#include "process.hpp"
#include "program.hpp"

namespace heddle::test {

/// The one validator of a lane: its application and its CometBFT.
/// Thread safety: none.
class RunningLane {
public:
    RunningLane(std::filesystem::path home, std::string address);

    /// Starts what does not run.
    void start();
    void stop();
    [[nodiscard]] Process& application() { return *application_; }
    [[nodiscard]] Process& comet() { return *comet_; }
    /// A GET of its /health; empty: nobody answered.
    [[nodiscard]] std::string health() const;
    [[nodiscard]] std::string log() const { return read_text(home_ / "lane.txt"); }

private:
    const std::filesystem::path home_;
    const std::string address_;
    std::unique_ptr<Process> application_;
    std::unique_ptr<Process> comet_;
};

/// Thread safety: calls of nodes over the network from any thread; the rest one at a time.
class LanesNetwork {
public:
    /// Writes it; nothing runs yet. Throws where that fails.
    LanesNetwork(unsigned lanes, unsigned nodes);

    void start();
    void stop();
    /// Starts again what has ended, as supervisors would.
    /// @param stopped  A lane that is to stay as it is.
    void tend(std::optional<std::size_t> stopped = std::nullopt);
    [[nodiscard]] RunningLane& lane(std::size_t index) { return *lanes_.at(index); }
    [[nodiscard]] Validator& node(std::size_t index) { return *nodes_.at(index); }
    [[nodiscard]] std::size_t lanes() const noexcept { return lanes_.size(); }
    [[nodiscard]] std::size_t nodes() const noexcept { return nodes_.size(); }
    /// Waits until every node shows this block, and tends meanwhile.
    void wait_for_block(std::uint64_t number);
    [[nodiscard]] std::uint64_t least_head() const;
    /// Blocks from this one to the least head are the same everywhere. @return what is not; empty:
    /// they are.
    [[nodiscard]] std::string disagreement(std::uint64_t from = 1) const;
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return network_; }

private:
    const TemporaryFolder folder_;
    const std::filesystem::path network_;
    std::vector<std::unique_ptr<RunningLane>> lanes_;
    std::vector<std::unique_ptr<Validator>> nodes_;
};

}  // namespace heddle::test
