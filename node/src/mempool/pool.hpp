// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the mempool holds, and the rules by which one transaction makes room for another: nonce
// order, replacement, bounds, eviction. Knows no chain, no threads and no signatures: accounts are
// told to it as the time is, transactions come checked.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "mempool/mempool.hpp"

namespace heddle::node {

/// What matters here of a sender's account after the newest block.
struct SenderAccount {
    std::uint64_t nonce = 0;
    Uint256 balance;            // wei
    bool is_delegated = false;  // EIP-7702
    friend bool operator==(const SenderAccount&, const SenderAccount&) = default;
};

/// Invariants: 1. the executable transactions of a sender are those from the account's nonce on
/// without a gap, as far as the balance covers the most that all of them together can cost;
/// 2. count and bytes are within the limits; 3. each sender and nonce occurs once; 4. a transaction
/// comes in only where the balance covers it and all others of its sender, those that wait for an
/// earlier one included, so that nobody fills the pool with what could never be paid.
/// Thread safety: none.
class TransactionPool {
public:
    using Clock = std::chrono::steady_clock;

    /// Of the options, the bounds and the price bumps are used.
    explicit TransactionPool(const MempoolOptions& options) : options_(options) {}

    /// What a call did beside its result; appended to.
    struct Changes {
        std::vector<BecameExecutable> executable;
        std::size_t replaced = 0;
        std::size_t evicted = 0;       // for want of room
        std::size_t dropped = 0;       // cannot be executed any more
        bool has_new_account = false;  // of a sender; by whoever calls
    };

    /// Null: it is not here.
    [[nodiscard]] SharedTransaction find(const Hash& hash) const;
    [[nodiscard]] SharedTransaction find(const Address& sender, std::uint64_t nonce) const;
    /// Null: there is no transaction of this sender.
    [[nodiscard]] const SenderAccount* account(const Address& sender) const;
    [[nodiscard]] MempoolStatus status() const noexcept;
    /// The nonce after the executable ones; nullopt: there is no transaction of this sender.
    [[nodiscard]] std::optional<std::uint64_t> next_nonce(const Address& sender) const;
    void append_content(const Address& sender, Mempool::Content& content) const;
    /// BecameExecutable::number of the last one; 0: there was none yet.
    [[nodiscard]] std::uint64_t last_executable() const noexcept { return last_executable_; }
    /// Ascending.
    [[nodiscard]] std::vector<Address> senders() const;
    /// Senders whose transactions may become executable, or no longer so, by what other people's
    /// transactions do: those that lack funds, and delegated accounts. At most so many: those from
    /// `first` on, and behind the last one those from the beginning.
    [[nodiscard]] std::vector<Address> watched(const Address& first, std::size_t most) const;

    /// A transaction that wants to be here.
    struct Arrival {
        SharedTransaction transaction;
        Uint256 cost;           // the most it can cost, in wei
        SenderAccount account;  // counts where the sender is new here
        Clock::time_point time;
    };
    /// Of the next block, in wei.
    struct NextFees {
        Uint256 base_fee;  // per gas
        Uint256 blob_base_fee{};
    };
    /// What time it is for all that follows: here is no clock. Not needed before add().
    void tell_time(Clock::time_point now) noexcept { now_ = now; }

    /// Complexity: logarithmic in the pool for each transaction that comes, goes, or becomes
    /// executable or no longer so; others are not looked at, but moved by a place where it does not
    /// stand at the end of its sender's.
    /// @param fees  What pays less goes first when there is no room.
    /// Errors: account_limit, nonce_too_low, nonce_too_high, insufficient_funds,
    /// replacement_underpriced, underpriced. On error nothing has changed.
    [[nodiscard]] std::expected<void, AdmissionError> add(const Arrival& arrival,
                                                          const NextFees& fees, Changes& changes);
    /// The rules of add() that need only the account. Errors: as add().
    [[nodiscard]] std::expected<void, AdmissionError> check_account(
        const PooledTransaction& transaction, const Uint256& cost,
        const SenderAccount& account) const;

    /// The account is now this one: drops what is past or cannot be paid, promotes, demotes.
    /// A sender without transactions here is ignored.
    void set_account(const Address& sender, const SenderAccount& account, Changes& changes);
    /// Takes one out; those behind it wait. @return false: it is not here.
    bool remove(const Hash& hash, Changes& changes);
    /// What becomes of a sender's transactions depends on nothing else; there is such a sender.
    [[nodiscard]] PoolContent::Sender standing(const Address& sender) const;
    /// The reverse, for a sender who is not here: transactions ascending by nonce.
    void put_back(const Address& sender, const SenderAccount& account,
                  std::span<const Arrival> arrivals, Changes& changes);
    /// Drops what asks for more gas than a block has. Nothing is looked at but that, and what else
    /// its senders have.
    void drop_above(std::uint64_t gas_limit, Changes& changes);
    /// Drops what is not good any more, of all: where the rules have changed.
    void drop_unless(const std::function<bool(const PooledTransaction&)>& is_good,
                     Changes& changes);
    /// Drops transactions that are not local and have waited since before `oldest`.
    void expire(Clock::time_point oldest, Changes& changes);

    [[nodiscard]] std::unique_ptr<BestTransactions> best(const Uint256& base_fee_per_gas,
                                                         const Uint256& blob_base_fee) const;

    /// How often it was asked of a transaction whether it is executable, since the pool was made.
    [[nodiscard]] std::uint64_t looks() const noexcept { return looks_; }

private:
    struct Entry {
        SharedTransaction transaction;
        Uint256 cost;
        Clock::time_point since;
        bool is_executable = false;
    };
    struct Sender {
        SenderAccount account;
        std::vector<Entry> entries;  // ascending by nonce
        std::size_t executable = 0;  // the first so many
        Uint256 executable_cost;     // of these together
        Uint256 cost;                // of all entries; was once below a balance, so no overflow
    };
    /// Worst first. Lower ranks go before higher ones.
    struct ByTip {
        std::uint8_t rank = 0;
        const PooledTransaction* transaction = nullptr;
        bool operator<(const ByTip& other) const noexcept;
    };
    struct ByFeeCap {
        const PooledTransaction* transaction = nullptr;
        bool operator<(const ByFeeCap& other) const noexcept;
    };
    struct ByBlobFeeCap {
        const PooledTransaction* transaction = nullptr;
        bool operator<(const ByBlobFeeCap& other) const noexcept;
    };
    struct ByGasLimit {
        const PooledTransaction* transaction = nullptr;
        bool operator<(const ByGasLimit& other) const noexcept;
    };
    /// In one piece: a block is chosen by walking through all of them.
    using Senders = boost::unordered_flat_map<Address, Sender, AddressHasher>;

    [[nodiscard]] std::expected<void, AdmissionError> check_delegation(
        const PooledTransaction& transaction, const SenderAccount& account) const;
    [[nodiscard]] bool may_replace(const Transaction& old_one,
                                   const Transaction& new_one) const noexcept;
    [[nodiscard]] std::expected<void, AdmissionError> make_room(
        const PooledTransaction& transaction, bool will_be_executable, const NextFees& fees,
        Changes& changes);
    struct Standing {
        const PooledTransaction* transaction = nullptr;
        std::uint8_t rank = 0;
    };
    /// What goes first when there is no room; the pool must not be empty.
    [[nodiscard]] Standing worst(const NextFees& fees) const;
    struct Evicted {
        Entry entry;
        SenderAccount account;
        std::vector<Clock::time_point> behind;  // Entry::since of those behind it
    };
    Evicted evict(const PooledTransaction& victim, Changes& changes);
    /// The reverse, of the one that was evicted last.
    void bring_back(Evicted evicted);

    void index(const Entry& entry);
    void unindex(const Entry& entry);
    void link(const Entry& entry);
    void unlink(const Entry& entry);
    void erase(Senders::iterator found, std::size_t position);
    /// Those with transactions that wait and are not local, ascending.
    [[nodiscard]] std::vector<Address> waiting_senders() const;
    /// Drops what `is_dropped` of Entry says of one sender, and classifies the rest.
    template <typename IsDropped>
    void drop_of(Senders::iterator found, IsDropped is_dropped, Changes& changes);
    /// Finds out anew which of a sender's transactions are executable.
    void classify(const Address& address, Sender& sender, Changes& changes);
    /// Whether those behind the executable ones are so as well: where some came, and none went.
    void promote(const Address& address, Sender& sender, Changes& changes);
    void demote(Entry& entry);

    const MempoolOptions options_;
    Clock::time_point now_{};
    Senders senders_;
    std::unordered_map<Hash, SharedTransaction, HashHasher> by_hash_;
    std::unordered_map<Address, std::size_t, AddressHasher> authorities_;  // of pending delegations
    std::set<Address> watched_;
    std::set<ByTip> by_tip_;             // all
    std::set<ByGasLimit> by_gas_limit_;  // all
    // Executable ones: others', local ones.
    std::array<std::set<ByFeeCap>, 2> by_fee_cap_;
    std::array<std::set<ByBlobFeeCap>, 2> by_blob_fee_cap_;  // those with blobs
    std::size_t bytes_ = 0;                                  // of the network forms
    std::size_t memory_ = 0;                                 // memory_of() all
    std::size_t executable_ = 0;
    std::uint64_t last_executable_ = 0;
    std::uint64_t looks_ = 0;
};

}  // namespace heddle::node
