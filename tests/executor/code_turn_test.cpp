// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Of transactions that are attempted for a block one at a time makes its machine keep much code.
#include "stream/code_turn.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executor/block_building.hpp>

#include "fakes.hpp"
#include "thrice_called.hpp"
#include "workers/code_cache_mutex.hpp"

namespace heddle::executor {
namespace {

/// Who fetches code for the second time, which a machine then keeps, and whether it is alone.
class WatchedState final : public StateView {
public:
    /// Codes that one machine has kept when it must have the turn, and all that it keeps.
    static constexpr std::size_t kMuch = 800;
    static constexpr std::size_t kAll = 2'000;

    explicit WatchedState(const StateView& state) : state_(state) {}

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        return state_.account(address);
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        return state_.storage(address, slot);
    }
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override {
        return state_.has_storage(address);
    }
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override {
        if (note(code_hash))  // the others come as far, if nothing keeps them
            std::this_thread::sleep_for(std::chrono::milliseconds{20});
        return state_.code(code_hash);
    }
    [[nodiscard]] std::size_t finished() const noexcept { return finished_; }
    [[nodiscard]] std::size_t most_at_once() const noexcept { return most_at_once_; }

private:
    struct Fetched {
        std::unordered_map<Hash, unsigned, HashHasher> times;
        std::size_t kept = 0;
    };

    /// @return whether the machine of this thread keeps much from now on.
    bool note(const Hash& code_hash) const {
        const std::scoped_lock lock{mutex_};
        Fetched& fetched = by_thread_[std::this_thread::get_id()];
        if (++fetched.times[code_hash] != 2) return false;
        ++fetched.kept;
        if (fetched.kept == kMuch) most_at_once_ = std::max(most_at_once_, ++at_once_);
        if (fetched.kept == kAll) {
            --at_once_;
            ++finished_;
            fetched = {};
        }
        return fetched.kept == kMuch;
    }

    const StateView& state_;
    mutable std::mutex mutex_;
    mutable std::map<std::thread::id, Fetched> by_thread_;
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
    constexpr unsigned kWorkers = 4;
    test::FakeState made;
    test::ThriceCalled called{made, WatchedState::kAll, 32'768};
    std::vector<Transaction> transactions;
    for (unsigned i = 0; i < kWorkers; ++i) {
        called.tx.sender = address_from_low64(0x1000 + i);
        made.set_balance(*called.tx.sender, Uint256{1} << 100);
        transactions.push_back(called.tx);
    }
    called.env.gas_limit = 100'000'000;
    const WatchedState state(made);
    const test::FakeBlockHashes hashes;
    ChainConfig config;
    BuildOptions options;
    options.executor.parallel.workers = kWorkers;
    options.executor.parallel.may_outnumber_processors = true;
    options.executor.code_cache = vm::make_code_cache(1, std::make_unique<CodeCacheMutex>());
    const auto building = make_block_building({config, state, hashes}, std::move(options));
    EXPECT_TRUE(building->begin({.header = {}, .env = called.env, .withdrawals = {}}));
    Candidates source(transactions);

    const Selection selection = building->select(source, {.max_bytes = 1'000'000});

    EXPECT_EQ(selection.chosen.size(), kWorkers);
    EXPECT_EQ(state.finished(), kWorkers);
    EXPECT_EQ(state.most_at_once(), 1u);
}

}  // namespace
}  // namespace heddle::executor
