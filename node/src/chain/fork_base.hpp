// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a chain has from another one that it forks: blocks up to the fork point and the states after
// them. Where they come from is not this folder's business (node/src/forking).
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <ledger/durable_ledger.hpp>
#include <types/receipt.hpp>
#include <types/state_view.hpp>

#include "chain/read_scope.hpp"

namespace heddle::node {

/// A log of a block that the fork has from its source, and where it stands.
struct SourceLog {
    Log log;
    Hash block_hash;
    std::uint64_t block_number = 0;
    std::uint64_t block_timestamp = 0;
    Hash transaction_hash;
    std::uint32_t transaction_index = 0;
    std::uint32_t log_index = 0;  // in the block
};

/// Which logs are wanted: of blocks `from` to `to`, neither above the fork point. Empty lists
/// mean any.
struct SourceLogQuery {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::vector<Address> addresses;
    std::vector<std::vector<Hash>> topics;  // alternatives at each place
};

/// Every call may wait for the source, up to the deadline of the ReadScope around it. What cannot
/// be had is noted there as well (ReadScope::fail), with the sentence of the error.
/// Thread safety: any. No caller holds a lock.
class ForkBase {
public:
    ForkBase() = default;
    virtual ~ForkBase() = default;
    ForkBase(const ForkBase&) = delete;
    ForkBase& operator=(const ForkBase&) = delete;

    /// The fork point: the last block that is the source's.
    [[nodiscard]] virtual std::uint64_t number() const noexcept = 0;
    /// The address of the source, as its user wrote it.
    [[nodiscard]] virtual const std::string& source() const noexcept = 0;
    /// The state after it. What could not be read is nothing, or zero.
    [[nodiscard]] virtual const StateView& state() const noexcept = 0;

    // nullopt: there is no such block or transaction up to the fork point.
    template <typename T>
    using Found = ledger::DurableLedger::Found<T>;
    [[nodiscard]] virtual Found<ledger::StoredHeader> header(std::uint64_t number) const = 0;
    [[nodiscard]] virtual Found<ledger::StoredBlock> block(std::uint64_t number) const = 0;
    [[nodiscard]] virtual Found<std::uint64_t> block_number(const Hash& hash) const = 0;
    [[nodiscard]] virtual Found<ledger::TransactionLocation> find_transaction(
        const Hash& hash) const = 0;
    /// For BLOCKHASH: proven by the hashes of the blocks above it.
    [[nodiscard]] virtual Hash block_hash(std::uint64_t number) const noexcept = 0;

    template <typename T>
    using Result = std::expected<T, ledger::LedgerError>;
    /// The state after a block up to the fork point.
    [[nodiscard]] virtual Result<std::unique_ptr<ledger::PastState>> state_at(
        std::uint64_t number) const = 0;
    /// As the source proves it.
    [[nodiscard]] virtual Result<ledger::AccountProof> prove(
        std::uint64_t number, const Address& address, std::span<const Uint256> slots) const = 0;
    [[nodiscard]] virtual Result<std::vector<SourceLog>> logs(
        const SourceLogQuery& query) const = 0;

    /// Fetches these together, so that they are at hand afterwards. @return false: something could
    /// not be had, which is noted.
    [[nodiscard]] virtual bool fetch(std::span<const MissingRead> reads) const = 0;
};

/// Fetches what `execute` reads, which is called again and again: with what is at hand, noting what
/// is not; that is fetched together, until nothing is missing, in a bounded number of rounds. What
/// it computes is thrown away. What is still missing then waits for itself when it is read.
/// @return false: something could not be had, which the scope around it has noted.
template <typename Execute>
bool read_ahead(const ForkBase& base, const Execute& execute) {
    constexpr unsigned kMostRounds = 16;
    for (unsigned round = 0; round < kMostRounds; ++round) {
        std::vector<MissingRead> missing;
        {
            ReadScope scope{ReadScope::Mode::gather};
            execute();
            missing = scope.missing();
        }
        if (missing.empty()) return true;
        if (!base.fetch(missing)) return false;
    }
    return true;
}

}  // namespace heddle::node
