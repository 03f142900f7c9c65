// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The embedded engine: one process orders for itself. Every block it seals is final. It seals when
// transactions arrive, at intervals, or when it is told to.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <types/address.hpp>
#include <types/block_error.hpp>
#include <types/bytes.hpp>

#include <consensus_adapter/application.hpp>

namespace heddle::consensus_adapter {

/// When blocks are sealed without being asked for: as transactions arrive, by time, or both. As it
/// is by default, only seal() makes blocks.
struct SealSchedule {
    bool on_arrival = false;
    /// Least time between a block and the next one that arrivals bring.
    std::chrono::milliseconds least_distance{0};
    /// Between two blocks, with or without transactions; nullopt: not by time.
    std::optional<std::chrono::milliseconds> interval{};
    /// The most that is added to the interval; drawn anew for each block.
    std::chrono::milliseconds spread{0};
};

/// One sealing, for whoever counts.
struct SealReport {
    BlockId block;
    std::size_t transactions = 0;
    std::uint64_t gas_used = 0;
    unsigned executions = 0;  // FinalizedBlock::executions
    std::chrono::nanoseconds prepare{};
    std::chrono::nanoseconds finalize{};
    std::chrono::nanoseconds commit{};
};

struct SoloOptions {
    SealSchedule schedule{.on_arrival = true};  // until set_schedule()
    Address beneficiary;
    Bytes extra_data;
    std::optional<std::uint64_t> gas_limit;  // the parent's where it is absent
    /// Seconds since 1970. Time enters the chain here; a block's is at least one above its
    /// parent's, or at least its parent's where the chain may repeat timestamps.
    std::function<std::uint64_t()> clock;
    /// Changes what the next block is to be, as a development chain's user wants it; a timestamp
    /// that cannot be is raised afterwards. Called by whoever seals, also for blocks that
    /// are not made in the end. Null: nothing is changed.
    std::function<void(const Committed&, BlockPlan&)> adjust = nullptr;
    /// Whether something may be left for another block. Asked after each of them, from any thread,
    /// with SealSchedule::on_arrival. Null: what is left is always looked for.
    std::function<bool()> has_more = nullptr;
    /// Called by whoever seals.
    std::function<void(const SealReport&)> on_seal = nullptr;
    /// A block could not be made; sealing goes on with the next occasion, unless the code is
    /// storage_failed: then it has ended. Called by whoever seals.
    std::function<void(const BlockError&)> on_failure = nullptr;
};

/// Blocks are made one at a time, by whoever holds the right to seal:
///
///     state     event                                        next      does
///     waiting   transactions_arrived() with on_arrival       sealing   prepare, finalize, commit
///     waiting   the interval has passed, with interval       sealing
///     waiting   seal()                                       sealing
///     waiting   between_blocks()                             waiting   does it
///     sealing   done                                         waiting   answers those of seal()
///     sealing   storage_failed                               ended     answers with the error
///     any       stop()                                       ended     after the block in work
///
/// That is a thread of Solo's own, but for one case: a caller that waits in settle() for what it
/// has brought seals it itself, if nobody is sealing. Handing a block to another thread and back
/// takes longer than a small block. The thread leaves an arrival to the SettleScopes that live when
/// it comes, for their holders are about to settle, whatever else wakes it; when the last of those
/// has ended it takes what is left. Scopes that begin later keep nothing from it: so callers whose
/// scopes always overlap keep nobody waiting.
///
/// `is_busy` under `mutex` is the right to seal: who sets it seals, and everybody else waits. The
/// thread that finds it set notes that (`is_thread_waiting`), and is woken when it is given back.
/// What callers leave is never lost: an arrival while a block is made is looked at when it is done.
///
/// What it fills into headers is in block_rules.hpp.
///
/// Thread safety: any.
class Solo {
public:
    /// @param application  Outlives it; called by one thread at a time, from none once stop() has
    ///                     returned.
    Solo(Application& application, SoloOptions options);
    /// As stop().
    ~Solo();
    Solo(const Solo&) = delete;
    Solo& operator=(const Solo&) = delete;

    /// There may be something to put into a block. Never waits.
    void transactions_arrived() noexcept;

    /// Seals a block now, with what there is, and waits for it.
    /// @param timestamp  Seconds; nullopt: the clock's. One ahead of the clock moves the clock of
    ///                   the chain: later blocks are as much ahead, until Solo is stopped.
    /// Errors: BlockErrorCode::execution_halted when it has ended; what prepare, finalize or commit
    /// said.
    [[nodiscard]] std::expected<BlockId, BlockError> seal(
        std::optional<std::uint64_t> timestamp = std::nullopt);

    /// When blocks are sealed from now on.
    void set_schedule(const SealSchedule& schedule);
    [[nodiscard]] SealSchedule schedule() const;

    /// Runs `work`, which must not throw, on the sealing thread while no block is being made, and
    /// waits for it. @return false: sealing has ended, and nothing was done.
    bool between_blocks(std::function<void()> work);

    /// Of a caller that adds transactions and then calls settle() on the same thread.
    class SettleScope {
    public:
        SettleScope() = default;
        explicit SettleScope(Solo& solo);
        SettleScope(SettleScope&& other) noexcept
            : solo_(std::exchange(other.solo_, nullptr)), number_(other.number_) {}
        SettleScope& operator=(SettleScope&&) = delete;
        SettleScope(const SettleScope&) = delete;
        SettleScope& operator=(const SettleScope&) = delete;
        ~SettleScope();

    private:
        Solo* solo_ = nullptr;
        std::uint64_t number_ = 0;  // in the order in which they begin
    };

    /// Waits until `is_done` says so, which is asked again after each block and each look at what
    /// has arrived; or until there is nothing that would be sealed without being asked for, or a
    /// few blocks in a row could not be made; at the latest until `deadline`, but for a block that
    /// this thread is making. Where nothing is sealed as it arrives, returns at once. Within a
    /// SettleScope it seals what has arrived itself.
    void settle(const std::function<bool()>& is_done,
                std::chrono::steady_clock::time_point deadline);

    /// Ends sealing once the block in work is committed. Returns when it has.
    void stop();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::consensus_adapter
