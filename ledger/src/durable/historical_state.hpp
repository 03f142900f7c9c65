// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The state after one committed block, fixed: for questions about the past, and about the present
// while the head moves. Reads the database, not the cache that execution uses.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <ledger/durable_ledger.hpp>

#include "durable/durable_state.hpp"
#include "durable/past_cursor.hpp"
#include "durable/recent_changes.hpp"
#include "storage/database.hpp"

namespace heddle::ledger {

/// Stands on a snapshot of the database, whose flat tables are those after some block S, and on the
/// changes of the blocks above S as they were at its making. A value after block n is
///   - for n >= S: that of the newest block up to n that changed it, else the flat one;
///   - for n < S: what the history says it was before the first block above n, else the flat one.
///
/// Thread safety: any number of readers.
class HistoricalState final : public PastState {
public:
    /// @param recent  Taken before the snapshot, so that no block is in neither.
    /// @param codes   For code, which never changes.
    HistoricalState(const Database& database, std::unique_ptr<DatabaseSnapshot> snapshot,
                    std::vector<RecentChanges::Entry> recent, const DurableState& codes,
                    std::uint64_t number, std::uint64_t state_block, ReadFailureHandler on_failure);

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override;
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override;
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override;
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override;
    /// With the root of its storage.
    [[nodiscard]] std::optional<AccountRecord> record(const Address& address) const noexcept;

    void move_to(std::uint64_t number) noexcept override;

    [[nodiscard]] std::expected<void, LedgerError> visit_accounts(
        const Hash& from, const VisitAccount& visit) const override;
    [[nodiscard]] std::expected<void, LedgerError> visit_slots(
        const AccountKey& account, const Hash& from, const VisitSlot& visit) const override;

private:
    /// What the value of this key was before the first block up to S and above `number`.
    [[nodiscard]] std::optional<Bytes> past(BytesView key, std::uint64_t number) const noexcept;
    /// Of the flat tables that hold for this block.
    [[nodiscard]] PastCursor cursor_at(Table table, std::uint64_t number) const;
    [[nodiscard]] std::optional<Bytes> flat(Table table, BytesView key) const noexcept;

    const Database& database_;
    const std::unique_ptr<DatabaseSnapshot> snapshot_;
    std::vector<RecentChanges::Entry> recent_;  // blocks above S, newest first
    const DurableState& codes_;
    std::atomic<std::uint64_t> number_;
    const std::uint64_t state_block_;
    const ReadFailureHandler on_failure_;
};

}  // namespace heddle::ledger
