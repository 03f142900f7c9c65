// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What is taken and what is refused is what go-ethereum 1.17 takes and refuses.
#include "rpc/envelope/arguments.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "rpc/queries/block_selector.hpp"

namespace heddle::node::rpc {
namespace {

/// Parameters from JSON text.
class Given {
public:
    explicit Given(std::string_view text) : params_(parser_.parse(text, "params")) {}
    [[nodiscard]] const Params& params() const { return params_; }

private:
    JsonParser parser_;
    Params params_;
};

template <typename Read>
std::string failure(std::string_view text, Read read) {
    const Given given(text);
    try {
        (void)read(given.params(), 0);
    } catch (const RpcError& error) {
        EXPECT_EQ(error.code(), static_cast<int>(Code::invalid_params));
        return error.what();
    }
    return "accepted";
}

TEST(Arguments, a_number_has_a_prefix_and_no_leading_zeros) {
    EXPECT_EQ(uint64_argument(Given(R"(["0x0"])").params(), 0), 0U);
    EXPECT_EQ(uint64_argument(Given(R"(["0X1f"])").params(), 0), 31U);
    EXPECT_EQ(uint64_argument(Given(R"(["0xffffffffffffffff"])").params(), 0), ~0ULL);

    EXPECT_EQ(uint64_argument(Given(R"([""])").params(), 0), 0U) << "what was not filled in";
    EXPECT_EQ(failure(R"(["1"])", uint64_argument),
              "invalid argument 0: hex string without 0x prefix");
    EXPECT_EQ(failure(R"(["0x"])", uint64_argument), "invalid argument 0: hex string \"0x\"");
    EXPECT_EQ(failure(R"(["0x01"])", uint64_argument),
              "invalid argument 0: hex number with leading zero digits");
    EXPECT_EQ(failure(R"(["0x10000000000000000"])", uint64_argument),
              "invalid argument 0: hex number > 64 bits");
    EXPECT_EQ(failure(R"(["0xg"])", uint64_argument), "invalid argument 0: invalid hex string");
    EXPECT_EQ(failure("[1]", uint64_argument), "invalid argument 0: expected a hex string");
}

TEST(Arguments, what_is_wrong_within_one_is_told_with_its_place) {
    const auto told = [](std::string_view text) {
        return failure(text, [](const Params& params, std::size_t index) {
            return argument(params, index, [](const JsonView& value) {
                return value.is_object() ? value.at("a").element(1).uint64() : value.uint64();
            });
        });
    };
    EXPECT_EQ(told(R"([{"a":[1,true]}])"),
              "invalid argument 0: a[1]: expected a number, hexadecimal with 0x or decimal");
    EXPECT_EQ(told("[true]"),
              "invalid argument 0: expected a number, hexadecimal with 0x or decimal");
}

TEST(Arguments, bytes_are_whole) {
    EXPECT_EQ(bytes_argument(Given(R"(["0x"])").params(), 0), Bytes{});
    EXPECT_EQ(bytes_argument(Given(R"([""])").params(), 0), Bytes{}) << "as geth has it";
    EXPECT_EQ(bytes_argument(Given(R"(["0x00fF"])").params(), 0), (Bytes{0, 255}));

    EXPECT_EQ(failure(R"(["0xabc"])", bytes_argument),
              "invalid argument 0: hex string of odd length");
    EXPECT_EQ(failure(R"(["abcd"])", bytes_argument),
              "invalid argument 0: hex string without 0x prefix");
    EXPECT_EQ(failure(R"(["0x0x12"])", bytes_argument), "invalid argument 0: invalid hex string");
}

TEST(Arguments, addresses_and_hashes_have_all_their_digits) {
    const std::string address = "7dcd17433742f4c0ca53122ab541d0ba67fc27df";
    EXPECT_EQ(to_string(address_argument(Given("[\"0x" + address + "\"]").params(), 0)),
              "0x" + address);

    EXPECT_EQ(failure(R"(["0x12"])", address_argument),
              "invalid argument 0: hex string has length 2, want 40 for an address");
    EXPECT_EQ(failure("[\"" + address + "\"]", address_argument),
              "invalid argument 0: hex string without 0x prefix");
    EXPECT_EQ(failure("[\"0x" + address + "\"]", hash_argument),
              "invalid argument 0: hex string has length 40, want 64 for a hash");
}

TEST(Arguments, absent_and_null_are_missing) {
    EXPECT_EQ(failure("[]", bool_argument), "missing value for required argument 0");
    EXPECT_EQ(failure("[null]", bool_argument), "missing value for required argument 0");
    EXPECT_FALSE(find_argument(Given("[null]").params(), 0, to_bool).has_value());
    EXPECT_EQ(failure(R"(["true"])", bool_argument), "invalid argument 0: expected true or false");
}

TEST(Arguments, more_than_a_method_takes_is_refused) {
    const auto two = [](const Params& params, std::size_t) {
        expect_at_most(params, 2);
        return 0;
    };

    EXPECT_EQ(failure("[1,2]", two), "accepted");
    EXPECT_EQ(failure("[1,2,3]", two), "too many arguments, want at most 2");
}

TEST(Arguments, a_storage_key_may_be_short_and_without_prefix) {
    const std::string full = "0x" + std::string(63, '0') + "1";
    EXPECT_EQ(parse_storage_key("").slot, Uint256{});
    EXPECT_EQ(parse_storage_key("0x").slot, Uint256{});
    EXPECT_EQ(parse_storage_key("f").slot, Uint256{15});
    EXPECT_FALSE(parse_storage_key("0x1").is_full);
    EXPECT_EQ(parse_storage_key(full).slot, Uint256{1});
    EXPECT_TRUE(parse_storage_key(full).is_full);

    const auto parse = [](std::string_view key) {
        return [key](const Params&, std::size_t) { return parse_storage_key(key); };
    };
    EXPECT_EQ(failure("[]", parse("0xasdf")), "invalid hex in storage key: \"0xasdf\"");
    EXPECT_EQ(failure("[]", parse(full + "0")).substr(0, 42),
              "storage key too long (want at most 32 byte");
}

BlockSelector selected(std::string_view text) {
    return selector_argument(Given(text).params(), 0);
}

TEST(BlockSelector, is_a_tag_a_number_a_hash_or_an_object) {
    using Tag = BlockSelector::Tag;
    const std::string hash = "0x" + std::string(64, '7');

    EXPECT_EQ(selected("[]").tag, Tag::latest);
    EXPECT_EQ(selected("[null]").tag, Tag::latest);
    EXPECT_EQ(selected(R"(["pending"])").tag, Tag::pending);
    EXPECT_EQ(selected(R"(["finalized"])").tag, Tag::finalized);
    EXPECT_EQ(selected(R"(["0x10"])").number, 16U);
    EXPECT_EQ(to_string(selected("[\"" + hash + "\"]").hash.value()), hash);
    EXPECT_EQ(selected(R"([{"blockNumber":"0x2"}])").number, 2U);
    EXPECT_EQ(selected(R"([{"blockNumber":"safe"}])").tag, Tag::safe);
    EXPECT_EQ(to_string(selected(R"([{"blockHash":")" + hash + "\"}]").hash.value()), hash);
}

TEST(BlockSelector, says_what_is_wrong_with_a_text) {
    const auto problem = [](std::string_view text) { return failure(text, selector_argument); };

    EXPECT_EQ(problem(R"(["newest"])"), "invalid argument 0: hex string without 0x prefix");
    EXPECT_EQ(problem(R"(["0x01"])"), "invalid argument 0: hex number with leading zero digits");
    EXPECT_EQ(problem(R"(["0x8000000000000000"])"), "invalid argument 0: blocknumber too high");
    EXPECT_EQ(problem("[{}]"), "invalid argument 0: must specify either BlockHash or BlockNumber");
    EXPECT_EQ(
        problem(R"([{"requireCanonical":"yes","blockHash":"0x)" + std::string(64, '7') + "\"}]"),
        "invalid argument 0: expected true or false");
    EXPECT_EQ(problem(R"([{"blockNumber":"0x1","blockHash":"0x1"}])"),
              "invalid argument 0: cannot specify both BlockHash and BlockNumber, choose one or "
              "the other");
    EXPECT_EQ(failure("[\"0x" + std::string(64, '7') + "\"]",
                      [](const Params& params, std::size_t index) {
                          return argument(params, index, to_number_selector);
                      }),
              "invalid argument 0: hex number > 64 bits");
}

}  // namespace
}  // namespace heddle::node::rpc
