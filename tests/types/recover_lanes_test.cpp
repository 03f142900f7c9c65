// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// libsecp256k1 is the oracle of everything here.
#include "recovery/recover_lanes.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <types/sender_recovery.hpp>
#include <types/signing.hpp>
#include <types/transaction.hpp>

#include "authority.hpp"
#include "odd_signatures.hpp"
#include "random.hpp"
#include "recovery/scalar.hpp"

namespace heddle::recovery {
namespace {

using test::Random;

Uint256 random_uint256(Random& random) {
    return {random.word(), random.word(), random.word(), random.word()};
}

std::vector<std::optional<Address>> one_by_one(const std::vector<SignedMessage>& messages) {
    std::vector<std::optional<Address>> signers;
    for (const auto& [hash, y_parity, r, s] : messages)
        signers.push_back(recover_signer(hash, y_parity, r, s));
    return signers;
}

std::vector<std::optional<Address>> at_once(const std::vector<SignedMessage>& messages) {
    std::vector<std::optional<Address>> signers(messages.size());
    recover_signers(messages, signers);
    return signers;
}

SignedMessage signed_by_somebody(Random& random) {
    const Hash hash = to_hash(random_uint256(random));
    const auto signature = sign(hash, to_hash(random_uint256(random) >> 1));
    EXPECT_TRUE(signature.has_value());
    return {hash, signature->y_parity, signature->r, signature->s};
}

SignedMessage signed_by_nobody(Random& random) {
    return {to_hash(random_uint256(random)), static_cast<std::uint8_t>(random.below(2)),
            random_uint256(random), random_uint256(random)};
}

TEST(RecoverSigners, gives_what_one_by_one_gives_for_every_number_of_signatures) {
    Random random(1);
    for (std::size_t count = 0; count <= 2 * kMostInLanes + 3; ++count) {
        std::vector<SignedMessage> messages;
        for (std::size_t i = 0; i < count; ++i)
            messages.push_back(random.below(4) == 0 ? signed_by_nobody(random)
                                                    : signed_by_somebody(random));
        ASSERT_EQ(at_once(messages), one_by_one(messages)) << count;
    }
}

TEST(RecoverSigners, gives_what_one_by_one_gives_at_every_limit) {
    std::vector<SignedMessage> messages;
    for (std::uint64_t number = 0; number < test::kOddSignatures; ++number)
        messages.push_back(test::odd_signature(number));
    const auto signers = at_once(messages);
    const auto expected = one_by_one(messages);
    for (std::size_t i = 0; i < messages.size(); ++i)
        ASSERT_EQ(signers[i], expected[i]) << i;
    const auto found = std::ranges::count_if(expected, [](const auto& s) { return s.has_value(); });
    EXPECT_GT(found, 100);
    EXPECT_LT(found, static_cast<std::ptrdiff_t>(messages.size()));
}

// What is exceptional in one lane is nobody else's business.
TEST(RecoverSigners, odd_signatures_do_not_disturb_those_beside_them) {
    Random random(2);
    for (int turn = 0; turn < 200; ++turn) {
        std::vector<SignedMessage> messages;
        for (std::size_t i = 0; i < kMostInLanes; ++i)
            messages.push_back(random.below(2) == 0 ? test::odd_signature(random.word())
                                                    : signed_by_somebody(random));
        ASSERT_EQ(at_once(messages), one_by_one(messages)) << turn;
    }
}

TEST(RecoverSigners, a_point_at_infinity_is_nobodys_key) {
    // With R = G and s equal to the hash, s R - z G is infinite.
    constexpr Uint256 kGeneratorX = test::kOddValues[13];
    Random random(3);
    std::vector<SignedMessage> messages;
    for (int i = 0; i < 8; ++i) {
        const Uint256 s = random_uint256(random) >> 1;
        messages.push_back({to_hash(s), 0, kGeneratorX, s});
    }
    const std::vector<std::optional<Address>> nobody(messages.size());
    EXPECT_EQ(one_by_one(messages), nobody);
    EXPECT_EQ(at_once(messages), nobody);
}

TEST(RecoverInLanes, leaves_next_to_nothing_to_the_library) {
    if (!has_lanes()) GTEST_SKIP() << "this processor lacks AVX-512 IFMA";
    Random random(4);
    std::vector<SignedMessage> messages;
    for (std::size_t i = 0; i < kMostInLanes; ++i)
        messages.push_back(signed_by_somebody(random));
    std::vector<LaneResult> results(messages.size());
    recover_in_lanes(messages, results);
    for (const LaneResult& result : results)
        EXPECT_EQ(result.kind, Recovered::key);
}

TEST(RecoverInLanes, threads_may_recover_at_once) {
    Random random(5);
    std::vector<SignedMessage> messages;
    for (std::size_t i = 0; i < kMostInLanes; ++i)
        messages.push_back(signed_by_somebody(random));
    const auto expected = one_by_one(messages);
    std::vector<std::vector<std::optional<Address>>> signers(4);
    std::vector<std::thread> threads;
    for (auto& found : signers)
        threads.emplace_back([&messages, &found] { found = at_once(messages); });
    for (std::thread& thread : threads)
        thread.join();
    for (const auto& found : signers)
        EXPECT_EQ(found, expected);
}

TEST(RecoverSenders, leaves_those_alone_that_are_known) {
    const Hash secret = to_hash(Uint256{77});
    std::vector<Transaction> transactions(20);
    for (Transaction& tx : transactions)
        ASSERT_TRUE(sign_transaction(tx, secret));
    const Address signer = *transactions[0].sender;
    const Address known = address_from_low64(1);
    for (std::size_t i = 0; i < transactions.size(); ++i) {
        if (i % 3 == 0)
            transactions[i].sender = known;
        else
            transactions[i].sender.reset();
    }
    recover_missing_senders(transactions);
    for (std::size_t i = 0; i < transactions.size(); ++i)
        EXPECT_EQ(transactions[i].sender, i % 3 == 0 ? known : signer) << i;
}

// --- Authorizations (EIP-7702) -------------------------------------------------------------------

constexpr std::uint64_t kChain = 7;

/// Those that somebody has signed, those that nobody can have, and those that are for nothing.
std::vector<Authorization> many_authorizations(std::size_t count) {
    std::vector<Authorization> list;
    for (std::uint64_t i = 0; i < count; ++i) {
        Authorization one{Uint256{i % 2 == 0 ? kChain : 0}, address_from_low64(i), i, {}, {}, {}};
        EXPECT_TRUE(sign_authorization(one, to_hash(Uint256{1'000 + i % 5})));
        switch (i % 11) {
            case 3:
                one.s = -one.s;
                break;
            case 4:
                one.y_parity = Uint256{2};
                break;
            case 5:
                one.r = Uint256{5};  // no point of the curve has it
                break;
            case 6:
                one.chain_id = Uint256{kChain + 1};
                break;
            case 7:
                one.nonce = ~std::uint64_t{0};
                break;
            default:
                break;
        }
        list.push_back(one);
    }
    return list;
}

bool can_count(const Authorization& authorization) {
    return authorization.chain_id <= Uint256{kChain} && authorization.nonce != ~std::uint64_t{0};
}

TEST(RecoverAuthorities, gives_what_one_by_one_gives_but_for_those_that_are_for_nothing) {
    for (const std::size_t count : {0u, 1u, 2u, 11u, 64u, 150u}) {
        const std::vector<Authorization> list = many_authorizations(count);
        std::vector<std::optional<Address>> authorities(3);  // of somebody else
        find_authorities(list, kChain, authorities);
        ASSERT_EQ(authorities.size(), count);
        std::vector<Authorization> remembered = list;
        remember_authorities(remembered);
        for (std::size_t i = 0; i < count; ++i) {
            const auto alone = test::authority_of(list[i]);
            EXPECT_EQ(authorities[i], can_count(list[i]) ? alone : std::nullopt) << i;
            EXPECT_TRUE(remembered[i].authority.is_known);
            EXPECT_EQ(remembered[i].authority.value, alone) << i;
        }
    }
}

TEST(RecoverAuthorities, what_is_remembered_is_not_found_out_again) {
    std::vector<Authorization> list = many_authorizations(3);
    list[0].authority = {true, address_from_low64(1)};
    list[1].authority = {true, std::nullopt};
    remember_authorities(list);
    std::vector<std::optional<Address>> authorities;
    find_authorities(list, kChain, authorities);
    EXPECT_EQ(authorities[0], address_from_low64(1));
    EXPECT_EQ(authorities[1], std::nullopt);
    EXPECT_EQ(authorities[2], test::authority_of(list[2]));
    // A new signature is somebody else's.
    ASSERT_TRUE(sign_authorization(list[0], to_hash(Uint256{78})));
    EXPECT_FALSE(list[0].authority.is_known);
}

std::vector<Transaction> with_authorizations(std::size_t count, std::size_t each) {
    std::vector<Transaction> transactions(count);
    for (Transaction& tx : transactions) {
        tx.type = TransactionType::set_code;
        tx.chain_id = kChain;
        tx.gas_limit = each * kLeastAuthorizationGas;
        tx.authorization_list = many_authorizations(each);
        EXPECT_TRUE(sign_transaction(tx, to_hash(Uint256{77})));
        tx.sender.reset();
    }
    return transactions;
}

TEST(UnknownSigners, are_found_with_those_of_authorizations_by_several_threads) {
    std::vector<Transaction> transactions = with_authorizations(9, 30);
    UnknownSigners unknown;
    for (Transaction& tx : transactions)
        unknown.add(tx);
    std::vector<std::thread> threads;
    for (std::size_t piece = 0; piece < unknown.pieces(); ++piece)
        threads.emplace_back([&unknown, piece] { unknown.recover(piece); });
    for (std::thread& thread : threads)
        thread.join();
    for (const Transaction& tx : transactions) {
        EXPECT_EQ(tx.sender, address_from_secret(to_hash(Uint256{77})));
        for (const Authorization& one : tx.authorization_list) {
            const auto alone = test::authority_of(one);
            EXPECT_EQ(one.authority.is_known,
                      can_count(one) && one.y_parity <= Uint256{1} && has_low_s(one.s));
            if (one.authority.is_known) EXPECT_EQ(one.authority.value, alone);
        }
    }
    UnknownSigners rest;
    for (Transaction& tx : transactions)
        rest.add(tx);
    EXPECT_EQ(rest.pieces(), 0u);
}

TEST(UnknownSigners, nobody_is_asked_for_authorizations_that_are_not_paid_for) {
    std::vector<Transaction> transactions = with_authorizations(1, 500);
    transactions[0].gas_limit -= 1;
    UnknownSigners unknown;
    unknown.add(transactions[0]);
    EXPECT_EQ(unknown.pieces(), 1u);  // the sender's
    recover_missing_signers(transactions);
    EXPECT_TRUE(transactions[0].sender.has_value());
    for (const Authorization& one : transactions[0].authorization_list)
        EXPECT_FALSE(one.authority.is_known);
}

// --- Scalars -------------------------------------------------------------------------------------

Uint256 random_scalar(Random& random) {
    return random_uint256(random) % kGroupOrder;
}

TEST(Scalar, inverses_give_one) {
    Random random(6);
    std::vector<Uint256> scalars = {Uint256{1}, Uint256{2}, kGroupOrder - Uint256{1}};
    while (scalars.size() < kMostInverses)
        scalars.push_back(random_scalar(random));
    std::vector<Uint256> inverses = scalars;
    invert_scalars(inverses);
    for (std::size_t i = 0; i < scalars.size(); ++i)
        EXPECT_EQ(mulmod(scalars[i], inverses[i], kGroupOrder), Uint256{1}) << i;
}

/// The sum of +2^i for each bit that is set and -2^i for each other one, modulo the order.
Uint256 signed_value(const Uint256& v) {
    const Uint256 ones = (Uint256{1} << kSplitBits) - Uint256{1};
    return addmod(v << 1, kGroupOrder - ones, kGroupOrder);
}

TEST(Scalar, halves_are_short_and_stand_for_the_whole) {
    // A cube root of one that is not one: lambda * lambda + lambda + 1 = 0.
    constexpr Uint256 kLambda{0xdf02967c1b23bd72, 0x122e22ea20816678, 0xa5261c028812645a,
                              0x5363ad4cc05c30e0};
    ASSERT_EQ(addmod(mulmod(kLambda, kLambda, kGroupOrder), kLambda, kGroupOrder),
              kGroupOrder - Uint256{1});
    Random random(7);
    std::vector<Uint256> scalars = {
        Uint256{},       Uint256{1}, kLambda, kGroupOrder - Uint256{1}, kGroupOrder - kLambda,
        kGroupOrder >> 1};
    for (int i = 0; i < 20'000; ++i)
        scalars.push_back(random_scalar(random));
    for (const Uint256& u : scalars) {
        const auto [first, second] = split_scalar(u);
        ASSERT_LT(bit_width(first), kSplitBits);
        ASSERT_LT(bit_width(second), kSplitBits);
        ASSERT_EQ(addmod(signed_value(first), mulmod(signed_value(second), kLambda, kGroupOrder),
                         kGroupOrder),
                  u);
    }
}

}  // namespace
}  // namespace heddle::recovery
