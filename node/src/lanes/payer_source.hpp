// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Asks nodes what accounts have at their heads: the one that answered last, then the others. One
// that did not answer, or is of another chain, rests for a while, so that those who wait for an
// answer do not wait for it again each time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <types/address.hpp>

#include "follow/endpoint.hpp"
#include "follow/rpc_caller.hpp"
#include "lanes/payer_book.hpp"

namespace heddle::node::lanes {

/// Thread safety: one caller at a time; a requested stop ends a call.
class PayerSource {
public:
    PayerSource(const std::vector<follow::Endpoint>& nodes, std::uint64_t chain_id,
                std::stop_token stop);

    /// As PayerBook::LookUp.
    [[nodiscard]] std::optional<std::vector<AccountState>> look_up(
        std::span<const Address> addresses);

private:
    using Clock = std::chrono::steady_clock;
    struct Node {
        std::unique_ptr<follow::RpcCaller> caller;
        Clock::time_point rests_until{};
        std::string said{};  // what was wrong with it the last time; logged once
    };

    /// Errors: why it is not believed.
    [[nodiscard]] std::expected<std::vector<AccountState>, std::string> ask_all(
        follow::RpcCaller& caller, std::span<const Address> addresses) const;
    [[nodiscard]] std::expected<std::vector<AccountState>, std::string> ask(
        follow::RpcCaller& caller, std::span<const Address> addresses) const;

    const std::uint64_t chain_id_;
    const std::stop_token stop_;
    std::vector<Node> nodes_;
    std::size_t preferred_ = 0;
    bool is_answered_ = true;  // the last time
};

}  // namespace heddle::node::lanes
