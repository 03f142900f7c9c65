// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A new ledger from a first state of any size, account by account and in any order, for what does
// not fit into memory as a Genesis. Where that state is written down is not this file's business.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>

#include <types/address.hpp>
#include <types/block.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

#include <ledger/durable_ledger.hpp>
#include <ledger/ledger_error.hpp>
#include <ledger/maintenance.hpp>

namespace heddle::ledger {

/// Ends up with the same tables as DurableLedger::create() of the same genesis. The work is shared
/// by DurableLedgerOptions::threads. Until finish() the folder is no ledger, and says that it is
/// unfinished; a loader that is not finished leaves the folder as it was.
///
/// Protocol: for each account begin_account(), add_slot() for its slots, end_account(); then
/// load(), then finish(). After an error nothing but destruction.
/// Thread safety: one thread at a time.
/// Complexity: memory within DurableLedgerOptions::memory_bytes and the longest code; on the disk,
/// beside the ledger, all accounts and slots once more while it loads, twice where the memory is
/// a thirtieth of them.
class GenesisLoader {
public:
    /// @param on_progress  How far load() has come, in accounts and slots; may be empty.
    /// @param is_given_up  Asked every few milliseconds, by any thread, while records are merged
    ///                     and loaded: once it says so, what is under way fails with unavailable.
    ///                     May be empty.
    /// Errors: already_exists, not_a_ledger, locked, no_space, io_error.
    [[nodiscard]] static std::expected<GenesisLoader, LedgerError> begin(
        DurableLedgerOptions options, WorkProgress on_progress = {},
        std::function<bool()> is_given_up = {});
    GenesisLoader(GenesisLoader&&) noexcept;
    GenesisLoader& operator=(GenesisLoader&&) = delete;
    ~GenesisLoader();

    void begin_account(const Address& address);
    /// Zero is no value and not kept. Errors: no_space, io_error; unavailable.
    [[nodiscard]] std::expected<void, LedgerError> add_slot(const Uint256& slot,
                                                            const Uint256& value);
    /// @param balance  In wei. @param code  Empty: none. Errors: no_space, io_error; unavailable.
    [[nodiscard]] std::expected<void, LedgerError> end_account(std::uint64_t nonce,
                                                               const Uint256& balance,
                                                               BytesView code);

    /// Sorts and writes everything.
    /// @param header  Of the first block, complete but for its state root.
    /// @param chain   As DurableLedger::create() takes it.
    /// @return the hash of the first block.
    /// Errors: invalid where an address, or a slot of one, was given twice; no_space, io_error;
    /// unavailable.
    [[nodiscard]] std::expected<Hash, LedgerError> load(const BlockHeader& header, BytesView chain);
    /// Makes the folder a ledger, and opens it. Errors: no_space, io_error.
    [[nodiscard]] std::expected<std::unique_ptr<DurableLedger>, LedgerError> finish();

private:
    struct Impl;
    explicit GenesisLoader(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::ledger
