// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Of transactions that are attempted for a block one at a time makes its machine keep much code.
#include "stream/code_turn.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executor/block_building.hpp>
#include <vm/code_memory.hpp>

#include "fakes.hpp"
#include "thrice_called.hpp"
#include "workers/code_cache_mutex.hpp"

namespace heddle::executor {
namespace {

/// What all machines together have on their shelves, which are in memory.
class Shelves {
public:
    void add(std::size_t bytes) {
        const std::scoped_lock lock{mutex_};
        bytes_ += bytes;
        most_bytes_ = std::max(most_bytes_, bytes_);
    }
    void remove(std::size_t bytes) {
        const std::scoped_lock lock{mutex_};
        bytes_ -= bytes;
    }
    void forget() noexcept { most_bytes_ = bytes_; }
    [[nodiscard]] std::size_t most_bytes() const noexcept { return most_bytes_; }

private:
    std::mutex mutex_;
    std::size_t bytes_ = 0;
    std::size_t most_bytes_ = 0;
};

class MemoryShelf final : public vm::CodeShelf {
public:
    explicit MemoryShelf(Shelves& all) : all_(all) {}
    [[nodiscard]] std::byte* take(std::size_t bytes) noexcept override {
        all_.add(bytes);
        bytes_ += bytes;
        rooms_.push_back(std::make_unique<std::byte[]>(bytes));
        return rooms_.back().get();
    }
    void look_at(const std::byte* /*room*/, std::size_t /*bytes*/) noexcept override {}
    void clear() noexcept override {
        all_.remove(std::exchange(bytes_, 0));
        rooms_.clear();
    }

private:
    Shelves& all_;
    std::size_t bytes_ = 0;
    std::vector<std::unique_ptr<std::byte[]>> rooms_;
};

class Candidates final : public CandidateSource {
public:
    explicit Candidates(std::span<const Transaction> all) {
        for (const Transaction& tx : all)
            left_.push_back(&tx);
    }
    [[nodiscard]] std::optional<Candidate> next() override {
        if (left_.empty()) return std::nullopt;
        const Transaction* const tx = left_.front();
        left_.pop_front();
        return Candidate{tx, 100};
    }
    void skip_sender() override {}

private:
    std::deque<const Transaction*> left_;
};

/// Each keeps 80 MB, of which 16 are not yet much.
TEST(CodeTurn, is_one_workers_at_a_time_while_a_block_is_put_together) {
    constexpr unsigned kWorkers = 4;
    constexpr std::size_t kMuch = std::size_t{16} << 20;
    test::FakeState state;
    test::ThriceCalled called{state, 2'000, 32'768};
    std::vector<Transaction> transactions;
    for (unsigned i = 0; i < kWorkers; ++i) {
        called.tx.sender = address_from_low64(0x1000 + i);
        state.set_balance(*called.tx.sender, Uint256{1} << 100);
        transactions.push_back(called.tx);
    }
    called.env.gas_limit = 100'000'000;
    const test::FakeBlockHashes hashes;
    ChainConfig config;
    Shelves shelves;
    const auto build = [&](std::size_t senders) {
        shelves.forget();
        BuildOptions options;
        options.executor.parallel.workers = kWorkers;
        options.executor.parallel.may_outnumber_processors = true;
        options.executor.code_cache =
            vm::make_shelved_code_cache(1, std::make_unique<CodeCacheMutex>(),
                                        [&] { return std::make_unique<MemoryShelf>(shelves); });
        const auto building = make_block_building({config, state, hashes}, std::move(options));
        EXPECT_TRUE(building->begin({.header = {}, .env = called.env, .withdrawals = {}}));
        Candidates source(std::span{transactions}.first(senders));
        const Selection selection = building->select(source, {.max_bytes = 1'000'000});
        EXPECT_EQ(selection.chosen.size(), senders);
        return shelves.most_bytes();
    };
    const std::size_t alone = build(1);
    EXPECT_GT(alone, kMuch);

    const std::size_t together = build(kWorkers);

    EXPECT_GT(together, alone / 2);
    EXPECT_LE(together, alone + (kWorkers - 1) * kMuch);
}

}  // namespace
}  // namespace heddle::executor
