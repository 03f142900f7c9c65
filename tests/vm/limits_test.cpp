// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <vm/limits.hpp>

#include <gtest/gtest.h>

namespace heddle::vm {
namespace {

struct Since {
    Revision revision;
    std::uint64_t value;
};

/// Whether the limit is there from the first of these on, and the next one's from there.
void expect_since(std::uint64_t Limits::* limit, std::initializer_list<Since> steps) {
    for (unsigned i = 0; i < kRevisionCount; ++i) {
        const auto revision = static_cast<Revision>(i);
        std::uint64_t expected = kNoLimit;
        for (const Since& step : steps)
            if (revision >= step.revision) expected = step.value;
        EXPECT_EQ(limits(revision).*limit, expected) << to_string(revision);
    }
}
void expect_since(Revision since, std::uint64_t Limits::* limit, std::uint64_t value) {
    expect_since(limit, {{since, value}});
}

TEST(Limits, bound_code_since_spurious_dragon) {  // EIP-170, 7954
    expect_since(&Limits::max_code_bytes,
                 {{Revision::spurious_dragon, 24'576}, {Revision::amsterdam, 65'536}});
}

TEST(Limits, bound_init_code_since_shanghai) {  // EIP-3860, 7954
    expect_since(&Limits::max_init_code_bytes,
                 {{Revision::shanghai, 49'152}, {Revision::amsterdam, 131'072}});
}

TEST(Limits, bound_execution_since_amsterdam) {  // EIP-8037
    expect_since(Revision::amsterdam, &Limits::max_execution_gas, 16'777'216);
}

TEST(Limits, bound_transactions_and_blocks_since_osaka) {
    expect_since(&Limits::max_transaction_gas,  // EIP-7825, 8037
                 {{Revision::osaka, 16'777'216}, {Revision::amsterdam, 0xffff'ffff}});
    expect_since(Revision::osaka, &Limits::max_blobs_per_transaction, 6);  // EIP-7594
    expect_since(Revision::osaka, &Limits::max_block_bytes, 8'388'608);    // EIP-7934
}

}  // namespace
}  // namespace heddle::vm
