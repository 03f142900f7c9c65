// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "snappy_frames.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>
#include <snappy.h>

#include "crc32c.hpp"

namespace heddle::consensus_adapter {
namespace {

void append_le(std::uint32_t value, std::size_t count, Bytes& out) {
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

const Bytes kIdentifier{0xff, 0x06, 0x00, 0x00, 's', 'N', 'a', 'P', 'p', 'Y'};

void append_chunk(const Bytes& data, bool compress, Bytes& out) {
    std::string content(data.begin(), data.end());
    if (compress) {
        const std::string plain = content;
        snappy::Compress(plain.data(), plain.size(), &content);
    }
    out.push_back(compress ? 0x00 : 0x01);
    append_le(static_cast<std::uint32_t>(content.size() + 4), 3, out);
    append_le(mask_crc(crc32c(data)), 4, out);
    out.insert(out.end(), content.begin(), content.end());
}

std::optional<SnappyError> error_of(const Bytes& stream, std::size_t max_size = 1 << 20) {
    Bytes out;
    const auto result = decompress_frames(stream, max_size, out);
    return result.has_value() ? std::nullopt : std::optional{result.error()};
}

TEST(SnappyFrames, decompresses_chunks_of_both_kinds_and_skips_padding) {
    const Bytes first(50'000, 0x61);
    const Bytes second{1, 2, 3};
    Bytes stream = kIdentifier;
    append_chunk(first, true, stream);
    stream.insert(stream.end(), {0xfe, 2, 0, 0, 0, 0});
    append_chunk(second, false, stream);

    Bytes out{9, 9};
    ASSERT_TRUE(decompress_frames(stream, 1 << 20, out).has_value());

    Bytes expected = first;
    expected.insert(expected.end(), second.begin(), second.end());
    EXPECT_EQ(out, expected);
}

TEST(SnappyFrames, compresses_what_decompresses_again_and_leaves_noise_as_it_is) {
    std::mt19937 random(7);
    Bytes noise(70'000);
    for (std::uint8_t& byte : noise)
        byte = static_cast<std::uint8_t>(random());
    for (const Bytes& plain : {Bytes{}, Bytes{1}, Bytes(65'536, 5), Bytes(200'000, 5), noise}) {
        Bytes stream{9};
        compress_frames(plain, stream);
        Bytes again;
        ASSERT_TRUE(decompress_frames(stream, plain.size(), again).has_value());
        EXPECT_EQ(again, plain);
    }
    Bytes stream;
    compress_frames(noise, stream);
    EXPECT_EQ(stream.size(), kIdentifier.size() + noise.size() + 2 * 8);
}

TEST(SnappyFrames, rejects_what_breaks_the_format) {
    Bytes good = kIdentifier;
    append_chunk({1, 2, 3, 4}, false, good);
    EXPECT_EQ(error_of(good), std::nullopt);

    EXPECT_EQ(error_of({}), SnappyError::no_identifier);
    EXPECT_EQ(error_of({1, 2, 3}), SnappyError::no_identifier);
    Bytes broken = good;
    broken.pop_back();
    EXPECT_EQ(error_of(broken), SnappyError::truncated);
    broken = good;
    broken.back() ^= 1;
    EXPECT_EQ(error_of(broken), SnappyError::bad_checksum);
    broken = kIdentifier;
    broken.insert(broken.end(), {0x02, 0, 0, 0});
    EXPECT_EQ(error_of(broken), SnappyError::unknown_chunk);
    broken = kIdentifier;
    broken.insert(broken.end(), {0x00, 6, 0, 0, 0, 0, 0, 0, 0xff, 0xff});
    EXPECT_EQ(error_of(broken), SnappyError::bad_chunk);
}

TEST(SnappyFrames, bounds_what_it_gives) {
    Bytes stream = kIdentifier;
    append_chunk(Bytes(1'000, 0), true, stream);
    EXPECT_EQ(error_of(stream, 1'000), std::nullopt);
    EXPECT_EQ(error_of(stream, 999), SnappyError::too_large);

    // A chunk may claim any size; above 64 KiB it is not believed.
    Bytes bomb = kIdentifier;
    bomb.insert(bomb.end(), {0x00, 9, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f});
    EXPECT_EQ(error_of(bomb), SnappyError::bad_chunk);
}

// What a chunk's kind and length say has no checksum: a chunk may be passed over, or be missing.
TEST(SnappyFrames, what_comes_out_of_damage_is_whole_chunks) {
    const Bytes first(500, 7);
    const Bytes second{1, 2, 3};
    Bytes both = first;
    both.insert(both.end(), second.begin(), second.end());
    Bytes stream = kIdentifier;
    append_chunk(first, true, stream);
    append_chunk(second, false, stream);
    std::mt19937 random{1};
    std::size_t whole = 0;
    for (int i = 0; i < 10'000; ++i) {
        Bytes damaged = stream;
        damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
        damaged.resize(random() % (damaged.size() + 1));

        Bytes out;
        if (!decompress_frames(damaged, 1 << 20, out).has_value()) continue;

        ++whole;
        EXPECT_TRUE(out.empty() || out == first || out == second || out == both) << to_hex(damaged);
    }
    EXPECT_GT(whole, 100u);
}

}  // namespace
}  // namespace heddle::consensus_adapter
