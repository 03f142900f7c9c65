// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The mempool as the source of a block under construction.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <executor/block_building.hpp>

#include "building/block_room.hpp"
#include "mempool/mempool.hpp"

namespace heddle::node {

/// What a block that holds the transaction has for it: blobs stay outside.
[[nodiscard]] inline std::size_t size_in_block(const PooledTransaction& transaction) {
    return bytes_in_block(transaction.size_bytes - transaction.sidecar.size(), transaction.tx.type);
}

/// The mempool's best as the parallel builder takes them; keeps what it has given.
class PooledCandidates final : public executor::CandidateSource {
public:
    explicit PooledCandidates(std::unique_ptr<BestTransactions> best) : best_(std::move(best)) {}

    [[nodiscard]] std::optional<executor::Candidate> next() override {
        SharedTransaction transaction = best_->next();
        if (!transaction) return std::nullopt;
        given_.push_back(std::move(transaction));
        return executor::Candidate{&given_.back()->tx, size_in_block(*given_.back())};
    }
    void skip_sender() override { best_->skip_sender(); }

    [[nodiscard]] const PooledTransaction& at(std::size_t number) const { return *given_[number]; }

private:
    const std::unique_ptr<BestTransactions> best_;
    std::vector<SharedTransaction> given_;
};

}  // namespace heddle::node
