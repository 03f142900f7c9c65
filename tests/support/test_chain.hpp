// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain whose blocks say what a test wants them to: nothing is executed, accounts change as they
// are told to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ledger/durable_ledger.hpp>
#include <types/assert.hpp>
#include <types/genesis.hpp>
#include <types/signing.hpp>

#include "chain/chain.hpp"
#include "temporary_folder.hpp"

namespace heddle::test {

inline constexpr std::uint64_t kChainId = 1337;
inline constexpr std::uint64_t kEther = 1'000'000'000'000'000'000;
inline constexpr std::uint64_t kGwei = 1'000'000'000;

/// The secret of account `number`; from 1 on.
inline Hash secret_of(std::uint64_t number) {
    return to_hash(Uint256{number});
}
inline Address account_of(std::uint64_t number) {
    return *address_from_secret(secret_of(number));
}

inline ChainConfig config_at(Revision revision) {
    ChainConfig config;
    config.chain_id = kChainId;
    config.homestead_block = config.tangerine_whistle_block = config.spurious_dragon_block =
        config.byzantium_block = config.constantinople_block = config.petersburg_block =
            config.istanbul_block = config.berlin_block = config.london_block = 0;
    config.terminal_total_difficulty = Uint256{};
    config.merge_block = 0;
    config.shanghai_time = config.cancun_time = 0;
    if (revision >= Revision::prague) config.prague_time = 0;
    if (revision >= Revision::osaka) config.osaka_time = 0;
    if (revision >= Revision::amsterdam) config.amsterdam_time = 0;
    config.blob_schedule.push_back({0, 6, 9, 5'007'716});
    return config;
}

class TestChain {
public:
    static constexpr std::uint64_t kAccounts = 64;

    /// @param options  Of the ledger; what it says of its place and its memory does not count.
    explicit TestChain(Revision revision = Revision::osaka,
                       ledger::DurableLedgerOptions options = {}) {
        Genesis genesis;
        genesis.config = config_at(revision);
        genesis.header.gas_limit = 30'000'000;
        genesis.header.base_fee_per_gas = kGwei;
        genesis.header.withdrawals_root = kEmptyTrieRoot;
        genesis.header.blob_gas_used = 0;
        genesis.header.excess_blob_gas = 0;
        genesis.header.parent_beacon_block_root.emplace();
        if (revision >= Revision::prague) genesis.header.requests_hash = kEmptyRequestsHash;
        if (revision >= Revision::amsterdam) {
            genesis.header.block_access_list_hash = kEmptyListHash;
            genesis.header.slot_number = 0;
        }
        for (std::uint64_t i = 1; i <= kAccounts; ++i)
            genesis.alloc.push_back({account_of(i), 0, Uint256{10} * Uint256{kEther}, {}, {}});
        options.directory = folder_ / "ledger";
        options.memory_bytes = std::size_t{64} << 20;
        auto ledger = ledger::DurableLedger::create(options, genesis, {});
        HEDDLE_ASSERT(ledger.has_value());
        ledger_ = *std::move(ledger);
        chain_ = std::make_unique<node::Chain>(*ledger_, genesis.config);
    }
    TestChain(const TestChain&) = delete;
    TestChain& operator=(const TestChain&) = delete;

    [[nodiscard]] node::Chain& chain() { return *chain_; }
    [[nodiscard]] ledger::DurableLedger& ledger() { return *ledger_; }
    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

    struct Plan {
        std::vector<Transaction> transactions{};  // with senders
        std::vector<Receipt> receipts{};          // as many; empty: ones without logs
        StateDiff diff{};
        Bytes access_list{};  // RLP; empty: none
        std::uint64_t gas_limit = 30'000'000;
        std::uint64_t gas_used = 15'000'000;
        Bytes extra_data{};
    };
    /// Commits a block of these transactions, whose accounts change as `diff` says.
    node::SharedBlock commit(Plan plan) {
        const ledger::StoredHeader head = chain_->kept_head();
        FinishedBlock block;
        block.block.header = chain_->next_header(head, head.header.timestamp + 12);
        block.block.header.gas_limit = plan.gas_limit;
        block.block.header.gas_used = plan.gas_used;
        block.block.header.extra_data = std::move(plan.extra_data);
        block.block.withdrawals.emplace();
        block.block.transactions = std::move(plan.transactions);
        block.receipts = std::move(plan.receipts);
        block.receipts.resize(block.block.transactions.size());
        for (Receipt& receipt : block.receipts) {
            receipt.bloom = logs_bloom(receipt.logs);
            block.block.header.logs_bloom |= receipt.bloom;
        }
        block.diff = std::move(plan.diff);
        block.access_list = std::move(plan.access_list);
        block.check_state_root = false;
        HEDDLE_ASSERT(chain_->commit(std::move(block)).has_value());
        return chain_->kept_head_block();
    }

    /// A diff that sets nonce and balance of accounts.
    static void set_account(StateDiff& diff, const Address& address, std::uint64_t nonce,
                            const Uint256& balance, const Bytes& code = {}) {
        Account account{nonce, balance, keccak256(code)};
        if (!code.empty()) diff.codes.push_back({account.code_hash, code});
        diff.accounts.push_back({address, account, false, {}});
    }

private:
    const TemporaryFolder folder_;
    std::unique_ptr<ledger::DurableLedger> ledger_;
    std::unique_ptr<node::Chain> chain_;
};

/// A transfer of nothing that anybody can pay; signed.
struct TransferPlan {
    std::uint64_t from = 1;
    std::uint64_t nonce = 0;
    Uint256 tip = kGwei;
    Uint256 fee_cap = Uint256{10 * kGwei};
    Uint256 value{};
    std::uint64_t gas_limit = 21'000;
};
inline Transaction transfer(const TransferPlan& plan) {
    Transaction tx;
    tx.type = TransactionType::dynamic_fee;
    tx.chain_id = kChainId;
    tx.nonce = plan.nonce;
    tx.max_priority_fee_per_gas = plan.tip;
    tx.max_fee_per_gas = plan.fee_cap;
    tx.gas_limit = plan.gas_limit;
    tx.to = address_from_low64(0x1000);
    tx.value = plan.value;
    HEDDLE_ASSERT(sign_transaction(tx, secret_of(plan.from)));
    return tx;
}

inline Bytes encoded(const Transaction& tx) {
    Bytes bytes;
    encode_transaction(tx, bytes);
    return bytes;
}

}  // namespace heddle::test
