// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The block that would come next if it were made now: with the transactions of the mempool that
// have room in it.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include <types/block.hpp>
#include <types/block_error.hpp>
#include <types/receipt.hpp>
#include <types/transaction_error.hpp>
#include <types/uint256.hpp>

#include "building/block_builder.hpp"
#include "rpc/envelope/method.hpp"
#include "rpc/queries/services.hpp"

namespace heddle::node::rpc {

/// Its header has the state root of the head: that of its own would keep the next commit waiting.
struct PendingBlock {
    Block block;
    std::vector<Hash> transaction_hashes;
    std::vector<Receipt> receipts;
    Uint256 blob_base_fee;  // wei; zero before Cancun
};
using SharedPendingBlock = std::shared_ptr<const PendingBlock>;

/// Executes them serially, which for a full block takes as long as a full block: only calls that
/// execute may ask (pending_weight()). What was made is given to all who ask while head and pool
/// are the same, for a second; on a development chain it is made for each.
/// Thread safety: any.
class PendingBlocks {
public:
    /// What it borrows of the services outlives it.
    explicit PendingBlocks(const Services& services) : services_(services) {}

    /// Errors: RpcError where no block can be made, the state of the head cannot be had, or the
    /// deadline has passed.
    [[nodiscard]] SharedPendingBlock get(const Call& call);
    /// The same, but for chains on which no block can be made: a system call at its beginning or
    /// end fails.
    [[nodiscard]] std::expected<SharedPendingBlock, BlockError> find(const Call& call);

private:
    using Clock = std::chrono::steady_clock;
    /// What it was made of.
    struct Basis {
        Hash head;
        std::uint64_t pool_changes = 0;
        bool operator==(const Basis&) const = default;
    };
    [[nodiscard]] Basis basis() const;
    [[nodiscard]] std::expected<SharedPendingBlock, BlockError> make(const Call& call) const;

    const Services services_;
    std::mutex mutex_;  // guards what follows
    Basis basis_;
    Clock::time_point made_at_;
    SharedPendingBlock made_;
};
using SharedPendingBlocks = std::shared_ptr<PendingBlocks>;

/// As BlockBuilder::add(). What it executes counts for the call, whatever becomes of the block.
[[nodiscard]] std::expected<void, TransactionError> add_counted(BlockBuilder& builder,
                                                                const Transaction& tx,
                                                                const Call& call);

/// What a call costs whose block may be the pending one: it executes where the parameters can mean
/// that, and reads otherwise.
[[nodiscard]] Weight pending_weight(std::string_view params);

}  // namespace heddle::node::rpc
