// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <types/hash.hpp>

#include "keccak.hpp"
#include "random.hpp"

namespace heddle {
namespace {

// Keccak-256 as YP App. B and the Keccak reference describe it: plain loops, one lane at a time.
class PlainKeccak {
public:
    static Hash hash(BytesView data) {
        PlainKeccak keccak;
        Bytes padded(data.begin(), data.end());
        padded.push_back(0x01);
        while (padded.size() % kRate != 0)
            padded.push_back(0);
        padded.back() |= 0x80;
        for (std::size_t begin = 0; begin < padded.size(); begin += kRate) {
            for (std::size_t i = 0; i < kRate; ++i)
                keccak.lane(i / 8 % 5, i / 40) ^= std::uint64_t{padded[begin + i]} << (8 * (i % 8));
            keccak.permute();
        }
        Hash hash;
        for (std::size_t i = 0; i < 32; ++i)
            hash.bytes[i] = static_cast<std::uint8_t>(keccak.lane(i / 8, 0) >> (8 * (i % 8)));
        return hash;
    }

private:
    static constexpr std::size_t kRate = 136;

    std::uint64_t& lane(std::size_t x, std::size_t y) { return state_[x][y]; }

    void permute() {
        std::uint8_t shift_register = 1;
        for (int i = 0; i < 24; ++i) {
            theta();
            rho_and_pi();
            chi();
            // iota: the constants come from a linear feedback shift register.
            for (int j = 0; j < 7; ++j) {
                if ((shift_register & 1) != 0) state_[0][0] ^= std::uint64_t{1} << ((1 << j) - 1);
                const bool carry = (shift_register & 0x80) != 0;
                shift_register =
                    static_cast<std::uint8_t>(shift_register << 1 ^ (carry ? 0x71 : 0));
            }
        }
    }

    void theta() {
        std::uint64_t column[5];
        for (std::size_t x = 0; x < 5; ++x)
            column[x] = state_[x][0] ^ state_[x][1] ^ state_[x][2] ^ state_[x][3] ^ state_[x][4];
        for (std::size_t x = 0; x < 5; ++x)
            for (std::size_t y = 0; y < 5; ++y)
                state_[x][y] ^= column[(x + 4) % 5] ^ std::rotl(column[(x + 1) % 5], 1);
    }

    void rho_and_pi() {
        std::size_t x = 1;
        std::size_t y = 0;
        std::uint64_t current = state_[x][y];
        for (int t = 0; t < 24; ++t) {
            const std::size_t next_y = (2 * x + 3 * y) % 5;
            x = y;
            y = next_y;
            const std::uint64_t replaced = state_[x][y];
            state_[x][y] = std::rotl(current, (t + 1) * (t + 2) / 2 % 64);
            current = replaced;
        }
    }

    void chi() {
        for (std::size_t y = 0; y < 5; ++y) {
            std::uint64_t row[5];
            for (std::size_t x = 0; x < 5; ++x)
                row[x] = state_[x][y];
            for (std::size_t x = 0; x < 5; ++x)
                state_[x][y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
        }
    }

    std::uint64_t state_[5][5] = {};
};

BytesView view(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(Keccak, gives_known_hashes) {
    EXPECT_EQ(keccak256({}), kEmptyCodeHash);
    EXPECT_EQ(keccak256(Bytes{0x80}), kEmptyTrieRoot);
    EXPECT_EQ(keccak256(Bytes{0xc0}), kEmptyListHash);
    // The topic of ERC-20's Transfer event.
    EXPECT_EQ(to_string(keccak256(view("Transfer(address,address,uint256)"))),
              "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
}

TEST(Keccak, every_length_up_to_300_equals_the_plain_implementation) {
    test::Random random(test::test_seed());
    for (std::size_t size = 0; size <= 300; ++size) {
        const Bytes data = random.bytes(size);
        ASSERT_EQ(keccak256(data), PlainKeccak::hash(data))
            << size << " seed " << test::test_seed();
    }
}

TEST(Keccak, blocks_and_their_neighbours_equal_the_plain_implementation) {
    test::Random random(test::test_seed());
    for (std::size_t blocks = 3; blocks < 40; blocks += 6)
        for (std::size_t size = 136 * blocks - 9; size <= 136 * blocks + 9; ++size) {
            const Bytes data = random.bytes(size);
            ASSERT_EQ(keccak256(data), PlainKeccak::hash(data))
                << size << " seed " << test::test_seed();
        }
}

// Sliding over one buffer would show reads beyond the input or reliance on alignment.
TEST(Keccak, place_in_memory_does_not_matter) {
    test::Random random(test::test_seed());
    const Bytes data = random.bytes(64);
    const Hash expected = keccak256(data);
    for (std::size_t offset = 0; offset < 64; ++offset) {
        Bytes buffer = random.bytes(192);
        std::copy(data.begin(), data.end(), buffer.begin() + static_cast<std::ptrdiff_t>(offset));
        ASSERT_EQ(keccak256({buffer.data() + offset, 64}), expected) << offset;
    }
}

// keccak256() uses one of them; the others must be as right on another machine.
TEST(Keccak, every_implementation_of_this_cpu_gives_the_same) {
    const KeccakKernels kernels = keccak_kernels();
    test::Random random(test::test_seed());
    for (const KeccakKernel kernel : {kernels.portable, kernels.bmi, kernels.avx512}) {
        if (kernel == nullptr) continue;
        for (std::size_t size = 0; size <= 420; ++size) {
            const Bytes data = random.bytes(size);
            Hash hash;
            kernel(data.data(), data.size(), hash.bytes.data());
            ASSERT_EQ(hash, PlainKeccak::hash(data)) << size << " seed " << test::test_seed();
        }
    }
}

const Hash kHashedDuringStartUp = keccak256(Bytes{0x80});

TEST(Keccak, works_before_main) {
    EXPECT_EQ(kHashedDuringStartUp, kEmptyTrieRoot);
}

}  // namespace
}  // namespace heddle
