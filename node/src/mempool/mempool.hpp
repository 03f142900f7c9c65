// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Pending transactions: those that may go into a block now, in nonce order for each sender, and
// those that wait for an earlier one. Bounded in count and bytes. Which block they go into is the
// block builder's business.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ledger/durable_ledger.hpp>
#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/transaction.hpp>
#include <types/uint256.hpp>

#include "chain/chain.hpp"
#include "chain/feed.hpp"
#include "shim/shim.hpp"

namespace heddle::node {

/// Who brought a transaction.
enum class Origin : std::uint8_t {
    local,      // whom this node serves first: kept longest, for ever, and without a least tip
    submitted,  // anybody else who called this node: handed on to others, and otherwise as remote
    remote,     // another node
};
/// Whether it came to this node first. Such ones survive a restart, and under CometBFT it is this
/// node that tells the others of them.
[[nodiscard]] constexpr bool is_own(Origin origin) noexcept {
    return origin != Origin::remote;
}

/// Immutable once it is in the pool.
struct PooledTransaction {
    Transaction tx;  // with its sender
    Hash hash;
    Origin origin = Origin::remote;
    std::size_t size_bytes = 0;  // of the network form
    std::uint64_t arrival = 0;   // counts up
    /// What follows the transaction in the network form: the version where there is one, blobs,
    /// commitments, proofs, as RLP items; empty but for type 3.
    Bytes sidecar;
    /// The signature is not the sender's: Mempool::add_as_sent().
    bool is_sender_given = false;
    /// Accounts that the authorizations of type 4 delegate (EIP-7702).
    std::vector<Address> authorities;
};
/// Shared by the pool, its cursors and whoever was told of it.
using SharedTransaction = std::shared_ptr<const PooledTransaction>;
/// A transaction became executable in the pool. It does so once more where it was not meanwhile.
struct BecameExecutable {
    SharedTransaction transaction;
    std::uint64_t number = 0;  // of the event: one pool's, counting up from 1
};
/// Memory that a transaction takes while it waits, with its places in the pool's indices. That is
/// several times its network form where it is small or has many authorizations or list entries.
[[nodiscard]] std::size_t memory_of(const PooledTransaction& transaction) noexcept;

enum class AdmissionCode : std::uint8_t {
    malformed,  // bytes that are no transaction
    already_known,
    nonce_too_low,
    nonce_too_high,  // farther ahead than the pool keeps
    underpriced,     // below the least tip, or below all that a full pool holds
    replacement_underpriced,
    insufficient_funds,
    gas_limit_exceeded,  // above the block's or the transaction's limit
    intrinsic_gas,
    fee_cap_too_low,
    invalid_sender,
    unsupported_type,  // not at this revision, or not on this network
    wrong_chain,
    oversized,
    invalid_blobs,
    sender_not_eoa,
    account_limit,  // too many of one sender
    not_protected,  // without a chain id, where the node wants one
    other,
};
inline constexpr std::size_t kAdmissionCodes = static_cast<std::size_t>(AdmissionCode::other) + 1;
/// In lower case with underscores, as metrics name it.
[[nodiscard]] std::string_view to_string(AdmissionCode code) noexcept;

/// Why a transaction is not taken.
struct AdmissionError {
    AdmissionCode code = AdmissionCode::other;
    std::string message;  // one sentence, worded as geth words it where geth has one
};

struct MempoolOptions {
    std::size_t max_transactions = 32'768;
    std::size_t max_bytes = std::size_t{256} << 20;  // of memory
    /// Of one sender, executable and waiting together.
    std::size_t max_per_sender = 4'096;
    /// How far ahead of the sender's next nonce a transaction may be.
    std::uint64_t max_nonce_gap = 4'096;
    /// How long a transaction that is not local may wait for an earlier one; 0: for ever.
    std::chrono::milliseconds waiting_lifetime = std::chrono::hours{3};
    std::uint64_t price_bump_percent = 10;        // to replace a transaction
    std::uint64_t blob_price_bump_percent = 100;  // to replace one with blobs
    Uint256 min_priority_fee;                     // wei, but for local ones
    /// What gas may cost an own transaction at most, in wei; 0: anything. Guards against typing
    /// errors, not against attacks.
    Uint256 max_fee;
    /// Whether own transactions may lack a chain id (EIP-155) and so be valid on every chain.
    bool allow_unprotected = false;
    /// Whether transactions with blobs are taken: only where somebody keeps the blobs.
    bool allow_blobs = true;
    /// Where own transactions are kept over a restart; empty: nowhere.
    std::string journal;
};

struct MempoolStatus {
    std::size_t pending = 0;  // executable
    std::size_t queued = 0;   // waiting for an earlier nonce
    std::size_t bytes = 0;    // of the network forms
    std::size_t memory = 0;   // memory_of() all, in bytes
};

/// What the pool did since it was made.
struct MempoolCounters {
    std::uint64_t admitted = 0;  // replacements included
    std::uint64_t replaced = 0;  // by a better-paying one of the same nonce
    std::uint64_t evicted = 0;   // for want of room
    std::uint64_t included = 0;  // in a block
    std::uint64_t dropped = 0;   // cannot be executed any more, or have waited too long
    std::array<std::uint64_t, kAdmissionCodes> rejected{};  // by AdmissionCode
};

/// Transactions that may go into a block, best first: by what they pay the proposer per gas, then
/// by arrival; those of one sender in nonce order. Of the pool as it was when it was asked.
class BestTransactions {
public:
    virtual ~BestTransactions() = default;
    /// Null: there are no more.
    [[nodiscard]] virtual SharedTransaction next() = 0;
    /// The one given last did not go in: those behind it of the same sender are left out.
    virtual void skip_sender() = 0;
};

/// Thread safety: any. One lock guards the pool; it is held for microseconds, by add_all() for some
/// hundred, or for milliseconds by on_head(), best() and content(). Decoding, signatures and blobs
/// are dealt with outside. What a sender has is read from the newest committed state when its first
/// transaction comes, and again by on_head() when a block touched it.
class Mempool {
public:
    /// Reads the journal, if there is one; entries that are not good any more are dropped.
    /// @param shim  Outlives it. Where it keeps order, what is decided is what one thread would
    ///              have decided that did all in the order in which the shim is told of it.
    Mempool(MempoolOptions options, const Chain& chain, Shim& shim = pass_through());
    ~Mempool();
    Mempool(const Mempool&) = delete;
    Mempool& operator=(const Mempool&) = delete;

    /// Decodes and checks a transaction in its network form (EIP-2718; EIP-4844 with blobs).
    /// Recovers the sender outside the lock.
    std::expected<Hash, AdmissionError> add(BytesView encoded, Origin origin);
    /// The same of each, in their order; the senders of all are recovered together.
    [[nodiscard]] std::vector<std::expected<Hash, AdmissionError>> add_all(
        std::span<const BytesView> encoded, Origin origin);

    /// As add(), of a transaction that this process has signed itself: its sender is known.
    [[nodiscard]] std::expected<Hash, AdmissionError> add_signed(BytesView encoded,
                                                                 const Address& sender,
                                                                 Origin origin);
    /// A transaction whose sender is taken as given, whatever its signature says: for development
    /// chains. It is in no journal. Where the shim keeps order it must not be called.
    [[nodiscard]] std::expected<Hash, AdmissionError> add_as_sent(Transaction tx, Origin origin);
    /// What accounts own is another thing than the blocks say, or blocks were taken back: every
    /// sender is looked at again. As on_head().
    void look_again();
    /// The same; holds these afterwards, as far as they are still good, and no others.
    void start_over(const std::vector<SharedTransaction>& transactions);

    [[nodiscard]] SharedTransaction find(const Hash& hash) const;
    [[nodiscard]] MempoolStatus status() const;
    /// The nonce of the next transaction of this account: after those executable in the pool.
    [[nodiscard]] std::uint64_t next_nonce(const Address& address) const;
    /// Executable transactions and waiting ones, ascending by sender and nonce.
    struct Content {
        std::vector<SharedTransaction> pending;
        std::vector<SharedTransaction> queued;
        /// BecameExecutable::number of the last one before: whoever is told of that one, or of an
        /// earlier one, after this was taken, has seen here what came of it.
        std::uint64_t last_executable = 0;
    };
    [[nodiscard]] Content content() const;
    [[nodiscard]] Content content_of(const Address& address) const;

    /// For building a block. Fees in wei; transactions that offer less are left out.
    [[nodiscard]] std::unique_ptr<BestTransactions> best(const Uint256& base_fee_per_gas,
                                                         const Uint256& blob_base_fee) const;

    /// The same for a block of this chain: it crosses the shim.
    [[nodiscard]] std::unique_ptr<BestTransactions> choose(const Uint256& base_fee_per_gas,
                                                           const Uint256& blob_base_fee);

    /// Calls `show`, which makes the ledger show the state after the next block; on_head() follows.
    /// Where the shim keeps order, nothing is admitted meanwhile.
    void while_shown(const std::function<void()>& show);
    /// A block was committed: what it holds goes, and the senders it touched are looked at again.
    void on_head(const ledger::StoredBlock& block);
    /// Takes one out that turned out not to be executable; the reason is logged.
    void remove(const Hash& hash, std::string_view reason);
    /// Writes the journal anew, without what is not needed any more. An unwritable one is logged.
    void save();
    [[nodiscard]] MempoolCounters counters() const;

    /// All that decides what becomes of it; nothing is admitted while `take` runs.
    void with_content(const std::function<void(PoolContent)>& take) const;
    /// Makes an empty pool what another one was on the same head. What cannot be read is left out.
    /// @return how many transactions that were.
    std::size_t restore(const PoolContent& content);

    /// Told of each transaction that became executable, from the thread that brought it or that
    /// called on_head(), after the pool was unlocked: so content() may have it earlier, and threads
    /// tell of theirs in no order of numbers.
    [[nodiscard]] Feed<BecameExecutable>& arrivals() noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::node
