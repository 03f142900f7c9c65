// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "mempool/mempool.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include <types/counted.hpp>
#include <types/sender_recovery.hpp>
#include <vm/validate.hpp>

#include "logging/log.hpp"
#include "mempool/mempool_impl.hpp"

namespace heddle::node {
namespace {

/// How often those that have waited too long are looked for, at most.
constexpr std::chrono::milliseconds kExpiryInterval = std::chrono::minutes{1};
/// Stands before a transaction in the journal that is not local; no transaction begins with it.
constexpr std::uint8_t kSubmittedMark = 0;
/// Stands before the hash of a transaction that was taken out of the journal, or alone: all before
/// were. No transaction begins with it either.
constexpr std::uint8_t kDroppedMark = 0x80;
/// The journal is rewritten when at least so many bytes were appended.
constexpr std::size_t kMaxJournalBytes = std::size_t{32} << 20;

/// Accounts that are looked at after each block because others' transactions may have changed them,
/// at most: everybody waits for it. Where there are more, they take turns.
constexpr std::size_t kMostWatched = 1'024;

/// Whose turn it is after a block: nobody knows before, and everybody who has the block does then.
Address place_of(const Hash& block) {
    Address place;
    std::ranges::copy_n(block.bytes.begin(), std::ssize(place.bytes), place.bytes.begin());
    return place;
}

/// What the journal keeps of one of its own.
Bytes journal_record(BytesView encoded, Origin origin) {
    Bytes record;
    if (origin == Origin::submitted) record.push_back(kSubmittedMark);
    record.insert(record.end(), encoded.begin(), encoded.end());
    return record;
}

/// Whether it is one of those that the journal keeps.
bool is_kept(const PooledTransaction& transaction) {
    return is_own(transaction.origin) && !transaction.is_sender_given;
}

using Addresses = std::unordered_set<Address, AddressHasher>;

/// Accounts that a block may have changed and that can send transactions, as far as that can be
/// seen without executing it. What code does to others only ever pays them, but for delegated
/// accounts, which the pool watches.
Addresses touched_by(const Block& block) {
    Addresses touched;
    std::vector<std::optional<Address>> authorities;
    touched.insert(block.header.beneficiary);
    for (const Transaction& tx : block.transactions) {
        touched.insert(*tx.sender);
        if (tx.to) touched.insert(*tx.to);
        if (tx.authorization_list.empty()) continue;
        find_authorities(tx.authorization_list, *tx.chain_id, authorities);
        for (const auto& authority : authorities)
            if (authority.has_value()) touched.insert(*authority);
    }
    if (block.withdrawals)
        for (const Withdrawal& withdrawal : *block.withdrawals)
            touched.insert(withdrawal.address);
    return touched;
}

}  // namespace

std::string_view to_string(AdmissionCode code) noexcept {
    switch (code) {
        case AdmissionCode::malformed:
            return "malformed";
        case AdmissionCode::already_known:
            return "already_known";
        case AdmissionCode::nonce_too_low:
            return "nonce_too_low";
        case AdmissionCode::nonce_too_high:
            return "nonce_too_high";
        case AdmissionCode::underpriced:
            return "underpriced";
        case AdmissionCode::replacement_underpriced:
            return "replacement_underpriced";
        case AdmissionCode::insufficient_funds:
            return "insufficient_funds";
        case AdmissionCode::gas_limit_exceeded:
            return "gas_limit_exceeded";
        case AdmissionCode::intrinsic_gas:
            return "intrinsic_gas";
        case AdmissionCode::fee_cap_too_low:
            return "fee_cap_too_low";
        case AdmissionCode::invalid_sender:
            return "invalid_sender";
        case AdmissionCode::unsupported_type:
            return "unsupported_type";
        case AdmissionCode::wrong_chain:
            return "wrong_chain";
        case AdmissionCode::oversized:
            return "oversized";
        case AdmissionCode::invalid_blobs:
            return "invalid_blobs";
        case AdmissionCode::sender_not_eoa:
            return "sender_not_eoa";
        case AdmissionCode::account_limit:
            return "account_limit";
        case AdmissionCode::not_protected:
            return "not_protected";
        case AdmissionCode::other:
            return "other";
    }
    return "other";
}

/// Counts what happened and tells of what became executable. Not under the lock.
void Mempool::Impl::report(const TransactionPool::Changes& changes) {
    replaced.fetch_add(changes.replaced, std::memory_order_relaxed);
    evicted.fetch_add(changes.evicted, std::memory_order_relaxed);
    dropped.fetch_add(changes.dropped, std::memory_order_relaxed);
    for (const BecameExecutable& event : changes.executable)
        arrivals.tell(event);
}

void Mempool::Impl::on_head(const ledger::StoredBlock& block) {
    const auto env = std::make_shared<const BlockEnv>(
        next_env(chain, {block.block.header, block.hash, block.total_difficulty}));
    Addresses touched = touched_by(block.block);
    TransactionPool::Changes changes;
    std::size_t included_now = 0;
    shim.before(PoolStep::followed);
    {
        const std::unique_lock lock{mutex};
        const Shim::TimePoint now = shim.now();
        pool.tell_time(now);
        ++heads_seen;
        const bool are_rules_new = env->revision != next->revision ||
                                   env->max_blob_gas_per_block < next->max_blob_gas_per_block;
        next = env;
        for (const Transaction& tx : block.block.transactions) {
            const SharedTransaction mine = pool.find(*tx.sender, tx.nonce);
            if (mine && mine->tx.r == tx.r && mine->tx.s == tx.s) ++included_now;
        }
        const std::vector<Address> watched = pool.watched(place_of(block.hash), kMostWatched);
        touched.insert(watched.begin(), watched.end());
        const StateView& state = chain.state();
        // Ascending: what becomes executable is told in this order.
        std::vector<Address> senders;
        std::ranges::copy_if(touched, std::back_inserter(senders), [this](const Address& address) {
            return pool.account(address) != nullptr;
        });
        std::ranges::sort(senders);
        for (const Address& address : senders)
            pool.set_account(address, reread_account(state, address), changes);
        if (are_rules_new)
            pool.drop_unless(
                [&](const PooledTransaction& one) { return is_still_allowed(one, *env); }, changes);
        else
            pool.drop_above(env->gas_limit, changes);
        const auto lifetime = options.waiting_lifetime;
        if (lifetime.count() > 0 && now - last_expiry >= std::min(kExpiryInterval, lifetime)) {
            last_expiry = now;
            pool.expire(now - lifetime, changes);
        }
        shim.reached(PoolStep::followed, counts());
    }
    changes.dropped -= std::min(changes.dropped, included_now);
    included.fetch_add(included_now, std::memory_order_relaxed);
    report(changes);
    if (journal.is_to_be_tried_again())
        save_beside();
    else
        save_if_large();
}

void Mempool::Impl::save_if_large() {
    if (journal.has_doubled(kMaxJournalBytes)) save_beside();
}

/// The journal may be as large as the pool, and whoever tells of a head is about to make the next.
void Mempool::Impl::save_beside() {
    if (is_saving.exchange(true)) return;
    const std::scoped_lock lock{saving_mutex};
    saving = std::jthread{[this] {
        save();
        is_saving = false;
    }};
}

/// @param wanted  Null: those that are here.
void Mempool::Impl::look_again(const std::vector<SharedTransaction>* wanted) {
    const auto env = std::make_shared<const BlockEnv>(next_env(chain, chain.head()));
    const StateView& state = chain.state();
    TransactionPool::Changes changes;
    {
        const std::unique_lock lock{mutex};
        const Shim::TimePoint now = shim.now();
        pool.tell_time(now);
        ++heads_seen;
        next = env;
        if (wanted == nullptr) {
            for (const Address& sender : pool.senders())
                pool.set_account(sender, reread_account(state, sender), changes);
        } else {
            remove_all(changes);
            // Under the lock: what comes from now on stands behind it.
            journal.append({&kDroppedMark, 1});
            for (const SharedTransaction& transaction : *wanted) {
                const auto cost = vm::upfront_cost(transaction->tx);
                if (!cost.has_value() || !is_still_allowed(*transaction, *next)) continue;
                // What is refused here is not good any more, as what on_head() drops.
                const auto added = pool.add(
                    {transaction, *cost, reread_account(state, *transaction->tx.sender), now},
                    {next->base_fee_per_gas, next->blob_base_fee}, changes);
                if (added.has_value() && is_kept(*transaction))
                    journal.append(
                        journal_record(encode_network_form(*transaction), transaction->origin));
            }
        }
    }
    report(changes);
    save_if_large();
}

void Mempool::Impl::remove_all(TransactionPool::Changes& changes) {
    Content content;
    for (const Address& sender : pool.senders())
        pool.append_content(sender, content);
    for (const auto* part : {&content.pending, &content.queued})
        for (const SharedTransaction& transaction : *part)
            pool.remove(transaction->hash, changes);
}

void Mempool::Impl::drop_again(BytesView hash) {
    TransactionPool::Changes changes;
    Hash one;
    {
        const std::unique_lock lock{mutex};
        if (hash.empty()) {
            remove_all(changes);
        } else if (hash.size() == one.bytes.size()) {
            std::ranges::copy(hash, one.bytes.begin());
            pool.remove(one, changes);
        }
    }
    report(changes);
}

void Mempool::Impl::load() {
    if (!journal.is_enabled()) return;
    std::size_t good = 0;
    std::size_t bad = 0;
    const auto take = [&](BytesView record) {
        const bool is_marked = !record.empty() && record.front() == kSubmittedMark;
        const BytesView encoded = is_marked ? record.subspan(1) : record;
        auto added = add_all({&encoded, 1}, is_marked ? Origin::submitted : Origin::local).front();
        ++(added.has_value() ? good : bad);
        return added;
    };
    // A replacement stands where it came, behind others that may come only after what it replaced.
    std::vector<Bytes> early;
    const auto take_early = [&] {
        bad -= early.size();
        for (const Bytes& record : std::exchange(early, {}))
            (void)take(record);
    };
    const bool is_whole = journal.read([&](BytesView record) {
        if (!record.empty() && record.front() == kDroppedMark) {
            take_early();
            return drop_again(record.subspan(1));
        }
        const auto taken = take(record);
        if (!taken.has_value() && taken.error().code == AdmissionCode::nonce_too_high)
            early.emplace_back(record.begin(), record.end());
    });
    take_early();
    // What is appended behind a damaged end would not be read again.
    if (!is_whole && good + bad == 0) return save();
    if (good + bad == 0) return;
    logger(Component::mempool)
        .info("took {} from the journal; not good any more: {}", counted(good, "transaction"), bad);
    save();
}

/// So that it survives a restart, where it is one of those that do.
void Mempool::Impl::note_taken(BytesView encoded, Origin origin) {
    if (!is_own(origin) || !journal.is_enabled()) return;
    journal.append(journal_record(encoded, origin));
    save_if_large();
}

/// Under the lock, so that it stands before the same transaction where that comes once more.
void Mempool::Impl::note_dropped(const Hash& hash) {
    Bytes record{kDroppedMark};
    record.insert(record.end(), hash.bytes.begin(), hash.bytes.end());
    journal.append(record);
}

void Mempool::Impl::save() {
    if (!journal.is_enabled()) return;
    journal.rewrite([&](const std::function<void(BytesView)>& write) {
        Content content;
        {
            const std::shared_lock lock{mutex};
            for (const Address& sender : pool.senders())
                pool.append_content(sender, content);
        }
        // As they came: an account that is about to be delegated holds what came before, and takes
        // little afterwards.
        std::vector<SharedTransaction> all = std::move(content.pending);
        all.insert(all.end(), content.queued.begin(), content.queued.end());
        std::ranges::sort(all, {}, [](const auto& transaction) { return transaction->arrival; });
        for (const SharedTransaction& transaction : all)
            if (is_kept(*transaction))
                write(journal_record(encode_network_form(*transaction), transaction->origin));
    });
}

Mempool::Mempool(MempoolOptions options, const Chain& chain, Shim& shim)
    : impl_(std::make_unique<Impl>(std::move(options), chain, shim)) {
    impl_->load();
}

Mempool::~Mempool() = default;

std::expected<Hash, AdmissionError> Mempool::add(BytesView encoded, Origin origin) {
    return add_all(std::span{&encoded, 1}, origin).front();
}

std::expected<Hash, AdmissionError> Mempool::add_signed(BytesView encoded, const Address& sender,
                                                        Origin origin) {
    auto result = impl_->add_all(std::span{&encoded, 1}, origin, &sender).front();
    if (result.has_value()) impl_->note_taken(encoded, origin);
    return result;
}

std::vector<std::expected<Hash, AdmissionError>> Mempool::add_all(
    std::span<const BytesView> encoded, Origin origin) {
    auto results = impl_->add_all(encoded, origin);
    for (std::size_t i = 0; i < encoded.size(); ++i)
        if (results[i].has_value()) impl_->note_taken(encoded[i], origin);
    return results;
}

SharedTransaction Mempool::find(const Hash& hash) const {
    const std::shared_lock lock{impl_->mutex};
    return impl_->pool.find(hash);
}

MempoolStatus Mempool::status() const {
    const std::shared_lock lock{impl_->mutex};
    return impl_->pool.status();
}

std::uint64_t Mempool::next_nonce(const Address& address) const {
    {
        const std::shared_lock lock{impl_->mutex};
        if (const auto nonce = impl_->pool.next_nonce(address)) return *nonce;
    }
    const auto account = impl_->chain.state().account(address);
    return account ? account->nonce : 0;
}

Mempool::Content Mempool::content() const {
    Content content;
    const std::shared_lock lock{impl_->mutex};
    for (const Address& sender : impl_->pool.senders())
        impl_->pool.append_content(sender, content);
    content.last_executable = impl_->pool.last_executable();
    return content;
}

Mempool::Content Mempool::content_of(const Address& address) const {
    Content content;
    const std::shared_lock lock{impl_->mutex};
    impl_->pool.append_content(address, content);
    content.last_executable = impl_->pool.last_executable();
    return content;
}

std::unique_ptr<BestTransactions> Mempool::best(const Uint256& base_fee_per_gas,
                                                const Uint256& blob_base_fee) const {
    const std::shared_lock lock{impl_->mutex};
    return impl_->pool.best(base_fee_per_gas, blob_base_fee);
}

std::unique_ptr<BestTransactions> Mempool::choose(const Uint256& base_fee_per_gas,
                                                  const Uint256& blob_base_fee) {
    impl_->shim.before(PoolStep::chose);
    std::unique_ptr<BestTransactions> best;
    {
        const std::shared_lock lock{impl_->mutex};
        best = impl_->pool.best(base_fee_per_gas, blob_base_fee);
        impl_->shim.reached(PoolStep::chose, {});
    }
    impl_->shim.after(PoolStep::chose);
    return best;
}

void Mempool::while_shown(const std::function<void()>& show) {
    if (!impl_->shim.keeps_order()) return show();
    impl_->shim.before(PoolStep::shown);
    const std::unique_lock lock{impl_->mutex};
    show();
    ++impl_->heads_seen;
    impl_->shim.reached(PoolStep::shown, {});
}

void Mempool::look_again() {
    impl_->look_again(nullptr);
}

void Mempool::start_over(const std::vector<SharedTransaction>& transactions) {
    impl_->look_again(&transactions);
}

void Mempool::on_head(const ledger::StoredBlock& block) {
    impl_->on_head(block);
}

void Mempool::remove(const Hash& hash, std::string_view reason) {
    TransactionPool::Changes changes;
    bool was_here = false;
    impl_->shim.before(PoolStep::removed);
    {
        const std::unique_lock lock{impl_->mutex};
        impl_->pool.tell_time(impl_->shim.now());
        const SharedTransaction transaction = impl_->pool.find(hash);
        was_here = impl_->pool.remove(hash, changes);
        if (was_here && is_kept(*transaction)) impl_->note_dropped(hash);
        impl_->shim.reached(PoolStep::removed, {});
    }
    if (!was_here) return;
    logger(Component::mempool).info("dropped {}: {}", heddle::to_string(hash), reason);
    impl_->report(changes);
}

void Mempool::save() {
    impl_->save();
}

MempoolCounters Mempool::counters() const {
    const auto get = [](const std::atomic<std::uint64_t>& counter) {
        return counter.load(std::memory_order_relaxed);
    };
    MempoolCounters counters;
    counters.admitted = get(impl_->admitted);
    counters.replaced = get(impl_->replaced);
    counters.evicted = get(impl_->evicted);
    counters.included = get(impl_->included);
    counters.dropped = get(impl_->dropped);
    for (std::size_t code = 0; code < kAdmissionCodes; ++code)
        counters.rejected[code] = get(impl_->rejected[code]);
    return counters;
}

Feed<BecameExecutable>& Mempool::arrivals() noexcept {
    return impl_->arrivals;
}

}  // namespace heddle::node
