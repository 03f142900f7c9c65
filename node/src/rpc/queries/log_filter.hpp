// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which logs somebody asks for: by address and topics, in which blocks. Finding them is in
// log_search.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <types/address.hpp>
#include <types/hash.hpp>
#include <types/receipt.hpp>

#include "rpc/envelope/method.hpp"
#include "rpc/queries/block_selector.hpp"

namespace heddle::node::rpc {

/// Alternatives at one place: most of them in addresses, and in each topic.
inline constexpr std::size_t kMaxLogAlternatives = 1'000;

/// Immutable once it is made; reads from any thread.
class LogFilter {
public:
    LogFilter() = default;
    /// An empty list of addresses, and an empty one at a topic's place, mean any.
    LogFilter(std::vector<Address> addresses, std::vector<std::vector<Hash>> topics);

    [[nodiscard]] bool matches(const Log& log) const noexcept;
    /// Whether a block or receipt with this bloom may have such a log.
    [[nodiscard]] bool may_match(const LogsBloom& bloom) const noexcept;
    [[nodiscard]] const std::vector<Address>& addresses() const noexcept { return addresses_; }
    [[nodiscard]] const std::vector<std::vector<Hash>>& topics() const noexcept { return topics_; }
    /// Addresses and topics, for bounds of what is kept.
    [[nodiscard]] std::size_t size() const noexcept;

    /// The three bits of a bloom that one address or topic sets.
    using BloomBits = std::array<std::uint16_t, 3>;
    /// A bloom must have all the bits of one alternative of each of these.
    [[nodiscard]] const std::vector<std::vector<BloomBits>>& bloom_clauses() const noexcept {
        return clauses_;
    }

private:
    std::vector<Address> addresses_;         // ascending
    std::vector<std::vector<Hash>> topics_;  // each ascending
    std::vector<std::vector<BloomBits>> clauses_;
};

/// A filter and its blocks, as eth_getLogs and others are given them.
struct LogCriteria {
    LogFilter filter;
    std::optional<Hash> block_hash;
    std::optional<BlockSelector> from;
    std::optional<BlockSelector> to;
};
/// The parameter at `index`.
/// Errors: RpcError invalid_params, worded as geth words it where it does.
[[nodiscard]] LogCriteria log_criteria_argument(const Params& params, std::size_t index);

}  // namespace heddle::node::rpc
