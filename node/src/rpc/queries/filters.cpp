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
    if (range.from > head || range.to > head)
        throw RpcError(Code::invalid_params, "block range extends beyond current head block");
    if (range.from > range.to) fail_range();
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
    const bool ends_in_past =
        criteria.to.has_value() && criteria.to->tag == Tag::earliest && is_number(criteria.from);
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
          [this](const SharedTransaction& transaction) { on_arrival(transaction->hash); })),
      rewinds_(services.chain.rewinds().subscribe(
          [this](const SharedBlock& head) { on_rewind(head->block.header.number); })) {}

void Filters::on_rewind(std::uint64_t number) {
    // Noted beside the filter: whoever is asking it must not hold up the chain.
    const std::scoped_lock lock{mutex_};
    for (const auto& [id, filter] : filters_)
        filter->first_replaced = std::min(filter->first_replaced, number + 1);
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
    filter->next_block = services_.chain.head_block()->block.header.number + 1;
    alternatives_ += filter->criteria.filter.size();
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
    {
        const std::scoped_lock all_lock{mutex_};
        filter->next_block =
            std::min(filter->next_block, std::exchange(filter->first_replaced, kNoBlock));
    }
    switch (filter->kind) {
        case Kind::logs:
            return write_new_logs(*filter, call, out);
        case Kind::blocks:
            return write_new_blocks(*filter, call, out);
        case Kind::transactions:
            return write_new_transactions(*filter, call, out);
    }
}

void Filters::write_new_logs(Filter& filter, const Call& call, JsonWriter& out) {
    const std::uint64_t head = services_.chain.head_block()->block.header.number;
    const LogCriteria& criteria = filter.criteria;
    std::uint64_t from = filter.next_block;
    std::uint64_t to = head;
    if (is_number(criteria.from)) from = std::max(from, criteria.from->number);
    if (is_number(criteria.to)) to = std::min(to, criteria.to->number);
    std::uint64_t next = head + 1;
    if (from <= to && to - from >= services_.limits.logs_blocks) {
        to = from + services_.limits.logs_blocks - 1;
        next = to + 1;
    }
    std::size_t count = 0;
    std::size_t bytes = 0;
    std::uint64_t block = 0;
    out.begin_array();
    const auto write = [&](const BlockLogs::Entry& entry) {
        // A block is written whole: the next call goes on at the block after it.
        const bool is_enough = count >= services_.limits.logs_results ||
                               (call.max_result_bytes != 0 && bytes > call.max_result_bytes / 2);
        if (entry.place.block_number != block && is_enough && count > 0) {
            next = entry.place.block_number;
            return false;
        }
        block = entry.place.block_number;
        ++count;
        bytes += 512 + 69 * entry.log.topics.size() + 2 * entry.log.data.size();
        write_log(entry.log, entry.place, out);
        return true;
    };
    if (from <= to) search_->search(criteria.filter, from, to, call, write);
    out.end_array();
    filter.next_block = next;
}

void Filters::write_new_blocks(Filter& filter, const Call& call, JsonWriter& out) const {
    const std::uint64_t head = services_.chain.head_block()->block.header.number;
    const std::uint64_t end = std::min(head + 1, filter.next_block + services_.limits.logs_results);
    out.begin_array();
    std::uint64_t number = filter.next_block;
    for (; number < end; ++number) {
        if (number % 256 == 0) call.check_deadline();
        const Hash hash = services_.chain.block_hashes().block_hash(number);
        if (hash == Hash{} && number >= services_.chain.first_block()) break;  // being taken back
        out.hash(hash);
    }
    out.end_array();
    filter.next_block = number;
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
