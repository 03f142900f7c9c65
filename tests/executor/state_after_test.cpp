// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "state/state_after.hpp"

#include <cstdint>

#include <gtest/gtest.h>

#include <workload/random.hpp>

#include "fakes.hpp"
#include "state/block_state.hpp"

namespace heddle::executor {
namespace {

using workload::Random;

constexpr std::uint32_t kAddresses = 40;
constexpr std::uint32_t kSlots = 6;
constexpr std::uint32_t kCodes = 400;

Hash code_hash(std::uint64_t number) {
    return to_hash(Uint256{0xc0de00 + number});
}

/// Any changes of some of the accounts, each in at most one entry.
StateDiff some_changes(Random& random) {
    StateDiff diff;
    for (std::uint64_t i = 0; i < kAddresses; ++i) {
        if (random.below(3) == 0) continue;
        AccountChange& change = diff.accounts.emplace_back();
        change.address = address_from_low64(i);
        change.storage_cleared = random.below(6) == 0;
        if (random.below(6) == 0) continue;
        change.account = Account{random.below(9), Uint256{random.below(1'000)}};
        for (std::uint64_t slot = 0; slot < kSlots; ++slot)
            if (random.below(3) == 0)
                change.storage.push_back({Uint256{slot}, Uint256{random.below(3)}});
    }
    for (std::uint64_t i = 0; i < kCodes; ++i)
        if (random.below(2) == 0)
            diff.codes.push_back({code_hash(i), Bytes(i + 1, static_cast<std::uint8_t>(i))});
    return diff;
}

// The oracle is the state that blocks are executed on.
TEST(StateAfter, is_the_state_before_with_the_changes_applied) {
    StateAfter after;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        SCOPED_TRACE(seed);
        Random random{seed};
        test::FakeState before;
        before.apply(some_changes(random));
        for (std::uint64_t i = 0; i < kCodes; ++i)
            before.codes[code_hash(i)] = {0xbe, static_cast<std::uint8_t>(i)};
        const StateDiff diff = some_changes(random);
        BlockState expected;
        expected.attach(before);
        expected.apply(diff);

        after.attach(before, diff);

        for (std::uint64_t i = 0; i < kAddresses; ++i) {
            const Address address = address_from_low64(i);
            EXPECT_EQ(after.account(address), expected.account(address)) << i;
            EXPECT_EQ(after.has_storage(address), expected.has_storage(address)) << i;
            for (std::uint64_t slot = 0; slot < kSlots; ++slot)
                EXPECT_EQ(after.storage(address, Uint256{slot}),
                          expected.storage(address, Uint256{slot}))
                    << i << ", " << slot;
        }
        for (std::uint64_t i = 0; i < kCodes; ++i) {
            const BytesView code = after.code(code_hash(i));
            const BytesView wanted = expected.code(code_hash(i));
            EXPECT_EQ(Bytes(code.begin(), code.end()), Bytes(wanted.begin(), wanted.end())) << i;
        }
    }
}

}  // namespace
}  // namespace heddle::executor
