// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A pool of unsigned transactions of made-up senders.
#pragma once

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "mempool/pool.hpp"

namespace heddle::node::test {

inline constexpr std::uint64_t kRich = 1'000'000'000;

/// Unsigned transactions of made-up senders; the pool asks for no signature.
class TransactionPoolTest : public testing::Test {
protected:
    struct Plan {
        std::uint64_t from = 1;
        std::uint64_t nonce = 0;
        std::uint64_t tip = 10;
        std::uint64_t fee_cap = 100;
        std::uint64_t cost = 1;
        Origin origin = Origin::remote;
        std::size_t size = 100;  // of its data
        TransactionType type = TransactionType::dynamic_fee;
        std::uint64_t blob_fee_cap = 0;
        std::vector<Address> authorities{};
        std::size_t authorizations = 0;
        std::uint64_t gas = 0;
    };

    SharedTransaction make(const Plan& plan) {
        PooledTransaction made;
        made.tx.type = plan.type;
        made.tx.nonce = plan.nonce;
        made.tx.max_priority_fee_per_gas = plan.tip;
        made.tx.max_fee_per_gas = plan.fee_cap;
        made.tx.max_fee_per_blob_gas = plan.blob_fee_cap;
        made.tx.sender = address_from_low64(plan.from);
        made.origin = plan.origin;
        made.tx.data.resize(plan.size);
        made.tx.authorization_list.resize(plan.authorizations);
        made.tx.gas_limit = plan.gas;
        made.arrival = count_++;
        made.hash = to_hash(Uint256{made.arrival + 1});
        std::memcpy(made.hash.bytes.data() + 8, &made.arrival, sizeof made.arrival);
        made.authorities = plan.authorities;
        return std::make_shared<const PooledTransaction>(std::move(made));
    }

    std::expected<void, AdmissionError> add(const Plan& plan) {
        last_ = make(plan);
        return pool_->add({last_, Uint256{plan.cost}, account_, TransactionPool::Clock::now()},
                          {base_fee_, blob_base_fee_}, changes_);
    }
    AdmissionCode error_of(const Plan& plan) {
        const auto added = add(plan);
        EXPECT_FALSE(added.has_value());
        return added.has_value() ? AdmissionCode::other : added.error().code;
    }

    void use(const MempoolOptions& options) { pool_ = std::make_unique<TransactionPool>(options); }

    std::vector<std::uint64_t> nonces(std::uint64_t from, bool executable = true) {
        Mempool::Content content;
        pool_->append_content(address_from_low64(from), content);
        std::vector<std::uint64_t> result;
        for (const SharedTransaction& transaction : executable ? content.pending : content.queued)
            result.push_back(transaction->tx.nonce);
        return result;
    }

    std::unique_ptr<TransactionPool> pool_ = std::make_unique<TransactionPool>(MempoolOptions{});
    SenderAccount account_{0, kRich, false};  // of every sender
    Uint256 base_fee_;
    Uint256 blob_base_fee_;
    TransactionPool::Changes changes_;
    SharedTransaction last_;

private:
    std::uint64_t count_ = 0;
};

}  // namespace heddle::node::test
