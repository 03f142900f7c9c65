// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/call_request.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "program/error.hpp"
#include "simulation/failure.hpp"

namespace heddle::node::simulation {
namespace {

CallRequest parse(std::string_view text) {
    JsonParser parser;
    return parse_call_request(parser.parse(text, "call"));
}
CallTransaction filled(std::string_view text, std::uint64_t gas_cap = 1'000'000,
                       bool has_base_fee = true) {
    CallRequest request = parse(text);
    fill_defaults(request, gas_cap, has_base_fee, 1337);
    return to_transaction(request);
}
std::string failure(std::string_view text, bool has_base_fee = true) {
    try {
        (void)filled(text, 1'000'000, has_base_fee);
    } catch (const Failure& error) {
        return error.what();
    }
    return "accepted";
}

TEST(CallRequest, what_is_missing_is_zero_and_gas_is_the_cap) {
    const CallTransaction tx = filled("{}");
    EXPECT_EQ(tx.type, TransactionType::dynamic_fee);
    EXPECT_EQ(tx.sender, Address{});
    EXPECT_TRUE(tx.is_creation());
    EXPECT_EQ(tx.gas_limit, 1'000'000u);
    EXPECT_EQ(tx.chain_id, 1337u);
    EXPECT_TRUE(tx.max_fee_per_gas.is_zero());
    EXPECT_TRUE(tx.value.is_zero());
}

TEST(CallRequest, gas_never_exceeds_the_cap) {
    EXPECT_EQ(filled(R"({"gas":"0x10"})").gas_limit, 16u);
    EXPECT_EQ(filled(R"({"gas":"0xffffffffffffffff"})").gas_limit, 1'000'000u);
    EXPECT_EQ(filled("{}", ~std::uint64_t{0}).gas_limit, ~std::uint64_t{0} >> 1);
}

TEST(CallRequest, input_goes_before_data) {
    EXPECT_EQ(filled(R"({"data":"0x01"})").data, Bytes{1});
    EXPECT_EQ(filled(R"({"data":"0x01","input":"0x02"})").data, Bytes{2});
}

TEST(CallRequest, a_number_in_an_empty_text_is_zero) {
    for (const std::string_view name : {"gas", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas",
                                        "value", "nonce", "chainId", "maxFeePerBlobGas"})
        EXPECT_NO_THROW((void)parse(fmt::format(R"({{"{}":""}})", name))) << name;
    EXPECT_TRUE(filled(R"({"value":""})").value.is_zero());
    EXPECT_EQ(filled(R"({"gas":""})").gas_limit, filled(R"({"gas":"0x0"})").gas_limit);
    EXPECT_EQ(filled(R"({"gasPrice":""})").type, TransactionType::legacy);
    EXPECT_EQ(failure(R"({"chainId":""})"), failure(R"({"chainId":"0x0"})"));
    EXPECT_THROW((void)parse(R"({"value":"0x"})"), InputError);
    const CallRequest signed_by = parse(R"({"authorizationList":[{"chainId":"",)"
                                        R"("address":"0x00000000000000000000000000000000000000aa",)"
                                        R"("nonce":"","yParity":"","r":"","s":""}]})");
    ASSERT_EQ(signed_by.authorization_list->size(), 1U);
    EXPECT_TRUE(signed_by.authorization_list->front().s.is_zero());
}

TEST(CallRequest, the_type_follows_from_the_members) {
    EXPECT_EQ(filled(R"({"gasPrice":"0x1"})").type, TransactionType::legacy);
    EXPECT_EQ(filled(R"({"gasPrice":"0x1"})").max_priority_fee_per_gas, 1u);
    EXPECT_EQ(filled("{}", 1, false).type, TransactionType::legacy);
    const std::string to = R"("to":"0x0000000000000000000000000000000000000001")";
    EXPECT_EQ(filled("{" + to + R"(,"blobVersionedHashes":[]})").type, TransactionType::blob);
    EXPECT_EQ(filled("{" + to + R"(,"authorizationList":[]})").type, TransactionType::set_code);
}

TEST(CallRequest, contradictions_are_refused) {
    EXPECT_EQ(failure(R"({"gasPrice":"0x1","maxFeePerGas":"0x1"})"),
              "both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified");
    EXPECT_EQ(failure(R"({"chainId":"0x1"})"), "chainId does not match node's (have=1, want=1337)");
    EXPECT_EQ(failure(R"({"blobVersionedHashes":[]})"), "blob transaction of type create");
    EXPECT_EQ(failure(R"({"authorizationList":[]})"),
              "EIP-7702 transaction cannot be used to create contract");
}

// As the conversations of execution-apis have it, be the prices zero; geth 1.17.8 took them.
TEST(CallRequest, prices_by_eip_1559_are_refused_where_a_block_has_no_base_fee) {
    const std::string refused =
        "maxFeePerGas and maxPriorityFeePerGas are not valid before London is active";
    EXPECT_EQ(failure(R"({"maxFeePerGas":"0x0","maxPriorityFeePerGas":"0x0"})", false), refused);
    EXPECT_EQ(failure(R"({"maxPriorityFeePerGas":"0x1"})", false), refused);
    EXPECT_EQ(failure(R"({"maxFeePerGas":"0x1"})", false), refused);
    EXPECT_EQ(failure(R"({"gasPrice":"0x1"})", false), "accepted");
    EXPECT_EQ(failure(R"({"maxFeePerGas":"0x1"})", true), "accepted");
}

TEST(CallRequest, a_price_for_blobs_is_told_apart_from_none) {
    EXPECT_FALSE(filled("{}").lists.blob_price);
    const CallTransaction priced = filled(R"({"maxFeePerBlobGas":"0x0"})");
    EXPECT_TRUE(priced.lists.blob_price);
    EXPECT_FALSE(priced.lists.blobs);
    EXPECT_EQ(priced.type, TransactionType::dynamic_fee);
}

TEST(CallRequest, an_empty_list_is_one) {
    const CallTransaction none = to_transaction(parse(R"({"gasPrice":"0x0"})"));
    EXPECT_FALSE(none.lists.access_list || none.lists.blobs || none.lists.authorizations);
    const CallTransaction all = to_transaction(parse(
        R"({"to":"0x00000000000000000000000000000000c0de0001","gasPrice":"0x0","accessList":[],)"
        R"("blobVersionedHashes":[],"authorizationList":[]})"));
    EXPECT_TRUE(all.lists.access_list && all.lists.blobs && all.lists.authorizations);
}

TEST(CallRequest, malformed_members_are_bad_input) {
    for (const std::string_view text :
         {"5", "[]", R"({"gas":5})", R"({"gas":"5"})", R"({"to":"0x12"})", R"({"data":"0x1"})",
          R"({"value":"0x0001"})", R"({"blobVersionedHashes":["0x01"]})"})
        EXPECT_THROW((void)parse(text), InputError) << text;
    EXPECT_NO_THROW((void)parse(R"({"unknown":5,"type":"0x2"})"));
}

// Blobs count for nothing in a call, but what is no blob is not taken for one, as by geth.
TEST(CallRequest, blobs_commitments_and_proofs_have_their_sizes) {
    const auto with = [](std::string_view name, std::size_t bytes) {
        return fmt::format(R"({{"{}":["0x{}"]}})", name, std::string(2 * bytes, '0'));
    };
    EXPECT_NO_THROW((void)parse(with("blobs", 131'072)));
    EXPECT_NO_THROW((void)parse(with("commitments", 48)));
    EXPECT_NO_THROW((void)parse(with("proofs", 48)));
    EXPECT_NO_THROW((void)parse(R"({"blobs":[],"commitments":null})"));
    for (const std::string& text :
         {with("blobs", 0), with("blobs", 131'071), with("commitments", 47), with("proofs", 49),
          std::string{R"({"blobs":"0x"})"}, std::string{R"({"proofs":[null]})"}})
        EXPECT_THROW((void)parse(text), InputError) << text.substr(0, 40);
}

TEST(CallRequest, lists_are_lists_and_say_all_of_what_they_hold) {
    constexpr std::string_view kAddress = R"("0x0000000000000000000000000000000000000001")";
    const std::string word = "\"0x" + std::string(63, '0') + "5\"";
    const std::string access =
        fmt::format(R"({{"accessList":[{{"address":{},"storageKeys":[{}]}}]}})", kAddress, word);
    EXPECT_EQ(parse(access).access_list.value().at(0).storage_keys.at(0), to_hash(Uint256{5}));
    const auto authorization = [&](std::string_view name, std::string_view value) {
        std::string text = R"({"authorizationList":[{"chainId":"0x0","nonce":"0x0","r":"0x1",)"
                           R"("s":"0x1","yParity":"0x1","address":)";
        text += std::string{kAddress} + "}]}";
        const std::size_t at = text.find("\"" + std::string{name} + "\":\"");
        const std::size_t end = text.find('"', at + name.size() + 4) + 1;
        return text.replace(at, end - at, value);
    };
    EXPECT_EQ(parse(authorization("r", R"("r":"0x7")")).authorization_list.value().at(0).r, 7u);

    for (const std::string_view name : {"accessList", "blobVersionedHashes", "authorizationList"})
        for (const std::string_view value : {"{}", "5", "\"0x\"", "[null]", "[5]"})
            EXPECT_THROW((void)parse(fmt::format(R"({{"{}":{}}})", name, value)), InputError)
                << name << value;
    for (const std::string_view keys :
         {"", R"(,"storageKeys":null)", R"(,"storageKeys":["0x5"])", R"(,"storageKeys":["5"])"})
        EXPECT_THROW(
            (void)parse(fmt::format(R"({{"accessList":[{{"address":{}{}}}]}})", kAddress, keys)),
            InputError)
            << keys;
    // Taken for 0, it would be the authorization of somebody else.
    EXPECT_THROW((void)parse(authorization("yParity", R"("v":"0x1b")")), InputError);
    EXPECT_THROW((void)parse(authorization("nonce", R"("nonce":"0x00")")), InputError);
    EXPECT_THROW((void)parse(authorization("r", R"("r":7)")), InputError);
}

}  // namespace
}  // namespace heddle::node::simulation
