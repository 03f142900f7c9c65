// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the user of a development chain may do to it beside sending transactions: go back to
// snapshots, set time, values and what the next block is like (ADR 26). Nothing of it is there on
// other chains.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <consensus_adapter/solo.hpp>
#include <types/address.hpp>
#include <types/hash.hpp>
#include <types/state_diff.hpp>
#include <types/uint256.hpp>

#include "building/chain_application.hpp"
#include "chain/chain.hpp"
#include "development/chain_clock.hpp"
#include "development/chain_snapshots.hpp"
#include "development/impersonation.hpp"
#include "mempool/mempool.hpp"

namespace heddle::node {

/// What changes the chain is done between two blocks, on the thread that seals them.
/// Thread safety: any, once it is attached.
class ChainControl {
public:
    static constexpr std::uint64_t kMostMined = 100'000;  // blocks of one call
    /// Twice of it and a tip still fit into a word, and so does what gas costs then. In wei.
    static constexpr Uint256 kHighestBaseFee{~std::uint64_t{0}, ~std::uint64_t{0}, 0, 0};

    struct Defaults {
        Address beneficiary;
        std::optional<std::uint64_t> gas_limit;  // that blocks move to; the parent's
        std::function<std::uint64_t()> clock;    // seconds since 1970
        std::size_t snapshot_bytes = ChainSnapshots::kMostBytes;
    };
    /// Everything outlives it. Makes the chain a development chain, before anybody executes on it.
    ChainControl(Chain& chain, Mempool& mempool, Defaults defaults);
    ChainControl(const ChainControl&) = delete;
    ChainControl& operator=(const ChainControl&) = delete;
    /// Who seals, and who makes the blocks. Before everything that follows.
    void attach(consensus_adapter::Solo& solo, ChainApplication& application) noexcept {
        solo_ = &solo;
        application_ = &application;
    }

    // For SoloOptions; by whoever seals. Also before attach().
    void adjust(const consensus_adapter::Committed& committed, consensus_adapter::BlockPlan& plan);
    void note_sealed();

    /// One sentence on what is not possible.
    using Done = std::expected<void, std::string>;
    template <typename T>
    using Result = std::expected<T, std::string>;

    /// @return what revert() takes.
    [[nodiscard]] Result<std::uint64_t> take_snapshot();
    /// Makes chain, pool and settings what they were; this snapshot and later ones are gone. The
    /// clock goes on from the time of the head. @return false: there is no such snapshot.
    [[nodiscard]] Result<bool> revert(std::uint64_t snapshot);
    /// Takes the newest blocks back; what was set on top of the head is gone, the pool stays.
    /// Snapshots of those blocks are gone, too. Errors: where there are not so many.
    [[nodiscard]] Done roll_back(std::uint64_t blocks);
    /// The same, until this block is the head. Errors: where it is above the head or below the
    /// first.
    [[nodiscard]] Done roll_back_to(std::uint64_t number);
    /// Back to the genesis block, as if nothing had been done.
    [[nodiscard]] Done reset();

    // Time, in seconds.
    /// @return how far the clock of the chain is ahead of the machine's.
    [[nodiscard]] Result<std::int64_t> advance_time(std::uint64_t seconds);
    [[nodiscard]] Result<std::int64_t> set_time(std::uint64_t time);
    /// Errors: where the next block cannot have this time.
    [[nodiscard]] Done set_next_time(std::uint64_t time);
    /// The same, of a block that is asked for at once: the head's time stands for the earliest that
    /// it can have.
    [[nodiscard]] Done set_time_of_wanted(std::uint64_t time);
    void set_block_interval(std::optional<std::uint64_t> seconds);

    // Blocks.
    /// Errors: where mine() takes no such count.
    [[nodiscard]] static Done check_count(std::uint64_t count);
    /// @param interval  From each to the next one, in seconds; nullopt: they follow the clock, as
    ///                  the first one does.
    [[nodiscard]] Done mine(std::uint64_t count, std::optional<std::uint64_t> interval);
    /// Lets so many seconds pass before each block. Errors: those of mine() and advance_time().
    [[nodiscard]] Done mine_over_time(std::uint64_t count, std::uint64_t seconds);
    [[nodiscard]] bool seals_on_arrival() const { return solo_->schedule().on_arrival; }
    void seal_on_arrival(bool is_wanted);
    /// nullopt: not by time.
    /// @param spread  What is added to each interval, at random: at most.
    void seal_by_time(std::optional<std::chrono::milliseconds> interval,
                      std::chrono::milliseconds spread = std::chrono::milliseconds{0});
    [[nodiscard]] std::optional<std::chrono::milliseconds> seal_interval() const {
        return solo_->schedule().interval;
    }
    /// Before transactions are added that settle() is then called for, by the same thread: it seals
    /// them itself. Not where a block may have to wait for the source of a fork.
    [[nodiscard]] consensus_adapter::Solo::SettleScope settling();
    /// Where blocks are sealed as transactions arrive, waits until this one is in a block or cannot
    /// be.
    void settle(const Hash& transaction, std::chrono::steady_clock::time_point deadline);

    // What later blocks are like.
    void set_beneficiary(const Address& beneficiary);
    void set_gas_limit(std::uint64_t gas_limit);
    // The next one alone.
    /// In wei. Errors: above kHighestBaseFee.
    [[nodiscard]] Done set_next_base_fee(const Uint256& base_fee);
    void set_next_prev_randao(const Hash& prev_randao);
    [[nodiscard]] Address beneficiary() const;

    // The state after the head. An account that has nothing left is gone.
    [[nodiscard]] Done set_balance(const Address& address, const Uint256& balance);
    /// Errors: where it would be more than a word holds.
    [[nodiscard]] Done add_balance(const Address& address, const Uint256& more);
    [[nodiscard]] Done set_nonce(const Address& address, std::uint64_t nonce);
    [[nodiscard]] Done set_code(const Address& address, Bytes code);
    [[nodiscard]] Done set_storage(const Address& address, const Uint256& slot,
                                   const Uint256& value);
    /// All of these values.
    [[nodiscard]] Done set_values(const StateDiff& diff);

    /// Of a chain that forks another one: what the transaction reads if it is executed next is
    /// fetched, so that the thread that seals need not. Errors: what could not be read.
    [[nodiscard]] Done read_ahead(const Transaction& tx);

    /// Calls `read` with the state after the head, as it is read, and what was set on top of what
    /// the ledger has; no block is made meanwhile.
    using ReadState = std::function<Done(const StateView&, const SharedOverlay&)>;
    [[nodiscard]] Done read_state(const ReadState& read);

    [[nodiscard]] bool drop_transaction(const Hash& hash);
    void drop_transactions();
    void drop_transactions_of(const Address& sender);
    [[nodiscard]] Impersonation& impersonation() noexcept { return impersonation_; }
    /// Of this run of the chain; another one after reset().
    [[nodiscard]] Hash instance() const;

private:
    [[nodiscard]] std::shared_ptr<const ChainSnapshot::Pool> pooled() const;
    using MakeDiff = std::function<StateDiff(const StateView&)>;

    /// On the sealing thread. Errors: those of `work`; sealing has ended.
    [[nodiscard]] Done between_blocks(const std::function<Done()>& work);
    [[nodiscard]] Done amend(const MakeDiff& make);
    [[nodiscard]] Done change_account(const Address& address,
                                      const std::function<void(Account&)>& change);
    /// On the sealing thread.
    [[nodiscard]] Done go_back(const ChainSnapshot& snapshot);
    /// On the sealing thread: to a block that is there.
    [[nodiscard]] Done take_back_to(std::uint64_t number);
    [[nodiscard]] Done seal_next(std::optional<std::uint64_t> interval);
    [[nodiscard]] BlockHeader preview(const ledger::StoredHeader& head) const;

    Chain& chain_;
    Mempool& mempool_;
    const Defaults defaults_;
    consensus_adapter::Solo* solo_ = nullptr;
    ChainApplication* application_ = nullptr;
    Impersonation impersonation_;

    mutable std::mutex mutex_;  // guards what follows
    ChainClock clock_;
    BlockSettings settings_;
    /// Counts up with everything that is set about the next block, so that what is set while one is
    /// made stays for the one after it.
    std::uint64_t next_version_ = 0;
    std::uint64_t adjusted_version_ = 0;  // of the block that is being made
    std::uint64_t adjusted_time_ = 0;
    ChainSnapshots snapshots_;
    Hash instance_;
};

}  // namespace heddle::node
