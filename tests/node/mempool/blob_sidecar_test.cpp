// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "mempool/blob_sidecar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "blob_proofs.hpp"
#include "mempool/admission.hpp"
#include "mempool/mempool.hpp"
#include "test_chain.hpp"

namespace heddle::node {
namespace {

using testing::HasSubstr;

/// A transaction with one blob, and what goes with it.
struct BlobTransaction {
    Bytes blob = Bytes(vm::kBlobBytes);
    test::KzgPoint commitment{};
    std::uint64_t version = 1;
    Bytes proofs;
    Transaction tx;

    explicit BlobTransaction(std::uint64_t sidecar_version, std::uint8_t content = 7)
        : version(sidecar_version) {
        for (std::size_t i = 31; i < blob.size(); i += 32)
            blob[i] = static_cast<std::uint8_t>(content + i / 32);
        commitment = test::commit_to(blob);
        if (version == 1) {
            proofs = test::prove_cells(blob);
        } else {
            const test::KzgPoint proof = test::prove_blob(blob, commitment);
            proofs.assign(proof.begin(), proof.end());
        }
        tx = test::transfer({});
        tx.type = TransactionType::blob;
        tx.max_fee_per_blob_gas = test::kGwei;
        tx.blob_versioned_hashes = {vm::blob_versioned_hash(commitment)};
        sign();
    }
    void sign() { HEDDLE_ASSERT(sign_transaction(tx, test::secret_of(1))); }

    [[nodiscard]] Bytes sidecar() const {
        Bytes bytes;
        if (version != 0) rlp::encode_uint64(version, bytes);
        const auto append_list = [&](BytesView items, std::size_t size) {
            const std::size_t begin = bytes.size();
            for (std::size_t i = 0; i < items.size(); i += size)
                rlp::encode_string(items.subspan(i, size), bytes);
            rlp::wrap_list(begin, bytes);
        };
        append_list(blob, vm::kBlobBytes);
        append_list(commitment, vm::kKzgPointBytes);
        append_list(proofs, vm::kKzgPointBytes);
        return bytes;
    }
    [[nodiscard]] Bytes network_form() const {
        return join_network_form(test::encoded(tx), sidecar());
    }
};

std::string add(Mempool& pool, const Bytes& bytes) {
    const auto added = pool.add(bytes, Origin::remote);
    return added.has_value() ? "admitted" : added.error().message;
}

TEST(BlobSidecar, is_taken_from_osaka_on_with_either_kind_of_proofs_and_kept_as_it_came) {
    test::TestChain chain;
    Mempool pool{{}, chain.chain()};
    for (const std::uint64_t version : {1u, 0u}) {
        BlobTransaction good{version};
        good.tx.nonce = 1 - version;
        good.sign();
        EXPECT_EQ(add(pool, good.network_form()), "admitted") << version;
        const SharedTransaction found = pool.find(transaction_hash(good.tx));
        ASSERT_NE(found, nullptr);
        EXPECT_EQ(encode_network_form(*found), good.network_form());
    }
    EXPECT_EQ(add(pool, BlobTransaction{2, 9}.network_form()),
              "unexpected sidecar version, want: 1, got: 2");
}

TEST(BlobSidecar, with_one_proof_each_is_taken_before_osaka) {
    test::TestChain chain{Revision::prague};
    Mempool pool{{}, chain.chain()};
    EXPECT_EQ(add(pool, BlobTransaction{0}.network_form()), "admitted");
    EXPECT_EQ(add(pool, BlobTransaction{1, 9}.network_form()),
              "unexpected sidecar version, want: 0, got: 1");
}

TEST(BlobSidecar, that_is_missing_or_does_not_fit_is_refused) {
    test::TestChain chain;
    Mempool pool{{}, chain.chain()};
    const BlobTransaction good{1};
    EXPECT_EQ(add(pool, test::encoded(good.tx)), "missing sidecar in blob transaction");

    BlobTransaction other_hash = good;
    other_hash.tx.blob_versioned_hashes[0].bytes[5] ^= 1;
    other_hash.sign();
    EXPECT_THAT(add(pool, other_hash.network_form()), HasSubstr("mismatches transaction one"));

    BlobTransaction other_version = good;
    other_version.tx.blob_versioned_hashes[0].bytes[0] = 2;
    other_version.sign();
    EXPECT_EQ(add(pool, other_version.network_form()), "blob 0 has invalid hash version");

    BlobTransaction two_hashes = good;
    two_hashes.tx.blob_versioned_hashes.push_back(two_hashes.tx.blob_versioned_hashes[0]);
    two_hashes.sign();
    EXPECT_EQ(add(pool, two_hashes.network_form()),
              "invalid number of 1 blobs compared to 2 blob hashes");

    BlobTransaction no_hashes = good;
    no_hashes.tx.blob_versioned_hashes.clear();
    no_hashes.sign();
    EXPECT_EQ(add(pool, no_hashes.network_form()), "blobless blob transaction");

    BlobTransaction too_many = good;
    too_many.tx.blob_versioned_hashes.resize(7, good.tx.blob_versioned_hashes[0]);
    too_many.sign();
    EXPECT_EQ(add(pool, too_many.network_form()),
              "transaction blob limit exceeded: blob count 7, limit 6");

    BlobTransaction few_proofs = good;
    few_proofs.proofs.resize(127 * vm::kKzgPointBytes);
    EXPECT_EQ(add(pool, few_proofs.network_form()),
              "invalid number of 127 blob proofs expected 128");
}

TEST(BlobSidecar, whose_proofs_do_not_hold_is_refused) {
    for (const std::uint64_t version : {0u, 1u}) {
        test::TestChain chain{version == 0 ? Revision::prague : Revision::osaka};
        Mempool pool{{}, chain.chain()};
        BlobTransaction forged{version};
        forged.blob[31] ^= 1;
        EXPECT_EQ(add(pool, forged.network_form()), "invalid blob 0: can't verify opening proof");
        BlobTransaction no_point{version};
        no_point.proofs[3] ^= 1;
        EXPECT_EQ(add(pool, no_point.network_form()), "invalid blob 0: can't verify opening proof");
        BlobTransaction beyond_modulus{version};
        beyond_modulus.blob[0] = 0xff;
        EXPECT_EQ(add(pool, beyond_modulus.network_form()),
                  "invalid blob 0: can't verify opening proof");
    }
}

TEST(BlobSidecar, is_paid_with_what_a_contract_has_sent_since) {
    test::TestChain chain;
    Mempool pool{{}, chain.chain()};
    ASSERT_EQ(add(pool, test::encoded(test::transfer({.nonce = 0}))), "admitted");
    StateDiff diff;
    test::TestChain::set_account(diff, test::account_of(1), 0,
                                 Uint256{100} * Uint256{test::kEther});
    pool.on_head(*chain.commit({.diff = diff}));  // by no transaction that names the account
    BlobTransaction dear{1};
    dear.tx.nonce = 1;
    dear.tx.value = Uint256{50} * Uint256{test::kEther};
    dear.sign();
    EXPECT_EQ(add(pool, dear.network_form()), "admitted");
}

TEST(BlobSidecar, survives_a_restart_in_the_journal) {
    test::TestChain chain;
    MempoolOptions options;
    options.journal = chain.path("transactions");
    const BlobTransaction good{1};
    {
        Mempool pool{options, chain.chain()};
        ASSERT_TRUE(pool.add(good.network_form(), Origin::local).has_value());
        pool.save();
    }
    const Mempool pool{options, chain.chain()};
    EXPECT_NE(pool.find(transaction_hash(good.tx)), nullptr);
}

TEST(BlobSidecar, cut_off_anywhere_is_refused) {
    const Bytes whole = BlobTransaction{0}.network_form();
    test::TestChain chain{Revision::prague};
    Mempool pool{{}, chain.chain()};
    for (std::size_t size = 0; size < whole.size(); size += 977)
        EXPECT_NE(
            add(pool, Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))),
            "admitted");
}

}  // namespace
}  // namespace heddle::node
