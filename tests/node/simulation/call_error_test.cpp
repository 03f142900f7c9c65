// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/call_error.hpp"

#include <gtest/gtest.h>

namespace heddle::node::simulation {
namespace {

Bytes revert_data(std::string_view selector, std::initializer_list<std::uint64_t> words,
                  std::string_view tail = {}) {
    Bytes data = from_hex(selector).value();
    for (const std::uint64_t word : words) {
        data.resize(data.size() + 32);
        store_be(word, data.data() + data.size() - 32);
    }
    data.insert(data.end(), tail.begin(), tail.end());
    return data;
}
constexpr std::string_view kError = "08c379a0";
constexpr std::string_view kPanic = "4e487b71";

TEST(RevertText, tells_the_reason_of_an_error) {
    EXPECT_EQ(revert_text(revert_data(kError, {32, 5}, "hello")), "execution reverted: hello");
    EXPECT_EQ(revert_text(revert_data(kError, {32, 0})), "execution reverted: ");
    EXPECT_EQ(revert_text(revert_data(kError, {64, 9, 5}, "hello and more")),
              "execution reverted: hello");
}

TEST(RevertText, tells_what_a_panic_means) {
    EXPECT_EQ(revert_text(revert_data(kPanic, {1})), "execution reverted: assert(false)");
    EXPECT_EQ(revert_text(revert_data(kPanic, {0x11})),
              "execution reverted: arithmetic underflow or overflow");
    EXPECT_EQ(revert_text(revert_data(kPanic, {0x99})),
              "execution reverted: unknown panic code: 0x99");
}

TEST(RevertText, makes_nothing_of_data_that_is_cut_off) {
    for (const Bytes& data :
         {Bytes{}, from_hex("08c379").value(), revert_data(kError, {}), revert_data(kError, {32}),
          revert_data(kError, {32, 6}, "hello"), revert_data(kError, {~std::uint64_t{0}, 1}),
          revert_data(kError, {32, ~std::uint64_t{0}}), revert_data(kPanic, {}),
          revert_data("12345678", {32, 5}, "hello")})
        EXPECT_EQ(revert_text(data), "execution reverted") << to_hex(data);
}

TEST(RevertText, replaces_what_is_no_text) {
    const auto of = [](std::string_view text) {
        return revert_text(revert_data(kError, {32, text.size()}, text)).substr(20);
    };
    EXPECT_EQ(of("\xff\"\x80"), "\xef\xbf\xbd\"\xef\xbf\xbd");
    EXPECT_EQ(of("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    EXPECT_EQ(of("\xc0\x80"), "\xef\xbf\xbd\xef\xbf\xbd");  // overlong
    EXPECT_EQ(of("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd");  // cut off
    EXPECT_EQ(of("\xed\xa0\x80").size(), 9u);               // half of a surrogate pair
}

TEST(RevertError, carries_the_data_as_it_is) {
    const Failure error = revert_error(Bytes{0xab, 0xcd});
    EXPECT_EQ(error.kind(), FailureKind::reverted);
    EXPECT_STREQ(error.what(), "execution reverted");
    EXPECT_EQ(error.revert_data(), (Bytes{0xab, 0xcd}));
}

}  // namespace
}  // namespace heddle::node::simulation
