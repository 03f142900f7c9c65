// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Small chains for explored streams, with what serial execution makes of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <types/address.hpp>
#include <types/block.hpp>
#include <types/block_sink.hpp>
#include <types/bytes.hpp>
#include <types/chain_config.hpp>
#include <types/uint256.hpp>

#include <executor/executor.hpp>
#include <executor/ordered_block.hpp>

#include "../executor/fakes.hpp"
#include "dag/dag_scheduler.hpp"
#include "parallel_executor.hpp"

namespace heddle::executor {

inline constexpr std::uint64_t kGasLimit = 30'000'000;
inline const Uint256 kEther{1'000'000'000'000'000'000};
inline const Address kMiner = address_from_low64(0x313e3);
inline const Address kCounter = address_from_low64(0xc0);
inline const Address kBurner = address_from_low64(0xc1);
/// SSTORE(0, SLOAD(0) + 1).
inline const Bytes kCounterCode{0x60, 0x00, 0x54, 0x60, 0x01, 0x01, 0x60, 0x00, 0x55, 0x00};
/// Ends at once if slot 0 is what is called with, and adds one to it; else jumps until the gas is
/// used up: cheap in its place, dear on an older value.
inline const Bytes kBurnerCode{0x60, 0x00, 0x54, 0x60, 0x00, 0x35, 0x14, 0x60, 0x0e,
                               0x57, 0x5b, 0x60, 0x0a, 0x56, 0x5b, 0x60, 0x00, 0x54,
                               0x60, 0x01, 0x01, 0x60, 0x00, 0x55, 0x00};

/// Notes its balance in slot 0, then pays one wei out of it.
inline const Address kSpender = address_from_low64(0xc2);
inline const Bytes kSpenderCode{0x47, 0x60, 0x00, 0x55, 0x60, 0x00, 0x60, 0x00, 0x60, 0x00, 0x60,
                                0x00, 0x60, 0x01, 0x61, 0xbe, 0xef, 0x5a, 0xf1, 0x50, 0x00};

/// Some blocks, and what serial execution makes of them.
struct TestChain {
    ChainConfig config = test::config_of_shanghai();
    test::FakeState before;
    BlockHeader genesis;
    std::vector<FinishedBlock> blocks;  // as the serial executor has made them
    /// Object sets are told.
    bool is_declared = false;
    MakeScheduler policy = make_dag_scheduler;
    /// The policies `early` and `aria`, set like this, in place of that.
    std::optional<std::string> early;
    std::optional<std::string> aria;
    /// By name, in place of all that: whatever an executor is for users.
    std::string scheduler{};
    /// Threads of the dispatcher.
    unsigned pipeline = 1;
    /// ParallelOptions::unfinished_bytes; 0: as it is by default.
    std::size_t unfinished_bytes = 0;
    /// Blocks run from their access lists.
    bool is_listed = false;
    /// Every other block has none.
    bool has_gaps = false;
    /// Blocks are executed by one thread, for which the others read and hash ahead.
    bool is_light = false;
    /// A stream that was stopped is followed by one with the rest.
    bool begins_again = false;
    /// The first block that the sink does not take, counted from 0.
    std::optional<std::size_t> rejected;
};

class ChainMaker {
public:
    ChainMaker() {
        chain_.genesis.gas_limit = kGasLimit;
        chain_.genesis.base_fee_per_gas = Uint256{1'000'000'000};
        chain_.before.deploy(kCounter, kCounterCode);
        chain_.before.deploy(kBurner, kBurnerCode);
        chain_.before.deploy(kSpender, kSpenderCode);
        chain_.before.accounts[kSpender].balance = Uint256{1'000};
        blocks_.emplace_back();
    }
    ChainMaker& call(const Address& to, Bytes data = {}, std::uint64_t gas = 100'000) {
        Transaction tx = new_transaction(address_from_low64(0xa000 + senders_++), gas);
        tx.to = to;
        tx.data = std::move(data);
        blocks_.back().push_back(std::move(tx));
        return *this;
    }
    ChainMaker& pay(const Address& from, const Address& to, const Uint256& value) {
        Transaction tx = new_transaction(from, 21'000);
        tx.to = to;
        tx.value = value;
        blocks_.back().push_back(std::move(tx));
        return *this;
    }
    ChainMaker& create(Bytes init_code) {
        Transaction tx = new_transaction(address_from_low64(0xa000 + senders_++), 200'000);
        tx.data = std::move(init_code);
        blocks_.back().push_back(std::move(tx));
        return *this;
    }
    ChainMaker& deploy(const Address& address, const Bytes& code) {
        chain_.before.deploy(address, code);
        return *this;
    }
    /// Before the first block.
    ChainMaker& store(const Address& address, const Uint256& slot, const Uint256& value) {
        chain_.before.slots[{address, to_hash(slot)}] = value;
        return *this;
    }
    ChainMaker& next_block() {
        blocks_.emplace_back();
        return *this;
    }
    /// At the end of each block.
    ChainMaker& withdraw(const Address& to, std::uint64_t gwei) {
        withdrawals_.push_back({.index = 0, .validator_index = 0, .address = to, .amount = gwei});
        return *this;
    }
    [[nodiscard]] TestChain make() {
        test::FakeState state = chain_.before;
        test::FakeBlockHashes hashes;
        test::FakeSink sink(state);
        Options options;
        options.record_sets = true;
        options.make_access_lists = true;
        const auto serial = make_serial_executor(std::move(options));
        serial->start({chain_.config, state, hashes, sink},
                      make_chain_head(chain_.genesis, Uint256{}));
        std::uint64_t timestamp = 0;
        for (const auto& transactions : blocks_) {
            BlockStart block;
            block.mode = BlockMode::propose;
            block.header.timestamp = timestamp += 12;
            block.header.gas_limit = kGasLimit;
            block.header.beneficiary = kMiner;
            block.withdrawals = withdrawals_;
            EXPECT_TRUE(serial->begin_block(std::move(block)).has_value());
            for (const Transaction& tx : transactions)
                serial->submit(tx);
            serial->end_block();
        }
        const auto summary = serial->drain();
        EXPECT_TRUE(summary.has_value()) << to_string(summary.error());
        EXPECT_EQ(sink.blocks.size(), blocks_.size());
        chain_.blocks = std::move(sink.blocks);
        // Headers went to the sink before it had made their roots, which count the blocks.
        for (std::size_t i = 0; i < chain_.blocks.size(); ++i)
            chain_.blocks[i].block.header.state_root = to_hash(Uint256{i + 1});
        return chain_;
    }

private:
    Transaction new_transaction(const Address& sender, std::uint64_t gas) {
        Transaction tx;
        tx.sender = sender;
        tx.nonce = nonces_[sender]++;
        if (tx.nonce == 0) chain_.before.set_balance(sender, kEther);
        tx.max_fee_per_gas = tx.max_priority_fee_per_gas = Uint256{2'000'000'000};
        tx.gas_limit = gas;
        return tx;
    }

    TestChain chain_;
    std::vector<std::vector<Transaction>> blocks_;
    std::vector<Withdrawal> withdrawals_;
    std::map<Address, std::uint64_t> nonces_;
    std::uint64_t senders_ = 0;
};

}  // namespace heddle::executor
