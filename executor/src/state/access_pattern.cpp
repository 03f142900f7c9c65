// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/access_pattern.hpp"

#include <algorithm>

namespace heddle::executor {
namespace {

constexpr std::size_t kSelectorSize = 4;
constexpr std::size_t kWordSize = 32;
/// Words below it are positions of mappings, counts and flags, whatever argument has the same
/// value.
constexpr std::uint64_t kSmall = 1U << 16;

/// A call's words, and the pattern that is being made of it.
class PatternMaker {
public:
    explicit PatternMaker(const Transaction& tx)
        : sender_(to_word(*tx.sender)), recipient_(to_word(*tx.to)) {
        while (argument_count_ < arguments_.size()) {
            const std::optional<Uint256> word = argument_of(tx, argument_count_);
            if (!word.has_value()) break;
            arguments_[argument_count_++] = *word;
        }
    }

    void add(const vm::KnownHash& known) {
        if (known.input.size != 2 * kWordSize || pattern_.pair_count == outputs_.size()) return;
        const Uint256 output = to_word(known.hash);
        if (std::ranges::find(known_outputs(), output) != known_outputs().end()) return;
        const BytesView input = known.input.bytes();
        AccessPattern::Pair pair{.first = source_of(load_be(input.data())),
                                 .second = source_of(load_be(input.data() + kWordSize))};
        if (is_literal(pair.first) && is_literal(pair.second)) return;
        pair.depth = std::max(depth_behind(pair.first), depth_behind(pair.second));
        outputs_[pattern_.pair_count] = output;
        pattern_.pairs[pattern_.pair_count++] = pair;
    }

    void add(const SlotValue& read) {
        if (pattern_.slot_count == pattern_.slots.size()) return;
        for (std::uint8_t i = 0; i < pattern_.pair_count; ++i) {
            const Uint256 member = read.slot - outputs_[i];
            if (!member.fits_uint64() || member.low64() >= AccessPattern::kMostMembers) continue;
            pattern_.slots[pattern_.slot_count++] = {
                .address = source_of_contract(read.address),
                .hash = i,
                .member = static_cast<std::uint16_t>(member.low64())};
            return;
        }
    }

    [[nodiscard]] const AccessPattern& pattern() const noexcept { return pattern_; }

private:
    using Kind = WordSource::Kind;

    [[nodiscard]] std::span<const Uint256> known_outputs() const noexcept {
        return std::span(outputs_).first(pattern_.pair_count);
    }
    [[nodiscard]] std::span<const Uint256> arguments() const noexcept {
        return std::span(arguments_).first(argument_count_);
    }
    [[nodiscard]] static std::optional<std::uint8_t> index_of(std::span<const Uint256> words,
                                                              const Uint256& word) {
        const auto at = std::ranges::find(words, word);
        if (at == words.end()) return std::nullopt;
        return static_cast<std::uint8_t>(at - words.begin());
    }
    [[nodiscard]] static bool is_literal(const WordSource& source) noexcept {
        return source.kind == Kind::literal;
    }
    [[nodiscard]] std::uint8_t depth_behind(const WordSource& source) const noexcept {
        if (source.kind != Kind::hash) return 0;
        return static_cast<std::uint8_t>(pattern_.pairs[source.index].depth + 1);
    }

    [[nodiscard]] WordSource source_of(const Uint256& word) const {
        if (const auto hash = index_of(known_outputs(), word)) return {Kind::hash, *hash, {}};
        if (word == sender_) return {Kind::sender, 0, {}};
        if (word.fits_uint64() && word.low64() < kSmall) return {Kind::literal, 0, word};
        if (const auto argument = index_of(arguments(), word))
            return {Kind::argument, *argument, {}};
        return {Kind::literal, 0, word};
    }
    /// Of a router, the token is an argument.
    [[nodiscard]] WordSource source_of_contract(const Address& address) const {
        const Uint256 word = to_word(address);
        if (word == recipient_) return {Kind::literal, 0, word};
        if (const auto argument = index_of(arguments(), word))
            return {Kind::argument, *argument, {}};
        return {Kind::literal, 0, word};
    }

    const Uint256 sender_;
    const Uint256 recipient_;
    std::array<Uint256, AccessPattern::kMostArguments> arguments_;
    std::size_t argument_count_ = 0;
    std::array<Uint256, AccessPattern::kMostHashes> outputs_;  // of the pairs
    AccessPattern pattern_;
};

}  // namespace

std::optional<Uint256> argument_of(const Transaction& tx, std::size_t index) noexcept {
    const std::size_t begin = kSelectorSize + index * kWordSize;
    if (tx.data.size() < begin + kWordSize) return std::nullopt;
    return load_be(tx.data.data() + begin);
}

AccessPattern AccessPattern::of(const Transaction& tx, std::span<const vm::KnownHash> hashes,
                                std::span<const SlotValue> read) {
    if (!tx.sender.has_value() || !tx.to.has_value()) return {};
    PatternMaker maker(tx);
    for (const vm::KnownHash& known : hashes)
        maker.add(known);
    for (const SlotValue& slot : read)
        maker.add(slot);
    return maker.pattern();
}

}  // namespace heddle::executor
