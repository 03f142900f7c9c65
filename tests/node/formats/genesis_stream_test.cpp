// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "formats/genesis_stream.hpp"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/genesis_json.hpp"
#include "formats/json.hpp"
#include "program.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

using testing::HasSubstr;

class Collector final : public AllocSink {
public:
    void begin_account(const Address& address) override {
        accounts.emplace_back().address = address;
    }
    void slot(const Uint256& slot, const Uint256& value) override {
        accounts.back().storage.emplace_back(slot, value);
    }
    void end_account(std::uint64_t nonce, const Uint256& balance, BytesView code) override {
        accounts.back().nonce = nonce;
        accounts.back().balance = balance;
        accounts.back().code.assign(code.begin(), code.end());
    }

    std::vector<GenesisAccount> accounts;
};

Genesis stream(std::string_view text, std::size_t piece) {
    Collector collector;
    const auto next = [&] {
        const std::string_view part = text.substr(0, piece);
        text.remove_prefix(part.size());
        return part;
    };
    GenesisRest rest = stream_genesis(next, "genesis.json", collector);
    EXPECT_TRUE(rest.genesis.alloc.empty());
    rest.genesis.alloc = std::move(collector.accounts);
    return rest.genesis;
}

template <typename Read>
std::string error_of(const Read& read) {
    try {
        (void)read();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

std::string plain_error(const std::string& text) {
    JsonParser parser;
    return error_of([&] { return parse_genesis(parser.parse(text, "genesis.json")); });
}

std::string stream_error(const std::string& text, std::size_t piece = 7) {
    return error_of([&] { return stream(text, piece); });
}

std::string with_alloc(const std::string& alloc) {
    return R"({"config": {"chainId": 1}, "alloc": )" + alloc + R"(, "gasLimit": "0x10"})";
}
std::string with_account(const std::string& account) {
    return with_alloc(R"({"0x00000000000000000000000000000000000000aa": )" + account + "}");
}

const std::string kDocument = R"({
    "config": {"chainId": 5, "homesteadBlock": "0x10", "unknown": [1, {"alloc": {"a": 1}}, null],
               "terminalTotalDifficulty": 58750000000000000000000},
    "alloc": {
        "00000000000000000000000000000000000000aa":
            {"storage": {"0x01": "0x02", "3": 4, "0x": "", "05": 1e3, "1f": "2e"},
             "balance": "1000", "nonce": "0x2", "code": "0x6000",
             "comment": {"storage": [{"balance": 1}, []]}},
        "0x00000000000000000000000000000000000000ab": {},
        "0x00000000000000000000000000000000000000AC":
            {"balance": 340282366920938463463374607431768211455, "nonce": 18446744073709551615,
             "code": null, "storage": null},
        "0x00000000000000000000000000000000000000ad": {"storage": [], "balance": -0}
    },
    "nonce": "0x42", "timestamp": "0x5", "extraData": "0x1234", "gasLimit": "0x1388",
    "difficulty": "0x400000000", "text": "\"quoted\" \u00e9\n"
})";

TEST(GenesisStream, says_what_the_plain_way_says_whatever_the_pieces) {
    JsonParser parser;
    const Genesis plain = parse_genesis(parser.parse(kDocument, "genesis.json"));
    ASSERT_EQ(plain.alloc.size(), 4U);

    for (const std::size_t piece : {1U, 2U, 3U, 7U, 64U, 100'000U})
        EXPECT_EQ(stream(kDocument, piece), plain) << "pieces of " << piece;
    EXPECT_EQ(stream("\xEF\xBB\xBF" + kDocument, 7), plain) << "with a byte-order mark";
}

TEST(GenesisStream, errors_are_those_of_the_plain_way) {
    const std::string documents[] = {
        "",
        "[]",
        "5",
        "{",
        R"({"config": {"chainId": 1}})",
        R"({"alloc": {}})",
        R"({"config": {"chainId": "x"}, "alloc": {}})",
        with_alloc("null"),
        with_alloc("[]"),
        with_alloc("7"),
        with_alloc(R"({"0x12": {}})"),
        with_alloc(R"({"0x12": 7})"),
        with_alloc(R"({"0x00000000000000000000000000000000000000aa"})"),
        with_alloc("{}") + "x",
        with_alloc("{}\n,\n}"),
        with_account("5"),
        with_account("null"),
        with_account("[]"),
        with_account("[{}]"),
        with_account(R"({"balance": true})"),
        with_account(R"({"balance": {}})"),
        with_account(R"({"balance": [1]})"),
        with_account(R"({"balance": "0xg"})"),
        with_account(R"({"balance": 1.5})"),
        with_account(R"({"balance": -3})"),
        with_account(R"({"balance": "0x1)" + std::string(64, '0') + R"("})"),
        with_account(R"({"nonce": "0x10000000000000000"})"),
        with_account(R"({"nonce": 18446744073709551616})"),
        with_account(R"({"code": 5})"),
        with_account(R"({"code": "0x123"})"),
        with_account(R"({"code": {}})"),
        with_account(R"({"storage": 5})"),
        with_account(R"({"storage": [5]})"),
        with_account(R"({"storage": {"x": 1}})"),
        with_account(R"({"storage": {"0x1": "x"}})"),
        with_account(R"({"storage": {"0x1": null}})"),
        with_account(R"({"storage": {"0x1": {}}})"),
        with_account(R"({"balance": 1,, "nonce": 2})"),
        with_account("{\"a\": " + std::string(60, '[') + std::string(60, ']') + "}"),
    };
    for (const std::string& document : documents) {
        SCOPED_TRACE(document);
        const std::string expected = plain_error(document);
        EXPECT_NE(expected, "no error");
        EXPECT_EQ(stream_error(document, 100'000), expected);
        EXPECT_EQ(stream_error(document, 1), expected);
    }
}

// Long integers were made strings before they were parsed, leading zeros and all.
TEST(GenesisStream, refuses_numbers_with_leading_zeros_as_the_plain_way_does) {
    const std::string many(70, '0');
    for (const std::string& number : {std::string{"007"}, std::string{"-01"}, std::string{"00.5"},
                                      many, many + "1", "-" + many + "1", many + ".5"}) {
        const std::string text = R"({"config": {"chainId": )" + number + R"(}, "alloc": {}})";
        EXPECT_THAT(plain_error(text), HasSubstr("malformed JSON"));
        for (std::size_t piece = 1; piece < 40; ++piece)
            EXPECT_THAT(stream_error(text, piece), HasSubstr("malformed JSON")) << number << piece;
    }
    EXPECT_EQ(stream_error(R"({"config": {"chainId": 10}, "alloc": {}})", 1), "no error");
}

// As geth. Before, what is written so was passed over: another chain, or one by other rules.
TEST(GenesisStream, takes_names_in_any_case) {
    const Genesis genesis = stream(R"({"Config": {"chainid": 7, "homesteadblock": 3,
        "DAOforksupport": true}, "gaslimit": "0x1388", "mixhash":
        "0x1100000000000000000000000000000000000000000000000000000000000000",
        "ALLOC": {"00000000000000000000000000000000000000aa": {"Balance": "5", "NONCE": "0x2"}}})",
                                   64);
    EXPECT_EQ(genesis.config.chain_id, 7u);
    EXPECT_EQ(genesis.config.homestead_block, 3u);
    EXPECT_TRUE(genesis.config.dao_fork_support);
    EXPECT_EQ(genesis.header.gas_limit, 0x1388u);
    EXPECT_EQ(genesis.header.prev_randao.bytes[0], 0x11);
    ASSERT_EQ(genesis.alloc.size(), 1u);
    EXPECT_EQ(genesis.alloc[0].balance, Uint256{5});
    EXPECT_EQ(genesis.alloc[0].nonce, 2u);

    const auto twice = error_of([] {
        return stream(R"({"config": {"chainId": 7, "londonBlock": 1, "LondonBlock": 2},
                          "alloc": {}})",
                      64);
    });
    EXPECT_THAT(twice, HasSubstr("\"londonBlock\" occurs twice"));
}

TEST(GenesisStream, refuses_what_would_count_twice) {
    EXPECT_THAT(
        stream_error(with_account(R"({"balance": 1, "balance": 2})")),
        HasSubstr(R"($.alloc.0x00000000000000000000000000000000000000aa: "balance" occurs)"));
    EXPECT_THAT(stream_error(with_account(R"({"storage": {}, "storage": {}})")),
                HasSubstr(R"("storage" occurs twice)"));
    EXPECT_THAT(stream_error(R"({"alloc": {}, "config": {"chainId": 1}, "alloc": {}})"),
                HasSubstr(R"($: "alloc" occurs twice)"));
    EXPECT_THAT(stream_error(R"({"config": {"chainId": 1}, "alloc": {}, "config": {}})"),
                HasSubstr(R"("config" occurs twice)"));
    EXPECT_THAT(stream_error(R"({"config": {"chainId": 1, "chainId": 2}, "alloc": {}})"),
                HasSubstr(R"("chainId" occurs twice)"));
    EXPECT_EQ(stream_error(R"({"config": {"chainId": 1, "x": [{"y": 1}, {"y": 1, "alloc": 1}]},
                              "y": 1, "alloc": {}})"),
              stream_error(R"({"config": {"chainId": 1}, "alloc": {}})"));
    // These are no names of a configuration.
    EXPECT_EQ(stream_error(R"({"config": {"chainId": 1, "x": {"londonBlock": 1, "LondonBlock": 2}},
                              "y": {"londonBlock": 1, "LondonBlock": 2}, "alloc": {}})"),
              stream_error(R"({"config": {"chainId": 1}, "alloc": {}})"));
}

// So does a ledger that is made of the file: whichever counted, somebody would take the other.
TEST(GenesisStream, a_file_is_refused_that_gives_an_account_or_a_slot_twice) {
    const test::TemporaryFolder folder;
    const auto error = [&](const std::string& text) {
        return error_of([&] { return load_genesis(folder.write("genesis.json", text)); });
    };
    const std::string account = R"("0x00000000000000000000000000000000000000aa")";

    EXPECT_EQ(error(with_account(R"({"storage": {"0x1": "0x2", "0x2": "0x2"}})")), "no error");
    EXPECT_THAT(
        error(with_alloc("{" + account + ": {}, " + account + R"(: {"balance": 1}})")),
        HasSubstr("$.alloc: address 0x00000000000000000000000000000000000000aa occurs twice"));
    for (const std::string_view slots :
         {R"("0x1": 2, "0x1": 2)", R"("0x1": 2, "0x2": 1, "0x01": 3)", R"("1": 0, "0x1": 3)"}) {
        const std::string text = with_account(R"({"storage": {)" + std::string(slots) + "}}");
        EXPECT_THAT(error(text), HasSubstr("$.alloc: slot 0x1 of address 0x00")) << slots;
    }
    EXPECT_THAT(plain_error(with_account(R"({"storage": {"0x1": 2, "0x01": 3}})")),
                HasSubstr("slot 0x1 of address 0x00000000000000000000000000000000000000aa occurs"));
}

TEST(GenesisStream, holds_a_bounded_part_of_the_file) {
    const std::string half(kMaxJsonStringSize / 2, 'a');
    EXPECT_EQ(stream_error(with_account(R"({"code": "0x)" + half + R"("})"), 65'536), "no error");
    EXPECT_THAT(stream_error(with_account(R"({"code": "0x)" + half + half + R"("})"), 65'536),
                HasSubstr("genesis.json: malformed JSON at line 1, column "));
    EXPECT_THAT(stream_error(R"({"a": ")" + half + R"(", "b": ")" + half + R"("})", 65'536),
                HasSubstr("besides the accounts"));
    EXPECT_THAT(
        stream_error(with_alloc(R"({")" + std::string(kMaxJsonKeySize + 1, 'a') + R"(": 1})")),
        HasSubstr("malformed JSON at line 1"));
}

}  // namespace
}  // namespace heddle::node
