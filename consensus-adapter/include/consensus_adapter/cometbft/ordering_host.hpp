// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// An application of CometBFT that orders items and executes nothing: what the ABCI server asks of
// it. Which items are any good, and where they are kept, is the host's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include <types/bytes.hpp>

#include <consensus_adapter/cometbft/abci_host.hpp>

namespace heddle::consensus_adapter::cometbft {

/// Of the codes of an OrderingHost, in CometBFT's words.
inline constexpr const char* kOrderingCodespace = "heddle-lane";
/// The code of an item that is in the order already: whoever hands it in is done.
inline constexpr std::uint32_t kThereAlready = 7;

/// What is kept of the order (ABCI Info).
struct OrderedHead {
    std::uint64_t height = 0;
    Bytes app_hash;  // empty at height 0
};

/// The height that is being decided.
struct OrderingTurn {
    std::uint64_t height = 0;
    std::uint64_t time_ms = 0;  // CometBFT's block time, since 1970
};

/// A decided height.
struct OrderedItems {
    std::vector<bool> is_good;  // of each item, part of what validators agree on
    Bytes app_hash;
};

/// Thread safety: committed() and check_all() from any thread; the others one caller at a time,
/// beside those two.
class OrderingHost {
public:
    OrderingHost() = default;
    virtual ~OrderingHost() = default;
    OrderingHost(const OrderingHost&) = delete;
    OrderingHost& operator=(const OrderingHost&) = delete;
    OrderingHost(OrderingHost&&) = delete;
    OrderingHost& operator=(OrderingHost&&) = delete;

    [[nodiscard]] virtual OrderedHead committed() const = 0;
    /// Height 1 follows. Errors: this host cannot be part of that network: why and what to do.
    [[nodiscard]] virtual std::expected<void, std::string> begin(const ChainStart& start) = 0;
    /// Whether items may wait for a place in the order, now or still (CheckTx): those that came
    /// together.
    /// @return the gas limit of each.
    [[nodiscard]] virtual std::vector<std::expected<std::uint64_t, Refusal>> check_all(
        std::span<const BytesView> items) = 0;
    /// What the next height is to be.
    /// @param pending    CometBFT's mempool, in its order.
    /// @param max_bytes  Most bytes together.
    [[nodiscard]] virtual std::vector<Bytes> propose(const OrderingTurn& turn,
                                                     std::span<const BytesView> pending,
                                                     std::size_t max_bytes) = 0;
    /// Whether somebody's proposal may be decided. Errors: why not.
    [[nodiscard]] virtual std::expected<void, std::string> judge(
        const OrderingTurn& turn, std::span<const BytesView> items) = 0;
    /// Takes what was decided; nothing is kept. Whatever is in it, it is the next height.
    /// Errors: why it cannot be kept.
    [[nodiscard]] virtual std::expected<OrderedItems, std::string> finalize(
        const OrderingTurn& turn, std::span<const BytesView> items) = 0;
    /// Keeps the height of the last finalize(), on the disk.
    /// @return the first height that CometBFT has to keep; 0: all of them. Errors: why it cannot.
    [[nodiscard]] virtual std::expected<std::uint64_t, std::string> commit() = 0;
};

}  // namespace heddle::consensus_adapter::cometbft
