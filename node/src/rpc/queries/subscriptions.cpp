// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/subscriptions.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "logging/log.hpp"
#include "rpc/queries/codec.hpp"
#include "rpc/queries/filters.hpp"
#include "rpc/queries/log_picker.hpp"
#include "rpc/queries/served_block_codec.hpp"

namespace heddle::node::rpc {
namespace {

/// Transactions that wait to be told of; beyond that they are left out.
constexpr std::size_t kMaxArrivals = 65'536;

/// One notification, as go-ethereum writes it.
std::string notification(std::string_view id, std::string_view result) {
    constexpr std::string_view kBegin =
        R"({"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":")";
    std::string message;
    message.reserve(kBegin.size() + id.size() + result.size() + 16);
    message += kBegin;
    message += id;
    message += R"(","result":)";
    message += result;
    message += "}}";
    return message;
}

/// Of a block's transactions. They may be as many as those that somebody waits for.
using Places = std::unordered_map<Hash, std::size_t, HashHasher>;

/// Those of the transactions that are in the block, each once, in its order.
std::vector<std::size_t> places_of(const std::vector<Hash>& wanted, const Places& places) {
    std::vector<std::size_t> found;
    for (const Hash& hash : wanted)
        if (const auto place = places.find(hash); place != places.end())
            found.push_back(place->second);
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
}

/// As go-ethereum writes headers of their own: what the fork does not have is null.
std::string head_text(const ledger::StoredBlock& block) {
    const BlockHeader& header = block.block.header;
    std::string text;
    JsonWriter out{text, JsonWriter::Style::compact};
    out.begin_object();
    write_header_members(header, block.hash, out);
    const auto absent = [&](std::string_view name, bool is_there) {
        if (is_there) return;
        out.key(name);
        out.null();
    };
    absent("baseFeePerGas", header.base_fee_per_gas.has_value());
    absent("withdrawalsRoot", header.withdrawals_root.has_value());
    absent("blobGasUsed", header.blob_gas_used.has_value());
    absent("excessBlobGas", header.excess_blob_gas.has_value());
    absent("parentBeaconBlockRoot", header.parent_beacon_block_root.has_value());
    absent("requestsHash", header.requests_hash.has_value());
    absent("blockAccessListHash", header.block_access_list_hash.has_value());
    absent("slotNumber", header.slot_number.has_value());
    out.end_object();
    return text;
}

bool wants_logs_of(const Subscriber& subscriber, const BlockHeader& header) {
    return is_in_future_range(subscriber.criteria, header.number) &&
           subscriber.criteria.filter.may_match(header.logs_bloom);
}

bool is_of_blocks(Subscriptions::Kind kind) {
    return kind == Subscriptions::Kind::heads || kind == Subscriptions::Kind::logs ||
           kind == Subscriptions::Kind::receipts;
}
bool is_of_transactions(Subscriptions::Kind kind) {
    return kind == Subscriptions::Kind::transaction_hashes ||
           kind == Subscriptions::Kind::transactions;
}

}  // namespace

Subscriptions::Subscriptions(const Services& services)
    : services_(services),
      registry_(services.subscribers ? services.subscribers
                                     : std::make_shared<SubscriberRegistry>()),
      thread_([this] { run(); }),
      heads_feed_(
          services.chain.heads().subscribe([this](const SharedBlock& block) { on_head(block); })),
      arrivals_feed_(services.mempool.arrivals().subscribe(
          [this](const BecameExecutable& event) { on_arrival(event.transaction); })),
      taking_back_feed_(services.chain.taking_back().subscribe(
          [this](const BlockSpan& blocks) { on_taking_back(blocks); })),
      rewinds_feed_(services.chain.rewinds().subscribe(
          [this](const SharedBlock& head) { on_rewind(head); })) {}

Subscriptions::~Subscriptions() {
    heads_feed_ = {};
    arrivals_feed_ = {};
    taking_back_feed_ = {};
    rewinds_feed_ = {};
    {
        const std::scoped_lock lock{notes_mutex_};
        stops_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void SubscriberRegistry::count(const Subscriber& subscriber, bool is_more) noexcept {
    const std::size_t difference = is_more ? 1 : ~std::size_t{0};
    subscription_count += difference;
    alternative_count += is_more ? subscriber.size() : ~subscriber.size() + 1;
    Share& share = by_client[subscriber.client];
    share.subscriptions += difference;
    share.alternatives += is_more ? subscriber.size() : ~subscriber.size() + 1;
    if (share.subscriptions == 0) by_client.erase(subscriber.client);
    if (is_of_blocks(subscriber.kind)) of_blocks += difference;
    if (is_of_transactions(subscriber.kind)) of_transactions += difference;
}

void SubscriberRegistry::forget(const Session* session) {
    std::unordered_map<std::string, SharedSubscriber> removed;  // freed outside the lock
    const std::scoped_lock lock{mutex};
    const auto found = sessions.find(session);
    if (found == sessions.end()) return;
    removed = std::move(found->second);
    sessions.erase(found);
    for (const auto& [id, subscriber] : removed)
        count(*subscriber, false);
}

Subscribers SubscriberRegistry::of(SubscriptionKind kind) const {
    Subscribers result;
    const std::scoped_lock lock{mutex};
    for (const auto& [session, subscriptions] : sessions)
        for (const auto& [id, subscriber] : subscriptions)
            if (subscriber->kind == kind) result.push_back(subscriber);
    return result;
}

std::string Subscriptions::add(const Call& call, Kind kind, LogCriteria criteria) {
    check_future_range(criteria);
    auto subscriber = std::make_shared<Subscriber>();
    subscriber->session = call.session;
    subscriber->client = call.client;
    subscriber->kind = kind;
    subscriber->criteria = std::move(criteria);
    return add(subscriber);
}

std::string Subscriptions::add_receipts(const Call& call, std::vector<Hash> transactions) {
    auto subscriber = std::make_shared<Subscriber>();
    subscriber->session = call.session;
    subscriber->client = call.client;
    subscriber->kind = Kind::receipts;
    subscriber->transactions = std::move(transactions);
    return add(subscriber);
}

void Subscriptions::check_room(const Subscriber& subscriber) const {
    std::size_t count = 0;
    std::size_t alternatives = subscriber.size();
    if (const auto found = registry_->sessions.find(subscriber.session.get());
        found != registry_->sessions.end()) {
        count = found->second.size();
        for (const auto& [id, other] : found->second)
            alternatives += other->size();
    }
    if (alternatives > kMaxAlternatives)
        throw RpcError(Code::limit_exceeded,
                       "too many addresses, topics and transactions on this connection");
    if (count >= services_.limits.filters)
        throw RpcError(Code::limit_exceeded,
                       fmt::format("too many subscriptions on this connection: {}", count));
    SubscriberRegistry::Share mine;
    if (const auto found = registry_->by_client.find(subscriber.client);
        found != registry_->by_client.end())
        mine = found->second;
    if (registry_->subscription_count + mine.subscriptions >= kMaxInAll ||
        registry_->alternative_count + mine.alternatives + subscriber.size() >
            kMaxAlternativesInAll)
        throw RpcError(Code::limit_exceeded,
                       fmt::format("too many subscriptions on this node: {}, with {} addresses, "
                                   "topics and transactions",
                                   registry_->subscription_count, registry_->alternative_count));
}

std::string Subscriptions::add(const std::shared_ptr<Subscriber>& subscriber) {
    const std::shared_ptr<Session> session = subscriber->session;
    subscriber->id = random_id();
    bool is_new_session = false;
    {
        const std::scoped_lock lock{registry_->mutex};
        check_room(*subscriber);
        auto [found, is_new] = registry_->sessions.try_emplace(session.get());
        is_new_session = is_new;
        found->second.emplace(subscriber->id, subscriber);
        registry_->count(*subscriber, true);
    }
    // It may run at once, so not with the lock.
    if (is_new_session)
        session->on_close([registry = std::weak_ptr{registry_}, key = session.get()] {
            if (const auto alive = registry.lock()) alive->forget(key);
        });
    return subscriber->id;
}

bool Subscriptions::remove(const std::shared_ptr<Session>& session, std::string_view id) {
    SharedSubscriber removed;  // freed outside the lock
    const std::scoped_lock lock{registry_->mutex};
    const auto found = registry_->sessions.find(session.get());
    if (found == registry_->sessions.end()) return false;
    const auto entry = found->second.find(std::string{id});
    if (entry == found->second.end()) return false;
    removed = std::move(entry->second);
    registry_->count(*removed, false);
    // The connection stays known, so that its end is not asked for again.
    found->second.erase(entry);
    return true;
}

void Subscriptions::on_head(const SharedBlock& block) {
    if (registry_->of_blocks.load(std::memory_order_relaxed) == 0) return;
    {
        const std::scoped_lock lock{notes_mutex_};
        if (next_block_ == 0) next_block_ = block->block.header.number;
        head_ = block;
        ++notes_;
    }
    changed_.notify_all();
}

void Subscriptions::on_arrival(const SharedTransaction& transaction) {
    if (registry_->of_transactions.load(std::memory_order_relaxed) == 0) return;
    bool is_first_loss = false;
    {
        const std::scoped_lock lock{notes_mutex_};
        if (arrivals_.size() >= kMaxArrivals || arrival_bytes_ >= services_.limits.arrival_bytes) {
            is_first_loss = !std::exchange(has_lost_arrivals_, true);
        } else {
            arrivals_.push_back(transaction);
            arrival_bytes_ += memory_of(*transaction);
            ++notes_;
        }
    }
    if (is_first_loss)
        logger(Component::rpc)
            .warn(
                "pending transactions come faster than subscribers can be told; some are left "
                "out");
    changed_.notify_all();
}

void Subscriptions::flush() {
    std::unique_lock lock{notes_mutex_};
    const std::uint64_t wanted = notes_;
    changed_.wait(lock, [&] { return notes_done_ >= wanted || stops_; });
}

void Subscriptions::on_taking_back(const BlockSpan& blocks) {
    const Subscribers logs = registry_->of(Kind::logs);
    std::optional<RemovedLogs> removed;
    if (!logs.empty())
        removed = read_removed_logs(services_.chain, blocks, services_.limits.removed_log_bytes,
                                    [&](const BlockHeader& header) {
                                        return std::ranges::any_of(
                                            logs, [&](const SharedSubscriber& subscriber) {
                                                return wants_logs_of(*subscriber, header);
                                            });
                                    });
    const std::scoped_lock lock{notes_mutex_};
    going_ = std::move(removed);
}

void Subscriptions::on_rewind(const SharedBlock& head) {
    {
        const std::scoped_lock lock{notes_mutex_};
        ++rewinds_;
        const std::uint64_t number = head->block.header.number;
        const std::uint64_t first_untold = next_block_ == 0 ? ~std::uint64_t{0} : next_block_;
        if (going_)
            for (SharedBlockLogs& logs : going_->blocks) {
                if (logs->entries.front().place.block_number >= first_untold) break;
                if (removed_bytes_ + logs->bytes > services_.limits.removed_log_bytes) {
                    warn_of_lost_logs(logs->entries.front().place.block_number);
                    break;
                }
                removed_bytes_ += logs->bytes;
                removed_.push_back(std::move(logs));
                ++notes_;
            }
        going_.reset();
        // What was taken back before it was told of is not told of.
        if (next_block_ > number) {
            next_block_ = 0;
            head_ = nullptr;
        } else if (next_block_ != 0) {
            head_ = head;
        }
    }
    changed_.notify_all();
}

void Subscriptions::run() {
    std::unique_lock lock{notes_mutex_};
    for (;;) {
        changed_.wait(lock, [&] { return stops_ || notes_done_ != notes_; });
        if (stops_) return;
        const std::uint64_t notes = notes_;
        if (!arrivals_.empty()) {
            const std::deque<SharedTransaction> arrivals = std::exchange(arrivals_, {});
            arrival_bytes_ = 0;
            has_lost_arrivals_ = false;
            lock.unlock();
            tell_transactions(arrivals);
            lock.lock();
        }
        if (next_block_ != 0 || !removed_.empty()) tell_next(lock);
        if (next_block_ != 0 || !removed_.empty()) continue;
        notes_done_ = notes;
        changed_.notify_all();
    }
}

void Subscriptions::tell_next(std::unique_lock<std::mutex>& lock) {
    if (!removed_.empty()) {
        SharedBlockLogs removed = std::move(removed_.front());
        removed_.pop_front();
        removed_bytes_ -= removed->bytes;
        lock.unlock();
        tell_logs(registry_->of(Kind::logs), removed->entries.front().place.block_number,
                  [&](const LogFilter&) { return removed; });
        lock.lock();
        return;
    }
    const std::uint64_t number = next_block_;
    const std::uint64_t rewinds = rewinds_;
    SharedBlock block = head_;
    if (number != block->block.header.number) {
        // Blocks that came while others were told of are read again: a slow reader of notifications
        // must not keep blocks in memory.
        lock.unlock();
        const auto read = services_.chain.stored_block(number);
        block = read.has_value() ? *read : nullptr;
        lock.lock();
        if (rewinds != rewinds_) return;  // it may be gone
        next_block_ = number + 1;
    } else {
        next_block_ = 0;
        head_ = nullptr;
    }
    lock.unlock();
    if (block) tell_block(block);
    lock.lock();
}

void Subscriptions::tell_block(const SharedBlock& block) const {
    const Subscribers heads = registry_->of(Kind::heads);
    if (!heads.empty()) {
        const std::string text = head_text(*block);
        for (const SharedSubscriber& subscriber : heads)
            subscriber->session->send(notification(subscriber->id, text));
    }
    SharedBlockLogs logs;
    tell_logs(registry_->of(Kind::logs), block->block.header.number,
              [&](const LogFilter& filter) -> SharedBlockLogs {
                  if (!filter.may_match(block->block.header.logs_bloom)) return nullptr;
                  if (!logs) logs = make_block_logs(*block);
                  return logs;
              });
    const Subscribers receipts = registry_->of(Kind::receipts);
    if (!receipts.empty()) tell_receipts(block, receipts);
}

void Subscriptions::tell_receipts(const SharedBlock& block, const Subscribers& receipts) const {
    const SharedServedBlock served = make_served_block(block);
    const std::vector<Hash>& hashes = served->transaction_hashes;
    std::vector<std::string> texts(hashes.size());  // of receipts, once somebody wants them
    const auto text_of = [&](std::size_t i) -> const std::string& {
        if (texts[i].empty()) {
            JsonWriter out{texts[i], JsonWriter::Style::compact};
            write_receipt_of(services_.chain, *served, i, out);
        }
        return texts[i];
    };
    Places places;
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        places.emplace(hashes[i], i);
        all.push_back(i);
    }
    // Who is cut off because it does not read is told of nothing more.
    std::unordered_set<const Session*> gone;
    for (const SharedSubscriber& subscriber : receipts) {
        if (gone.contains(subscriber->session.get())) continue;
        const std::vector<Hash>& wanted = subscriber->transactions;
        std::string text;
        for (const std::size_t i : wanted.empty() ? all : places_of(wanted, places)) {
            text += text.empty() ? '[' : ',';
            text += text_of(i);
        }
        if (text.empty()) continue;
        text += ']';
        if (!subscriber->session->send(notification(subscriber->id, text)))
            gone.insert(subscriber->session.get());
    }
}

void Subscriptions::tell_logs(const Subscribers& logs, std::uint64_t number,
                              const LogsFor& logs_for) {
    std::vector<std::string> texts;  // of the logs, once somebody wants them
    std::optional<LogPicker> picker;
    // Who is cut off because it does not read is told of nothing more.
    std::unordered_set<const Session*> gone;
    for (const SharedSubscriber& subscriber : logs) {
        const LogFilter& filter = subscriber->criteria.filter;
        if (!is_in_future_range(subscriber->criteria, number)) continue;
        if (gone.contains(subscriber->session.get())) continue;
        const SharedBlockLogs block_logs = logs_for(filter);
        if (!block_logs) continue;
        texts.resize(block_logs->entries.size());
        if (!picker) picker.emplace(block_logs);
        for (const std::uint32_t i : picker->pick(filter)) {
            if (texts[i].empty()) {
                const BlockLogs::Entry& entry = block_logs->entries[i];
                JsonWriter out{texts[i], JsonWriter::Style::compact};
                write_log(entry.log, entry.place, out);
            }
            if (subscriber->session->send(notification(subscriber->id, texts[i]))) continue;
            gone.insert(subscriber->session.get());
            break;
        }
    }
}

void Subscriptions::tell_transactions(const std::deque<SharedTransaction>& transactions) const {
    const Subscribers hashes = registry_->of(Kind::transaction_hashes);
    const Subscribers in_full = registry_->of(Kind::transactions);
    for (const SharedTransaction& transaction : transactions) {
        const std::string hash = '"' + to_string(transaction->hash) + '"';
        for (const SharedSubscriber& subscriber : hashes)
            subscriber->session->send(notification(subscriber->id, hash));
        if (in_full.empty()) continue;
        std::string text;
        JsonWriter out{text, JsonWriter::Style::compact};
        write_transaction(transaction->tx, transaction->hash, std::nullopt, out);
        for (const SharedSubscriber& subscriber : in_full)
            subscriber->session->send(notification(subscriber->id, text));
    }
}

}  // namespace heddle::node::rpc
