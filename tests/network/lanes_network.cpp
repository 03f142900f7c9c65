// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes_network.hpp"

#include <algorithm>
#include <csignal>
#include <stdexcept>
#include <utility>

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint16_t kLanePort = 8600;

}  // namespace

RunningLane::RunningLane(fs::path home, std::string address)
    : home_(std::move(home)), address_(std::move(address)) {}

void RunningLane::start() {
    if (!application_ || !application_->is_running())
        application_ = std::make_unique<Process>(
            std::vector<std::string>{HEDDLE_PROGRAM, "lane", "--home", home_.native()},
            home_ / "lane.txt");
    if (!comet_ || !comet_->is_running())
        comet_ = std::make_unique<Process>(
            std::vector<std::string>{*find_cometbft(), "start", "--home",
                                     (home_ / "cometbft").native(), "--proxy_app",
                                     "tcp://" + address_ + ":26658"},
            home_ / "comet.txt");
}

void RunningLane::stop() {
    if (comet_) (void)comet_->end(SIGTERM);
    if (application_) (void)application_->end(SIGTERM);
}

std::string RunningLane::health() const {
    return http_exchange(address_, kLanePort, "/health");
}

LanesNetwork::LanesNetwork(unsigned lanes, unsigned nodes) : network_(folder_.path() / "net") {
    const std::vector<std::string> addresses = private_addresses(lanes + nodes);
    std::string list;
    for (const std::string& address : addresses)
        list += (list.empty() ? "" : ",") + address;
    const ProgramResult written =
        run_program({"testnet", "--lanes", std::to_string(lanes), "--validators", "1", "--nodes",
                     std::to_string(nodes), "--out", network_.native(), "--addresses", list,
                     "--block-interval", "250ms"});
    if (written.exit_code != 0)
        throw std::runtime_error("heddle testnet --lanes: " + written.error);
    for (unsigned i = 0; i < nodes; ++i)
        nodes_.push_back(std::make_unique<Validator>(
            network_ / ("node" + std::to_string(i + 1)), addresses[i], "",
            std::vector<std::string>{"ledger.memory=64", "executor.workers=2"}));
    for (unsigned i = 0; i < lanes; ++i)
        lanes_.push_back(std::make_unique<RunningLane>(
            network_ / ("lane" + std::to_string(i) + "-validator1"), addresses[nodes + i]));
}

void LanesNetwork::start() {
    for (const auto& lane : lanes_)
        lane->start();
    for (const auto& node : nodes_)
        node->start_node();
}

void LanesNetwork::stop() {
    for (const auto& node : nodes_)
        (void)node->node().end(SIGTERM);
    for (const auto& lane : lanes_)
        lane->stop();
}

void LanesNetwork::tend(std::optional<std::size_t> stopped) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        if (i == stopped) continue;
        const auto& lane = lanes_[i];
        // Without its application CometBFT ends, but sometimes hangs on the way.
        if (!lane->application().is_running()) (void)lane->comet().end(SIGKILL);
        lane->start();
    }
    for (const auto& node : nodes_)
        if (!node->node().is_running()) node->start_node();
}

void LanesNetwork::wait_for_block(std::uint64_t number) {
    wait_until([&] {
        tend();
        return least_head() >= number;
    });
}

std::uint64_t LanesNetwork::least_head() const {
    std::uint64_t least = ~std::uint64_t{0};
    for (const auto& node : nodes_)
        least = std::min(least, node->head().value_or(0));
    return least;
}

std::string LanesNetwork::disagreement(std::uint64_t from) const {
    const std::uint64_t last = least_head();
    if (last < from) return "there is no block";
    for (std::uint64_t number = from; number <= last; ++number) {
        const auto expected = nodes_.front()->block_hash(number);
        for (const auto& node : nodes_)
            if (!expected.has_value() || node->block_hash(number) != expected)
                return "block " + std::to_string(number) + " is another one at " + node->address();
    }
    return {};
}

}  // namespace heddle::test
