// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/transaction_error.hpp>

#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include <types/transaction_error_names.hpp>

namespace heddle {
namespace {

TEST(TransactionErrorNames, each_error_has_its_own) {
    std::set<std::string_view> texts;
    std::set<std::string_view> geth;
    std::set<std::string_view> fixtures;
    constexpr auto kCount = static_cast<std::size_t>(kLastTransactionError) + 1;
    for (std::size_t i = 0; i < kCount; ++i) {
        texts.insert(to_string(static_cast<TransactionError>(i)));
        geth.insert(geth_text(static_cast<TransactionError>(i)));
        fixtures.insert(fixture_names(static_cast<TransactionError>(i)));
    }

    EXPECT_EQ(texts.size(), kCount);
    EXPECT_EQ(geth.size(), kCount);
    EXPECT_EQ(fixtures.size(), kCount);
    EXPECT_FALSE(texts.contains(""));
    EXPECT_FALSE(geth.contains(""));
    EXPECT_FALSE(fixtures.contains(""));
}

// go-ethereum, core/error.go; execution-spec-tests, exceptions/transaction.py.
TEST(TransactionErrorNames, are_those_of_their_sources) {
    EXPECT_EQ(to_string(TransactionError::sender_not_eoa), "sender is a contract");
    EXPECT_EQ(geth_text(TransactionError::sender_not_eoa), "sender not an eoa");
    EXPECT_EQ(fixture_names(TransactionError::sender_not_eoa), "SENDER_NOT_EOA");
    EXPECT_EQ(geth_text(TransactionError::init_code_too_large), "max initcode size exceeded");
    EXPECT_EQ(fixture_names(TransactionError::nonce_overflow),
              "NONCE_IS_MAX NONCE_TOO_BIG NONCE_OVERFLOW");
}

}  // namespace
}  // namespace heddle
