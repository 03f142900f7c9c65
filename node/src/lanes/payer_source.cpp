// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "lanes/payer_source.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <types/expected.hpp>

#include "logging/log.hpp"
#include "program/error.hpp"

namespace heddle::node::lanes {
namespace {

/// CometBFT waits meanwhile, and whatever else comes to the lane.
constexpr std::chrono::milliseconds kTimeout{1'000};
constexpr std::chrono::seconds kRest{5};
constexpr std::size_t kMostAnswerBytes = std::size_t{64} << 10;
/// With two questions each and one about the chain: what a node answers at once, for larger batches
/// may wait there behind calls that take long (rpc.heavy_calls).
constexpr std::size_t kMostAtOnce = 7;

follow::ConnectionLimits limits() {
    follow::ConnectionLimits limits;
    limits.timeout = kTimeout;
    limits.max_answer_bytes = kMostAnswerBytes;
    return limits;
}

}  // namespace

PayerSource::PayerSource(const std::vector<follow::Endpoint>& nodes, std::uint64_t chain_id,
                         std::stop_token stop)
    : chain_id_(chain_id), stop_(std::move(stop)) {
    for (const follow::Endpoint& node : nodes)
        nodes_.push_back({std::make_unique<follow::RpcCaller>(node, limits(), stop_)});
}

std::optional<std::vector<AccountState>> PayerSource::look_up(std::span<const Address> addresses) {
    const Clock::time_point now = Clock::now();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const std::size_t number = (preferred_ + i) % nodes_.size();
        Node& node = nodes_[number];
        if (now < node.rests_until) continue;
        auto states = ask_all(*node.caller, addresses);
        if (states.has_value()) {
            preferred_ = number;
            node.said.clear();
            if (!std::exchange(is_answered_, true))
                logger(Component::consensus).info("nodes say again who can pay");
            return *std::move(states);
        }
        if (stop_.stop_requested()) return std::nullopt;
        node.rests_until = Clock::now() + kRest;
        if (std::exchange(node.said, states.error()) != states.error())
            logger(Component::consensus).warn("is not asked who can pay: {}", states.error());
    }
    if (std::exchange(is_answered_, false))
        logger(Component::consensus)
            .warn("no node says who can pay (nodes in lane.json): whoever signs is let in");
    return std::nullopt;
}

std::expected<std::vector<AccountState>, std::string> PayerSource::ask_all(
    follow::RpcCaller& caller, std::span<const Address> addresses) const {
    std::vector<AccountState> states;
    while (!addresses.empty()) {
        const std::size_t count = std::min(addresses.size(), kMostAtOnce);
        HEDDLE_TRY(const std::vector<AccountState> some, ask(caller, addresses.first(count)));
        states.insert(states.end(), some.begin(), some.end());
        addresses = addresses.subspan(count);
    }
    return states;
}

std::expected<std::vector<AccountState>, std::string> PayerSource::ask(
    follow::RpcCaller& caller, std::span<const Address> addresses) const try {
    std::vector<follow::Question> questions{{"eth_chainId", "[]"}};
    for (const Address& address : addresses) {
        const std::string params = fmt::format(R"(["{}","latest"])", to_string(address));
        questions.push_back({"eth_getTransactionCount", params});
        questions.push_back({"eth_getBalance", params});
    }
    const auto answers = caller.call_all(questions);
    if (!answers.has_value()) return std::unexpected(answers.error().sentence);
    for (std::size_t i = 0; i < answers->size(); ++i)
        if (const auto& answer = (*answers)[i]; !answer.has_value())
            return std::unexpected(caller.refusal(questions[i].method, answer.error()).sentence);
    if (const std::uint64_t chain_id = (*answers)[0]->uint64(); chain_id != chain_id_)
        return std::unexpected(fmt::format("{} is of chain {}, and not of {}",
                                           caller.connection().endpoint().name(), chain_id,
                                           chain_id_));
    std::vector<AccountState> states;
    for (std::size_t i = 1; i < answers->size(); i += 2)
        states.push_back({(*answers)[i]->uint64(), (*answers)[i + 1]->uint256()});
    return states;
} catch (const InputError& problem) {
    return std::unexpected(std::string{problem.what()});
}

}  // namespace heddle::node::lanes
