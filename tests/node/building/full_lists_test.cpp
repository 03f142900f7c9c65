// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain whose blocks have so little gas that transactions can access more than a block's access
// list may have (EIP-7928): what the system contracts access is in the list and costs nothing.
#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include <types/block_access_list.hpp>
#include <vm/system_contracts.hpp>

#include "building/block_builder.hpp"
#include "building/chain_application_fixture.hpp"

namespace heddle::node {
namespace {

constexpr std::uint64_t kBlockGas = 500'000;
const Address kReaderAddress = address_from_low64(0x4ead);

/// Calls precompiled contracts, each of which is an item for 100 gas, and then reads slots from the
/// one on that it is given, until the gas is gone.
Bytes reader() {
    Bytes code;
    for (std::uint8_t precompile = 1; precompile <= 17; ++precompile) {
        // PUSH0 PUSH0 PUSH0 PUSH0 PUSH0 PUSH1 … PUSH1 100 CALL POP
        const std::array<std::uint8_t, 11> call{0x5f,       0x5f, 0x5f, 0x5f, 0x5f, 0x60,
                                                precompile, 0x60, 0x64, 0xf1, 0x50};
        code.insert(code.end(), call.begin(), call.end());
    }
    code.insert(code.end(), {0x5f, 0x35});  // PUSH0 CALLDATALOAD
    for (std::size_t i = 0; i < 300; ++i)   // DUP1 SLOAD POP PUSH1 1 ADD
        code.insert(code.end(), {0x80, 0x54, 0x50, 0x60, 0x01, 0x01});
    return code;
}

/// @param first  Slot.
Transaction read(std::size_t from, std::uint64_t nonce, std::uint64_t gas_limit,
                 std::uint64_t first) {
    Transaction tx = transfer(from, nonce, 0, 0);
    tx.to = kReaderAddress;
    tx.gas_limit = gas_limit;
    tx.max_priority_fee_per_gas = Uint256{2 * kGwei};  // before all others
    const Hash word = to_hash(Uint256{first});
    tx.data.assign(word.bytes.begin(), word.bytes.end());
    EXPECT_TRUE(sign_transaction(tx, dev_accounts()[from].secret));
    return tx;
}

Genesis genesis_with_reader() {
    Genesis genesis = genesis_with_contracts(Revision::amsterdam);
    genesis.header.gas_limit = kBlockGas;
    genesis.alloc.push_back({kReaderAddress, 1, {}, reader(), {}});
    return genesis;
}

class FullLists : public ChainApplicationTest {
protected:
    FullLists() : ChainApplicationTest(genesis_with_reader()) {}

    static ChainApplicationOptions options(Builder builder) {
        ChainApplicationOptions result;
        result.builder = builder;
        result.executor.parallel.workers = 2;
        return result;
    }
    /// @return how many transactions the next block has.
    static std::size_t make_block(ChainApplication& proposer, const BlockPlan& wanted) {
        const auto proposal = proposer.prepare(wanted);
        EXPECT_TRUE(proposal.has_value()) << to_string(proposal.error());
        if (!proposal.has_value()) return 0;
        const auto made = proposer.finalize(block_of(wanted, *proposal), Unexecutable::left_out);
        EXPECT_TRUE(made.has_value()) << to_string(made.error());
        EXPECT_TRUE(made.has_value() && proposer.commit().has_value());
        return proposal->transactions.size();
    }
    [[nodiscard]] bool is_pooled(const Transaction& tx) {
        return node_.mempool().find(transaction_hash(tx)) != nullptr;
    }
    Proposal too_much() {
        Proposal list;
        list.transactions = {read(0, 0, 200'000, 1'000), read(1, 0, 200'000, 2'000),
                             read(2, 0, 100'000, 3'000)};
        return list;
    }
};

TEST_F(FullLists, of_one_transaction_are_in_no_block_and_the_chain_goes_on) {
    for (const Builder builder : {Builder::serial, Builder::aria}) {
        ChainApplication proposer(chain_, node_.mempool(), options(builder));
        const std::uint64_t next = node_.mempool().next_nonce(dev_accounts()[1].address);
        const Transaction much = read(0, 0, kBlockGas, 0);
        pool(much);
        for (std::size_t sender = 1; sender < 4; ++sender)
            pool(transfer(sender, next, 0));

        EXPECT_EQ(make_block(proposer, plan()), 0u) << "executing it has taken the block's gas";
        EXPECT_FALSE(is_pooled(much));
        EXPECT_EQ(make_block(proposer, plan()), 3u);
    }
}

TEST_F(FullLists, leave_what_does_not_fit_to_the_next_block) {
    std::uint64_t nonce = 0;
    for (const Builder builder : {Builder::serial, Builder::aria}) {
        ChainApplication proposer(chain_, node_.mempool(), options(builder));
        // Told apart by their tips, so that they come in this order.
        const auto tipped = [&](std::size_t from, std::uint64_t gas_limit, std::uint64_t gwei) {
            Transaction tx = read(from, nonce, gas_limit, 1'000 * from);
            tx.max_priority_fee_per_gas = Uint256{gwei * kGwei};
            EXPECT_TRUE(sign_transaction(tx, dev_accounts()[from].secret));
            return tx;
        };
        const Transaction last = tipped(2, 100'000, 1);
        pool(tipped(0, 200'000, 7));
        pool(tipped(1, 200'000, 4));
        pool(last);

        EXPECT_EQ(make_block(proposer, plan()), 2u);
        EXPECT_TRUE(is_pooled(last));
        EXPECT_EQ(make_block(proposer, plan()), 1u);
        EXPECT_FALSE(is_pooled(last));
        ++nonce;
    }
}

TEST_F(FullLists, of_a_decided_list_take_what_fits) {
    Proposal fitting = too_much();
    fitting.transactions.pop_back();
    const BlockPlan wanted = plan();

    const auto expected = finalize(block_of(wanted, fitting));
    const auto finalized = finalize(block_of(wanted, too_much()), Unexecutable::left_out);

    ASSERT_TRUE(expected.has_value()) << to_string(expected.error());
    ASSERT_TRUE(finalized.has_value()) << to_string(finalized.error());
    EXPECT_EQ(finalized->hash, expected->hash);
    ASSERT_EQ(finalized->left_out.size(), 1u);
    EXPECT_EQ(finalized->left_out[0].index, 2u);
    EXPECT_EQ(finalized->left_out[0].error, TransactionError::access_list_full);
}

TEST_F(FullLists, make_the_block_of_somebody_else_invalid) {
    const auto refused = finalize(block_of(plan(), too_much()), Unexecutable::refused);

    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, BlockErrorCode::access_list_too_large);
}

/// A chain whose gas limit does not pay for what an empty block accesses.
class NoLists : public ChainApplicationTest {
protected:
    NoLists() : ChainApplicationTest(genesis_with_little_gas()) {}

    static Genesis genesis_with_little_gas() {
        Genesis genesis = genesis_with_contracts(Revision::amsterdam);
        genesis.header.gas_limit = 30'000;
        return genesis;
    }
};

TEST_F(NoLists, are_said_to_keep_every_block_from_being_made_and_no_transaction_is_blamed) {
    for (const Builder builder : {Builder::serial, Builder::aria}) {
        ChainApplicationOptions options;
        options.builder = builder;
        ChainApplication proposer(chain_, node_.mempool(), options);
        const Transaction waiting = transfer(builder == Builder::serial ? 0 : 1, 0, 2);
        pool(waiting);

        const auto proposal = proposer.prepare(plan());

        ASSERT_FALSE(proposal.has_value());
        EXPECT_EQ(proposal.error().code, BlockErrorCode::access_list_too_large);
        EXPECT_NE(node_.mempool().find(transaction_hash(waiting)), nullptr);
    }
}

/// Requests that wait in every queue from the beginning.
class WaitingRequests : public ChainApplicationTest {
protected:
    explicit WaitingRequests(std::uint64_t requests = 0)
        : ChainApplicationTest(genesis_with(requests)) {}

    static Genesis genesis_with(std::uint64_t requests) {
        Genesis genesis = genesis_with_contracts(Revision::amsterdam);
        for (GenesisAccount& account : genesis.alloc)
            for (const vm::SystemContract& contract :
                 vm::system_contracts(vm::SystemCallPlace::end_block, Revision::amsterdam))
                if (account.address == contract.address && requests != 0)
                    account.storage = {{Uint256{vm::kQueueTailSlot}, Uint256{requests}}};
        return genesis;
    }
    /// Slots in the list of an empty block.
    std::size_t slots_of(const Address& address) {
        const ledger::StoredHeader head = chain_.head();
        const BlockHeader header = chain_.next_header(head, head.header.timestamp + 1);
        const BlockEnv env = chain_.env_of_next(header, head);
        BlockBuilder builder(chain_.config(), chain_.state(), chain_.block_hashes(),
                             chain_.code_cache());
        EXPECT_TRUE(builder.begin(header, env, {}).has_value());
        const auto built = builder.finish({});
        EXPECT_TRUE(built.has_value()) << to_string(built.error());
        const auto list = decode_block_access_list(built->result.access_list->encoded);
        EXPECT_TRUE(list.has_value());
        for (const ListedAccount& account : list->accounts)
            if (account.address == address)
                return account.storage_changes.size() + account.storage_reads.size();
        ADD_FAILURE() << "the contract is not in the list";
        return 0;
    }
    void expect_slots_for(std::uint64_t requests) {
        for (const vm::SystemContract& contract :
             vm::system_contracts(vm::SystemCallPlace::end_block, Revision::amsterdam)) {
            const std::uint64_t taken =
                std::min<std::uint64_t>(requests, contract.queue.most_taken);
            EXPECT_EQ(slots_of(contract.address),
                      vm::kFirstQueuedSlot + taken * contract.queue.request_slots)
                << contract.name;
        }
    }
};
class OneWaitingRequest : public WaitingRequests {
protected:
    OneWaitingRequest() : WaitingRequests(1) {}
};
class ManyWaitingRequests : public WaitingRequests {
protected:
    ManyWaitingRequests() : WaitingRequests(1'000) {}
};

// What is said of the contracts' queues is what their code accesses at the end of a block.
TEST_F(WaitingRequests, are_none) {
    expect_slots_for(0);
}
TEST_F(OneWaitingRequest, is_read) {
    expect_slots_for(1);
}
TEST_F(ManyWaitingRequests, are_read_as_far_as_a_block_takes_them) {
    expect_slots_for(1'000);
}

}  // namespace
}  // namespace heddle::node
