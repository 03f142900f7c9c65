// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/filters.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace heddle::node::rpc {
namespace {

using Tag = BlockSelector::Tag;

/// Arrivals kept for filters that have yet to ask for them.
constexpr std::size_t kMaxArrivals = 32'768;
/// Addresses and topics of all filters together: some megabytes.
constexpr std::size_t kMaxAlternatives = 131'072;
/// How often the chain has gone back is remembered for filters that have yet to ask.
constexpr std::size_t kMaxRemovals = 4'096;
/// Programs ask for changes every few seconds: what was left alone for longer seems forgotten.
constexpr std::chrono::seconds kForgotten{30};
constexpr int kPrunedHistory = 4444;  // as geth has it

bool is_number(const std::optional<BlockSelector>& selector) {
    return selector.has_value() && selector->tag == Tag::none;
}

bool is_pending(const std::optional<BlockSelector>& selector) {
    return selector.has_value() && selector->tag == Tag::pending;
}

std::uint64_t number_of(const std::optional<BlockSelector>& selector, std::uint64_t first,
                        std::uint64_t head) {
    if (is_number(selector)) return selector->number;
    if (selector.has_value() && selector->tag == Tag::earliest) return first;
    return head;
}

[[noreturn]] void fail_range() {
    throw RpcError(Code::invalid_params, "invalid block range params");
}

void check_tags(const LogCriteria& criteria) {
    if (is_pending(criteria.from) || is_pending(criteria.to))
        throw RpcError(Code::invalid_params, "pending logs are not supported");
    if (is_number(criteria.from) && is_number(criteria.to) &&
        criteria.from->number > criteria.to->number)
        fail_range();
}

}  // namespace

std::string random_id() {
    static thread_local std::random_device random;
    Uint256 bits{random(), random(), 0, 0};
    bits = bits << 32 | Uint256{random(), random(), 0, 0};
    return to_hex(bits & Uint256{~std::uint64_t{0}, ~std::uint64_t{0}, 0, 0});
}

BlockRange range_of(const LogCriteria& criteria, const Chain& chain, const MethodLimits& limits) {
    if (criteria.block_hash) {
        const auto number = take(chain.block_number(*criteria.block_hash));
        if (!number.has_value()) throw RpcError(Code::server_error, "unknown block");
        return {*number, *number};
    }
    check_tags(criteria);
    const std::uint64_t head = chain.head_block()->block.header.number;
    const std::uint64_t first = chain.first_block();
    const BlockRange range{number_of(criteria.from, first, head),
                           number_of(criteria.to, first, head)};
    if (range.from > range.to) fail_range();
    if (range.to > head)
        throw RpcError(Code::invalid_params, "block range extends beyond current head block");
    if (range.from < first && range.from != 0)
        throw RpcError(kPrunedHistory, "pruned history unavailable");
    if (range.to - range.from >= limits.logs_blocks)
        throw RpcError(Code::limit_exceeded,
                       fmt::format("exceed maximum block range: {}", limits.logs_blocks));
    return range;
}

void check_future_range(const LogCriteria& criteria) {
    check_tags(criteria);
    // Only what is still to come is of interest: an end that is past makes no sense.
    const bool ends_in_past = criteria.to.has_value() && criteria.to->tag == Tag::earliest;
    const bool begins_late =
        (!criteria.from.has_value() || criteria.from->tag == Tag::latest) && is_number(criteria.to);
    if (ends_in_past || begins_late) fail_range();
}

bool is_in_future_range(const LogCriteria& criteria, std::uint64_t number) noexcept {
    return (!is_number(criteria.from) || number >= criteria.from->number) &&
           (!is_number(criteria.to) || number <= criteria.to->number);
}

LogWriter::LogWriter(const Call& call, const MethodLimits& limits, BlockRange range,
                     JsonWriter& out)
    : call_(call), limits_(limits), range_(range), out_(out) {
    out_.begin_array();
}

void LogWriter::write(const BlockLogs::Entry& entry) {
    if (++count_ > limits_.logs_results) {
        const std::uint64_t number = entry.place.block_number;
        const std::uint64_t last = std::max(range_.from, number == 0 ? 0 : number - 1);
        throw RpcError(Code::limit_exceeded,
                       fmt::format("query exceeds max results {}, retry with the range {}-{}",
                                   limits_.logs_results, range_.from, last));
    }
    // Names, quotes and the fixed members take about 500 bytes.
    bytes_ += 512 + 69 * entry.log.topics.size() + 2 * entry.log.data.size();
    if (call_.max_result_bytes != 0 && bytes_ > call_.max_result_bytes)
        throw RpcError(Code::response_too_large, "response too large");
    if (count_ % 256 == 0) call_.check_deadline();
    write_log(entry.log, entry.place, out_);
}

Filters::Filters(const Services& services, std::shared_ptr<LogSearch> search)
    : services_(services),
      search_(std::move(search)),
      subscription_(services.mempool.arrivals().subscribe(
          [this](const BecameExecutable& event) { on_arrival(event.transaction->hash); })),
      taking_back_(services.chain.taking_back().subscribe(
          [this](const BlockSpan& blocks) { on_taking_back(blocks); })),
      rewinds_(services.chain.rewinds().subscribe(
          [this](const SharedBlock& head) { on_rewind(head->block.header.number); })) {}

void Filters::on_rewind(std::uint64_t number) {
    // Noted beside the filter: whoever is asking it must not hold up the chain.
    std::vector<SharedRemoval> dropped;  // freed outside the lock
    const std::scoped_lock lock{mutex_};
    for (const auto& [id, filter] : filters_)
        filter->first_replaced = std::min(filter->first_replaced, number + 1);
    if (!going_) return;
    removed_bytes_ += going_->bytes;
    removed_.push_back(std::exchange(going_, nullptr));
    ++end_removal_;
    while (removed_bytes_ > services_.limits.removed_log_bytes || removed_.size() > kMaxRemovals) {
        removed_bytes_ -= removed_.front()->bytes;
        dropped.push_back(std::move(removed_.front()));
        removed_.pop_front();
        if (!dropped.back()->blocks.empty()) warn_of_lost_logs(dropped.back()->first);
    }
}

void Filters::on_taking_back(const BlockSpan& blocks) {
    std::vector<SharedFilter> asking;
    {
        const std::scoped_lock lock{mutex_};
        going_ = nullptr;
        for (const auto& [id, filter] : filters_)
            if (filter->kind == Kind::logs) asking.push_back(filter);
    }
    if (asking.empty()) return;
    auto removed = std::make_shared<const RemovedLogs>(
        read_removed_logs(services_.chain, blocks, services_.limits.removed_log_bytes,
                          [&](const BlockHeader& header) {
                              return std::ranges::any_of(asking, [&](const SharedFilter& filter) {
                                  return is_in_future_range(filter->criteria, header.number) &&
                                         filter->criteria.filter.may_match(header.logs_bloom);
                              });
                          }));
    const std::scoped_lock lock{mutex_};
    going_ = std::move(removed);
}

void Filters::on_arrival(const Hash& hash) {
    if (transaction_filters_.load(std::memory_order_relaxed) == 0) return;
    const std::scoped_lock lock{arrivals_mutex_};
    arrivals_.push_back(hash);
    ++end_arrival_;
    if (arrivals_.size() > kMaxArrivals) arrivals_.pop_front();
}

auto Filters::erase(Installed::iterator which) -> Installed::iterator {
    const Filter& filter = *which->second;
    alternatives_ -= filter.criteria.filter.size();
    if (filter.kind == Kind::transactions) --transaction_filters_;
    if (filter.kind == Kind::logs && --log_filters_ == 0) {
        removed_.clear();
        removed_bytes_ = 0;
    }
    return filters_.erase(which);
}

void Filters::erase_expired() {
    const auto oldest =
        Clock::now() - std::chrono::seconds{services_.limits.filter_timeout_seconds};
    for (auto each = filters_.begin(); each != filters_.end();)
        each = each->second->last_use < oldest ? erase(each) : std::next(each);
}

void Filters::make_room(const Filter& wanted) {
    const std::size_t size = wanted.criteria.filter.size();
    for (;;) {
        const bool are_too_many = filters_.size() >= services_.limits.filters;
        if (!are_too_many && alternatives_ + size <= kMaxAlternatives) return;
        const auto weight = [&](const Filter& filter) {
            return are_too_many ? std::size_t{1} : filter.criteria.filter.size();
        };
        std::unordered_map<std::uint64_t, std::size_t> held;  // of each client
        std::size_t mine = weight(wanted);
        for (const auto& [id, filter] : filters_)
            (filter->client == wanted.client ? mine : held[filter->client]) += weight(*filter);
        const auto most =
            std::ranges::max_element(held, {}, [](const auto& each) { return each.second; });
        const bool gives_another = most != held.end() && most->second > mine;
        const std::uint64_t giver = gives_another ? most->first : wanted.client;

        auto victim = filters_.end();
        for (auto each = filters_.begin(); each != filters_.end(); ++each) {
            if (each->second->client != giver || weight(*each->second) == 0) continue;
            if (victim == filters_.end() || each->second->last_use < victim->second->last_use)
                victim = each;
        }
        const bool is_there = victim != filters_.end();
        if (!is_there || (!gives_another && victim->second->last_use > Clock::now() - kForgotten))
            throw RpcError(Code::limit_exceeded,
                           fmt::format("too many filters: {} are installed", filters_.size()));
        erase(victim);
    }
}

std::string Filters::add(SharedFilter filter) {
    const std::scoped_lock lock{mutex_};
    erase_expired();
    make_room(*filter);
    filter->last_use = Clock::now();
    // With the lock, so that a rewind is seen here or told of afterwards.
    filter->position.next_block = services_.chain.head_block()->block.header.number + 1;
    alternatives_ += filter->criteria.filter.size();
    filter->position.next_removal = end_removal_;
    if (filter->kind == Kind::logs) ++log_filters_;
    if (filter->kind == Kind::transactions) {
        ++transaction_filters_;
        const std::scoped_lock arrivals_lock{arrivals_mutex_};
        filter->next_arrival = end_arrival_;
    }
    std::string id = random_id();
    filters_.emplace(id, std::move(filter));
    return id;
}

std::string Filters::add_logs(LogCriteria criteria, std::uint64_t client) {
    check_future_range(criteria);
    auto filter = std::make_shared<Filter>();
    filter->kind = Kind::logs;
    filter->client = client;
    filter->criteria = std::move(criteria);
    return add(std::move(filter));
}

std::string Filters::add_blocks(std::uint64_t client) {
    auto filter = std::make_shared<Filter>();
    filter->kind = Kind::blocks;
    filter->client = client;
    return add(std::move(filter));
}

std::string Filters::add_transactions(bool in_full, std::uint64_t client) {
    auto filter = std::make_shared<Filter>();
    filter->kind = Kind::transactions;
    filter->client = client;
    filter->in_full = in_full;
    return add(std::move(filter));
}

bool Filters::remove(std::string_view id) {
    const std::scoped_lock lock{mutex_};
    erase_expired();
    const auto found = filters_.find(std::string{id});
    if (found == filters_.end()) return false;
    erase(found);
    return true;
}

Filters::SharedFilter Filters::find(std::string_view id) {
    const std::scoped_lock lock{mutex_};
    erase_expired();
    const auto found = filters_.find(std::string{id});
    if (found == filters_.end()) throw RpcError(Code::server_error, "filter not found");
    found->second->last_use = Clock::now();
    return found->second;
}

void Filters::write_changes(std::string_view id, const Call& call, JsonWriter& out) {
    const SharedFilter filter = find(id);
    const std::scoped_lock lock{filter->mutex};
    Position& position = filter->position;
    Removals removals;
    {
        const std::scoped_lock all_lock{mutex_};
        position.replaced =
            std::min(position.replaced, std::exchange(filter->first_replaced, kNoBlock));
        if (filter->kind == Kind::logs) removals = removals_since(position.next_removal);
    }
    switch (filter->kind) {
        case Kind::logs:
            return write_logs_of(*filter, removals, call, out);
        case Kind::blocks:
            position.next_block =
                std::min(position.next_block, std::exchange(position.replaced, kNoBlock));
            return write_new_blocks(*filter, call, out);
        case Kind::transactions:
            return write_new_transactions(*filter, call, out);
    }
}

/// A block is written whole: the next call goes on at the block after it.
class Filters::Quota {
public:
    Quota(const MethodLimits& limits, const Call& call) : limits_(limits), call_(call) {}

    [[nodiscard]] bool is_used_up() const noexcept {
        return count_ > 0 && (count_ >= limits_.logs_results ||
                              (call_.max_result_bytes != 0 && bytes_ > call_.max_result_bytes / 2));
    }
    void write(const BlockLogs::Entry& entry, JsonWriter& out) {
        ++count_;
        bytes_ += 512 + 69 * entry.log.topics.size() + 2 * entry.log.data.size();
        write_log(entry.log, entry.place, out);
    }

private:
    const MethodLimits& limits_;
    const Call& call_;
    std::size_t count_ = 0;
    std::size_t bytes_ = 0;
};

Filters::Removals Filters::removals_since(std::uint64_t number) const {
    Removals removals;
    removals.begin = std::max(number, end_removal_ - removed_.size());
    const auto skipped = removals.begin - (end_removal_ - removed_.size());
    removals.list.assign(removed_.begin() + static_cast<std::ptrdiff_t>(skipped), removed_.end());
    return removals;
}

void Filters::write_logs_of(Filter& filter, const Removals& removals, const Call& call,
                            JsonWriter& out) {
    Quota quota{services_.limits, call};
    Position position = filter.position;  // who gets an error was told of nothing
    out.begin_array();
    if (write_removed_logs(filter.criteria, removals, position, quota, out)) {
        position.next_block =
            std::min(position.next_block, std::exchange(position.replaced, kNoBlock));
        if (!quota.is_used_up()) write_new_logs(filter.criteria, position, call, quota, out);
    }
    out.end_array();
    filter.position = position;
}

bool Filters::write_removed_logs(const LogCriteria& criteria, const Removals& removals,
                                 Position& position, Quota& quota, JsonWriter& out) {
    if (removals.begin != position.next_removal) {
        // Some are forgotten: what was told since the lowest block that went is not known.
        position.next_block = std::min(position.next_block, position.replaced);
        position.next_removed_block = 0;
    }
    position.next_removal = removals.begin;
    for (const SharedRemoval& removal : removals.list) {
        for (; position.next_removed_block < removal->blocks.size();
             ++position.next_removed_block) {
            if (quota.is_used_up()) return false;
            for (const auto& entry : removal->blocks[position.next_removed_block]->entries) {
                const std::uint64_t number = entry.place.block_number;
                if (number < position.next_block && is_in_future_range(criteria, number) &&
                    criteria.filter.matches(entry.log))
                    quota.write(entry, out);
            }
        }
        // Those after it went in the place of these, and were told of only if asked for.
        position.next_block = std::min(position.next_block, removal->first);
        position.next_removed_block = 0;
        ++position.next_removal;
    }
    return true;
}

void Filters::write_new_logs(const LogCriteria& criteria, Position& position, const Call& call,
                             Quota& quota, JsonWriter& out) {
    const std::uint64_t head = services_.chain.head_block()->block.header.number;
    std::uint64_t from = position.next_block;
    std::uint64_t to = head;
    if (is_number(criteria.from)) from = std::max(from, criteria.from->number);
    if (is_number(criteria.to)) to = std::min(to, criteria.to->number);
    std::uint64_t next = head + 1;
    if (from <= to && to - from >= services_.limits.logs_blocks) {
        to = from + services_.limits.logs_blocks - 1;
        next = to + 1;
    }
    std::uint64_t block = 0;
    const auto write = [&](const BlockLogs::Entry& entry) {
        if (entry.place.block_number != block && quota.is_used_up()) {
            next = entry.place.block_number;
            return false;
        }
        block = entry.place.block_number;
        quota.write(entry, out);
        return true;
    };
    if (from <= to) search_->search(criteria.filter, from, to, call, write);
    position.next_block = next;
}

void Filters::write_new_blocks(Filter& filter, const Call& call, JsonWriter& out) const {
    const std::uint64_t head = services_.chain.head_block()->block.header.number;
    const std::uint64_t end =
        std::min(head + 1, filter.position.next_block + services_.limits.logs_results);
    out.begin_array();
    std::uint64_t number = filter.position.next_block;
    for (; number < end; ++number) {
        if (number % 256 == 0) call.check_deadline();
        const Hash hash = services_.chain.block_hashes().block_hash(number);
        if (hash == Hash{} && number >= services_.chain.first_block()) break;  // being taken back
        out.hash(hash);
    }
    out.end_array();
    filter.position.next_block = number;
}

void Filters::write_new_transactions(Filter& filter, const Call& call, JsonWriter& out) {
    std::vector<Hash> hashes;
    {
        const std::scoped_lock lock{arrivals_mutex_};
        const std::uint64_t first = end_arrival_ - arrivals_.size();
        const auto skipped = std::max(filter.next_arrival, first) - first;
        hashes.assign(arrivals_.begin() + static_cast<std::ptrdiff_t>(skipped), arrivals_.end());
        filter.next_arrival = first + skipped;
    }
    const std::size_t begin = out.length();
    out.begin_array();
    for (const Hash& hash : hashes) {
        // The next call goes on behind the last one that was written.
        if (call.max_result_bytes != 0 && out.length() - begin > call.max_result_bytes / 2) break;
        if (filter.in_full && Clock::now() > call.deadline) break;
        ++filter.next_arrival;
        if (filter.in_full)
            write_in_full(hash, out);
        else
            out.hash(hash);
    }
    out.end_array();
}

void Filters::write_in_full(const Hash& hash, JsonWriter& out) const {
    if (const SharedTransaction pooled = services_.mempool.find(hash))
        return write_transaction(pooled->tx, hash, std::nullopt, out);
    const auto place = take(services_.chain.find_transaction(hash));
    if (!place) return;
    const auto block = take(services_.chain.served_block(place->number));
    if (!block || place->index >= block->stored->block.transactions.size()) return;  // taken back
    write_transaction(block->stored->block.transactions[place->index], hash, std::nullopt, out);
}

void Filters::write_logs(std::string_view id, const Call& call, JsonWriter& out) {
    const SharedFilter filter = find(id);
    if (filter->kind != Kind::logs) throw RpcError(Code::server_error, "filter not found");
    const BlockRange range = range_of(filter->criteria, services_.chain, services_.limits);
    LogWriter writer{call, services_.limits, range, out};
    search_->search(filter->criteria.filter, range.from, range.to, call,
                    [&](const BlockLogs::Entry& entry) {
                        writer.write(entry);
                        return true;
                    });
    writer.finish();
}

}  // namespace heddle::node::rpc
