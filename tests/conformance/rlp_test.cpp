// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <types/expected.hpp>
#include <types/rlp.hpp>

#include "fixtures.hpp"

// RLPTests of ethereum/tests: encodings of JSON values, and strings that decode or must not.
namespace heddle {
namespace {

namespace json = boost::json;

// Bytes of a decimal number of any size, without leading zeros.
Bytes big_endian(std::string_view digits) {
    Bytes bytes;
    for (const char digit : digits) {
        unsigned carry = static_cast<unsigned>(digit - '0');
        for (std::size_t i = bytes.size(); i-- > 0;) {
            carry += bytes[i] * 10u;
            bytes[i] = static_cast<std::uint8_t>(carry);
            carry >>= 8;
        }
        if (carry != 0) bytes.insert(bytes.begin(), static_cast<std::uint8_t>(carry));
    }
    return bytes;
}

void encode(const json::value& value, Bytes& out) {
    if (value.is_array()) {
        const std::size_t begin = out.size();
        for (const json::value& item : value.get_array())
            encode(item, out);
        rlp::wrap_list(begin, out);
    } else if (value.is_string()) {
        const std::string_view text = value.get_string();
        if (text.starts_with('#')) return rlp::encode_string(big_endian(text.substr(1)), out);
        rlp::encode_string({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, out);
    } else {
        rlp::encode_uint64(value.to_number<std::uint64_t>(), out);
    }
}

// Everything below an item, down to the leaves. The depth of the fixtures is small.
rlp::Result<void> walk(rlp::Reader& reader) {
    if (!reader.next_is_list()) {
        HEDDLE_CHECK(reader.read_string());
        return {};
    }
    HEDDLE_TRY(rlp::Reader items, reader.read_list());
    while (!items.at_end())
        HEDDLE_CHECK(walk(items));
    return {};
}

bool is_valid(BytesView input) {
    rlp::Reader reader(input);
    return walk(reader).has_value() && reader.at_end();
}

class RlpConformance : public testing::Test {
protected:
    void SetUp() override {
        const auto folder = test::fixture_archive("ethereum-tests");
        if (!folder.has_value()) GTEST_SKIP() << test::missing_fixture_message("ethereum-tests");
        folder_ = *folder / "RLPTests";
    }

    // Calls check(name, in, out) for each case and returns how many there were.
    template <typename Check>
    std::size_t for_each_case(const char* file, Check check) const {
        std::ifstream stream(folder_ / file);
        EXPECT_TRUE(stream.good()) << folder_ / file;
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        const json::value cases = json::parse(text);
        for (const auto& [name, value] : cases.as_object()) {
            SCOPED_TRACE(std::string(name));
            const auto out = from_hex(std::string_view(value.at("out").as_string()));
            EXPECT_TRUE(out.has_value());
            check(value.at("in"), out.value_or(Bytes{}));
        }
        return cases.as_object().size();
    }

private:
    std::filesystem::path folder_;
};

TEST_F(RlpConformance, values_have_their_encoding_and_decode) {
    const std::size_t count =
        for_each_case("rlptest.json", [](const json::value& in, const Bytes& expected) {
            Bytes encoded;
            encode(in, encoded);
            EXPECT_EQ(to_hex(encoded), to_hex(expected));
            EXPECT_TRUE(is_valid(expected));
        });
    EXPECT_EQ(count, 28u);
}

TEST_F(RlpConformance, malformed_input_is_refused) {
    const std::size_t count = for_each_case(
        "invalidRLPTest.json",
        [](const json::value&, const Bytes& input) { EXPECT_FALSE(is_valid(input)); });
    EXPECT_EQ(count, 26u);
}

TEST_F(RlpConformance, random_input_is_judged_rightly) {
    const std::size_t count =
        for_each_case("RandomRLPTests/example.json", [](const json::value& in, const Bytes& input) {
            EXPECT_EQ(is_valid(input), in.as_string() == "VALID");
        });
    EXPECT_EQ(count, 1u);
}

}  // namespace
}  // namespace heddle
