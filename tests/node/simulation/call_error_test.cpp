// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/call_error.hpp"

#include <gtest/gtest.h>

#include <ledger/memory_state.hpp>

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

// As geth 1.17.10 says it, with the figures that contradict each other.
TEST(RejectionText, is_geths) {
    ledger::MemoryState state;
    Account sender{5, Uint256{9}};
    const Bytes code{0x60, 0x00};
    sender.code_hash = keccak256(code);
    state.set_account(address_from_low64(1), sender);
    state.set_code(sender.code_hash, code);
    BlockEnv env;
    env.revision = Revision::osaka;
    env.chain_id = 7;
    Transaction tx;
    tx.sender = address_from_low64(1);
    tx.to = address_from_low64(2);
    tx.chain_id = 6;
    tx.gas_limit = 20'000'000;
    const auto text = [&](TransactionError error) { return rejection_text(error, tx, state, env); };
    const std::string address = "0x0000000000000000000000000000000000000001";

    EXPECT_EQ(text(TransactionError::sender_not_eoa),
              "sender not an eoa: address " + address + ", len(code): 2");
    EXPECT_EQ(text(TransactionError::gas_limit_above_maximum),
              "transaction gas limit too high (cap: 16777216, tx: 20000000)");
    EXPECT_EQ(text(TransactionError::chain_id_mismatch),
              "invalid chain id for signer: have 6 want 7");
    EXPECT_EQ(text(TransactionError::set_code_creation),
              "EIP-7702 transaction cannot be used to create contract (sender " + address + ")");
    EXPECT_EQ(text(TransactionError::gas_limit_above_block), "gas limit reached");
    EXPECT_EQ(text(TransactionError::type_not_supported), "transaction type not supported");
    EXPECT_EQ(text(TransactionError::intrinsic_gas_too_high),
              "insufficient gas for floor data gas cost: intrinsic cost 21000, floor: 21000");
    env.revision = Revision::homestead;
    tx.type = TransactionType::blob;
    EXPECT_EQ(text(TransactionError::type_not_supported),
              "transaction type not supported: blob tx (sender " + address + ")");
    tx.type = TransactionType::dynamic_fee;
    EXPECT_EQ(
        rejection_text(TransactionError::type_not_supported, tx, state, env, {.blob_price = true}),
        "transaction type not supported: blob tx (sender " + address + ")");
    tx.access_list.emplace_back();
    EXPECT_EQ(text(TransactionError::type_not_supported),
              "transaction type not supported: access list tx (sender " + address + ")");
    EXPECT_EQ(text(TransactionError::chain_id_mismatch), "invalid transaction v, r, s values");
}

TEST(RevertError, carries_the_data_as_it_is) {
    const Failure error = revert_error(Bytes{0xab, 0xcd});
    EXPECT_EQ(error.kind(), FailureKind::reverted);
    EXPECT_STREQ(error.what(), "execution reverted");
    EXPECT_EQ(error.revert_data(), (Bytes{0xab, 0xcd}));
}

}  // namespace
}  // namespace heddle::node::simulation
