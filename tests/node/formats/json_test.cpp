// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "formats/json.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/json_writer.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

using testing::HasSubstr;

/// Text of the InputError that `action` throws.
template <typename Action>
std::string error_of(Action&& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(JsonParser, reads_numbers_in_every_notation) {
    JsonParser parser;
    const JsonView json = parser.parse(
        R"([1, "0x1F", "31", "0x", "",
            "0x00000000000000000000000000000000000000000000000000000000000000000001",
            18446744073709551615, 58750000000000000000000, 1e3])",
        "numbers");

    EXPECT_EQ(json.element(0).uint64(), 1u);
    EXPECT_EQ(json.element(1).uint64(), 31u);
    EXPECT_EQ(json.element(2).uint64(), 31u);
    EXPECT_EQ(json.element(3).uint64(), 0u);
    EXPECT_EQ(json.element(4).uint64(), 0u);
    EXPECT_EQ(json.element(5).uint64(), 1u);
    EXPECT_EQ(json.element(6).uint64(), ~std::uint64_t{0});
    EXPECT_EQ(to_decimal(json.element(7).uint256()), "58750000000000000000000");
    EXPECT_EQ(json.element(8).uint64(), 1000u);
}

TEST(JsonParser, leaves_digits_inside_strings_alone) {
    JsonParser parser;
    const JsonView json = parser.parse(
        R"({"a\"\\": "1234567890123456789012345",
            "1234567890123456789012345": 12345678901234567890123})",
        "strings");

    EXPECT_EQ(json.at("a\"\\").string(), "1234567890123456789012345");
    EXPECT_EQ(to_decimal(json.at("1234567890123456789012345").uint256()),
              "12345678901234567890123");
}

TEST(JsonParser, integers_of_any_length_are_numbers_and_no_text) {
    JsonParser parser;
    const JsonView json =
        parser.parse(R"([12345678901234567890123, "12345678901234567890123", "\u00001"])", "text");

    EXPECT_TRUE(json.element(0).is_number());
    EXPECT_FALSE(json.element(0).is_string());
    EXPECT_DOUBLE_EQ(json.element(0).real(), 12345678901234567890123.0);
    EXPECT_EQ(error_of([&] { (void)json.element(0).string(); }), "text: $[0]: expected a string");
    EXPECT_THROW((void)json.element(0).bytes(), InputError);
    EXPECT_TRUE(json.element(1).is_string());
    EXPECT_FALSE(json.element(1).is_number());
    EXPECT_EQ(json.element(2).string(), (std::string_view{"\0001", 2}));
}

TEST(JsonParser, counts_positions_in_the_text_as_it_was) {
    JsonParser parser;

    const auto error =
        error_of([&] { (void)parser.parse("[12345678901234567890123, !]", "text"); });

    EXPECT_THAT(error, HasSubstr("text: malformed JSON at line 1, column 27"));
}

TEST(JsonParser, passes_over_the_byte_order_mark_of_some_editors) {
    JsonParser parser;
    EXPECT_EQ(parser.parse("\xEF\xBB\xBF{\"a\": 7}", "t").at("a").uint64(), 7u);
    EXPECT_THROW((void)parser.parse("\xEF\xBB{}", "t"), InputError);
}

TEST(JsonParser, bounds_nesting) {
    JsonParser parser;
    const std::string fits = std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']');
    const std::string deeper =
        std::string(kMaxJsonDepth + 1, '[') + std::string(kMaxJsonDepth + 1, ']');

    EXPECT_TRUE(parser.parse(fits, "fits").is_array());
    EXPECT_THAT(error_of([&] { (void)parser.parse(deeper, "deeper"); }),
                HasSubstr("malformed JSON"));
}

TEST(JsonParser, is_of_use_after_an_error) {
    JsonParser parser;
    EXPECT_NE(error_of([&] { (void)parser.parse("{\"a\": [1, 2", "broken"); }), "no error");

    EXPECT_EQ(parser.parse("[7]", "whole").element(0).uint64(), 7u);
}

TEST(JsonView, names_the_path_of_what_is_wrong) {
    JsonParser parser;
    const JsonView json = parser.parse(R"({"a": {"b": [{"c": "zz"}]}})", "doc");
    const JsonView wrong = json.at("a").at("b").element(0).at("c");

    EXPECT_THAT(error_of([&] { (void)wrong.uint64(); }), HasSubstr("doc: $.a.b[0].c: expected"));
    EXPECT_THAT(error_of([&] { (void)wrong.bytes(); }), HasSubstr("$.a.b[0].c"));
    EXPECT_THAT(error_of([&] { (void)wrong.hash(); }), HasSubstr("$.a.b[0].c"));
    EXPECT_THAT(error_of([&] { (void)wrong.address(); }), HasSubstr("$.a.b[0].c"));
    EXPECT_THAT(error_of([&] { (void)wrong.size(); }), HasSubstr("$.a.b[0].c"));
    EXPECT_THAT(error_of([&] { (void)json.at("a").at("b").element(1); }), HasSubstr("$.a.b"));
    EXPECT_THAT(error_of([&] { (void)json.at("x"); }), HasSubstr("$: missing member \"x\""));
}

TEST(JsonView, treats_null_as_absent) {
    JsonParser parser;
    const JsonView json = parser.parse(R"({"to": null})", "doc");

    EXPECT_FALSE(json.find("to"));
    EXPECT_NE(error_of([&] { (void)json.at("to"); }), "no error");
}

TEST(JsonView, finds_names_in_another_case_where_the_parser_takes_them) {
    JsonParser exact;
    JsonParser any{MemberNames::any_case};
    constexpr std::string_view kText =
        R"({"GASPRICE":1,"gasprice":2,"Gas":3,"to":null,"TO":4,"[":5})";
    const JsonView strict = exact.parse(kText, "doc");
    const JsonView lenient = any.parse(kText, "doc");

    EXPECT_FALSE(strict.find("gas"));
    EXPECT_FALSE(strict.find("to"));
    EXPECT_EQ(lenient.at("gas").uint64(), 3u);
    EXPECT_EQ(lenient.at("gasPrice").uint64(), 1u);
    EXPECT_EQ(lenient.at("gasprice").uint64(), 2u) << "the exact name comes first";
    EXPECT_EQ(lenient.at("to").uint64(), 4u) << "what is null is not there";
    EXPECT_FALSE(lenient.find("{")) << "only letters have cases";
    EXPECT_FALSE(lenient.find_exact("gas"));
}

// A report on a file of such a name could not be read again by the program that had written it.
TEST(JsonWriter, replaces_what_is_no_utf8) {
    std::string text;
    JsonWriter json(text, JsonWriter::Style::compact);
    json.string("a\xff\xfe\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xc3(\xed\xa0\x80");

    constexpr std::string_view kReplaced = "\xef\xbf\xbd";
    EXPECT_EQ(text, fmt::format("\"a{0}{0}\\\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80{0}({0}{0}{0}\"",
                                kReplaced));
    EXPECT_EQ(JsonParser().parse(text, "text").string().substr(0, 4), "a\xef\xbf\xbd");
}

TEST(JsonWriter, tells_how_long_a_text_is_at_least) {
    for (const std::string& given : {std::string{}, std::string{"a block"}, std::string(100, '\0'),
                                     std::string{"\"\n\\\x7f"}, std::string{"\xc3\xa9"}}) {
        std::string text;
        append_json_string(given, text);
        EXPECT_EQ(least_json_size(given), text.size());
    }
    std::string text;
    append_json_string("\xff\xff", text);
    EXPECT_EQ(least_json_size("\xff\xff"), 4U);
    EXPECT_EQ(text.size(), 2U + 2 * 3);
}

TEST(JsonWriter, indents_as_geth_does_and_escapes) {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    json.key("name");
    json.string("a\"b\\c\n\x01");
    json.key("list");
    json.begin_array();
    json.number(1);
    json.boolean(true);
    json.end_array();
    json.key("empty");
    json.begin_object();
    json.end_object();
    json.end_object();

    EXPECT_EQ(text,
              "{\n  \"name\": \"a\\\"b\\\\c\\n\\u0001\",\n  \"list\": [\n    1,\n    true\n  "
              "],\n  \"empty\": {}\n}");
}

}  // namespace
}  // namespace heddle::node
