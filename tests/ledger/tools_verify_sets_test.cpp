// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Object sets may be missing, and what they say is advice; but there are as many as transactions.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <types/object_codec.hpp>

#include "tools_chain.hpp"

namespace heddle::ledger {
namespace {

TEST(VerifySets, of_another_number_than_of_transactions_are_found) {
    constexpr std::uint64_t kHead = 4;
    test::Random random{46};
    const test::ToolsChain chain{random, kHead};
    const test::TemporaryFolder folder;
    const std::string directory = folder / "data";
    test::make_ledger(directory, chain, kHead);
    const auto store = [&](std::size_t count) {
        Bytes sets;
        encode_object_sets(std::vector<ObjectSet>(count), sets);
        const auto database = open_database(directory, std::size_t{16} << 20);
        ASSERT_TRUE(database.has_value());
        WriteBatch batch = (*database)->batch();
        batch.put(Table::object_sets, schema::number_key(kHead), sets);
        ASSERT_TRUE((*database)->write(batch, true).has_value());
    };
    const std::size_t count = chain.block(kHead).block.transactions.size();

    store(count);
    EXPECT_TRUE(test::verify_ledger(directory).is_good());
    store(count + 1);
    EXPECT_THAT(test::verify_ledger(directory).problems,
                testing::ElementsAre(testing::HasSubstr("another number of sets than block 4")));
}

}  // namespace
}  // namespace heddle::ledger
