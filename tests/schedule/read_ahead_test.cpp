// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading ahead under many interleavings: what is found is whole and of the block at hand,
// and nobody reads when a block is over.
#include "state/read_ahead.hpp"

#include <array>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "checks.hpp"
#include "explored_atomics.hpp"
#include "explorer.hpp"

namespace heddle::executor {
namespace {

using test::Case;
using test::expect_found;
using test::expect_holds;
using test::Exploration;
using test::ExploredAtomics;
using test::MakeCase;

constexpr std::size_t kBatch = 16;

/// A batch is read twice, or for no block.
constexpr const char* kFault = "the state is read out of turn";

/// A wrong turn, to see whether it would be found.
enum class Flaw : std::uint8_t {
    none,
    closes_last,    // end() looks whether anybody is at work, and closes then
    late_busy,      // a helper claims a batch, and says then that it is at work
    forgets_block,  // what was read is not told apart by its block
    claims_twice,   // a batch is claimed by a look and a store
};

/// The protocol of BasicReadAhead once more, of one block state and no passing, with a flaw.
template <Flaw kFlaw>
class FlawedReadAhead {
public:
    explicit FlawedReadAhead(WorkerParking*) {}

    void begin(const StateView& committed, std::span<const Transaction> block) {
        committed_ = &committed;
        block_ = block;
        if (kFlaw != Flaw::forgets_block || number_ == 0) ++number_;
        next_.store(0);
    }
    const TransactionAhead* find(std::size_t index) {
        Batch& batch = batches_.at(index / kBatch);
        return batch.read_of.load() == number_ ? &batch.accounts : nullptr;
    }
    void end() {
        if (kFlaw != Flaw::closes_last) next_.exchange(kOver);
        while (busy_.load() != 0) {
        }
        if (kFlaw == Flaw::closes_last) next_.exchange(kOver);
    }
    bool run_once(AccessForecaster&) {
        if (next_.load() >= batches_.size()) return false;
        if (kFlaw != Flaw::late_busy) busy_.fetch_add(1);
        const std::uint32_t at = claim();
        if (kFlaw == Flaw::late_busy) busy_.fetch_add(1);
        if (at < batches_.size()) {
            batches_.at(at).accounts.sender = committed_->account(*block_[at * kBatch].sender);
            batches_.at(at).read_of.store(number_);
        }
        busy_.fetch_sub(1);
        return at < batches_.size();
    }

private:
    std::uint32_t claim() {
        if (kFlaw != Flaw::claims_twice) return next_.fetch_add(1);
        const std::uint32_t at = next_.load();
        next_.store(at + 1);
        return at;
    }

    static constexpr std::uint32_t kOver = 1'000;
    struct Batch {
        test::ExploredAtomic<std::uint64_t> read_of{0};
        TransactionAhead accounts;
    };

    const StateView* committed_ = nullptr;
    std::span<const Transaction> block_;
    std::uint64_t number_ = 0;
    test::ExploredAtomic<std::uint32_t> next_{kOver};
    test::ExploredAtomic<std::uint32_t> busy_{0};
    std::array<Batch, 3> batches_;
};

/// Every account has as many wei as blocks have been; not to be read between two of them.
class WatchedState final : public StateView {
public:
    std::uint64_t blocks = 0;
    bool is_readable = false;

    std::optional<Account> account(const Address& address) const noexcept override {
        test::expect(is_readable && ++reads_.at(blocks).at(to_word(address).low64()) == 1, kFault);
        return Account{.balance = Uint256{blocks}};
    }
    Uint256 storage(const Address&, const Uint256&) const noexcept override { return {}; }
    bool has_storage(const Address&) const noexcept override { return false; }
    BytesView code(const Hash&) const noexcept override { return {}; }

private:
    /// By block and batch.
    mutable std::array<std::array<unsigned, 4>, 3> reads_{};
};

template <typename Ahead>
class AheadCase final : public Case {
public:
    explicit AheadCase(unsigned helpers) : helpers_(helpers), block_(kBatches * kBatch) {
        for (std::size_t i = 0; i < kBatches; ++i)
            block_[i * kBatch].sender = address_from_low64(i);
    }

    std::vector<Thread> threads() override {
        static constexpr std::array kNames{"helper", "another"};
        std::vector<Thread> result{{"executing", [this] { execute(); }}};
        for (unsigned i = 0; i < helpers_; ++i)
            result.push_back({kNames.at(i), [this, i] {
                                  for (int times = 0; times < 4; ++times)
                                      ahead_.run_once(forecasters_.at(i));
                              }});
        return result;
    }
    void at_end() override {}

private:
    void execute() {
        for (state_.blocks = 1; state_.blocks <= 2; ++state_.blocks) {
            state_.is_readable = true;
            ahead_.begin(state_, block_);
            if (const TransactionAhead* const read = ahead_.find(kBatch))
                test::expect(read->sender == Account{.balance = Uint256{state_.blocks}},
                             "what is found is of another block");
            ahead_.end();
            state_.is_readable = false;
        }
    }

    static constexpr std::size_t kBatches = 3;

    const unsigned helpers_;
    WorkerParking parking_;
    Ahead ahead_{&parking_};
    WatchedState state_;
    std::vector<Transaction> block_;
    std::array<AccessForecaster, 2> forecasters_;  // of the helpers
};

template <typename Ahead = BasicReadAhead<ExploredAtomics>>
MakeCase reading(unsigned helpers) {
    return [=] { return std::make_unique<AheadCase<Ahead>>(helpers); };
}

Exploration explored(const MakeCase& make) {
    return explore_randomly(make, test::announced_seed(), 20'000);
}

TEST(ReadAheadSchedule, one_helper_reads_while_there_is_a_block) {
    expect_holds(explored(reading(1)));
}

TEST(ReadAheadSchedule, two_helpers_read_each_batch_once) {
    expect_holds(explored(reading(2)));
}

TEST(ReadAheadSchedule, the_protocol_without_a_flaw_holds) {
    expect_holds(explored(reading<FlawedReadAhead<Flaw::none>>(2)));
}

TEST(ReadAheadSchedule, closing_after_looking_is_found) {
    expect_found(explored(reading<FlawedReadAhead<Flaw::closes_last>>(2)), kFault);
}

TEST(ReadAheadSchedule, claiming_before_saying_so_is_found) {
    expect_found(explored(reading<FlawedReadAhead<Flaw::late_busy>>(2)), kFault);
}

TEST(ReadAheadSchedule, claiming_in_two_steps_is_found) {
    expect_found(explored(reading<FlawedReadAhead<Flaw::claims_twice>>(2)), kFault);
}

TEST(ReadAheadSchedule, taking_what_was_read_for_another_block_is_found) {
    expect_found(explored(reading<FlawedReadAhead<Flaw::forgets_block>>(1)),
                 "what is found is of another block");
}

}  // namespace
}  // namespace heddle::executor
