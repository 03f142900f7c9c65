// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// States of a forked chain: what its own blocks have written, out of its ledger, on top of the
// state of the block that it forks.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

#include <ledger/durable_ledger.hpp>
#include <types/state_view.hpp>

#include "chain/fork_base.hpp"
#include "chain/fork_marks.hpp"

namespace heddle::node {

/// Which values are whose, and the newest state, as it moves. No lock is held while the source is
/// asked.
/// Thread safety: any; change() by one thread at a time.
class ForkedState final : public StateView, public BlockHashes {
public:
    /// Both outlive it. @param first_own  What its first block has written.
    ForkedState(const ForkBase& base, const ledger::DurableLedger& ledger,
                const StateDiff& first_own);

    [[nodiscard]] const ForkBase& base() const noexcept { return base_; }

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override;
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override;
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override;
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override;
    /// Zero where there is none: blocks may be gone whose hashes are asked for.
    [[nodiscard]] Hash block_hash(std::uint64_t number) const noexcept override;

    /// `change(marks)` moves the ledger and the marks in one step.
    template <typename Change>
    void change(Change change) {
        const std::unique_lock lock{mutex_};
        change(marks_);
    }

    // For the states below.
    [[nodiscard]] std::optional<Account> account(const StateView& own, const Address& address,
                                                 std::uint64_t number) const noexcept;
    [[nodiscard]] Uint256 storage(const StateView& own, const Address& address, const Uint256& slot,
                                  std::uint64_t number) const noexcept;
    [[nodiscard]] bool has_storage(const StateView& own, const Address& address,
                                   std::uint64_t number) const noexcept;
    [[nodiscard]] BytesView code(const StateView& own, const Hash& code_hash) const noexcept;
    [[nodiscard]] std::uint64_t rewinds() const noexcept {
        const std::shared_lock lock{mutex_};
        return marks_.rewinds();
    }

private:
    const ForkBase& base_;
    const ledger::DurableLedger& ledger_;
    mutable std::shared_mutex mutex_;
    ForkMarks marks_;  // guarded by mutex_, with what the ledger's head is
};

/// The state after one of its own blocks, fixed. Worth nothing once blocks were taken back, which
/// it notes when it is read.
/// Thread safety: as PastState.
class ForkedPastState final : public ledger::PastState {
public:
    /// @param rewinds  ForkedState::rewinds() from before `own` was made.
    ForkedPastState(std::unique_ptr<ledger::PastState> own, const ForkedState& fork,
                    std::uint64_t number, std::uint64_t rewinds)
        : own_(std::move(own)), fork_(fork), rewinds_(rewinds), at_(number) {}

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override;
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override;
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override;
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override;
    void move_to(std::uint64_t number) noexcept override;

private:
    void check_rewinds() const;

    const std::unique_ptr<ledger::PastState> own_;
    const ForkedState& fork_;
    const std::uint64_t rewinds_;
    std::atomic<std::uint64_t> at_;
};

}  // namespace heddle::node
