// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Jump destinations of a stretch by itself, beside those that a walk through all code finds.
#include "jump_destinations.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <types/bytes.hpp>
#include <types/revision.hpp>
#include <vm/opcode.hpp>

#include "code.hpp"
#include "gas_schedule.hpp"

namespace heddle::vm {
namespace {

/// Code with what has to be readable behind it.
struct Padded {
    explicit Padded(Bytes code) : size(code.size()), bytes(std::move(code)) {
        bytes.resize(size + kCodeStretch);
    }
    [[nodiscard]] std::size_t stretches() const { return (size + kCodeStretch - 1) / kCodeStretch; }
    /// Byte by byte, as YP 9.4.3 has it.
    [[nodiscard]] std::vector<std::uint64_t> by_definition() const {
        std::vector<std::uint64_t> found(stretches());
        for (std::size_t pc = 0; pc < size; ++pc) {
            const std::uint8_t opcode = bytes[pc];
            if (opcode == OP_JUMPDEST)
                found[pc / kCodeStretch] |= std::uint64_t{1} << pc % kCodeStretch;
            if (opcode >= OP_PUSH1 && opcode <= OP_PUSH32) pc += opcode - OP_PUSH1 + 1u;
        }
        return found;
    }
    [[nodiscard]] std::vector<std::uint64_t> by_a_walk(std::size_t next = 0) const {
        std::vector<std::uint64_t> found;
        for (std::size_t i = 0; i < stretches(); ++i)
            found.push_back(find_jump_destinations(bytes.data() + i * kCodeStretch, next));
        return found;
    }
    /// Some stretches together, then the next ones.
    [[nodiscard]] std::vector<std::uint64_t> together(std::size_t at_once,
                                                      std::size_t next = 0) const {
        std::vector<std::uint64_t> found(stretches());
        for (std::size_t i = 0; i < found.size(); i += at_once)
            find_jump_destinations(
                bytes.data() + i * kCodeStretch, next,
                std::span(found).subspan(i).first(std::min(at_once, found.size() - i)));
        return found;
    }
    [[nodiscard]] std::optional<std::uint64_t> alone(std::size_t stretch) const {
        return find_jump_destinations_alone(bytes.data(), stretch);
    }

    std::size_t size;
    Bytes bytes;
};

/// Bytes that are destinations, PUSHes of up to `longest` bytes, or anything, so many of 16 each.
Bytes random_code(std::mt19937_64& random, std::size_t size, unsigned destinations, unsigned pushes,
                  unsigned longest) {
    Bytes code(size);
    for (std::uint8_t& byte : code) {
        const std::uint64_t draw = random();
        const std::uint64_t kind = draw % 16;
        byte = kind < destinations ? static_cast<std::uint8_t>(OP_JUMPDEST)
               : kind < destinations + pushes
                   ? static_cast<std::uint8_t>(OP_PUSH1 + draw / 16 % longest)
                   : static_cast<std::uint8_t>(draw / 16);
    }
    return code;
}

TEST(JumpDestinations, stretches_together_are_those_of_a_walk_wherever_it_comes_in) {
    std::mt19937_64 random(3);  // NOLINT(bugprone-random-generator-seed): the same code each time
    for (std::size_t round = 0; round < 20'000; ++round) {
        // Each length up to three stretches and more; half of the code is little else than PUSHes.
        const auto destinations = static_cast<unsigned>(random() % 8);
        const auto pushes = static_cast<unsigned>(round % 2 == 0 ? random() % 6 : 8);
        const Padded code(random_code(random, round % 270, destinations, pushes,
                                      1 + static_cast<unsigned>(random() % 32)));
        for (const std::size_t next : {std::size_t{0}, static_cast<std::size_t>(random() % 33)})
            ASSERT_EQ(code.together(1 + random() % 4, next), code.by_a_walk(next))
                << "round " << round << ", from " << next;
    }
}

TEST(JumpDestinations, a_push_of_any_length_may_lie_anywhere) {
    for (std::size_t data = 1; data <= 32; ++data)
        for (std::size_t place = 0; place < 3 * kCodeStretch; ++place) {
            // What is not its data is a destination; the code may end within the data.
            Bytes bytes(3 * kCodeStretch, OP_JUMPDEST);
            bytes[place] = static_cast<std::uint8_t>(OP_PUSH1 + data - 1);
            const Padded code(bytes);
            ASSERT_EQ(code.by_a_walk(), code.by_definition()) << data << " at " << place;
            ASSERT_EQ(code.together(3), code.by_definition()) << data << " at " << place;
        }
}

TEST(JumpDestinations, code_of_the_largest_size_and_nothing_but_pushes) {
    // The most that there is to find out: 64 KiB (EIP-7954), with a destination only at its end.
    for (std::size_t longest = 1; longest <= 32; ++longest) {
        std::mt19937_64 random(longest);
        Bytes bytes = random_code(random, 65'536, 0, 16, static_cast<unsigned>(longest));
        bytes.back() = OP_JUMPDEST;
        for (const std::size_t at_the_start : {0u, 1u}) {
            bytes.front() = static_cast<std::uint8_t>(OP_PUSH1 + at_the_start);
            const Padded padded(bytes);
            const std::vector<std::uint64_t> expected = padded.by_definition();
            ASSERT_EQ(padded.by_a_walk(), expected) << longest;
            ASSERT_EQ(padded.together(64), expected) << longest;
            const Code code(bytes, gas_schedule(Revision::amsterdam));
            ASSERT_EQ(code.is_jump_destination(65'535), expected.back() >> 63 != 0) << longest;
        }
    }
}

TEST(JumpDestinations, a_stretch_alone_tells_what_a_walk_through_all_code_tells) {
    std::mt19937_64 random(11);  // NOLINT(bugprone-random-generator-seed): the same code each time
    std::size_t told = 0, asked = 0;
    for (std::size_t round = 0; round < 20'000; ++round) {
        const std::size_t size = random() % 700;
        const auto destinations = static_cast<unsigned>(random() % 15);
        const auto pushes = static_cast<unsigned>(random() % 6);
        const auto longest = 1 + static_cast<unsigned>(random() % 32);
        const Padded code(random_code(random, size, destinations, pushes, longest));
        const std::vector<std::uint64_t> expected = code.by_a_walk();
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const auto found = code.alone(i);
            ++asked;
            if (!found) continue;
            ++told;
            ASSERT_EQ(*found, expected[i]) << "round " << round << ", stretch " << i;
        }
    }
    EXPECT_GT(told, asked / 2) << "hardly a case compares anything";
    EXPECT_LT(told, asked) << "no case has what cannot be told";
}

TEST(JumpDestinations, what_no_push_reaches_needs_no_look_back) {
    Bytes bytes(10 * kCodeStretch, OP_PUSH32);  // where its opcodes begin, its start alone tells
    bytes[5 * kCodeStretch - 1] = OP_ADD;
    for (std::size_t i = 0; i < 33; ++i)
        bytes[5 * kCodeStretch + i] = OP_ADD;
    bytes[5 * kCodeStretch + 33] = OP_JUMPDEST;
    for (std::size_t i = 34; i < kCodeStretch; ++i)
        bytes[5 * kCodeStretch + i] = OP_ADD;
    const Padded code(bytes);
    EXPECT_EQ(code.alone(5), std::uint64_t{1} << 33);
}

TEST(JumpDestinations, it_is_said_where_the_bytes_near_a_stretch_do_not_tell) {
    Bytes bytes(20 * kCodeStretch, OP_PUSH32);
    bytes[10 * kCodeStretch + 5] = OP_JUMPDEST;
    const Padded code(bytes);
    EXPECT_EQ(code.alone(10), std::nullopt);
    EXPECT_EQ(code.alone(9), 0u) << "nothing there could be a destination";
    EXPECT_TRUE(code.alone(kStretchesLookedBack)) << "the start of the code tells";
}

TEST(JumpDestinations, code_finds_them_all_once_where_it_has_to) {
    // One PUSH31 after the other, and in the data of each a JUMPDEST; but for the last byte of each
    // stretch, which is one, and is reached by data that is none.
    Bytes bytes;
    for (std::size_t i = 0; i < 40 * kCodeStretch; ++i)
        bytes.push_back(i % 32 == 0    ? static_cast<std::uint8_t>(OP_PUSH32 - 1)
                        : i % 32 == 31 ? static_cast<std::uint8_t>(OP_JUMPDEST)
                                       : static_cast<std::uint8_t>(OP_PUSH32));
    // PUSH31 at 0 has its data to 31: the JUMPDEST at 31 is data. So is every one.
    const Code all_data(bytes, gas_schedule(Revision::osaka));
    for (std::size_t pc = 0; pc < bytes.size(); ++pc)
        ASSERT_FALSE(all_data.is_jump_destination(pc)) << pc;
    for (std::size_t i = 0; i < bytes.size(); i += 32)
        bytes[i] = OP_PUSH1 + 29;  // PUSH30
    const Code each_is_one(bytes, gas_schedule(Revision::osaka));
    for (std::size_t pc = bytes.size(); pc-- > 0;)
        ASSERT_EQ(each_is_one.is_jump_destination(pc), pc % 32 == 31) << pc;
}

TEST(JumpDestinations, code_may_be_nothing_else) {
    const Bytes bytes(10 * kCodeStretch + 7, OP_JUMPDEST);
    const Code code(bytes, gas_schedule(Revision::osaka));
    for (std::size_t pc = bytes.size() + 10; pc-- > 0;)
        ASSERT_EQ(code.is_jump_destination(pc), pc < bytes.size()) << pc;
    EXPECT_EQ(code.destinations_in_a_row(3), kCodeStretch - 3);
}

TEST(JumpDestinations, threads_that_ask_at_the_same_time_are_told_the_same) {
    std::mt19937_64 random(5);  // NOLINT(bugprone-random-generator-seed): the same code each time
    for (std::size_t round = 0; round < 50; ++round) {
        const Bytes bytes = random_code(random, 2'000, 8, static_cast<unsigned>(round % 8), 32);
        const Padded padded(bytes);
        const std::vector<std::uint64_t> expected = padded.by_a_walk();
        const Code code(bytes, gas_schedule(Revision::osaka));
        const auto ask = [&](std::uint64_t seed) {
            std::mt19937_64 order(seed);
            for (std::size_t i = 0; i < 2'000; ++i) {
                const std::size_t pc = order() % bytes.size();
                const bool is_one = (expected[pc / kCodeStretch] >> pc % kCodeStretch & 1) != 0;
                EXPECT_EQ(code.is_jump_destination(pc), is_one) << pc;
                EXPECT_EQ(code.block_at(pc) != nullptr, is_one) << pc;
            }
        };
        std::vector<std::jthread> threads;
        for (std::uint64_t seed = 0; seed < 3; ++seed)
            threads.emplace_back(ask, seed);
    }
}

}  // namespace
}  // namespace heddle::vm
