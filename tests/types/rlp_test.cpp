// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/rlp.hpp>

#include <gtest/gtest.h>

#include "random.hpp"

namespace heddle::rlp {
namespace {

Bytes hex(std::string_view text) {
    return from_hex(text).value();
}

template <typename T>
Error error_of(const Result<T>& result) {
    EXPECT_FALSE(result.has_value());
    return result.has_value() ? Error{} : result.error();
}

Error string_error(std::string_view text) {
    const Bytes input = hex(text);
    return error_of(Reader(input).read_string());
}

Error integer_error(std::string_view text) {
    const Bytes input = hex(text);
    return error_of(Reader(input).read_uint64());
}

// The examples of YP App. B and of the specification's page.
TEST(Rlp, encodes_the_examples_of_the_specification) {
    const auto string = [](std::string_view text) {
        Bytes out;
        encode_string({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, out);
        return to_hex(out);
    };
    EXPECT_EQ(string("dog"), "0x83646f67");
    EXPECT_EQ(string(""), "0x80");
    EXPECT_EQ(string("\x7f"), "0x7f");
    EXPECT_EQ(string("\x80"), "0x8180");
    EXPECT_EQ(string("Lorem ipsum dolor sit amet, consectetur adipisicing elit").substr(0, 10),
              "0xb8384c6f");

    Bytes out;
    encode_uint64(0, out);
    encode_uint64(15, out);
    encode_uint64(1024, out);
    encode_uint64(~std::uint64_t{0}, out);
    EXPECT_EQ(to_hex(out), "0x800f82040088ffffffffffffffff");
}

TEST(Rlp, list_prefix_is_put_before_its_payload) {
    for (const std::size_t size : {0u, 1u, 55u, 56u, 255u, 256u, 65'535u, 65'536u}) {
        const Bytes payload(size, 0x01);
        Bytes wrapped{0xaa};
        wrapped.insert(wrapped.end(), payload.begin(), payload.end());
        Bytes headed{0xaa};

        wrap_list(1, wrapped);
        encode_list_header(size, headed);
        headed.insert(headed.end(), payload.begin(), payload.end());

        EXPECT_EQ(wrapped, headed) << size;
        auto list = Reader({wrapped.data() + 1, wrapped.size() - 1}).read_list();
        ASSERT_TRUE(list.has_value()) << size;
        for (std::size_t i = 0; i < size; ++i)
            ASSERT_EQ(list->read_uint64(), 1u);
        EXPECT_TRUE(list->at_end());
    }
}

TEST(Rlp, string_prefix_is_put_before_its_payload) {
    for (const std::size_t size : {0u, 1u, 2u, 55u, 56u, 256u, 65'536u})
        for (const std::uint8_t byte : {std::uint8_t{0x7f}, std::uint8_t{0x80}}) {
            const Bytes payload(size, byte);
            Bytes wrapped = payload;
            Bytes expected;

            wrap_string(0, wrapped);
            encode_string(payload, expected);

            EXPECT_EQ(wrapped, expected) << size;
        }
}

TEST(Rlp, strings_and_integers_round_trip) {
    test::Random random(test::test_seed());
    for (std::size_t size = 0; size < 600; ++size) {
        const Bytes bytes = random.bytes(size % 300);
        const Uint256 number = random.edge_uint256();
        Bytes out;
        encode_string(bytes, out);
        encode_uint256(number, out);
        encode_uint64(number.low64(), out);

        Reader reader(out);

        const auto string = reader.read_string();
        ASSERT_TRUE(string.has_value()) << "seed " << test::test_seed();
        EXPECT_TRUE(equal(*string, bytes));
        EXPECT_EQ(reader.read_uint256(), number);
        EXPECT_EQ(reader.read_uint64(), number.low64());
        EXPECT_TRUE(reader.expect_end().has_value());
    }
}

TEST(Rlp, size_in_a_longer_form_than_needed_is_refused) {
    EXPECT_EQ(string_error("0x8100"), (Error{ErrorCode::non_canonical_size, 0}));
    EXPECT_EQ(string_error("0x817f").code, ErrorCode::non_canonical_size);
    EXPECT_EQ(string_error("0xb80101").code, ErrorCode::non_canonical_size);
    EXPECT_EQ(string_error("0xb90001" + std::string(112, '0')).code, ErrorCode::non_canonical_size);
    EXPECT_EQ(string_error("0xb837" + std::string(110, '0')).code, ErrorCode::non_canonical_size);
    EXPECT_EQ(string_error("0xb90040" + std::string(128, '0')).code, ErrorCode::non_canonical_size);
    const Bytes list = hex("0xf80101");
    EXPECT_EQ(error_of(Reader(list).read_list()).code, ErrorCode::non_canonical_size);
}

TEST(Rlp, input_that_ends_inside_an_item_is_refused) {
    for (const char* text : {"0x81", "0x83aabb", "0xb8", "0xb838aa", "0xb9ff", "0xbf", "0xbfff"})
        EXPECT_EQ(string_error(text).code, ErrorCode::truncated) << text;
    EXPECT_EQ(string_error("").code, ErrorCode::truncated);
}

// Sizes near 2^64 must neither wrap around nor be believed.
TEST(Rlp, absurd_sizes_are_refused) {
    for (const char* text : {"0xbfffffffffffffffff", "0xbfffffffffffffffff00",
                             "0xbf8000000000000000", "0xbffffffffffffffff6aabb"})
        EXPECT_EQ(string_error(text).code, ErrorCode::truncated) << text;
    const Bytes list = hex("0xffffffffffffffffff");
    EXPECT_EQ(error_of(Reader(list).read_list()).code, ErrorCode::truncated);
    EXPECT_EQ(error_of(Reader(list).read_raw()).code, ErrorCode::truncated);
}

TEST(Rlp, integers_are_canonical_and_fit) {
    EXPECT_EQ(integer_error("0x00").code, ErrorCode::non_canonical_integer);
    EXPECT_EQ(integer_error("0x820001").code, ErrorCode::non_canonical_integer);
    EXPECT_EQ(integer_error("0x89010000000000000000").code, ErrorCode::overflow);
    EXPECT_EQ(integer_error("0xc0").code, ErrorCode::unexpected_list);
    const Bytes wide = hex("0xa101" + std::string(64, '0'));
    EXPECT_EQ(error_of(Reader(wide).read_uint256()).code, ErrorCode::overflow);
}

TEST(Rlp, kinds_and_fixed_sizes_are_checked) {
    const Bytes string = hex("0x83aabbcc");
    const Bytes list = hex("0xc3010203");
    std::uint8_t two[2];

    EXPECT_EQ(error_of(Reader(string).read_list()).code, ErrorCode::unexpected_string);
    EXPECT_EQ(error_of(Reader(list).read_string()).code, ErrorCode::unexpected_list);
    EXPECT_EQ(error_of(Reader(string).read_fixed(two)).code, ErrorCode::wrong_size);
    EXPECT_EQ(error_of(Reader(string).read_hash()).code, ErrorCode::wrong_size);
    EXPECT_EQ(error_of(Reader(string).read_address()).code, ErrorCode::wrong_size);
    EXPECT_FALSE(Reader(string).next_is_list());
    EXPECT_TRUE(Reader(list).next_is_list());
    EXPECT_FALSE(Reader({}).next_is_list());
}

TEST(Rlp, failed_reads_do_not_move) {
    const Bytes input = hex("0x83aabbcc01");
    Reader reader(input);

    EXPECT_FALSE(reader.read_hash().has_value());
    EXPECT_FALSE(reader.read_list().has_value());
    EXPECT_EQ(reader.offset(), 0u);
    EXPECT_TRUE(reader.read_string().has_value());
    EXPECT_EQ(reader.offset(), 4u);
}

TEST(Rlp, offsets_count_from_the_outermost_input) {
    const Bytes input = hex("0xc801c682aabb8200cc");
    Reader reader(input);
    auto outer = reader.read_list();
    ASSERT_TRUE(outer.has_value());
    ASSERT_TRUE(outer->read_uint64().has_value());
    auto inner = outer->read_list();
    ASSERT_TRUE(inner.has_value());
    EXPECT_EQ(inner->offset(), 3u);
    ASSERT_TRUE(inner->read_string().has_value());

    EXPECT_EQ(error_of(inner->read_uint64()), (Error{ErrorCode::non_canonical_integer, 6}));
    EXPECT_EQ(error_of(inner->expect_end()), (Error{ErrorCode::trailing_bytes, 6}));
    EXPECT_EQ(error_of(outer->read_string()), (Error{ErrorCode::too_few_items, 9}));
}

/// Forwards and backwards: the same items as nested lists.
TEST(Rlp, what_is_written_backwards_are_the_same_bytes) {
    for (const std::size_t size : {0u, 1u, 2u, 54u, 55u, 56u, 255u, 256u, 70'000u})
        for (const std::uint8_t fill : {std::uint8_t{0}, std::uint8_t{0x7f}, std::uint8_t{0x80}}) {
            const Bytes string(size, fill);
            Bytes forwards;
            encode_uint64(size, forwards);
            const std::size_t inner = forwards.size();
            encode_string(string, forwards);
            encode_uint256(Uint256{size} << 200, forwards);
            wrap_list(inner, forwards);
            encode_uint256(Uint256{fill}, forwards);
            wrap_list(0, forwards);

            BackwardWriter writer;
            for (int again = 0; again < 2; ++again) {
                writer.clear();
                writer.add(Uint256{fill});
                const std::size_t behind = writer.size();
                writer.add(Uint256{size} << 200);
                writer.add(BytesView{string});
                writer.wrap_list(behind);
                writer.add(std::uint64_t{size});
                writer.wrap_list(0);
                EXPECT_EQ(to_hex(writer.bytes()), to_hex(forwards)) << size;
            }
        }
}

TEST(Rlp, raw_items_keep_their_prefix) {
    const Bytes input = hex("0xc20102830a0b0c05");
    Reader reader(input);

    EXPECT_EQ(to_hex(*reader.read_raw()), "0xc20102");
    EXPECT_EQ(to_hex(*reader.read_raw()), "0x830a0b0c");
    EXPECT_EQ(to_hex(*reader.read_raw()), "0x05");
    EXPECT_EQ(error_of(reader.read_raw()).code, ErrorCode::too_few_items);
}

TEST(Rlp, errors_say_where_and_why) {
    EXPECT_EQ(to_string(Error{ErrorCode::truncated, 17}),
              "RLP at byte 17: input ends inside an item");
}

}  // namespace
}  // namespace heddle::rlp
