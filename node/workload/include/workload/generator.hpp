// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The endless stream of signed transactions of a workload. A pure function of its options and the
// base fees it is told: same seed, same bytes, on every machine.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <types/transaction.hpp>
#include <types/uint256.hpp>

#include <workload/options.hpp>
#include <workload/random.hpp>
#include <workload/world.hpp>

namespace heddle::workload {

/// Largest gas limit of any transaction the generator makes, but for gas_factor().
inline constexpr std::uint64_t kMaxGasLimit = 1'600'000;
/// How much more gas than before a transaction is given where what it adds to the state has a price
/// of its own (EIP-8037): new accounts, slots and code are up to nine times as dear.
[[nodiscard]] constexpr std::uint64_t gas_factor(Revision revision) noexcept {
    return revision >= Revision::amsterdam ? 10 : 1;
}

/// Thread safety: one thread at a time.
class Generator {
public:
    /// `options` must be within the bounds of options.hpp.
    explicit Generator(const Options& options);

    [[nodiscard]] const World& world() const noexcept { return world_; }
    [[nodiscard]] const Options& options() const noexcept { return options_; }
    /// The allocation for make_genesis(). It is large and the generator has no use for it, so it is
    /// handed over: world().alloc is empty afterwards.
    [[nodiscard]] std::vector<GenesisAccount> take_alloc() { return std::move(world_.alloc); }

    /// The next transaction, signed, with its sender filled. It is valid if every earlier one was
    /// included in order, in this block or one whose base fee is at most a quarter above
    /// `base_fee_per_gas` (wei).
    /// @param blobs_left  How many blobs the block still takes; a transaction never carries more.
    /// @param takes_delegations  Whether the block takes set-code transactions (EIP-7702): before
    ///                           `options.fork_time` they may not be known.
    [[nodiscard]] Transaction next(const Uint256& base_fee_per_gas, std::uint64_t blobs_left,
                                   bool takes_delegations = true);

private:
    void fill_transfer(Transaction& tx, bool is_hot);
    void fill_token_call(Transaction& tx, std::uint32_t& sender, bool is_hot);
    void fill_swap(Transaction& tx, std::uint32_t sender, bool is_hot);
    void fill_storage(Transaction& tx, std::uint32_t sender, bool is_hot);
    void fill_creation(Transaction& tx, bool is_hot);
    void fill_blob(Transaction& tx, std::uint64_t blobs_left);
    void fill_set_code(Transaction& tx);
    void fill_fees(Transaction& tx, const Uint256& base_fee_per_gas);
    [[nodiscard]] Workload draw_kind();
    [[nodiscard]] std::uint32_t draw_account();

    Options options_;
    World world_;
    Random random_;
    std::vector<std::uint64_t> nonces_;            // by account
    std::vector<std::uint64_t> delegator_nonces_;  // by delegator
    std::vector<std::uint32_t> cursors_;           // by account: next free cell in its store
};

}  // namespace heddle::workload
