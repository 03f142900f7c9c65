// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// States of a development chain whose user has set values outside of transactions. What was set
// lies on top of the state after a block until the next block holds it among its own changes (ADR
// 26). Other chains have none of this.
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <utility>

#include <ledger/durable_ledger.hpp>
#include <types/state_view.hpp>

#include "chain/state_overlay.hpp"

namespace heddle::node {

/// The newest state, as it moves. Costs one atomic read more than its base where nothing is set.
/// Thread safety: any; change() by one thread at a time.
class AmendedState final : public StateView {
public:
    /// @param base  Outlives it.
    /// @param base_waits  Whether reads of the base may wait for another machine: no lock is held
    ///                    then. A reader that overlaps with change() may get what was before it.
    explicit AmendedState(const StateView& base, bool base_waits = false)
        : base_(base), base_waits_(base_waits) {}

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override;
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override;
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override;
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override;
    void prefetch(const ObjectSet& objects) const noexcept override { base_.prefetch(objects); }
    [[nodiscard]] bool are_at_hand(std::span<const ObjectId> objects) const noexcept override {
        return base_.are_at_hand(objects);
    }
    [[nodiscard]] bool is_in_memory() const noexcept override { return base_.is_in_memory(); }

    /// Code that is going to be set. It stays here, as code stays in the ledger: who has read an
    /// account may ask for its code when the account is another one already.
    void add_codes(std::span<const CodeChange> codes);
    /// `change(top)` sets what lies on top from now on, null for nothing. It may take that into the
    /// base in the same step, or else move the base where nothing lies on top before and after: no
    /// reader sees the one without the other.
    template <typename Change>
    void change(Change change) {
        const std::unique_lock lock{mutex_};
        change(overlay_);
        let_through(overlay_ == nullptr);
    }
    /// The same where the base moves to a state on which something may lie. Whoever reads waits
    /// meanwhile.
    template <typename Change>
    void move(Change change) {
        const std::unique_lock lock{mutex_};
        let_through(false);
        change(overlay_);
        let_through(overlay_ == nullptr);
    }

private:
    /// `read(top)` with what lies on top, null for nothing.
    template <typename Read>
    auto read_through(Read read) const noexcept;
    /// Whether who reads may take the base for the whole, without the lock. With the lock.
    void let_through(bool is_wanted) noexcept {
        const std::uint64_t now = gate_.load(std::memory_order_relaxed);
        if ((now % 2 == 0) != is_wanted) gate_.store(now + 1, std::memory_order_release);
    }

    const StateView& base_;
    const bool base_waits_;
    /// Counts up. Even: nothing lies on top, and the base is not moved to where something does.
    /// Who finds the same even number before and after it has read the base has read what it would
    /// have got under the lock; else it reads again, with the lock. The second read is not late:
    /// what moves the base comes after the number was changed, and who has read of what was moved
    /// has seen, by the base's own order, all that came before. Pairs with itself.
    std::atomic<std::uint64_t> gate_ = 0;
    mutable std::shared_mutex mutex_;
    // Guarded by mutex_:
    SharedOverlay overlay_;
    std::unordered_map<Hash, std::shared_ptr<const Bytes>, HashHasher> codes_;
    std::atomic<bool> has_codes_ = false;  // ever; read without it
};

/// The state after one block, fixed, with what was set on top of it.
/// Thread safety: as PastState.
class AmendedPastState final : public ledger::PastState {
public:
    AmendedPastState(std::unique_ptr<ledger::PastState> base, SharedOverlay overlay,
                     std::uint64_t number)
        : base_(std::move(base)), overlay_(std::move(overlay)), number_(number), at_(number) {}

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override;
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override;
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override;
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override;
    void move_to(std::uint64_t number) noexcept override;

    /// Errors: unavailable where values are set on top: storage has no roots before a block has
    /// them.
    [[nodiscard]] std::expected<void, ledger::LedgerError> visit_accounts(
        const Hash& from, const VisitAccount& visit) const override;
    [[nodiscard]] std::expected<void, ledger::LedgerError> visit_slots(
        const ledger::AccountKey& account, const Hash& from, const VisitSlot& visit) const override;

private:
    [[nodiscard]] bool is_amended() const noexcept {
        return at_.load(std::memory_order_acquire) == number_;
    }

    const std::unique_ptr<ledger::PastState> base_;
    const SharedOverlay overlay_;
    const std::uint64_t number_;
    std::atomic<std::uint64_t> at_;
};

}  // namespace heddle::node
