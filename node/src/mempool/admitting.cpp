// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// How a transaction gets into the mempool, or why not. As much as possible is found out without the
// lock; where the shim keeps order it is made sure under the lock that it still holds.
#include <algorithm>
#include <mutex>
#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>
#include <types/sender_recovery.hpp>
#include <vm/validate.hpp>

#include "mempool/blob_sidecar.hpp"
#include "mempool/mempool_impl.hpp"

namespace heddle::node {
namespace {

// What is admitted under one lock: some hundred microseconds' worth. One that is larger, as with
// blobs, is alone.
constexpr std::size_t kMostAtOnce = 64;
constexpr std::size_t kMostBytesAtOnce = std::size_t{64} << 10;

/// How many of these are admitted together, the first ones.
std::size_t count_together(std::span<const BytesView> encoded) {
    std::size_t count = 0;
    std::size_t bytes = 0;
    for (; count < std::min(kMostAtOnce, encoded.size()); ++count) {
        bytes += encoded[count].size();
        if (bytes > kMostBytesAtOnce && count != 0) break;
    }
    return count;
}

/// Whether what is left to check is more than one signature.
bool takes_long(const PooledTransaction& transaction) {
    return !transaction.sidecar.empty() || !transaction.tx.authorization_list.empty();
}

std::unexpected<AdmissionError> already_known() {
    return std::unexpected(AdmissionError{AdmissionCode::already_known, "already known"});
}

}  // namespace

auto Mempool::Impl::check_decoded(PooledTransaction decoded, const BlockEnv& env) const
    -> std::expected<Candidate, AdmissionError> {
    HEDDLE_CHECK(check_stateless(decoded, env, options));
    const auto cost = vm::upfront_cost(decoded.tx);
    if (!cost.has_value())
        return std::unexpected(
            AdmissionError{AdmissionCode::insufficient_funds,
                           "insufficient funds for gas * price + value: the cost leaves 256 bits"});
    return Candidate{std::move(decoded), *cost, SenderRules{env}};
}

/// The pool is asked about all of them under one lock.
auto Mempool::Impl::check(std::span<const BytesView> encoded, Origin origin) const
    -> std::vector<Checked> {
    std::vector<Checked> all;
    std::vector<std::expected<PooledTransaction, AdmissionError>> decoded;
    all.reserve(encoded.size());
    decoded.reserve(encoded.size());
    for (const BytesView bytes : encoded) {
        const auto& one = decoded.emplace_back(decode_network_form(bytes, origin));
        Checked& checked =
            all.emplace_back(Checked{.candidate = already_known(), .hash = {}, .sender = {}});
        if (one.has_value()) checked.hash = one->hash;
    }
    std::shared_ptr<const BlockEnv> env;
    {
        const std::shared_lock lock{mutex};
        env = next;
        for (Checked& checked : all) {
            checked.heads_seen = heads_seen;
            checked.depends_on_pool =
                checked.hash.has_value() && pool.find(*checked.hash) != nullptr;
        }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!decoded[i].has_value())
            all[i].candidate = std::unexpected(std::move(decoded[i]).error());
        else if (!all[i].depends_on_pool)
            all[i].candidate = check_decoded(*std::move(decoded[i]), *env);
    }
    return all;
}

auto Mempool::Impl::with_sender(Checked& checked) -> MaybeReady {
    HEDDLE_TRY(Candidate candidate, std::move(checked.candidate));
    HEDDLE_CHECK(check_sender(candidate.transaction, candidate.rules.revision));
    return Ready{
        .transaction = std::make_shared<PooledTransaction>(std::move(candidate.transaction)),
        .cost = candidate.cost,
        .rules = candidate.rules,
        .account = {},
        .blob_error = {}};
}

auto Mempool::Impl::complete(Checked& checked, Ready& ready) const
    -> std::expected<void, AdmissionError> {
    PooledTransaction& transaction = *ready.transaction;
    if (!ready.is_account_of_pool) {
        HEDDLE_TRY(ready.account, read_account(chain.state(), *transaction.tx.sender, ready.rules));
    }
    if (!takes_long(transaction)) return {};
    {
        const std::shared_lock lock{mutex};
        checked.depends_on_pool = true;
        HEDDLE_CHECK(check_account_first(ready));
        checked.depends_on_pool = false;
    }
    if (auto proven = check_blob_proofs(transaction); !proven.has_value())
        ready.blob_error = std::move(proven).error();
    fill_authorities(transaction);
    return {};
}

/// Nobody has what takes long done for nothing. With the lock. As in insert(), contracts may have
/// paid the sender since its account was read.
auto Mempool::Impl::check_account_first(const Ready& ready) const
    -> std::expected<void, AdmissionError> {
    const PooledTransaction& transaction = *ready.transaction;
    auto result = pool.check_account(transaction, ready.cost, ready.account);
    if (result.has_value() || result.error().code != AdmissionCode::insufficient_funds)
        return result;
    const SenderAccount account = reread_account(chain.state(), *transaction.tx.sender);
    if (account == ready.account) return result;
    return pool.check_account(transaction, ready.cost, account);
}

auto Mempool::Impl::make_ready(std::span<Checked> all) const -> std::vector<MaybeReady> {
    std::vector<MaybeReady> made;
    made.reserve(all.size());
    for (Checked& checked : all)
        made.push_back(with_sender(checked));
    // The account as the pool knows it, else as the newest block left it; which head that was of is
    // remembered, so that a block in between is noticed.
    {
        const std::shared_lock lock{mutex};
        for (MaybeReady& ready : made) {
            if (!ready.has_value()) continue;
            ready->heads_seen = heads_seen;
            const SenderAccount* const known = pool.account(*ready->transaction->tx.sender);
            ready->is_account_of_pool = known != nullptr;
            if (known != nullptr) ready->account = *known;
        }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!made[i].has_value()) continue;
        if (auto completed = complete(all[i], *made[i]); !completed.has_value())
            made[i] = std::unexpected(std::move(completed).error());
    }
    return made;
}

auto Mempool::Impl::insert(const Ready& ready, Shim::TimePoint now,
                           TransactionPool::Changes& changes) -> Verdict {
    const Address& sender = *ready.transaction->tx.sender;
    const StateView& state = chain.state();
    const SenderAccount* const known = pool.account(sender);
    const bool is_known = known != nullptr;
    SenderAccount account = is_known ? *known : ready.account;
    if (!is_known && (ready.is_account_of_pool || ready.heads_seen != heads_seen)) {
        HEDDLE_TRY(account, read_account(state, sender, SenderRules{*next}));
    }
    if (pool.find(ready.transaction->hash)) return already_known();
    if (ready.blob_error.has_value()) {
        HEDDLE_CHECK(pool.check_account(*ready.transaction, ready.cost, account));
        return std::unexpected(*ready.blob_error);
    }
    ready.transaction->arrival = arrivals_seen;
    pool.tell_time(now);
    const auto try_to_add = [&] {
        return pool.add({ready.transaction, ready.cost, account, now},
                        {next->base_fee_per_gas, next->blob_base_fee}, changes);
    };
    auto result = try_to_add();
    // Contracts may have paid the sender since its account was read.
    if (is_known && !result.has_value() &&
        result.error().code == AdmissionCode::insufficient_funds &&
        reread_account(state, sender) != account) {
        account = reread_account(state, sender);
        pool.set_account(sender, account, changes);
        changes.has_new_account = true;
        result = try_to_add();
    }
    HEDDLE_CHECK(result);
    ++arrivals_seen;
    return ready.transaction->hash;
}

/// The sender stays: recovering it takes longer than all else here together, and under the lock
/// everybody would wait for it. After each block that concerns all that were being admitted.
auto Mempool::Impl::insert_after_block(const Ready& ready, Shim::TimePoint now,
                                       TransactionPool::Changes& changes) -> Verdict {
    HEDDLE_CHECK(check_stateless(*ready.transaction, *next, options));
    HEDDLE_CHECK(check_sender(*ready.transaction, next->revision));
    return insert(ready, now, changes);  // reads the account of a sender who is not here
}

/// All that check() and make_ready() find out, of the pool as it stands.
auto Mempool::Impl::judge_anew(BytesView encoded, Origin origin, const Address* sender,
                               Shim::TimePoint now, TransactionPool::Changes& changes) -> Verdict {
    HEDDLE_TRY(PooledTransaction decoded, decode_network_form(encoded, origin));
    if (pool.find(decoded.hash)) return already_known();
    HEDDLE_TRY(Candidate candidate, check_decoded(std::move(decoded), *next));
    PooledTransaction& transaction = candidate.transaction;
    transaction.tx.sender = sender != nullptr ? *sender : recover_sender(transaction.tx);
    HEDDLE_CHECK(check_sender(transaction, candidate.rules.revision));
    Ready ready{.transaction = {},
                .cost = candidate.cost,
                .rules = candidate.rules,
                .account = {},
                .heads_seen = heads_seen,
                .blob_error = {}};
    const Address from = *transaction.tx.sender;
    if (const SenderAccount* const known = pool.account(from)) {
        ready.account = *known;
    } else {
        HEDDLE_TRY(ready.account, read_account(chain.state(), from, candidate.rules));
    }
    ready.transaction = std::make_shared<PooledTransaction>(std::move(transaction));
    if (takes_long(*ready.transaction)) {
        HEDDLE_CHECK(check_account_first(ready));
        HEDDLE_CHECK(check_blob_proofs(*ready.transaction));
        fill_authorities(*ready.transaction);
    }
    return insert(ready, now, changes);
}

auto Mempool::Impl::decide(const MaybeReady& ready, TransactionPool::Changes& changes) -> Verdict {
    if (!ready.has_value()) return std::unexpected(ready.error());
    if (ready->blob_error.has_value()) return std::unexpected(*ready->blob_error);
    return insert(*ready, shim.now(), changes);
}

/// What was found out beside the lock holds where nothing has changed that it depends on: neither
/// the head nor whether the transaction is here. Else it is found out once more.
auto Mempool::Impl::decide_in_order(BytesView encoded, Origin origin, const Checked& checked,
                                    const MaybeReady& ready, TransactionPool::Changes& changes)
    -> Verdict {
    changes.has_new_account = false;
    const Shim::TimePoint now = shim.now();
    const bool has_head_moved = checked.hash.has_value() && checked.heads_seen != heads_seen;
    // Blobs and delegations have checks of their own, in another order.
    const bool may_keep = ready.has_value() && ready->transaction->sidecar.empty() &&
                          ready->transaction->tx.authorization_list.empty();
    Verdict verdict;
    if (ready.has_value() && !has_head_moved)
        verdict = insert(*ready, now, changes);  // looks whether it is here by now
    else if (checked.hash.has_value() && pool.find(*checked.hash))
        verdict = already_known();
    else if (checked.depends_on_pool || (has_head_moved && !may_keep))
        verdict =
            judge_anew(encoded, origin, checked.sender ? &*checked.sender : nullptr, now, changes);
    else if (has_head_moved)
        verdict = insert_after_block(*ready, now, changes);
    else
        verdict = std::unexpected(ready.error());
    Admission::Refusal why;
    if (!verdict.has_value())
        why = {static_cast<std::uint8_t>(verdict.error().code), verdict.error().message};
    Admission admission;
    admission.encoded = encoded;
    admission.origin = static_cast<std::uint8_t>(origin);
    if (checked.hash.has_value() && !has_sidecar(encoded)) admission.hash = &*checked.hash;
    if (!verdict.has_value()) admission.why = &why;
    admission.has_changed = verdict.has_value() || changes.has_new_account;
    shim.admitted(admission);
    return verdict;
}

/// Whoever waits for the lock does so once for all of them, so they are not many.
void Mempool::Impl::admit(std::span<const BytesView> encoded, Origin origin,
                          std::span<Checked> checked, std::vector<Verdict>& verdicts) {
    const std::vector<MaybeReady> ready = make_ready(checked);
    TransactionPool::Changes changes;
    const std::size_t first = verdicts.size();
    {
        const std::unique_lock lock{mutex};
        for (std::size_t i = 0; i < ready.size(); ++i)
            verdicts.push_back(shim.keeps_order() ? decide_in_order(encoded[i], origin, checked[i],
                                                                    ready[i], changes)
                                                  : decide(ready[i], changes));
    }
    report(changes);
    for (std::size_t i = first; i < verdicts.size(); ++i)
        count(verdicts[i]);
}

std::vector<std::expected<Hash, AdmissionError>> Mempool::Impl::add_all(
    std::span<const BytesView> encoded, Origin origin, const Address* sender) {
    std::vector<Checked> all = check(encoded, origin);
    std::vector<Transaction*> unknown;
    for (Checked& checked : all) {
        if (!checked.candidate.has_value()) continue;
        Transaction& tx = checked.candidate->transaction.tx;
        if (sender != nullptr)
            tx.sender = *sender;
        else
            unknown.push_back(&tx);
    }
    recover_senders(unknown);
    for (Checked& checked : all)
        if (checked.candidate.has_value())
            checked.sender = checked.candidate->transaction.tx.sender;
    std::vector<Verdict> verdicts;
    verdicts.reserve(all.size());
    for (std::span<Checked> left{all}; !left.empty();) {
        const std::size_t count = count_together(encoded);
        admit(encoded.first(count), origin, left.first(count), verdicts);
        encoded = encoded.subspan(count);
        left = left.subspan(count);
    }
    return verdicts;
}

std::expected<Hash, AdmissionError> Mempool::add_as_sent(Transaction tx, Origin origin) {
    HEDDLE_ASSERT(tx.sender.has_value() && !impl_->shim.keeps_order());
    PooledTransaction transaction;
    transaction.origin = origin;
    transaction.is_sender_given = true;
    Bytes encoded;
    encode_transaction(tx, encoded);
    transaction.size_bytes = encoded.size();
    if (encoded.size() > kMaxTransactionBytes)
        return std::unexpected(AdmissionError{AdmissionCode::oversized, "oversized data"});
    transaction.hash = keccak256(encoded);
    tx.hash.value = transaction.hash;
    transaction.tx = std::move(tx);
    Impl::Checked checked{.candidate = already_known(), .hash = transaction.hash, .sender = {}};
    std::shared_ptr<const BlockEnv> env;
    {
        const std::shared_lock lock{impl_->mutex};
        env = impl_->next;
        checked.heads_seen = impl_->heads_seen;
        checked.depends_on_pool = impl_->pool.find(transaction.hash) != nullptr;
    }
    if (!checked.depends_on_pool)
        checked.candidate = impl_->check_decoded(std::move(transaction), *env);
    std::vector<Impl::Verdict> verdicts;
    impl_->admit({}, origin, {&checked, 1}, verdicts);
    return verdicts.front();
}

PoolCounts Mempool::Impl::counts() const {
    const MempoolStatus status = pool.status();
    return {status.pending, status.queued, status.bytes};
}

void Mempool::Impl::count(const std::expected<Hash, AdmissionError>& result) {
    if (result.has_value()) {
        admitted.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    const auto code = static_cast<std::size_t>(result.error().code);
    rejected[code].fetch_add(1, std::memory_order_relaxed);
}

}  // namespace heddle::node
