// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/log_picker.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace heddle::node::rpc {

LogPicker::LogPicker(SharedBlockLogs logs) : logs_(std::move(logs)) {}

const std::vector<std::uint32_t>& LogPicker::pick(const LogFilter& filter) {
    picked_.clear();
    if (picks_ == kPlain) make_index();
    if (picks_++ < kPlain)
        scan(filter);
    else
        look_up(filter);
    return picked_;
}

void LogPicker::scan(const LogFilter& filter) {
    steps_ += logs_->entries.size();
    for (std::size_t i = 0; i < logs_->entries.size(); ++i)
        if (filter.matches(logs_->entries[i].log)) picked_.push_back(static_cast<std::uint32_t>(i));
}

void LogPicker::make_index() {
    for (Bits& logs : having_)
        logs.assign(words(), 0);
    for (std::size_t i = 0; i < logs_->entries.size(); ++i) {
        const Log& log = logs_->entries[i].log;
        const auto index = static_cast<std::uint32_t>(i);
        addresses_.seats.push_back({AddressHasher{}(log.address), index});
        for (std::size_t place = 0; place < log.topics.size(); ++place)
            topics_[place].seats.push_back({HashHasher{}(log.topics[place]), index});
        for (std::size_t count = 0; count <= log.topics.size(); ++count)
            having_[count][i / kBitsInWord] |= std::uint64_t{1} << (i % kBitsInWord);
    }
    sort(addresses_);
    for (Place& place : topics_)
        sort(place);
}

void LogPicker::sort(Place& place) const {
    std::ranges::sort(place.seats);
    for (auto begin = place.seats.begin(); begin != place.seats.end();) {
        const auto end = std::ranges::upper_bound(begin, place.seats.end(), begin->value, {},
                                                  &Place::Seat::value);
        if (static_cast<std::size_t>(end - begin) > words()) {
            Bits& logs = place.popular.emplace_back(begin->value, Bits(words(), 0)).logs;
            for (auto seat = begin; seat != end; ++seat)
                logs[seat->log / kBitsInWord] |= std::uint64_t{1} << (seat->log % kBitsInWord);
        }
        begin = end;
    }
}

void LogPicker::look_up(const LogFilter& filter) {
    if (filter.topics().size() > kTopics) return;
    found_ = having_[filter.topics().size()];
    steps_ += words();
    narrow(addresses_, filter.addresses(), AddressHasher{});
    for (std::size_t place = 0; place < filter.topics().size(); ++place)
        narrow(topics_[place], filter.topics()[place], HashHasher{});
    for (std::size_t word = 0; word < found_.size(); ++word)
        for (std::uint64_t left = found_[word]; left != 0; left &= left - 1) {
            const auto log = static_cast<std::uint32_t>(word * kBitsInWord) +
                             static_cast<std::uint32_t>(std::countr_zero(left));
            // The index knows hashes of values only.
            if (filter.matches(logs_->entries[log].log)) picked_.push_back(log);
        }
}

template <typename Value, typename Hasher>
void LogPicker::narrow(const Place& place, const std::vector<Value>& values, const Hasher& hasher) {
    if (values.empty()) return;  // any
    marked_.assign(words(), 0);
    for (const Value& value : values)
        mark(place, hasher(value));
    for (std::size_t word = 0; word < found_.size(); ++word)
        found_[word] &= marked_[word];
    steps_ += words();
}

void LogPicker::mark(const Place& place, std::size_t value) {
    ++steps_;
    const auto popular = std::ranges::lower_bound(place.popular, value, {}, &Place::Popular::value);
    if (popular != place.popular.end() && popular->value == value) {
        for (std::size_t word = 0; word < marked_.size(); ++word)
            marked_[word] |= popular->logs[word];
        steps_ += words();
        return;
    }
    const auto seats = std::ranges::equal_range(place.seats, value, {}, &Place::Seat::value);
    for (const Place::Seat& seat : seats)
        marked_[seat.log / kBitsInWord] |= std::uint64_t{1} << (seat.log % kBitsInWord);
    steps_ += seats.size();
}

}  // namespace heddle::node::rpc
