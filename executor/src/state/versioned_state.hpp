// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The world while transactions are in flight: for each account and slot in use a cell with its
// committed value and, by stream position, the values that transactions not yet committed have
// published. A cell stays when its transactions are done and serves as a cache. Not the place where
// it is decided what is valid: that is the committer's.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include <types/account.hpp>
#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>
#include <types/uint256.hpp>

#include <executor/options.hpp>

#include "state/cell_table.hpp"
#include "state/version_list.hpp"
#include "workers/counter.hpp"
#include "workers/spin_lock.hpp"

namespace heddle::executor {

/// What an uncommitted transaction has done to an account; balance moves that are deltas are not
/// published but added up at commit.
struct AccountVersion {
    Stamp stamp = 0;
    bool sets_balance = false;
    bool sets_nonce = false;
    bool sets_code = false;       // existence and code hash
    bool clears_storage = false;  // all slots of before are gone
    bool exists = false;
    std::uint64_t nonce = 0;
    Uint256 balance;
    Hash code_hash;
};

/// The same by object, so that the newest value of each is found without looking at the others.
/// Which of them has any stands in front, beside the nonces, which every sender has: nobody else's
/// memory is touched for most accounts.
class alignas(64) AccountVersions {
public:
    struct Balance {
        Stamp stamp = 0;
        Uint256 value;
    };
    struct Nonce {
        Stamp stamp = 0;
        std::uint64_t value = 0;
    };
    struct Code {
        Stamp stamp = 0;
        bool exists = false;
        Hash hash;
    };
    struct Clearing {
        Stamp stamp = 0;
    };

    void insert(const AccountVersion& version) {
        const Stamp stamp = version.stamp;
        if (version.sets_balance) insert(balances_, balances, {stamp, version.balance});
        if (version.sets_nonce) insert(nonces_, nonces, {stamp, version.nonce});
        if (version.sets_code) insert(codes_, codes, {stamp, version.exists, version.code_hash});
        if (version.clears_storage) insert(clearings_, clearings, {stamp});
    }
    void erase(Stamp stamp) noexcept {
        erase(balances_, balances, stamp);
        erase(nonces_, nonces, stamp);
        erase(codes_, codes, stamp);
        erase(clearings_, clearings, stamp);
    }
    void clear() noexcept {
        balances_.clear();
        nonces_.clear();
        codes_.clear();
        clearings_.clear();
        present_ = 0;
    }

    // The newest before `limit`; null: there is none. Valid until something is put in or taken out.
    [[nodiscard]] const Balance* balance(Stamp limit) const noexcept {
        return has(balances) ? balances_.newest_before(limit) : nullptr;
    }
    [[nodiscard]] const Nonce* nonce(Stamp limit) const noexcept {
        return has(nonces) ? nonces_.newest_before(limit) : nullptr;
    }
    [[nodiscard]] const Code* code(Stamp limit) const noexcept {
        return has(codes) ? codes_.newest_before(limit) : nullptr;
    }
    [[nodiscard]] const Clearing* clearing(Stamp limit) const noexcept {
        return has(clearings) ? clearings_.newest_before(limit) : nullptr;
    }
    [[nodiscard]] bool has_clearings() const noexcept { return has(clearings); }

private:
    enum Part : std::uint8_t { balances = 1, nonces = 2, codes = 4, clearings = 8 };

    [[nodiscard]] bool has(Part part) const noexcept { return (present_ & part) != 0; }
    template <typename Version>
    void insert(VersionList<Version>& list, Part part, Version version) {
        list.insert(std::move(version));
        present_ = static_cast<std::uint8_t>(present_ | part);
    }
    template <typename Version>
    void erase(VersionList<Version>& list, Part part, Stamp stamp) noexcept {
        if (!has(part)) return;
        list.erase(stamp);
        if (list.is_empty()) present_ = static_cast<std::uint8_t>(present_ & ~part);
    }

    std::uint8_t present_ = 0;
    VersionList<Nonce> nonces_;
    VersionList<Clearing> clearings_;
    VersionList<Balance> balances_;
    VersionList<Code> codes_;
};

/// Stamps of the last writers of an account's objects.
struct AccountStamps {
    Stamp balance = 0;
    Stamp nonce = 0;
    Stamp code = 0;
    Stamp storage = 0;  // of the last clearing
};

/// What is needed to find a cell comes first: cells are many and mostly cold.
struct alignas(64) AccountCell {
    // Immutable while the cell is in the table.
    Address address;
    std::uint32_t number = 0;

    /// How often of late an attempt was overtaken by a change of this account, see Speculation. The
    /// committer's; read by any, who may find it out of date.
    std::atomic<std::uint32_t> unrest{0};
    /// Whether a transaction that this account was the recipient of has met one of which that is
    /// much. Any worker's.
    std::atomic<bool> leads_to_unrest{false};

    SpinLock lock;
    /// Set once under the lock; whoever has seen it may read `committed` and `exists` without the
    /// lock if it is the committer.
    std::atomic<bool> is_loaded{false};
    /// Whether the storage was cleared since the cell was made, or will be if an attempt holds that
    /// is published. Changed under the lock; reads of slots look here first.
    std::atomic<bool> has_clearing{false};

    // Under the lock; changed by the committer only.
    bool exists = false;
    AccountStamps stamps;
    Account committed;
    /// Under the lock. Made for the first version, as most accounts never have any, and kept.
    std::unique_ptr<AccountVersions> versions;

    // The committer's.
    bool is_kept = false;                      // something that was committed has accessed it
    std::uint64_t changed_in = 0;              // serial number of the block
    struct SlotCell* changed_slots = nullptr;  // in that block
    struct SlotCell* slots = nullptr;          // those written since the storage was last cleared

    /// Under the lock.
    void erase_version(Stamp stamp) noexcept {
        if (versions == nullptr) return;
        versions->erase(stamp);
        // Else whoever has once attempted to clear it would slow down all reads of its slots for
        // as long as the cell stays. Whoever publishes a clearing sets it again, before its slots.
        if (stamps.storage == 0 && !versions->has_clearings() &&
            has_clearing.load(std::memory_order_relaxed))
            has_clearing.store(false, std::memory_order_relaxed);
    }
};

// Of AccountCell::unrest, from which each attempt that holds takes away one.

/// What one more attempt that was overtaken adds, some times that where it took long.
inline constexpr std::uint32_t kUnrestStep = 4;
/// From here on what names the account is ordered by it, or not attempted ahead of its turn where
/// the policy cannot do that.
inline constexpr std::uint32_t kRestless = 24;
/// From here on it is not attempted ahead of its turn, ordered or not.
inline constexpr std::uint32_t kUnruly = 48;
inline constexpr std::uint32_t kMostUnrest = 64;
[[nodiscard]] inline bool is_restless(const AccountCell& cell) noexcept {
    return cell.unrest.load(std::memory_order_relaxed) >= kRestless;
}
[[nodiscard]] inline bool is_unruly(const AccountCell& cell) noexcept {
    return cell.unrest.load(std::memory_order_relaxed) >= kUnruly;
}

struct SlotVersion {
    Stamp stamp = 0;
    Uint256 value;
};

/// A line for what a search looks at, one for the value, and one for what most slots never have.
struct alignas(64) SlotCell {
    // Immutable while the cell is in the table.
    AccountCell* account = nullptr;
    Uint256 slot;
    std::uint32_t number = 0;

    SpinLock lock;
    std::atomic<bool> is_loaded{false};
    bool has_versions = false;  // in `versions`; under the lock
    bool is_kept = false;       // something that was committed has accessed it; the committer's
    bool was_listed = false;    // in the account's `slots`, see is_listed(); the committer's

    // Under the lock; changed by the committer only. A value older than the account's last clearing
    // counts as zero.
    Stamp stamp = 0;
    Uint256 committed;

    // The committer's.
    std::uint64_t changed_in = 0;
    SlotCell* next_changed = nullptr;
    SlotCell* next_slot = nullptr;

    // Under the lock.
    alignas(64) VersionList<SlotVersion> versions;

    /// Under the lock.
    void insert_version(const SlotVersion& version) {
        versions.insert(version);
        has_versions = true;
    }
    void erase_version(Stamp erased) noexcept {
        if (!has_versions) return;
        versions.erase(erased);
        has_versions = !versions.is_empty();
    }
};
static_assert(sizeof(SlotCell) == 192, "three lines");

/// Whether the slot is in its account's `slots`: a clearing takes out all at once, without going
/// through them. The committer's.
[[nodiscard]] inline bool is_listed(const SlotCell& slot) noexcept {
    return slot.was_listed && slot.stamp >= slot.account->stamps.storage;
}

/// An account as it stands at some position.
struct AccountReading {
    std::optional<Account> account;
    AccountStamps stamps;
};
struct SlotReading {
    Uint256 value;
    Stamp stamp = 0;  // of the slot's writer or of the clearing, whichever is later
};

/// What is kept from block to block, at most: when there is more, all of it goes.
struct KeptState {
    std::size_t accounts = 0;
    std::size_t slots = 0;
    std::size_t stale = 0;       // cells that nothing committed has accessed
    std::size_t code_bytes = 0;  // that the base has by now
};
/// As much as this memory has room for, with what a policy remembers of them, and never more than a
/// cache gains from.
[[nodiscard]] KeptState kept_state(std::size_t bytes) noexcept;

/// Thread safety: finding and reading cells, publishing and withdrawing from any thread; commit_*()
/// by one thread at a time, in stream order; attach() and trim() while nothing is in flight.
class VersionedState {
public:
    explicit VersionedState(const KeptState& kept = kept_state(ParallelOptions{}.kept_bytes))
        : kept_(kept) {}

    /// Forgets everything and stands on `base`, which must allow concurrent reads.
    void attach(const StateView& base);
    /// Nothing is in flight, and the base shows a block that others have executed: what is here of
    /// that is brought up to date. Nothing is read or added.
    /// @return false: storage was cleared of an account that is here, and that cannot be followed;
    ///     only attach() helps.
    [[nodiscard]] bool follow(const StateDiff& diff);
    /// Nothing is in flight and the base shows everything committed: takes out what nobody needs.
    ///
    /// Cells that only attempts have touched which did not become final have cost nobody anything,
    /// so they are not kept: whoever makes attempts stale would fill the memory. Of the others
    /// there are as many as was paid for; when they are more than is to be kept, all go. So they do
    /// when those that are not kept have taken more memory than that.
    /// @return whether all have gone: numbers begin anew.
    bool trim();
    /// Whether trim() may have something to do.
    /// @param in_flight  Accesses of what is not committed yet: their cells are still wanted.
    [[nodiscard]] bool wants_trim(std::size_t in_flight) const noexcept;

    /// The committer: something that is committed has accessed it.
    void keep(AccountCell& cell) noexcept {
        if (cell.is_kept) return;  // others read this line: it is not written again
        kept_accounts_.add();
        cell.is_kept = true;
    }
    void keep(SlotCell& cell) noexcept {
        if (cell.is_kept) return;
        kept_slots_.add();
        cell.is_kept = true;
        keep(*cell.account);  // by which it is found
    }
    /// Accounts and slots that have cells.
    [[nodiscard]] std::size_t cell_count() const noexcept {
        return accounts_.size() + slots_.size();
    }
    /// Memory held for them, used or not; as if each account had versions, which most never have.
    [[nodiscard]] std::size_t cell_bytes() const noexcept {
        return accounts_.memory_bytes() + accounts_.cell_capacity() * sizeof(AccountVersions) +
               slots_.memory_bytes();
    }
    [[nodiscard]] const KeptState& kept() const noexcept { return kept_; }
    /// The most words that a search looks at. For tests.
    [[nodiscard]] std::size_t longest_path() const noexcept {
        return std::max(accounts_.longest_path(), slots_.longest_path());
    }

    [[nodiscard]] const StateView& base() const noexcept { return *base_; }
    /// How many accounts and slots have been read from the base in all.
    [[nodiscard]] std::uint64_t cold_reads() const noexcept {
        return cold_reads_.load(std::memory_order_relaxed);
    }

    [[nodiscard]] AccountCell& account(const Address& address);
    [[nodiscard]] SlotCell& slot(AccountCell& account, const Uint256& slot);

    /// The newest value before `limit`.
    [[nodiscard]] AccountReading read(AccountCell& cell, Stamp limit) const noexcept;
    [[nodiscard]] SlotReading read(SlotCell& cell, Stamp limit) const noexcept;
    /// The same with a limit of its own for each of the account's objects.
    [[nodiscard]] AccountReading read(AccountCell& cell,
                                      const AccountStamps& limits) const noexcept;
    [[nodiscard]] SlotReading read(SlotCell& cell, Stamp limit,
                                   const AccountStamps& limits) const noexcept;
    /// Committed value, loaded where it was not.
    ///
    /// The base may take its time, so nobody holds a lock while it is read: two may read the same,
    /// and what comes second is dropped. What was read is right whenever it comes, as long as the
    /// cell is not loaded: who commits a change loads it first, or sets it, and the base does not
    /// show a change before that.
    void ensure_loaded(AccountCell& cell) const noexcept {
        if (!cell.is_loaded.load(std::memory_order_acquire)) load(cell);
    }
    void ensure_loaded(SlotCell& cell) const noexcept {
        if (!cell.is_loaded.load(std::memory_order_acquire)) load(cell);
    }
    /// Wei, as of everything committed; nullopt: it has not been read yet.
    [[nodiscard]] std::optional<Uint256> known_balance(AccountCell& cell) const noexcept;
    /// The committer: as of everything committed.
    [[nodiscard]] SlotReading committed(SlotCell& cell) const noexcept;
    [[nodiscard]] bool has_storage(AccountCell& cell) const noexcept;

    // Code that the base may not have yet:
    //
    //   code       event                                                     next
    //   -          an attempt that deploys it is published                   published(1)
    //   published  another one                                               published(n+1)
    //   published  one of them is withdrawn                                  published(n-1)
    //   published(0)  all that was dispatched by then is committed           -
    //   any        what deploys it is committed                              committed
    //   committed  trim(), attach()                                          -
    //
    // Whoever has found the hash in an account that was withdrawn since was dispatched before that,
    // so published(0) stays until nobody can ask for it or look at it.

    /// Code by hash: published and not yet in the base, or the base's. Stays valid until whoever
    /// asks is committed.
    [[nodiscard]] BytesView code(const Hash& hash) const noexcept;
    void publish_code(const Hash& hash, BytesView code);
    /// Takes back what an attempt has published.
    /// @param dispatched  All positions below may know of it.
    void withdraw_code(const Hash& hash, std::uint64_t dispatched);
    /// The committer: the code is now part of the chain. @return whether it was not before.
    /// @param was_published  By an attempt that is committed with it.
    [[nodiscard]] bool commit_code(const Hash& hash, BytesView code, bool was_published);
    /// The committer: frees withdrawn code that nobody can ask for.
    /// @param committed  All positions below are.
    void free_withdrawn_code(std::uint64_t committed);
    /// Bytes of code held.
    [[nodiscard]] std::size_t code_bytes() const noexcept {
        return code_bytes_.load(std::memory_order_relaxed);
    }

    static void publish(AccountCell& cell, const AccountVersion& version);
    static void publish(SlotCell& cell, const SlotVersion& version);
    static void withdraw(AccountCell& cell, Stamp stamp) noexcept;
    static void withdraw(SlotCell& cell, Stamp stamp) noexcept;

private:
    void load(AccountCell& cell) const noexcept;
    void load(SlotCell& cell) const noexcept;
    [[nodiscard]] bool has_spare_memory() const noexcept;
    void forget();
    void forget_codes();

    const KeptState kept_;
    const StateView* base_ = nullptr;
    CellTable<AccountCell> accounts_;
    CellTable<SlotCell> slots_;
    Counter kept_accounts_;  // the committer counts, others read
    Counter kept_slots_;

    struct PublishedCode {
        Bytes code;
        std::uint32_t publishers = 0;
        bool is_committed = false;
        std::uint64_t dispatched = 0;  // when it was last withdrawn
    };
    struct WithdrawnCode {
        Hash hash;
        std::uint64_t dispatched = 0;
    };
    using Codes = std::unordered_map<Hash, PublishedCode, HashHasher>;
    PublishedCode& hold(const Hash& hash, BytesView code);

    mutable std::mutex codes_mutex_;
    Codes codes_;  // under the mutex
    std::atomic<bool> has_codes_{false};
    std::atomic<std::size_t> code_bytes_{0};
    std::deque<WithdrawnCode> withdrawn_codes_;  // under the mutex, nearly oldest first
    std::atomic<bool> has_withdrawn_codes_{false};

    alignas(64) mutable std::atomic<std::uint64_t> cold_reads_{0};
};

}  // namespace heddle::executor
