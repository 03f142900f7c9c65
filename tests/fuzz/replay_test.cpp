// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Every fuzz target without a fuzzer: over its committed inputs, over each of them damaged at
// random, and over random bytes. Works with any compiler.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "announced_seed.hpp"
#include "targets.hpp"

namespace heddle::fuzz {
namespace {

std::vector<Bytes> corpus(std::string_view target) {
    std::vector<std::filesystem::path> paths;
    const auto folder = std::filesystem::path(HEDDLE_FUZZ_CORPUS) / target;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        paths.push_back(entry.path());
    std::ranges::sort(paths);
    std::vector<Bytes> inputs;
    for (const auto& path : paths) {
        std::ifstream file(path, std::ios::binary);
        inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return inputs;
}

class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    std::size_t below(std::size_t bound) { return engine_() % bound; }
    std::uint8_t byte() { return static_cast<std::uint8_t>(engine_()); }

private:
    std::mt19937_64 engine_;
};

Bytes random_bytes(Random& random) {
    Bytes bytes(random.below(random.below(8) == 0 ? 4'000 : 600));
    std::ranges::generate(bytes, [&] { return random.byte(); });
    return bytes;
}

/// Flips, removes, inserts and repeats a little.
Bytes damaged(Bytes bytes, Random& random) {
    for (std::size_t edits = 1 + random.below(4); edits > 0; --edits) {
        const auto at = static_cast<std::ptrdiff_t>(random.below(bytes.size() + 1));
        const auto left = static_cast<std::ptrdiff_t>(bytes.size()) - at;
        const auto count =
            std::min<std::ptrdiff_t>(left, 1 + static_cast<std::ptrdiff_t>(random.below(8)));
        switch (random.below(4)) {
            case 0:
                if (left != 0)
                    bytes[static_cast<std::size_t>(at)] ^=
                        static_cast<std::uint8_t>(1u << random.below(8));
                break;
            case 1:
                bytes.erase(bytes.begin() + at, bytes.begin() + at + count);
                break;
            case 2:
                bytes.insert(bytes.begin() + at, random.byte());
                break;
            default: {
                const Bytes part(bytes.begin() + at, bytes.begin() + at + count);
                bytes.insert(bytes.begin() + at, part.begin(), part.end());
                break;
            }
        }
    }
    return bytes;
}

class Replay : public testing::TestWithParam<Target> {};

TEST_P(Replay, every_committed_input_keeps_the_promises) {
    const std::vector<Bytes> inputs = corpus(GetParam().name);
    ASSERT_FALSE(inputs.empty());

    for (const Bytes& input : inputs)
        GetParam().run(input);
    GetParam().run({});
}

TEST_P(Replay, damaged_and_random_inputs_keep_the_promises) {
    constexpr int kRounds = 1'500;
    const std::uint64_t used = heddle::test::announced_seed();
    std::printf("HEDDLE_TEST_SEED=%llu\n", static_cast<unsigned long long>(used));
    std::fflush(stdout);  // it must be there when a target aborts
    Random random(used);
    const std::vector<Bytes> inputs = corpus(GetParam().name);
    ASSERT_FALSE(inputs.empty());

    for (int i = 0; i < kRounds; ++i)
        GetParam().run(random.below(3) == 0 ? random_bytes(random)
                                            : damaged(inputs[random.below(inputs.size())], random));
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Replay, testing::ValuesIn(kTargets),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace heddle::fuzz
