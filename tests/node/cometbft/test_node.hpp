// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A chain in a data directory with all that executes its blocks, as under CometBFT: the test
// decides on blocks, finalize() and commit() do the rest.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <consensus_adapter/block_rules.hpp>
#include <ledger/durable_ledger.hpp>
#include <types/signing.hpp>

#include "building/chain_application.hpp"
#include "chain/chain.hpp"
#include "chain/dev_chain.hpp"
#include "formats/chain_config_json.hpp"
#include "inputs/ledger_flags.hpp"
#include "mempool/mempool.hpp"

namespace heddle::node::test {

using consensus_adapter::BlockId;

class TestNode {
public:
    /// Makes the ledger where there is none.
    explicit TestNode(const std::string& datadir, const Genesis& genesis = dev_genesis(),
                      const std::optional<ValidatorContractConfig>& validators = std::nullopt) {
        ledger::DurableLedgerOptions options;
        options.directory = datadir;
        options.sync = sync();
        options.memory_bytes = std::size_t{64} << 20;
        ledger_ = ledger::DurableLedger::exists(datadir)
                      ? open_ledger(std::move(options))
                      : create_ledger(std::move(options), genesis, validators);
        chain_ = std::make_unique<Chain>(*ledger_, stored_chain_config(*ledger_), sync());
        mempool_ = std::make_unique<Mempool>(MempoolOptions{}, *chain_);
        application_ =
            std::make_unique<ChainApplication>(*chain_, *mempool_, ChainApplicationOptions{});
    }

    [[nodiscard]] ledger::DurableLedger& ledger() { return *ledger_; }
    [[nodiscard]] Chain& chain() { return *chain_; }
    [[nodiscard]] Mempool& mempool() { return *mempool_; }
    [[nodiscard]] ChainApplication& application() { return *application_; }
    [[nodiscard]] BlockId head() const {
        const ledger::StoredHeader head = chain_->head();
        return {head.header.number, head.hash};
    }

    /// The next block, of these transactions and two seconds later.
    BlockId decide(std::vector<Transaction> transactions) {
        const ledger::StoredHeader head = chain_->head();
        consensus_adapter::BlockPlan plan;
        plan.timestamp = head.header.timestamp + 2;
        plan.gas_limit = head.header.gas_limit;
        plan.beneficiary = address_from_low64(0xfee);
        plan.prev_randao = consensus_adapter::prev_randao_after({head.header.number, head.hash});
        consensus_adapter::OrderedBlock block;
        block.start = consensus_adapter::block_start(plan);
        block.transactions = std::move(transactions);
        const auto finalized =
            application_->finalize(std::move(block), consensus_adapter::Unexecutable::refused);
        EXPECT_TRUE(finalized.has_value()) << to_string(finalized.error());
        const auto committed = application_->commit();
        EXPECT_TRUE(committed.has_value());
        return *committed;
    }

private:
    static ledger::SyncPolicy sync() {
        ledger::SyncPolicy policy;
        policy.blocks = ledger::kArchive;
        return policy;
    }

    std::unique_ptr<ledger::DurableLedger> ledger_;
    std::unique_ptr<Chain> chain_;
    std::unique_ptr<Mempool> mempool_;
    std::unique_ptr<ChainApplication> application_;
};

inline Transaction call(std::size_t from, std::uint64_t nonce, const Address& to, Bytes data = {},
                        std::uint64_t gas_limit = 2'000'000) {
    Transaction tx;
    tx.type = TransactionType::dynamic_fee;
    tx.chain_id = 1337;
    tx.nonce = nonce;
    tx.max_fee_per_gas = Uint256{std::uint64_t{10'000'000'000}};
    tx.max_priority_fee_per_gas = Uint256{std::uint64_t{1'000'000'000}};
    tx.gas_limit = gas_limit;
    tx.to = to;
    tx.data = std::move(data);
    EXPECT_TRUE(sign_transaction(tx, dev_accounts()[from].secret));
    return tx;
}

}  // namespace heddle::node::test
