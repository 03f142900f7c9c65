// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Light blocks under many schedules: one thread executes them, and the others read and hash ahead
// what calls need, by the patterns of the block before, and hash leaves.
#include <array>
#include <cstdint>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "bytecode.hpp"
#include "explored_chains.hpp"
#include "stream_case.hpp"

namespace heddle::executor {
namespace {

using namespace vm;
using namespace vm::test;

const Address kToken = address_from_low64(0x70ce);
constexpr std::uint64_t kFirstOwner = 0xfeed'0000;
constexpr std::uint64_t kCalls = 72;  // of a block, and as many transfers

/// In mapping(address => uint) at 3.
Uint256 balance_slot(const Address& owner) {
    std::array<std::uint8_t, 64> input;
    store_be(to_word(owner), input.data());
    store_be(Uint256{3}, input.data() + 32);
    return to_word(keccak256(input));
}

/// Adds what the caller has, and what is had by who is named, to slot 0.
Bytecode token_code() {
    const auto balance = [](const Bytecode& owner) {
        return mstore(0, owner) + mstore(32, push(3)) + push(64) + push(0) + OP_KECCAK256 +
               OP_SLOAD;
    };
    return balance(OP_CALLER) + balance(push(4) + OP_CALLDATALOAD) + OP_ADD + sload(0) + OP_ADD +
           push(0) + OP_SSTORE + OP_STOP;
}

/// Two blocks, of calls and transfers in turn. Whoever is named in one of them has something.
TestChain light_chain() {
    ChainMaker maker;
    maker.deploy(kToken, token_code().bytes());
    const Address alice = address_from_low64(0xa11ce);
    for (std::uint64_t i = 0; i < 2 * kCalls; ++i) {
        const Address owner = address_from_low64(kFirstOwner + i);
        Bytes data(4 + 32, 0xba);
        store_be(to_word(owner), data.data() + 4);
        maker.store(kToken, balance_slot(owner), Uint256{1 + i});
        maker.call(kToken, std::move(data), 50'000).pay(alice, owner, Uint256{1});
        if (i + 1 == kCalls) maker.next_block();
    }
    TestChain chain = maker.make();
    chain.scheduler = kDefaultScheduler;
    chain.is_light = true;
    return chain;
}

TEST(LightStream, is_the_serial_one_whoever_reads_ahead) {
    const TestChain chain = light_chain();
    const Totals totals = run(chain, false, kSchedules / 4);
    EXPECT_GT(totals.slots_ahead, 0u) << "otherwise nothing is shown";
    EXPECT_EQ(totals.stats.dispatched, 0u) << "they are light";
}

TEST(LightStream, stopped_anywhere_goes_on_with_the_next_stream) {
    TestChain chain = light_chain();
    chain.begins_again = true;
    const Totals totals = run(chain, true, kSchedules / 4);
    EXPECT_GE(totals.stopped_after.size(), 2u) << "it was not stopped in different places";
}

TEST(LightStream, ends_with_the_block_that_the_sink_rejects) {
    TestChain chain = light_chain();
    chain.rejected = 1;
    const Totals totals = run(chain, false, kSchedules / 8);
    EXPECT_EQ(totals.accepted, std::set<std::size_t>{1});
}

}  // namespace
}  // namespace heddle::executor
