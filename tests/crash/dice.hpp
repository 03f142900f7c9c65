// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Choices that follow from a seed, one generator per case, and how many cases to run. Not for
// anything that must be hard to guess.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <random>

namespace heddle::test {

class Dice {
public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}

    [[nodiscard]] std::uint64_t next() { return engine_(); }
    /// One of 0..limit-1; limit must not be zero.
    [[nodiscard]] std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
    /// True in one of `of` cases.
    [[nodiscard]] bool one_in(std::uint64_t of) { return below(of) == 0; }
    template <class Range>
    [[nodiscard]] const auto& pick(const Range& range) {
        return *std::next(std::begin(range), static_cast<std::ptrdiff_t>(below(std::size(range))));
    }

private:
    std::mt19937_64 engine_;
};

/// The number in an environment variable.
[[nodiscard]] inline std::optional<std::uint64_t> number_from(const char* name) {
    const char* const text = std::getenv(name);
    if (text == nullptr || *text == '\0') return std::nullopt;
    return std::strtoull(text, nullptr, 0);
}

/// HEDDLE_TEST_SEED, or always the same; scripts/run-crash.sh takes another one each time. Case i
/// of a test has this seed plus i, so that a failed case runs first when its own seed is given.
[[nodiscard]] inline std::uint64_t base_seed() {
    static const std::uint64_t seed = number_from("HEDDLE_TEST_SEED").value_or(1);
    return seed;
}

}  // namespace heddle::test
