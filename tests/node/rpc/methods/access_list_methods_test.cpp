// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Access lists of blocks (EIP-7928) as execution-apis wants them answered.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <types/block_access_list.hpp>

#include "queries/made_node.hpp"

namespace heddle::test {
namespace {

const std::string kNowhere = "\"0x" + std::string(64, '7') + "\"";

BlockAccessList example() {
    BlockAccessList list;
    ListedAccount& account = list.accounts.emplace_back();
    account.address = address_from_low64(0xaa);
    account.storage_changes = {{Uint256{1}, {{1, Uint256{2}}}}};
    account.storage_reads = {Uint256{3}};
    account.balance_changes = {{1, Uint256{16}}};
    account.nonce_changes = {{2, 255}};
    account.code_changes = {{2, Bytes{0x60}}};
    list.accounts.emplace_back().address = address_from_low64(0xbb);
    return list;
}

Bytes encoded_example() {
    Bytes bytes;
    encode_block_access_list(example(), bytes);
    return bytes;
}

std::string word(std::string_view digits) {
    return "\"0x" + std::string(64 - digits.size(), '0') + std::string{digits} + '"';
}

std::string address(std::string_view digits) {
    return "\"0x" + std::string(40 - digits.size(), '0') + std::string{digits} + '"';
}

TEST(AccessListMethods, answer_with_every_member_and_with_raw_bytes) {
    MadeNode node{Revision::amsterdam};
    const auto block = node.made().commit({.access_list = encoded_example()});

    const std::string expected =
        R"([{"address":)" + address("aa") + R"(,"storageChanges":[{"key":)" + word("1") +
        R"(,"changes":[{"index":"0x1","value":)" + word("2") + R"(}]}],"storageReads":[)" +
        word("3") + R"(],"balanceChanges":[{"index":"0x1","value":"0x10"}],)" +
        R"("nonceChanges":[{"index":"0x2","value":"0xff"}],)" +
        R"("codeChanges":[{"index":"0x2","code":"0x60"}]},{"address":)" + address("bb") +
        R"(,"storageChanges":[],"storageReads":[],"balanceChanges":[],"nonceChanges":[],)" +
        R"("codeChanges":[]}])";
    const std::string by_hash = "[\"" + to_string(block->hash) + "\"]";
    for (const std::string& params :
         {std::string{R"(["latest"])"}, std::string{R"(["0x1"])"}, by_hash}) {
        EXPECT_EQ(node.call("eth_getBlockAccessList", params), expected) << params;
        EXPECT_EQ(node.call("debug_getRawBlockAccessList", params),
                  '"' + to_hex(encoded_example()) + '"')
            << params;
    }
}

TEST(AccessListMethods, of_the_first_block_is_empty) {
    const MadeNode node{Revision::amsterdam};

    EXPECT_EQ(node.call("eth_getBlockAccessList", R"(["0x0"])"), "[]");
    EXPECT_EQ(node.call("debug_getRawBlockAccessList", R"(["earliest"])"), R"("0xc0")");
}

TEST(AccessListMethods, tell_apart_why_there_is_no_list) {
    MadeNode node{Revision::amsterdam};
    (void)node.made().commit({});  // its list is gone

    for (const std::string& params :
         {std::string{R"(["0x9"])"}, std::string{R"(["pending"])"}, "[" + kNowhere + "]"}) {
        EXPECT_EQ(node.call("eth_getBlockAccessList", params), "null") << params;
        EXPECT_EQ(node.failure("debug_getRawBlockAccessList", params), "-32001: Resource not found")
            << params;
    }
    for (const char* const name : {"eth_getBlockAccessList", "debug_getRawBlockAccessList"})
        EXPECT_EQ(node.failure(name, R"(["0x1"])"), "4444: Pruned history unavailable") << name;
    // A list that was made for execution is not the block's: its header claims none.
    MadeNode earlier{Revision::osaka};
    (void)earlier.made().commit({.access_list = encoded_example()});
    for (const char* const name : {"eth_getBlockAccessList", "debug_getRawBlockAccessList"})
        for (const char* const params : {R"(["0x0"])", R"(["0x1"])"})
            EXPECT_EQ(earlier.failure(name, params), "-32001: Resource not found") << name;
}

TEST(AccessListMethods, headers_show_hash_and_slot) {
    MadeNode node{Revision::amsterdam};
    (void)node.made().commit({.access_list = encoded_example()});

    const std::string text = node.call("eth_getBlockByNumber", R"(["latest",false])");

    EXPECT_THAT(text, testing::HasSubstr(R"("blockAccessListHash":"0x)"));
    EXPECT_THAT(text, testing::HasSubstr(R"("slotNumber":"0x1")"));
}

}  // namespace
}  // namespace heddle::test
