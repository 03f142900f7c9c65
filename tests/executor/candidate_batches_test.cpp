// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which candidates come in which batch.
#include "aria/candidate_batches.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <unordered_map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::executor {
namespace {

constexpr std::uint64_t kGas = 21'000;
constexpr std::size_t kBytes = 110;  // of each in a block

Transaction from(std::uint64_t sender, std::uint64_t nonce, std::uint64_t tip) {
    Transaction tx;
    tx.sender = address_from_low64(sender);
    tx.nonce = nonce;
    tx.gas_limit = kGas;
    tx.max_fee_per_gas = tx.max_priority_fee_per_gas = Uint256{tip};
    return tx;
}

/// The transactions as they are listed, but for those of senders who were skipped.
class List final : public CandidateSource {
public:
    explicit List(const std::vector<Transaction>& transactions) {
        for (const Transaction& tx : transactions)
            left_.push_back(&tx);
    }
    [[nodiscard]] std::optional<Candidate> next() override {
        if (left_.empty()) return std::nullopt;
        given_.push_back(left_.front());
        left_.pop_front();
        return Candidate{given_.back(), kBytes};
    }
    void skip_sender() override {
        const Address sender = *given_.back()->sender;
        std::erase_if(left_, [&](const Transaction* tx) { return tx->sender == sender; });
    }
    [[nodiscard]] const Transaction& at(std::size_t number) const { return *given_.at(number); }

private:
    std::deque<const Transaction*> left_;
    std::vector<const Transaction*> given_;
};

using Names = std::vector<std::pair<Address, std::uint64_t>>;  // sender, nonce

Names names_of(const List& source, const std::vector<Trial>& trials) {
    Names names;
    for (const Trial& trial : trials) {
        EXPECT_EQ(&source.at(trial.candidate), trial.tx);
        names.emplace_back(*trial.tx->sender, trial.tx->nonce);
    }
    return names;
}

TEST(CandidateBatches, does_not_give_what_was_taken_ahead_of_a_sender_who_is_dropped_since) {
    const std::vector<Transaction> pool = {from(1, 0, 50), from(1, 1, 50), from(2, 0, 50),
                                           from(1, 2, 50), from(3, 0, 50)};
    List source(pool);
    const BlockEnv env;
    const BuildLimits limits{.max_bytes = 10'000};
    CandidateBatches candidates(source, limits, env, 20);
    const std::vector<Trial> first =
        candidates.next({.transactions = 1, .gas = 10 * kGas, .room_gas = 10 * kGas});
    ASSERT_EQ(first.size(), 1U);

    candidates.look_ahead(2);
    candidates.drop(first.front());

    const std::vector<Trial> rest =
        candidates.next({.transactions = 9, .gas = 10 * kGas, .room_gas = 10 * kGas});
    EXPECT_EQ(names_of(source, rest),
              (Names{{address_from_low64(2), 0}, {address_from_low64(3), 0}}));
}

TEST(CandidateBatches, leave_the_bytes_of_what_is_dropped_to_others) {
    const std::vector<Transaction> pool = {from(1, 0, 50), from(2, 0, 50)};
    List source(pool);
    const BlockEnv env;
    const BuildLimits limits{.max_bytes = kBytes};
    CandidateBatches candidates(source, limits, env, 20);
    const BatchBounds bounds{.transactions = 1, .gas = 10 * kGas, .room_gas = 10 * kGas};
    const std::vector<Trial> first = candidates.next(bounds);
    ASSERT_EQ(first.size(), 1U);

    candidates.drop(first.front());

    EXPECT_EQ(names_of(source, candidates.next(bounds)), (Names{{address_from_low64(2), 0}}));
}

TEST(CandidateBatches, take_what_just_fits) {
    std::vector<Transaction> pool = {from(1, 0, 50), from(2, 0, 50)};
    for (Transaction& tx : pool)
        tx.blob_versioned_hashes.resize(1);
    const auto taken = [&](const BatchBounds& bounds, std::size_t max_bytes) {
        List source(pool);
        const BlockEnv env;
        const BuildLimits limits{.max_bytes = max_bytes};
        CandidateBatches candidates(source, limits, env, 20);
        return candidates.next(bounds).size();
    };
    const BatchBounds enough{
        .transactions = 9, .gas = 2 * kGas, .room_gas = kGas, .room_blob_gas = vm::kGasPerBlob};
    EXPECT_EQ(taken(enough, 2 * kBytes), 2U);
    EXPECT_EQ(taken(enough, 2 * kBytes - 1), 1U);
    BatchBounds less = enough;
    --less.gas;
    EXPECT_EQ(taken(less, 2 * kBytes), 1U) << "the other one comes in the next batch";
    less = enough;
    --less.room_gas;
    EXPECT_EQ(taken(less, 2 * kBytes), 0U);
    less = enough;
    --less.room_blob_gas;
    EXPECT_EQ(taken(less, 2 * kBytes), 0U);
}

/// A hundred times the tip has no room in 256 bits.
TEST(CandidateBatches, compare_the_highest_tips_there_can_be) {
    std::vector<Transaction> pool = {from(1, 0, 0), from(2, 0, 0), from(3, 0, 0)};
    for (Transaction& tx : pool)
        tx.max_fee_per_gas = tx.max_priority_fee_per_gas = ~Uint256{};
    pool.back().max_fee_per_gas = ~Uint256{} >> 3;  // less than a fifth
    List source(pool);
    const BlockEnv env;
    const BuildLimits limits{.max_bytes = 10'000};
    CandidateBatches candidates(source, limits, env, 20);

    const std::vector<Trial> first =
        candidates.next({.transactions = 9, .gas = 10 * kGas, .room_gas = 10 * kGas});

    EXPECT_EQ(names_of(source, first),
              (Names{{address_from_low64(1), 0}, {address_from_low64(2), 0}}));
}

/// A sender's later transaction that pays less must not count once the sender is dropped: it would
/// end batches that others could fill.
TEST(CandidateBatches, are_the_same_however_far_was_looked_ahead) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        std::mt19937_64 random(seed);
        std::vector<Transaction> pool;
        std::unordered_map<std::uint64_t, std::uint64_t> nonces;
        std::uint64_t tip = 1'000;
        for (int i = 0; i < 60; ++i) {
            const std::uint64_t sender = 1 + random() % 12;
            if (random() % 4 == 0) tip -= tip / 10;
            const std::uint64_t own = random() % 8 == 0 ? tip / 2 : tip;
            pool.push_back(from(sender, nonces[sender]++, own));
        }
        const auto batches = [&](std::size_t ahead) {
            std::mt19937_64 fate(seed + 1);
            List source(pool);
            BlockEnv env;
            env.gas_limit = 32 * 9 * kGas;  // of which little is left
            const BuildLimits limits{.max_bytes = 40 * kBytes, .max_misfits = 5};
            CandidateBatches candidates(source, limits, env, 20);
            std::vector<Names> result;
            while (!candidates.is_over()) {
                const std::vector<Trial> trials =
                    candidates.next({.transactions = 8, .gas = 6 * kGas, .room_gas = 9 * kGas});
                if (trials.empty()) break;
                candidates.look_ahead(ahead);
                result.push_back(names_of(source, trials));
                for (const Trial& trial : trials) {
                    const std::uint64_t what = fate() % 10;
                    if (candidates.is_dropped(trial) || what == 0)
                        candidates.drop(trial);
                    else if (what == 1)
                        candidates.drop_misfit(trial, 9 * kGas);
                }
            }
            return result;
        };
        const std::vector<Names> expected = batches(0);
        for (const std::size_t ahead : {1U, 3U, 8U, 100U})
            ASSERT_EQ(batches(ahead), expected) << "seed " << seed << ", ahead " << ahead;
    }
}

}  // namespace
}  // namespace heddle::executor
