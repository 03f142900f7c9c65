// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream/signer_recovery.hpp"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <types/signing.hpp>

namespace heddle::executor {
namespace {

Hash secret_of(std::uint64_t number) {
    return to_hash(Uint256{1'000 + number});
}

/// Signed by as many, nobody of whom is known.
std::vector<Transaction> signed_by(std::uint64_t count) {
    std::vector<Transaction> transactions(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        transactions[i].chain_id = 1;
        transactions[i].nonce = i;
        EXPECT_TRUE(sign_transaction(transactions[i], secret_of(i)));
        transactions[i].sender.reset();
    }
    return transactions;
}

void expect_found(const std::vector<Transaction>& transactions) {
    for (std::uint64_t i = 0; i < transactions.size(); ++i)
        EXPECT_EQ(transactions[i].sender, address_from_secret(secret_of(i))) << i;
}

TEST(SignerRecovery, finds_all_where_nobody_helps) {
    SignerRecovery recovery{nullptr};
    std::vector<Transaction> transactions = signed_by(70);
    recovery.run(transactions);
    expect_found(transactions);
    EXPECT_FALSE(recovery.has_work());
}

TEST(SignerRecovery, finds_all_where_helpers_never_come) {
    WorkerParking parking;
    SignerRecovery recovery{&parking};
    std::vector<Transaction> transactions = signed_by(70);
    recovery.run(transactions);
    expect_found(transactions);
    EXPECT_FALSE(recovery.run_once());
}

TEST(SignerRecovery, leaves_those_without_whose_signature_is_nobodys) {
    WorkerParking parking;
    SignerRecovery recovery{&parking};
    std::vector<Transaction> transactions = signed_by(70);
    transactions[40].r = Uint256{};
    recovery.run(transactions);
    EXPECT_FALSE(transactions[40].sender.has_value());
    EXPECT_EQ(transactions[41].sender, address_from_secret(secret_of(41)));
}

TEST(SignerRecovery, asks_for_nobody_who_is_known) {
    SignerRecovery recovery{nullptr};
    std::vector<Transaction> transactions = signed_by(3);
    transactions[1].sender = Address{};
    recovery.run(transactions);
    EXPECT_EQ(transactions[1].sender, Address{});
}

/// Blocks of all sizes one after the other, so that helpers come late for some of them.
TEST(SignerRecovery, is_shared_with_helpers_round_for_round) {
    WorkerParking parking;
    SignerRecovery recovery{&parking};
    std::atomic<bool> is_over = false;
    std::atomic<std::uint64_t> pieces = 0;
    std::vector<std::thread> helpers;
    for (unsigned helper = 1; helper <= 2; ++helper)
        helpers.emplace_back([&, helper] {
            while (!is_over.load()) {
                if (recovery.run_once())
                    pieces.fetch_add(1);
                else
                    parking.wait(helper, [&] { return is_over.load() || recovery.has_work(); });
            }
        });
    const std::vector<Transaction> all = signed_by(400);
    std::uint64_t rounds = 0;
    // At least so many, and until somebody has helped: how soon is the system's affair.
    for (; rounds < 60 || pieces.load() == 0; ++rounds) {
        std::vector<Transaction> some(all.begin(),
                                      all.begin() + static_cast<std::ptrdiff_t>(rounds * 37 % 401));
        recovery.run(some);
        expect_found(some);
    }
    is_over.store(true);
    parking.notify_others();
    for (std::thread& helper : helpers)
        helper.join();
}

}  // namespace
}  // namespace heddle::executor
