// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The committed state as execution reads it: a cache over the flat tables, in front of them what
// they do not have yet. How blocks get into the tables is the writer's business.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include <types/state_view.hpp>

#include "durable/block_changes.hpp"
#include "durable/flat_cache.hpp"
#include "durable/prefetcher.hpp"
#include "durable/stored_codes.hpp"
#include "storage/database.hpp"
#include "trie/worker_crew.hpp"

namespace heddle::ledger {

/// What a failed read leads to; must not return.
using ReadFailureHandler = std::function<void(const LedgerError&)>;
/// Asks the handler, and ends the process if it returns.
[[noreturn]] void fail_read(const ReadFailureHandler& handler, const LedgerError& error) noexcept;

/// What the flat tables have of an account. One that does not decode, or is another's, is a failed
/// read.
[[nodiscard]] std::optional<AccountRecord> decode_flat_account(
    const Address& address, const std::optional<Bytes>& bytes,
    const ReadFailureHandler& on_failure) noexcept;
/// The same of a slot; zero where there is nothing.
[[nodiscard]] Uint256 decode_flat_slot(const Address& address, const Uint256& slot,
                                       const std::optional<Bytes>& bytes,
                                       const ReadFailureHandler& on_failure) noexcept;
/// A record of the state that does not decode.
[[noreturn]] void fail_decoding(const ReadFailureHandler& handler,
                                const std::string& what) noexcept;
[[nodiscard]] std::string name_of_account(const Address& address);
[[nodiscard]] std::string name_of_slot(const Address& address, const Uint256& slot);

/// Thread safety: the reads of StateView from any thread, also while apply() runs: each value is
/// that of before or of after the block. apply() from one thread at a time.
class DurableState final : public StateView {
public:
    /// @param memory_bytes  For cached values and code; what the tables do not have yet is kept
    ///                      whatever it takes.
    DurableState(const Database& database, std::size_t memory_bytes, ReadFailureHandler on_failure);

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override;
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override;
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override;
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override;
    void prefetch(const ObjectSet& objects) const noexcept override;
    [[nodiscard]] bool are_at_hand(std::span<const ObjectId> objects) const noexcept override;

    /// With the root of its storage.
    [[nodiscard]] std::optional<AccountRecord> record(const Address& address) const noexcept;
    /// The values after block `number` take the place of those before.
    /// @param crew  Threads that share it; null: the calling one alone.
    void apply(const BlockChanges& changes, std::uint64_t number, WorkerCrew* crew);
    /// Code that block `number` deploys; before apply(), so that nobody finds an account without.
    void add_codes(std::span<const CodeChange> codes, std::uint64_t number);
    /// The flat tables hold the state after block `number`.
    void set_persisted(std::uint64_t number) noexcept;
    /// Memory that values of accounts and slots take at the moment, about.
    [[nodiscard]] std::size_t value_bytes() const {
        return accounts_.size() * AccountCache::kBytesPerValue +
               slots_.size() * SlotCache::kBytesPerValue;
    }
    /// Memory that code takes at the moment.
    [[nodiscard]] std::size_t code_bytes() const { return codes_.size_bytes(); }

private:
    using Slot = Prefetcher::Wanted::Slot;
    struct SlotHasher {
        [[nodiscard]] std::size_t operator()(const Slot& key) const noexcept {
            return Uint256Hasher{}(key.slot, AddressHasher{}(key.address));
        }
    };
    using AccountCache = FlatCache<Address, std::optional<AccountRecord>, AddressHasher>;
    using SlotCache = FlatCache<Slot, Uint256, SlotHasher>;

    /// Null for an unknown hash.
    [[nodiscard]] StoredCodes::Code find_code(const Hash& code_hash) const noexcept;
    [[nodiscard]] bool is_loaded(const ObjectId& object) const noexcept;
    /// Whether a few of them, taken from everywhere in the set, are all at hand.
    [[nodiscard]] bool seems_loaded(const ObjectSet& objects) const noexcept;
    /// Brings values into the cache.
    void load(std::span<const Address> accounts) const noexcept;
    void load(std::span<const Slot> slots) const noexcept;

    const Database& database_;
    const ReadFailureHandler on_failure_;
    mutable AccountCache accounts_;
    mutable SlotCache slots_;
    mutable StoredCodes codes_;
    // Last, for its thread uses everything above.
    mutable Prefetcher prefetcher_;
};

}  // namespace heddle::ledger
