// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/block_error.hpp>

#include <set>

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(BlockError, sentence_has_what_the_block_says_and_what_it_should_say) {
    BlockError error;
    error.code = BlockErrorCode::invalid_gas_used;
    error.number = 17;
    error.claimed = "21000";
    error.computed = "21001";

    EXPECT_EQ(to_string(error), "block 17: invalid gas used, block says 21000, computed 21001");
}

TEST(BlockError, sentence_names_the_transaction) {
    BlockError error;
    error.code = BlockErrorCode::invalid_transaction;
    error.number = 3;
    error.index = 5;
    error.transaction = TransactionError::nonce_too_low;
    error.detail = "nonce 1, account has 2";

    EXPECT_EQ(to_string(error),
              "block 3: invalid transaction 5: nonce too low (nonce 1, account has 2)");
}

TEST(BlockError, every_code_has_its_own_text) {
    std::set<std::string_view> texts;
    const auto last = static_cast<std::size_t>(BlockErrorCode::execution_halted);
    for (std::size_t i = 0; i <= last; ++i)
        texts.insert(to_string(static_cast<BlockErrorCode>(i)));
    EXPECT_EQ(texts.size(), last + 1);
    EXPECT_FALSE(texts.contains("unknown block error"));
}

TEST(TransactionError, every_code_has_its_own_text) {
    std::set<std::string_view> texts;
    const auto last = static_cast<std::size_t>(TransactionError::authorization_list_empty);
    for (std::size_t i = 0; i <= last; ++i)
        texts.insert(to_string(static_cast<TransactionError>(i)));
    EXPECT_EQ(texts.size(), last + 1);
    EXPECT_FALSE(texts.contains("unknown transaction error"));
}

}  // namespace
}  // namespace heddle
