// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <types/keccak_batch.hpp>
#include "random.hpp"

namespace heddle {
namespace {

class KeccakBatchTest : public testing::TestWithParam<KeccakPath> {
protected:
    void SetUp() override {
        if (!is_supported(GetParam())) GTEST_SKIP() << "not on this machine";
    }
};

Bytes random_bytes(test::Random& random, std::size_t size) {
    Bytes bytes(size);
    for (std::uint8_t& byte : bytes)
        byte = static_cast<std::uint8_t>(random.below(256));
    return bytes;
}

std::vector<Hash> hash_all(KeccakPath path, const std::vector<Bytes>& inputs) {
    std::vector<BytesView> views(inputs.begin(), inputs.end());
    std::vector<Hash> hashes(inputs.size());
    keccak256_batch(std::span<const BytesView>(views), hashes, path);
    return hashes;
}

TEST_P(KeccakBatchTest, every_length_gives_the_hash_of_the_scalar_code) {
    test::Random random(11);
    for (std::size_t size = 0; size <= 600; ++size) {
        std::vector<Bytes> inputs;
        inputs.reserve(9);
        for (int i = 0; i < 9; ++i)
            inputs.push_back(random_bytes(random, size));
        const std::vector<Hash> hashes = hash_all(GetParam(), inputs);
        for (std::size_t i = 0; i < inputs.size(); ++i)
            ASSERT_EQ(hashes[i], keccak256(inputs[i])) << size << " bytes, input " << i;
    }
}

TEST_P(KeccakBatchTest, batches_of_mixed_lengths_keep_their_order) {
    test::Random random(12);
    for (int round = 0; round < 300; ++round) {
        std::vector<Bytes> inputs;
        for (std::size_t i = random.below(100); i > 0; --i)
            inputs.push_back(random_bytes(random, random.below(random.below(2) == 0 ? 150 : 700)));
        const std::vector<Hash> hashes = hash_all(GetParam(), inputs);
        for (std::size_t i = 0; i < inputs.size(); ++i)
            ASSERT_EQ(hashes[i], keccak256(inputs[i])) << "input " << i << " of " << inputs.size();
    }
}

TEST_P(KeccakBatchTest, any_number_of_messages_around_the_ends_of_blocks_is_hashed) {
    test::Random random(13);
    for (std::size_t count = 0; count <= 70; ++count) {
        std::vector<Bytes> inputs;
        inputs.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t blocks = random.below(8);
            inputs.push_back(random_bytes(random, 136 * blocks + 134 + random.below(4)));
        }
        const std::vector<Hash> hashes = hash_all(GetParam(), inputs);
        for (std::size_t i = 0; i < inputs.size(); ++i)
            ASSERT_EQ(hashes[i], keccak256(inputs[i])) << "input " << i << " of " << count;
    }
}

TEST_P(KeccakBatchTest, messages_much_longer_than_the_rest_are_hashed_beside_it) {
    test::Random random(14);
    for (int round = 0; round < 50; ++round) {
        std::vector<Bytes> inputs;
        for (std::size_t i = 1 + random.below(40); i > 0; --i)
            inputs.push_back(
                random_bytes(random, random.below(random.below(8) == 0 ? 60'000 : 300)));
        const std::vector<Hash> hashes = hash_all(GetParam(), inputs);
        for (std::size_t i = 0; i < inputs.size(); ++i)
            ASSERT_EQ(hashes[i], keccak256(inputs[i])) << "input " << i << " of " << inputs.size();
    }
}

TEST_P(KeccakBatchTest, addresses_and_slots_are_hashed_as_keys_of_the_secure_tries) {
    std::vector<Address> addresses;
    std::vector<Uint256> slots;
    for (std::uint64_t i = 0; i < 77; ++i) {
        addresses.push_back(address_from_low64(i));
        slots.push_back(Uint256(i, i + 1, i + 2, i + 3));
    }
    std::vector<Hash> address_keys(addresses.size());
    std::vector<Hash> slot_keys(slots.size());

    keccak256_batch(std::span<const Address>(addresses), address_keys, GetParam());
    keccak256_batch(std::span<const Uint256>(slots), slot_keys, GetParam());

    for (std::size_t i = 0; i < addresses.size(); ++i) {
        EXPECT_EQ(address_keys[i], keccak256(addresses[i].view()));
        EXPECT_EQ(slot_keys[i], keccak256(to_hash(slots[i]).view()));
    }
}

TEST_P(KeccakBatchTest, messages_begun_longer_than_they_end_are_padded_where_they_end) {
    KeccakBatch batch(GetParam());
    std::vector<Hash> hashes(20);
    for (int round = 0; round < 2; ++round) {
        for (std::uint8_t i = 0; i < 20; ++i) {
            std::uint8_t* const message = batch.begin(1'000);
            std::fill_n(message, 1'000, i);
            batch.end(i);
        }
        batch.run(hashes);
        for (std::uint8_t i = 0; i < 20; ++i)
            EXPECT_EQ(hashes[i], keccak256(Bytes(i, i)));
        EXPECT_EQ(batch.size(), 0U);
    }
}

INSTANTIATE_TEST_SUITE_P(Paths, KeccakBatchTest,
                         testing::Values(KeccakPath::scalar, KeccakPath::avx2, KeccakPath::avx512),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST(KeccakBatch, best_path_is_supported) {
    EXPECT_TRUE(is_supported(best_keccak_path()));
}

}  // namespace
}  // namespace heddle
