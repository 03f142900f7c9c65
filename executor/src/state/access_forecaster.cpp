// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/access_forecaster.hpp"

#include <types/assert.hpp>

namespace heddle::executor {
namespace {

/// nullopt: it is none.
std::optional<Address> to_address(const Uint256& word) noexcept {
    if (word.words[3] != 0 || word.words[2] >> 32 != 0) return std::nullopt;
    const Hash bytes = to_hash(word);
    Address address;
    std::copy(bytes.bytes.end() - address.bytes.size(), bytes.bytes.end(), address.bytes.begin());
    return address;
}

}  // namespace

void AccessForecaster::begin(std::span<const Transaction> transactions,
                             const AccessPatterns& patterns) {
    HEDDLE_ASSERT(transactions.size() <= kMostTransactions);
    transactions_ = transactions;
    is_empty_ = true;
    computed_ = 0;
    for (std::size_t i = 0; i < transactions.size(); ++i) {
        forecasts_[i].pattern = patterns.find(transactions[i]);
        forecasts_[i].known = 0;
        is_empty_ = is_empty_ && forecasts_[i].pattern == nullptr;
    }
    if (is_empty_) return;
    for (std::uint8_t depth = 0; compute(depth);)
        ++depth;
}

bool AccessForecaster::compute(std::uint8_t depth) {
    bool are_deeper = false;
    asked_.clear();
    for (std::size_t i = 0; i < transactions_.size(); ++i) {
        Forecast& forecast = forecasts_[i];
        const std::size_t count = forecast.pattern == nullptr ? 0 : forecast.pattern->pair_count;
        for (std::size_t j = 0; j < count; ++j) {
            const AccessPattern::Pair& pair = forecast.pattern->pairs[j];
            are_deeper = are_deeper || pair.depth > depth;
            if (pair.depth != depth || computed_ == kMostHashes) continue;
            const std::optional<vm::ShortInput> input = input_of(i, pair);
            if (!input.has_value()) continue;
            forecast.hashes[j].input = *input;
            ++computed_;
            batch_.add(forecast.hashes[j].input.bytes());
            asked_.push_back({static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j)});
        }
    }
    outputs_.resize(asked_.size());
    batch_.run(outputs_);
    for (std::size_t i = 0; i < asked_.size(); ++i) {
        Forecast& forecast = forecasts_[asked_[i].transaction];
        forecast.hashes[asked_[i].hash].hash = outputs_[i];
        forecast.known |= 1U << asked_[i].hash;
    }
    return are_deeper;
}

std::optional<Uint256> AccessForecaster::word_of(std::size_t index,
                                                 const WordSource& source) const {
    const Transaction& tx = transactions_[index];
    switch (source.kind) {
        case WordSource::Kind::literal:
            return source.literal;
        case WordSource::Kind::sender:
            return to_word(*tx.sender);
        case WordSource::Kind::argument:
            return argument_of(tx, source.index);
        case WordSource::Kind::hash:
            if ((forecasts_[index].known >> source.index & 1U) == 0) return std::nullopt;
            return to_word(forecasts_[index].hashes[source.index].hash);
    }
    return std::nullopt;
}

std::optional<vm::ShortInput> AccessForecaster::input_of(std::size_t index,
                                                         const AccessPattern::Pair& pair) const {
    const std::optional<Uint256> first = word_of(index, pair.first);
    const std::optional<Uint256> second = word_of(index, pair.second);
    if (!first.has_value() || !second.has_value()) return std::nullopt;
    std::array<std::uint8_t, 64> bytes;
    store_be(*first, bytes.data());
    store_be(*second, bytes.data() + 32);
    return vm::ShortInput{bytes};
}

void AccessForecaster::tell_hashes(std::size_t index, std::vector<vm::KnownHash>& hashes) const {
    const Forecast& forecast = forecasts_[index];
    const std::size_t count = forecast.pattern == nullptr ? 0 : forecast.pattern->pair_count;
    for (std::size_t i = 0; i < count; ++i)
        if ((forecast.known >> i & 1U) != 0) hashes.push_back(forecast.hashes[i]);
}

void AccessForecaster::tell_slots(std::size_t index, std::vector<SlotValue>& slots,
                                  std::size_t limit) const {
    const Forecast& forecast = forecasts_[index];
    const std::size_t count = forecast.pattern == nullptr ? 0 : forecast.pattern->slot_count;
    for (std::size_t i = 0; i < count && slots.size() < limit; ++i) {
        const AccessPattern::Slot& slot = forecast.pattern->slots[i];
        if ((forecast.known >> slot.hash & 1U) == 0) continue;
        const std::optional<Uint256> contract = word_of(index, slot.address);
        const auto address = contract.has_value() ? to_address(*contract) : std::nullopt;
        if (!address.has_value()) continue;
        slots.push_back({.address = *address,
                         .slot = to_word(forecast.hashes[slot.hash].hash) + Uint256{slot.member},
                         .value = {}});
    }
}

}  // namespace heddle::executor
