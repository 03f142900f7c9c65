// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
// Access lists that come with blocks (EIP-7928).
#include <string_view>

#include <gtest/gtest.h>

#include <types/signing.hpp>

#include "client.hpp"
#include "small_chain.hpp"

namespace heddle::test {

namespace {

/// Enough transactions that a list is made use of.
void add_transfers(SmallChain& small) {
    for (std::uint64_t i = 0; i < 120; ++i) {
        Transaction tx;
        tx.type = TransactionType::dynamic_fee;
        tx.chain_id = 1;
        tx.nonce = 1 + i / 3;
        tx.gas_limit = 300'000;
        tx.max_fee_per_gas = Uint256{2'000'000'000};
        tx.to = address_from_low64(0xbeef + i % 40);
        tx.value = Uint256{7};
        ASSERT_TRUE(sign_transaction(tx, to_hash(Uint256{1 + i % 3})));
        small.transactions.push_back(std::move(tx));
    }
}

EnginePtr make_engine_of(const char* scheduler) {
    heddle_engine_options options = HEDDLE_INIT(heddle_engine_options);
    options.workers = 4;
    options.scheduler = scheduler;
    heddle_engine* engine = nullptr;
    EXPECT_EQ(heddle_engine_new(&options, &engine, nullptr), HEDDLE_OK);
    return EnginePtr{engine};
}

}  // namespace

/// Without the parent, schedulers took a wrong list as advice, or a right block for a wrong one.
TEST(LibraryAccessList, that_is_not_the_one_of_the_header_is_rejected_with_and_without_parent) {
    SmallChain small("Amsterdam");
    add_transfers(small);
    const Callbacks state = small.callbacks();
    const Executed made = execute(make_engine(1).get(), small.chain(), state, small.unmade());
    ASSERT_EQ(made.status, HEDDLE_OK) << made.error.text;
    const Bytes encoded = small.encode(made.result.get());
    const heddle_bytes list = summary_of(made.result.get()).access_list;
    const Bytes right(list.data, list.data + list.size);
    Bytes changed = right;
    changed[changed.size() / 2] ^= 1;
    const Bytes cut(right.begin(), right.end() - 1);

    for (const char* scheduler : {"serial", "auto", "dag", "optimistic"}) {
        SCOPED_TRACE(scheduler);
        const EnginePtr engine = make_engine_of(scheduler);
        heddle_block block = small.given(encoded);
        for (const std::size_t ancestors : {1U, 0U}) {
            block.ancestor_count = ancestors;
            for (const Bytes& wrong : {changed, cut}) {
                block.access_list = bytes_of(wrong);
                const Executed rejected = execute(engine.get(), small.chain(), state, block);
                EXPECT_EQ(rejected.status, HEDDLE_REJECTED) << ancestors;
                EXPECT_EQ(std::string_view{rejected.error.rule}, "invalid_block_access_list")
                    << rejected.error.text;
            }
            for (const Bytes& good : {right, Bytes{}}) {
                block.access_list = bytes_of(good);
                const Executed executed = execute(engine.get(), small.chain(), state, block);
                EXPECT_EQ(executed.status, HEDDLE_OK) << executed.error.text;
            }
        }
    }
}

}  // namespace heddle::test
