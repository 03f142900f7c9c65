// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "mempool/pool.hpp"

namespace heddle::node {
namespace {

constexpr std::size_t kAhead = 8;  // senders

/// What the choice needs of it, and who else holds it.
void prefetch_for_choice(const PooledTransaction& transaction) {
    __builtin_prefetch(&transaction, 1);
    __builtin_prefetch(&transaction.tx.max_priority_fee_per_gas);
    __builtin_prefetch(&transaction.arrival);
}

/// A heap of senders by what their next transaction pays. Holds all transactions from the start, so
/// that the pool may go on.
class PooledBest final : public BestTransactions {
public:
    PooledBest(const Uint256& base_fee, const Uint256& blob_base_fee)
        : base_fee_(base_fee), blob_base_fee_(blob_base_fee) {}

    void reserve(std::size_t transactions, std::size_t senders) {
        transactions_.reserve(transactions);
        heap_.reserve(senders);
    }
    /// One sender's next transaction. @return false: it offers too little, as do those behind it.
    bool append(const SharedTransaction& transaction) {
        const Transaction& tx = transaction->tx;
        if (tx.max_fee_per_gas < base_fee_) return false;
        if (tx.type == TransactionType::blob && tx.max_fee_per_blob_gas < blob_base_fee_)
            return false;
        transactions_.push_back(transaction);
        return true;
    }
    /// Ends a sender's transactions.
    void end_sender() {
        if (begin_ == transactions_.size()) return;
        heap_.push_back(head(begin_, transactions_.size()));
        begin_ = transactions_.size();
    }
    void finish() { std::make_heap(heap_.begin(), heap_.end()); }

    [[nodiscard]] SharedTransaction next() override {
        if (current_.next != current_.end) {
            heap_.push_back(head(current_.next, current_.end));
            std::push_heap(heap_.begin(), heap_.end());
        }
        current_ = {};
        if (heap_.empty()) return nullptr;
        std::pop_heap(heap_.begin(), heap_.end());
        current_ = heap_.back();
        heap_.pop_back();
        return std::move(transactions_[current_.next++]);
    }
    void skip_sender() override { current_ = {}; }

private:
    struct Head {
        Uint256 tip;  // wei per gas, to the proposer
        std::uint64_t arrival = 0;
        std::size_t next = 0;
        std::size_t end = 0;
        bool operator<(const Head& other) const noexcept {
            return tip == other.tip ? arrival > other.arrival : tip < other.tip;
        }
    };

    [[nodiscard]] Head head(std::size_t next, std::size_t end) const {
        const PooledTransaction& transaction = *transactions_[next];
        const Uint256 left = transaction.tx.max_fee_per_gas - base_fee_;
        return {std::min(left, transaction.tx.max_priority_fee_per_gas), transaction.arrival, next,
                end};
    }

    const Uint256 base_fee_;
    const Uint256 blob_base_fee_;
    std::vector<SharedTransaction> transactions_;  // sender by sender
    std::size_t begin_ = 0;                        // of the sender that is being appended
    std::vector<Head> heap_;
    Head current_;  // of the one given last
};

}  // namespace

std::unique_ptr<BestTransactions> TransactionPool::best(const Uint256& base_fee_per_gas,
                                                        const Uint256& blob_base_fee) const {
    auto best = std::make_unique<PooledBest>(base_fee_per_gas, blob_base_fee);
    best->reserve(executable_, senders_.size());
    // Their transactions lie all over the memory: each is asked for some senders before it is
    // looked at.
    std::vector<const Sender*> senders;
    senders.reserve(senders_.size());
    for (const auto& [address, sender] : senders_) {
        __builtin_prefetch(sender.entries.data());
        senders.push_back(&sender);
    }
    for (std::size_t at = 0; at < senders.size(); ++at) {
        if (at + kAhead < senders.size())
            prefetch_for_choice(*senders[at + kAhead]->entries.front().transaction);
        const Sender& sender = *senders[at];
        for (std::size_t i = 0; i < sender.executable; ++i)
            if (!best->append(sender.entries[i].transaction)) break;
        best->end_sender();
    }
    best->finish();
    return best;
}

}  // namespace heddle::node
