// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "cometbft/framing.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "announced_seed.hpp"

namespace heddle::consensus_adapter::cometbft {
namespace {

constexpr std::size_t kMax = 1'000;

void put(FrameReader& reader, BytesView bytes) {
    while (!bytes.empty()) {
        const auto room = reader.room();
        ASSERT_FALSE(room.empty());
        const std::size_t count = std::min(room.size(), bytes.size());
        std::copy_n(bytes.begin(), count, room.begin());
        reader.received(count);
        bytes = bytes.subspan(count);
    }
}

Bytes frame(BytesView message) {
    Bytes out;
    append_length(message.size(), out);
    out.insert(out.end(), message.begin(), message.end());
    return out;
}

Bytes message_of(std::size_t size, std::uint8_t first = 1) {
    Bytes message(size);
    for (std::size_t i = 0; i < size; ++i)
        message[i] = static_cast<std::uint8_t>(first + i);
    return message;
}

/// nullopt: more bytes are needed. Fails the test on an error.
std::optional<Bytes> take(FrameReader& reader) {
    const auto next = reader.next();
    EXPECT_TRUE(next.has_value()) << next.error();
    if (!next.has_value() || !next->has_value()) return std::nullopt;
    return Bytes{(*next)->begin(), (*next)->end()};
}

TEST(FrameReader, lengths_are_unsigned_varints) {
    // From CometBFT's libs/protoio: binary.PutUvarint, then the message.
    for (const auto& [size, expected] :
         std::initializer_list<std::pair<std::uint64_t, std::string>>{{0, "0x00"},
                                                                      {1, "0x01"},
                                                                      {127, "0x7f"},
                                                                      {128, "0x8001"},
                                                                      {300, "0xac02"},
                                                                      {16'384, "0x808001"}}) {
        Bytes out;
        append_length(size, out);
        EXPECT_EQ(to_hex(out), expected);
        EXPECT_EQ(length_size(size), out.size());
    }
    EXPECT_EQ(length_size(UINT64_MAX), 10u);
}

TEST(FrameReader, a_message_split_at_any_byte_comes_out_whole) {
    const Bytes message = message_of(200);
    const Bytes bytes = frame(message);
    for (std::size_t split = 0; split <= bytes.size(); ++split) {
        FrameReader reader{kMax};
        put(reader, BytesView{bytes}.first(split));
        if (split < bytes.size()) {
            EXPECT_EQ(take(reader), std::nullopt) << split;
        }
        put(reader, BytesView{bytes}.subspan(split));
        EXPECT_EQ(take(reader), message) << split;
        EXPECT_EQ(take(reader), std::nullopt);
    }
}

TEST(FrameReader, several_messages_of_one_read_come_out_in_order) {
    FrameReader reader{kMax};
    Bytes bytes;
    for (const std::size_t size : {3u, 0u, 1'000u, 1u}) {
        const Bytes next = frame(message_of(size));
        bytes.insert(bytes.end(), next.begin(), next.end());
    }
    put(reader, bytes);

    for (const std::size_t size : {3u, 0u, 1'000u, 1u})
        EXPECT_EQ(take(reader), message_of(size));
    EXPECT_EQ(take(reader), std::nullopt);
}

TEST(FrameReader, a_length_that_could_be_shorter_is_read_as_cometbft_does) {
    FrameReader reader{kMax};
    put(reader, Bytes{0x82, 0x00, 7, 8});
    EXPECT_EQ(take(reader), (Bytes{7, 8}));
}

TEST(FrameReader, a_length_beyond_64_bits_is_refused) {
    FrameReader reader{kMax};
    put(reader, Bytes(9, 0xff));
    EXPECT_EQ(take(reader), std::nullopt);
    put(reader, Bytes{0x02});
    EXPECT_FALSE(reader.next().has_value());

    // Without the bits that are too many it would be nothing.
    FrameReader around{kMax};
    put(around, Bytes(9, 0x80));
    put(around, Bytes{0x02});
    EXPECT_FALSE(around.next().has_value());

    FrameReader endless{kMax};
    put(endless, Bytes(11, 0x80));
    EXPECT_FALSE(endless.next().has_value());
}

TEST(FrameReader, a_message_above_the_limit_is_refused_before_any_of_it_has_come) {
    FrameReader at_the_limit{kMax};
    put(at_the_limit, frame(message_of(kMax)));
    EXPECT_EQ(take(at_the_limit), message_of(kMax));

    FrameReader reader{kMax};
    Bytes length;
    append_length(kMax + 1, length);
    put(reader, length);
    const auto refused = reader.next();
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error(), "a message of 1001 bytes; the most is 1000");
}

TEST(FrameReader, a_length_alone_takes_no_memory) {
    FrameReader reader{std::size_t{1} << 40};
    Bytes length;
    append_length(std::uint64_t{1} << 40, length);
    put(reader, length);
    EXPECT_EQ(take(reader), std::nullopt);
    EXPECT_LT(reader.room().size(), std::size_t{1} << 20);
}

TEST(FrameReader, a_large_message_leaves_no_memory_behind) {
    constexpr std::size_t kLarge = std::size_t{3} << 20;
    FrameReader reader{kLarge};
    put(reader, frame(message_of(kLarge)));
    ASSERT_TRUE(take(reader).has_value());
    EXPECT_LT(reader.room().size(), std::size_t{1} << 20);
}

TEST(FrameReader, random_messages_in_random_pieces_come_out_as_they_went_in) {
    std::mt19937_64 random{heddle::test::announced_seed()};
    const auto below = [&](std::size_t bound) {
        return static_cast<std::size_t>(random() % bound);
    };
    FrameReader reader{std::size_t{1} << 20};
    std::vector<Bytes> sent;
    Bytes stream;
    for (int i = 0; i < 300; ++i) {
        const std::size_t size = below(4) == 0 ? below(400'000) : below(300);
        sent.push_back(message_of(size, static_cast<std::uint8_t>(i)));
        const Bytes next = frame(sent.back());
        stream.insert(stream.end(), next.begin(), next.end());
    }
    std::vector<Bytes> received;
    BytesView left = stream;
    while (!left.empty()) {
        const std::size_t count = std::min(left.size(), 1 + below(100'000));
        put(reader, left.first(count));
        left = left.subspan(count);
        while (auto message = take(reader))
            received.push_back(std::move(*message));
    }
    EXPECT_EQ(received, sent);
}

}  // namespace
}  // namespace heddle::consensus_adapter::cometbft
