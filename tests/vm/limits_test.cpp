// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/limits.hpp>

#include <gtest/gtest.h>

namespace heddle::vm {
namespace {

/// Whether the limit is there from `since` on, and the same until now.
void expect_since(Revision since, std::uint64_t Limits::* limit, std::uint64_t value) {
    for (unsigned i = 0; i < kRevisionCount; ++i) {
        const auto revision = static_cast<Revision>(i);
        EXPECT_EQ(limits(revision).*limit, revision >= since ? value : kNoLimit)
            << to_string(revision);
    }
}

TEST(Limits, code_since_spurious_dragon) {  // EIP-170
    expect_since(Revision::spurious_dragon, &Limits::max_code_bytes, 24'576);
}

TEST(Limits, init_code_since_shanghai) {  // EIP-3860
    expect_since(Revision::shanghai, &Limits::max_init_code_bytes, 49'152);
}

TEST(Limits, transactions_and_blocks_since_osaka) {
    expect_since(Revision::osaka, &Limits::max_transaction_gas, 16'777'216);  // EIP-7825
    expect_since(Revision::osaka, &Limits::max_blobs_per_transaction, 6);     // EIP-7594
    expect_since(Revision::osaka, &Limits::max_block_bytes, 8'388'608);       // EIP-7934
}

}  // namespace
}  // namespace heddle::vm
