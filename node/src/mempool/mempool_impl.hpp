// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The insides of the mempool: what is behind its lock, and how it is worked on.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "mempool/admission.hpp"
#include "mempool/journal.hpp"
#include "mempool/mempool.hpp"
#include "mempool/pool.hpp"

namespace heddle::node {

/// What the next block will look like, as far as admission asks. Its time is the earliest possible,
/// so that rules of a fork hold once no earlier block is possible.
[[nodiscard]] inline BlockEnv next_env(const Chain& chain, const ledger::StoredHeader& head) {
    const std::uint64_t time = chain.config().earliest_timestamp(head.header.timestamp);
    return chain.env_of_next(chain.next_header(head, time), head);
}

struct Mempool::Impl {
    Impl(MempoolOptions the_options, const Chain& the_chain, Shim& the_shim)
        : options(std::move(the_options)),
          chain(the_chain),
          shim(the_shim),
          pool(options),
          last_expiry(shim.keeps_order() ? Shim::TimePoint{} : shim.now()),
          journal(options.journal),
          next(std::make_shared<const BlockEnv>(next_env(chain, chain.kept_head()))) {}

    /// On its way into the pool: everything has been checked that needs no sender.
    struct Candidate {
        PooledTransaction transaction;
        Uint256 cost;  // upfront, in wei
        SenderRules rules;
    };
    /// What was found out without the lock, and what it depends on.
    struct Checked {
        std::expected<Candidate, AdmissionError> candidate;
        std::optional<Hash> hash;       // nullopt: it is no transaction, whatever else
        std::uint64_t heads_seen = 0;   // when it was looked at
        bool depends_on_pool = false;   // an error that the pool may not give any more
        std::optional<Address> sender;  // as recovered: whatever the head is
    };
    /// What it is after all that can be done outside the lock.
    struct Ready {
        std::shared_ptr<PooledTransaction> transaction;
        Uint256 cost;
        SenderRules rules;
        SenderAccount account;
        bool is_account_of_pool = false;
        std::uint64_t heads_seen = 0;  // when the account was looked up
        std::optional<AdmissionError> blob_error;
    };
    using MaybeReady = std::expected<Ready, AdmissionError>;
    using Verdict = std::expected<Hash, AdmissionError>;

    std::vector<Checked> check(std::span<const BytesView> encoded, Origin origin) const;
    std::expected<Candidate, AdmissionError> check_decoded(PooledTransaction decoded,
                                                           const BlockEnv& env) const;
    /// The senders' recovery was tried. Sets `depends_on_pool`.
    std::vector<MaybeReady> make_ready(std::span<Checked> all) const;
    // Its steps, before and after senders are looked up in the pool.
    static MaybeReady with_sender(Checked& checked);
    std::expected<void, AdmissionError> complete(Checked& checked, Ready& ready) const;
    std::expected<void, AdmissionError> check_account_first(const Ready& ready) const;
    /// Appends a verdict on each.
    /// @param encoded  Of each, where the shim keeps order.
    void admit(std::span<const BytesView> encoded, Origin origin, std::span<Checked> checked,
               std::vector<Verdict>& verdicts);
    // Under the lock.
    Verdict decide(const MaybeReady& ready, TransactionPool::Changes& changes);
    /// The same where the shim keeps order, which is told of it.
    Verdict decide_in_order(BytesView encoded, Origin origin, const Checked& checked,
                            const MaybeReady& ready, TransactionPool::Changes& changes);
    Verdict insert(const Ready& ready, Shim::TimePoint now, TransactionPool::Changes& changes);
    /// After the head has moved: what depended on it is found out once more, the rest is kept.
    Verdict insert_after_block(const Ready& ready, Shim::TimePoint now,
                               TransactionPool::Changes& changes);
    /// @param sender  Where it is known; null: it is recovered.
    Verdict judge_anew(BytesView encoded, Origin origin, const Address* sender, Shim::TimePoint now,
                       TransactionPool::Changes& changes);
    [[nodiscard]] PoolCounts counts() const;
    /// @param sender  Of all of them; null: it is recovered.
    std::vector<std::expected<Hash, AdmissionError>> add_all(std::span<const BytesView> encoded,
                                                             Origin origin,
                                                             const Address* sender = nullptr);
    void count(const std::expected<Hash, AdmissionError>& result);
    void on_head(const ledger::StoredBlock& block);
    void look_again(const std::vector<SharedTransaction>* wanted);
    void remove_all(TransactionPool::Changes& changes);  // under the lock
    /// What the journal says was dropped. @param hash  Empty: all.
    void drop_again(BytesView hash);
    void sweep();
    void load();
    void note_taken(BytesView encoded, Origin origin);
    void note_dropped(const Hash& hash);
    void save();
    /// Beside the caller, where that is due.
    void save_if_large();
    void save_beside();
    void report(const TransactionPool::Changes& changes);

    const MempoolOptions options;
    const Chain& chain;
    Shim& shim;
    mutable std::shared_mutex mutex;
    TransactionPool pool;  // guarded by mutex
    /// Counts up whenever the ledger may show another state: guarded by mutex.
    std::uint64_t heads_seen = 0;
    TransactionPool::Clock::time_point last_expiry;  // guarded by mutex
    TransactionJournal journal;
    std::shared_ptr<const BlockEnv> next;  // guarded by mutex; with those who are checking
    std::uint64_t arrivals_seen = 0;       // guarded by mutex: transactions taken
    Feed<BecameExecutable> arrivals;

    std::atomic<std::uint64_t> admitted{0};
    std::atomic<std::uint64_t> replaced{0};
    std::atomic<std::uint64_t> evicted{0};
    std::atomic<std::uint64_t> included{0};
    std::atomic<std::uint64_t> dropped{0};
    std::array<std::atomic<std::uint64_t>, kAdmissionCodes> rejected{};

    std::atomic<bool> is_saving{false};
    /// The thread of before may have ended while who made it is not done with that.
    std::mutex saving_mutex;
    std::jthread saving;  // last, for it uses what stands before it; guarded by saving_mutex
};

}  // namespace heddle::node
