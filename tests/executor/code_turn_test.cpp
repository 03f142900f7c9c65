// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Of transactions that are attempted for a block one at a time makes its machine keep much code.
#include "stream/code_turn.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <executor/block_building.hpp>

#include "fakes.hpp"
#include "forwarding_state.hpp"
#include "thrice_called.hpp"
#include "workers/code_cache_mutex.hpp"

namespace heddle::executor {
namespace {

constexpr std::uint64_t kAccounts = 2'000;  // that a transaction calls
constexpr std::size_t kCodeBytes = 32'768;
constexpr std::size_t kTransactions = 4;

/// Sees how many transactions at once have much code that they have fetched for the second time,
/// which their machines keep.
class WatchedState final : public test::ForwardingState {
public:
    using ForwardingState::ForwardingState;

    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override {
        const BytesView code = ForwardingState::code(code_hash);
        if (code.size() == kCodeBytes && note(load_be(code.data() + kCodeBytes - 32).low64()))
            // The others come as far, if nothing keeps them.
            std::this_thread::sleep_for(std::chrono::milliseconds{20});
        return code;
    }
    [[nodiscard]] std::size_t finished() const noexcept { return finished_; }
    [[nodiscard]] std::size_t most_at_once() const noexcept { return most_at_once_; }

private:
    /// Codes that a transaction has kept when it must have the turn: 32 MB.
    static constexpr std::size_t kMuch = 1'000;

    /// @return whether the transaction keeps much from now on.
    bool note(std::uint64_t number) const {
        const std::scoped_lock lock{mutex_};
        if (++fetched_.at(number) != 2) return false;
        std::size_t& kept = kept_.at(number / kAccounts);
        ++kept;
        if (kept == kMuch) most_at_once_ = std::max(most_at_once_, ++at_once_);
        if (kept == kAccounts) {
            --at_once_;
            ++finished_;
        }
        return kept == kMuch;
    }

    mutable std::mutex mutex_;
    mutable std::array<unsigned, kTransactions * kAccounts> fetched_{};
    mutable std::array<std::size_t, kTransactions> kept_{};
    mutable std::size_t at_once_ = 0;
    mutable std::size_t most_at_once_ = 0;
    mutable std::size_t finished_ = 0;
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
    test::FakeState made;
    std::vector<Transaction> transactions;
    BlockEnv env;
    for (std::uint64_t i = 0; i < kTransactions; ++i) {
        const test::ThriceCalled called{made, kAccounts, kCodeBytes, i};
        transactions.push_back(called.tx);
        env = called.env;
    }
    env.gas_limit = 100'000'000;
    const WatchedState state(made);
    const test::FakeBlockHashes hashes;
    ChainConfig config;
    BuildOptions options;
    options.executor.parallel.workers = kTransactions;
    options.executor.parallel.may_outnumber_processors = true;
    options.executor.code_cache = vm::make_code_cache(1, std::make_unique<CodeCacheMutex>());
    const auto building = make_block_building({config, state, hashes}, std::move(options));
    EXPECT_TRUE(building->begin({.header = {}, .env = env, .withdrawals = {}}));
    Candidates source(transactions);

    const Selection selection = building->select(source, {.max_bytes = 1'000'000});

    EXPECT_EQ(selection.chosen.size(), kTransactions);
    EXPECT_EQ(state.finished(), kTransactions);
    EXPECT_EQ(state.most_at_once(), 1u);
}

}  // namespace
}  // namespace heddle::executor
