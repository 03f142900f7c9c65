// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What transactions will access, found by executing them on the head: so that they can be sent to
// the lanes where that is at home. The head they meet will be another one; a guess that is wrong
// costs order among lanes, never a result.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include <ledger/durable_ledger.hpp>
#include <types/object.hpp>

#include "building/block_builder.hpp"
#include "chain/chain.hpp"
#include "mempool/mempool.hpp"

namespace heddle::node::lanes {

/// Of transactions that are asked about together, on one head.
///
/// Work: each transaction is executed once, and those of the pool that its sender has before it.
/// Thread safety: one caller at a time.
class ObjectGuess {
public:
    /// Both outlive it. @param most_gas  Executed in all; beyond it a guess is what is declared.
    ObjectGuess(const Chain& chain, const Mempool& mempool, std::uint64_t most_gas);

    /// Without what every transaction does alike: the fee goes to one account, in any order.
    [[nodiscard]] ObjectSet objects_of(const PooledTransaction& transaction);

private:
    void begin();
    /// nullopt: it cannot be executed on the head.
    [[nodiscard]] std::optional<ObjectSet> execute(const PooledTransaction& transaction);
    void execute_earlier(const PooledTransaction& transaction);

    const Chain& chain_;
    const Mempool& mempool_;
    const std::uint64_t most_gas_;
    std::shared_ptr<const ledger::PastState> state_;
    std::unique_ptr<BlockBuilder> builder_;  // null: there is no state to execute on
    Address beneficiary_;
    /// Next nonce of senders that were executed.
    std::unordered_map<Address, std::uint64_t, AddressHasher> next_nonces_;
};

}  // namespace heddle::node::lanes
