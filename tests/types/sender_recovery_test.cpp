// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <types/sender_recovery.hpp>
#include <types/signing.hpp>
#include <types/transaction.hpp>

namespace heddle {
namespace {

// The private key of EIP-155's example.
const Hash kSecret =
    *hash_from_hex("0x4646464646464646464646464646464646464646464646464646464646464646");
const Address kSigner = *address_from_hex("0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f");

Transaction example(TransactionType type) {
    Transaction tx;
    tx.type = type;
    tx.chain_id = 1;
    tx.nonce = 9;
    tx.max_fee_per_gas = tx.max_priority_fee_per_gas = Uint256{20'000'000'000};
    tx.gas_limit = 21'000;
    tx.to = *address_from_hex("0x3535353535353535353535353535353535353535");
    tx.value = Uint256{1'000'000'000'000'000'000};
    return tx;
}

TEST(Signing, equals_the_signature_of_eip_155) {
    Transaction tx = example(TransactionType::legacy);

    ASSERT_TRUE(sign_transaction(tx, kSecret));

    EXPECT_EQ(tx.sender, kSigner);
    EXPECT_EQ(tx.y_parity, 0);
    EXPECT_EQ(to_hex(tx.r), "0x28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276");
    EXPECT_EQ(to_hex(tx.s), "0x67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83");
}

TEST(SenderRecovery, gives_back_the_signer_for_every_type) {
    for (std::uint8_t type = 0; type <= 4; ++type) {
        Transaction tx = example(static_cast<TransactionType>(type));
        for (tx.nonce = 0; tx.nonce < 20; ++tx.nonce) {
            ASSERT_TRUE(sign_transaction(tx, kSecret));
            EXPECT_TRUE(has_low_s(tx.s));
            EXPECT_EQ(recover_sender(tx), kSigner);
        }
    }
}

TEST(SenderRecovery, another_content_gives_another_sender) {
    Transaction tx = example(TransactionType::dynamic_fee);
    ASSERT_TRUE(sign_transaction(tx, kSecret));

    tx.value += Uint256{1};

    EXPECT_NE(recover_sender(tx), kSigner);
}

TEST(SenderRecovery, upper_half_of_s_recovers_with_the_other_parity) {
    const Uint256 order =
        *uint256_from_string("0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
    Transaction tx = example(TransactionType::legacy);
    ASSERT_TRUE(sign_transaction(tx, kSecret));

    tx.s = order - tx.s;
    tx.y_parity ^= 1;

    EXPECT_FALSE(has_low_s(tx.s));
    EXPECT_EQ(recover_sender(tx), kSigner);
}

TEST(SenderRecovery, values_out_of_range_recover_nobody) {
    const auto signature = sign(kEmptyCodeHash, kSecret);
    ASSERT_TRUE(signature.has_value());
    const auto& [y_parity, r, s] = *signature;

    EXPECT_EQ(recover_signer(kEmptyCodeHash, y_parity, r, s), kSigner);
    EXPECT_EQ(recover_signer(kEmptyCodeHash, 2, r, s), std::nullopt);
    EXPECT_EQ(recover_signer(kEmptyCodeHash, y_parity, Uint256{}, s), std::nullopt);
    EXPECT_EQ(recover_signer(kEmptyCodeHash, y_parity, r, Uint256{}), std::nullopt);
    EXPECT_EQ(recover_signer(kEmptyCodeHash, y_parity, Uint256::max(), s), std::nullopt);
    EXPECT_EQ(recover_signer(kEmptyCodeHash, y_parity, r, Uint256::max()), std::nullopt);
    // No point of the curve has x = 5.
    EXPECT_EQ(recover_signer(kEmptyCodeHash, y_parity, Uint256{5}, s), std::nullopt);
}

TEST(SenderRecovery, authority_must_be_canonical) {
    Authorization authorization{Uint256{1}, address_from_low64(0x1234), 7, {}, {}, {}};
    ASSERT_TRUE(sign_authorization(authorization, kSecret));
    const auto found = [](const Authorization& one) {
        std::vector<std::optional<Address>> authorities;
        find_authorities({&one, 1}, 1, authorities);
        return authorities.at(0);
    };

    EXPECT_EQ(found(authorization), kSigner);

    Authorization wide_parity = authorization;
    wide_parity.y_parity += Uint256{2};
    EXPECT_EQ(found(wide_parity), std::nullopt);
    Authorization high_s = authorization;
    high_s.s = -high_s.s;
    EXPECT_EQ(found(high_s), std::nullopt);
}

TEST(Signing, impossible_secrets_are_refused) {
    Transaction tx = example(TransactionType::legacy);

    EXPECT_FALSE(sign_transaction(tx, Hash{}));
    EXPECT_EQ(address_from_secret(to_hash(Uint256::max())), std::nullopt);
    EXPECT_EQ(address_from_secret(kSecret), kSigner);
}

TEST(SenderRecovery, threads_may_recover_at_once) {
    Transaction tx = example(TransactionType::dynamic_fee);
    ASSERT_TRUE(sign_transaction(tx, kSecret));
    int recovered[4] = {};

    std::vector<std::thread> threads;
    for (int& count : recovered)
        threads.emplace_back([&tx, &count] {
            for (int i = 0; i < 50; ++i)
                count += recover_sender(tx) == kSigner ? 1 : 0;
        });
    for (std::thread& thread : threads)
        thread.join();

    for (const int count : recovered)
        EXPECT_EQ(count, 50);
}

}  // namespace
}  // namespace heddle
