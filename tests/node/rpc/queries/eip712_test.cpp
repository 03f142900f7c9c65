// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/queries/eip712.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "program/error.hpp"

namespace heddle::node::rpc {
namespace {

std::string digest(std::string_view text) {
    JsonParser parser;
    return to_string(typed_data_hash(parser.parse(text, "typed data")));
}

/// Data of one type T with one member x.
std::string one_member(std::string_view type, std::string_view value) {
    return R"({"types":{"T":[{"name":"x","type":")" + std::string{type} +
           R"("}]},"primaryType":"T","domain":{},"message":{"x":)" + std::string{value} + "}}";
}

// From EIP-712's own example (Example.js).
TEST(Eip712, hashes_the_mail_of_the_specification) {
    constexpr std::string_view kMail = R"({
        "types": {
            "EIP712Domain": [{"name": "name", "type": "string"},
                             {"name": "version", "type": "string"},
                             {"name": "chainId", "type": "uint256"},
                             {"name": "verifyingContract", "type": "address"}],
            "Person": [{"name": "name", "type": "string"}, {"name": "wallet", "type": "address"}],
            "Mail": [{"name": "from", "type": "Person"}, {"name": "to", "type": "Person"},
                     {"name": "contents", "type": "string"}]},
        "primaryType": "Mail",
        "domain": {"name": "Ether Mail", "version": "1", "chainId": 1,
                   "verifyingContract": "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC"},
        "message": {
            "from": {"name": "Cow", "wallet": "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826"},
            "to": {"name": "Bob", "wallet": "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB"},
            "contents": "Hello, Bob!"}})";

    EXPECT_EQ(digest(kMail), "0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2");
}

// The hash is that of ethers 6.17 for the same data.
TEST(Eip712, arrays_of_arrays_of_structures_and_every_atom) {
    constexpr std::string_view kTree = R"({
        "types": {
            "Leaf": [{"name": "tag", "type": "bytes4"}, {"name": "weights", "type": "int16[2]"}],
            "Tree": [{"name": "name", "type": "string"}, {"name": "leaves", "type": "Leaf[][]"},
                     {"name": "owner", "type": "address"}, {"name": "alive", "type": "bool"},
                     {"name": "blob", "type": "bytes"}, {"name": "low", "type": "int256"},
                     {"name": "high", "type": "uint256"}, {"name": "ages", "type": "uint8[]"}]},
        "domain": {"name": "Ether Mail", "version": "1", "chainId": "0x1",
                   "verifyingContract": "0xcccccccccccccccccccccccccccccccccccccccc"},
        "primaryType": "Tree",
        "message": {
            "name": "oak é",
            "leaves": [[{"tag": "0x01020304", "weights": ["-1", "32767"]}], [],
                       [{"tag": "0xffffffff", "weights": [-32768, 0]},
                        {"tag": "0x00000000", "weights": [5, "6"]}]],
            "owner": "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826",
            "alive": true, "blob": "0x0102030405",
            "low":
"-57896044618658097711785492504343953926634992332820282019728792003956564819968",
            "high":
"115792089237316195423570985008687907853269984665640564039457584007913129639935",
            "ages": ["0", 255]}})";

    EXPECT_EQ(digest(kTree), "0x0a1b7774a944e21a736f9a6fc5398cb55bc5b1066c09e5d9fdd5041ed947080c");
}

// Expected from its parts: hashes of ethers 6.17 put together by the specification, 32 zero bytes
// for what is null, as wallets have it.
TEST(Eip712, a_type_that_mentions_itself_ends_with_null) {
    constexpr std::string_view kFamily = R"({
        "types": {"Person": [{"name": "name", "type": "string"},
                             {"name": "mother", "type": "Person"}]},
        "primaryType": "Person",
        "domain": {"name": "Family Tree", "version": "1", "chainId": 1},
        "message": {"name": "Jon", "mother": {"name": "Lyanna", "mother": null}}})";

    EXPECT_EQ(digest(kFamily),
              "0x02d2c25376a3fbff4ff450a83c92f93e2886d75c987bc8d8cc830a47b863553e");
}

TEST(Eip712, the_domain_alone_may_be_signed) {
    constexpr std::string_view kDomain = R"({
        "types": {}, "primaryType": "EIP712Domain", "message": {},
        "domain": {"name": "Ether Mail", "version": "1", "chainId": 1,
                   "verifyingContract": "0xcccccccccccccccccccccccccccccccccccccccc"}})";

    EXPECT_EQ(digest(kDomain),
              "0xaa83c70305ec6c131e7a88f258c40813447bec8b9bcef94e5479603d9959da07");
}

TEST(Eip712, integers_at_their_bounds) {
    EXPECT_NO_THROW((void)digest(one_member("uint8", "255")));
    EXPECT_NO_THROW((void)digest(one_member("int8", "127")));
    EXPECT_NO_THROW((void)digest(one_member("int8", "-128")));
    EXPECT_EQ(digest(one_member("int8", "-128")), digest(one_member("int8", R"("-0x80")")));
    EXPECT_EQ(digest(one_member("int8", R"("-0")")), digest(one_member("int8", "0")));
    EXPECT_THROW((void)digest(one_member("uint8", "256")), InputError);
    EXPECT_THROW((void)digest(one_member("uint8", "-1")), InputError);
    EXPECT_THROW((void)digest(one_member("int8", "128")), InputError);
    EXPECT_THROW((void)digest(one_member("int8", "-129")), InputError);
    EXPECT_THROW((void)digest(one_member("int64", "-1.5")), InputError);
    EXPECT_THROW((void)digest(one_member("int256", "-1e30")), InputError);
}

TEST(Eip712, data_that_does_not_fit_its_type_is_refused) {
    for (const char* type : {"uint7", "uint264", "bytes33", "bytes0", "nothing", "[]", "]", "T]"})
        EXPECT_THROW((void)digest(one_member(type, "[]")), InputError) << type;
    EXPECT_THROW((void)digest(one_member("bytes4", R"("0x010203")")), InputError);
    EXPECT_THROW((void)digest(one_member("bool", "1")), InputError);
    EXPECT_THROW((void)digest(one_member("address", R"("0x01")")), InputError);
    EXPECT_THROW((void)digest(one_member("string", "5")), InputError);
    EXPECT_THROW((void)digest(one_member("string", "null")), InputError);
    EXPECT_THROW((void)digest(one_member("T", "7")), InputError);
    EXPECT_THROW((void)digest(one_member("uint8[2]", "[1]")), InputError);
    EXPECT_NO_THROW((void)digest(one_member("uint8[2]", "[1,2]")));
    EXPECT_NO_THROW((void)digest(one_member("uint8[0]", "[]")));
}

/// Structs that are absent are words of zeros: a text of some hundred kilobytes may name billions.
TEST(Eip712, absent_structs_do_not_make_endless_work) {
    const auto many = [](std::size_t fields, std::size_t elements) {
        std::string type;
        for (std::size_t i = 0; i < fields; ++i)
            type += fmt::format(R"({}{{"name":"m{}","type":"Absent"}})", i == 0 ? "" : ",", i);
        std::string list;
        for (std::size_t i = 0; i < elements; ++i)
            list += i == 0 ? "{}" : ",{}";
        return fmt::format(R"({{"types":{{"Absent":[],"Wide":[{}],"T":[{{"name":"x",)"
                           R"("type":"Wide[]"}}]}},"primaryType":"T","domain":{{"name":"d"}},)"
                           R"("message":{{"x":[{}]}}}})",
                           type, list);
    };
    EXPECT_NO_THROW((void)digest(many(900, 900)));
    EXPECT_THROW((void)digest(many(20'000, 20'000)), InputError);
}

/// Names are looked up for each struct, and a type's text has those of all types that it mentions.
TEST(Eip712, long_names_and_large_types_do_not_make_endless_work) {
    const auto long_named = [](std::size_t length, std::size_t elements) {
        const std::string name(length, 'N');
        std::string list;
        for (std::size_t i = 0; i < elements; ++i)
            list += i == 0 ? "{}" : ",{}";
        return fmt::format(R"({{"types":{{"{0}":[],"T":[{{"name":"x","type":"{0}[]"}}]}},)"
                           R"("primaryType":"T","domain":{{"name":"d"}},"message":{{"x":[{1}]}}}})",
                           name, list);
    };
    EXPECT_NO_THROW((void)digest(long_named(100'000, 100)));
    EXPECT_THROW((void)digest(long_named(1'000'000, 100)), InputError);

    // Each type mentions the next, and the last one is large.
    const auto chained = [](std::size_t bytes) {
        std::string types;
        for (int i = 0; i < 200; ++i)
            types += fmt::format(R"("T{}":[{{"name":"x","type":"T{}"}}],)", i, i + 1);
        std::string uses;
        for (int i = 0; i < 200; ++i)
            uses += fmt::format(R"({}{{"name":"x{}","type":"T{}"}})", i == 0 ? "" : ",", i, i);
        std::string values;
        for (int i = 0; i < 200; ++i)
            values += fmt::format(R"({}"x{}":{{}})", i == 0 ? "" : ",", i);
        return fmt::format(R"({{"types":{{{}"T200":[{{"name":"{}","type":"T0"}}],"All":[{}]}},)"
                           R"("primaryType":"All","domain":{{"name":"d"}},"message":{{{}}}}})",
                           types, std::string(bytes, 'n'), uses, values);
    };
    EXPECT_NO_THROW((void)digest(chained(10'000)));
    EXPECT_THROW((void)digest(chained(1'000'000)), InputError);
}

TEST(Eip712, a_missing_part_is_named) {
    EXPECT_THROW((void)digest("{}"), InputError);
    EXPECT_THROW((void)digest(R"({"types":{},"primaryType":"T","domain":{},"message":{}})"),
                 InputError);
    try {
        (void)digest(one_member("uint8", "null"));
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string{error.what()}.find("`x` is missing"), std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace heddle::node::rpc
