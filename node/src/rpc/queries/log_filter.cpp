// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/log_filter.hpp"

#include <algorithm>

#include "rpc/envelope/arguments.hpp"

namespace heddle::node::rpc {
namespace {

constexpr std::size_t kMaxTopics = 4;

LogFilter::BloomBits bloom_bits(BytesView item) noexcept {
    const Hash hash = keccak256(item);
    LogFilter::BloomBits bits;
    for (std::size_t i = 0; i < bits.size(); ++i)
        bits[i] =
            static_cast<std::uint16_t>((hash.bytes[2 * i] << 8 | hash.bytes[2 * i + 1]) & 2047);
    return bits;
}

bool has_bit(const LogsBloom& bloom, std::uint16_t bit) noexcept {
    return (bloom.bytes[255 - bit / 8u] >> (bit % 8u) & 1u) != 0;
}

/// An address or a topic, or a list of them; nothing where it is null.
template <typename T, typename Convert>
std::vector<T> one_or_more(const std::optional<JsonView>& value, Convert convert) {
    std::vector<T> items;
    if (!value.has_value() || value->is_null()) return items;
    if (!value->is_array()) {
        items.push_back(convert(*value));
        return items;
    }
    if (value->size() > kMaxLogAlternatives)
        throw RpcError(Code::server_error, "exceed max addresses or topics per search position");
    items.reserve(value->size());
    for (std::size_t i = 0; i < value->size(); ++i)
        items.push_back(convert(value->element(i)));
    return items;
}

std::vector<std::vector<Hash>> parse_topics(const std::optional<JsonView>& value) {
    std::vector<std::vector<Hash>> topics;
    if (!value.has_value()) return topics;
    if (!value->is_array()) fail_input("expected an array of topics");
    if (value->size() > kMaxTopics) fail_input("exceed max topics");
    for (std::size_t place = 0; place < value->size(); ++place) {
        const JsonView alternatives = value->element(place);
        std::vector<Hash>& topic = topics.emplace_back();
        // A null among alternatives stands for any topic, and so for all of them.
        bool is_any = false;
        if (alternatives.is_array())
            for (std::size_t i = 0; i < alternatives.size(); ++i)
                is_any = is_any || alternatives.element(i).is_null();
        if (!is_any) topic = one_or_more<Hash>(alternatives, to_hash32);
    }
    return topics;
}

LogCriteria parse_criteria(const JsonView& object) {
    if (!object.is_object()) fail_input("expected an object");
    LogCriteria criteria;
    const auto from = object.find("fromBlock");
    const auto to = object.find("toBlock");
    if (const auto hash = object.find("blockHash")) {
        if (from.has_value() || to.has_value())
            fail_input(
                "cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other");
        criteria.block_hash = to_hash32(*hash);
    }
    if (from.has_value()) criteria.from = to_number_selector(*from);
    if (to.has_value()) criteria.to = to_number_selector(*to);
    auto addresses = one_or_more<Address>(object.find("address"),
                                          [](const JsonView& value) { return to_address(value); });
    criteria.filter = LogFilter{std::move(addresses), parse_topics(object.find("topics"))};
    return criteria;
}

}  // namespace

LogFilter::LogFilter(std::vector<Address> addresses, std::vector<std::vector<Hash>> topics)
    : addresses_(std::move(addresses)), topics_(std::move(topics)) {
    std::ranges::sort(addresses_);
    if (!addresses_.empty()) {
        auto& clause = clauses_.emplace_back();
        for (const Address& address : addresses_)
            clause.push_back(bloom_bits(address.view()));
    }
    for (std::vector<Hash>& topic : topics_) {
        std::ranges::sort(topic);
        if (topic.empty()) continue;
        auto& clause = clauses_.emplace_back();
        for (const Hash& hash : topic)
            clause.push_back(bloom_bits(hash.view()));
    }
}

bool LogFilter::matches(const Log& log) const noexcept {
    if (!addresses_.empty() && !std::ranges::binary_search(addresses_, log.address)) return false;
    if (topics_.size() > log.topics.size()) return false;
    for (std::size_t place = 0; place < topics_.size(); ++place)
        if (!topics_[place].empty() &&
            !std::ranges::binary_search(topics_[place], log.topics[place]))
            return false;
    return true;
}

bool LogFilter::may_match(const LogsBloom& bloom) const noexcept {
    return std::ranges::all_of(clauses_, [&](const std::vector<BloomBits>& clause) {
        return std::ranges::any_of(clause, [&](const BloomBits& bits) {
            return std::ranges::all_of(bits,
                                       [&](std::uint16_t bit) { return has_bit(bloom, bit); });
        });
    });
}

std::size_t LogFilter::size() const noexcept {
    std::size_t size = addresses_.size();
    for (const std::vector<Hash>& topic : topics_)
        size += topic.size();
    return size;
}

LogCriteria log_criteria_argument(const Params& params, std::size_t index) {
    return argument(params, index, parse_criteria);
}

}  // namespace heddle::node::rpc
