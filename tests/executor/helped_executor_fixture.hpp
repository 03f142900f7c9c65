// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The serial executor with a helper that has no thread: it reads ahead whenever the test says,
// between two transactions or while one waits for the state. So what it does is the same each time,
// and can be counted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <executor/schedule_observer.hpp>

#include "forwarding_state.hpp"
#include "serial_executor_fixture.hpp"

namespace heddle::executor {

/// What was read of the committed state.
struct StateReads {
    std::uint64_t accounts = 0;
    std::uint64_t slots = 0;
};

/// Counts, and lets the helper work while somebody waits.
class CountedState final : public test::ForwardingState {
public:
    /// @param while_waiting  Called before what is read by who executes.
    CountedState(const StateView& state, std::function<void()> while_waiting)
        : ForwardingState(state), while_waiting_(std::move(while_waiting)) {}

    bool is_helping = false;
    mutable StateReads own;
    mutable StateReads helper;

    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override {
        ++reads().accounts;
        return ForwardingState::account(address);
    }
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override {
        ++reads().slots;
        if (!is_helping) while_waiting_();
        return ForwardingState::storage(address, slot);
    }
    [[nodiscard]] bool is_in_memory() const noexcept override { return true; }

private:
    [[nodiscard]] StateReads& reads() const { return is_helping ? helper : own; }

    const std::function<void()> while_waiting_;
};

class HelpedExecutorTest : public SerialExecutorTest, private ScheduleObserver {
protected:
    /// Transactions block by block.
    using Chain = std::vector<std::vector<Transaction>>;
    /// What serial execution has made of a chain, and what it took.
    struct Made {
        std::vector<FinishedBlock> blocks;
        std::vector<BlockHeader> headers;
        StateReads reads;
        std::uint64_t hashes = 0;
    };
    /// Batches that the helper reads before transaction `index` of a block is followed by the next
    /// one, or while it waits for a slot.
    using Turns = std::function<unsigned(std::uint32_t index)>;

    WorkerParking parking_;
    SignerRecovery signers_{&parking_};
    LeafHasher hasher_{&parking_};
    ReadAhead ahead_{&parking_};
    AccessForecaster forecaster_;
    std::optional<CountedState> counted_;
    Turns turns_;
    std::uint32_t index_ = 0;  // of the transaction that ended last
    std::uint64_t transactions_ = 0;

    // --- Calls -----------------------------------------------------------------------------------

    static Address person(std::uint64_t number) { return address_from_low64(0xfeed'0000 + number); }

    /// Of a function with arguments, by somebody whose nonces are counted.
    Transaction call(std::uint64_t sender, const Address& to, std::uint32_t selector,
                     const std::vector<Uint256>& arguments = {}) {
        Transaction tx;
        tx.sender = person(sender);
        if (nonces_[sender] == 0) state_.set_balance(*tx.sender, Uint256{100} * kEther);
        tx.nonce = nonces_[sender]++;
        tx.max_fee_per_gas = tx.max_priority_fee_per_gas = Uint256{2'000'000'000};
        tx.gas_limit = 150'000;
        tx.to = to;
        tx.data.resize(4 + 32 * arguments.size());
        for (std::size_t i = 0; i < 4; ++i)
            tx.data[i] = static_cast<std::uint8_t>(selector >> (8 * (3 - i)));
        for (std::size_t i = 0; i < arguments.size(); ++i)
            store_be(arguments[i], tx.data.data() + 4 + 32 * i);
        return tx;
    }

    // --- Chains ----------------------------------------------------------------------------------

    /// By the serial executor without help; the state is afterwards as it was.
    Made made_without_help(const Chain& chain) {
        const test::FakeState before = state_;
        counted_.emplace(state_, [] {});
        Options options;
        options.on_block = [this](const BlockReport& report) {
            reported_.push_back(report.header);
        };
        auto serial = std::make_unique<SerialExecutor>(std::move(options));
        const SerialExecutor& executing = *serial;
        begin(std::move(serial));
        for (std::size_t i = 0; i < chain.size(); ++i) {
            BlockStart block = proposal(12 * (i + 1));
            block.header.gas_limit = genesis_.gas_limit;
            EXPECT_TRUE(run(std::move(block), chain[i]).has_value());
        }
        const auto summary = executor_->drain();
        EXPECT_TRUE(summary.has_value()) << to_string(summary.error());
        Made made{std::exchange(sink_.blocks, {}), std::exchange(reported_, {}), counted_->own,
                  executing.hashes_made()};
        take_back(before);
        return made;
    }
    /// The blocks once more, with help. What comes of them is compared.
    /// @return what it took.
    Made import_with_help(const Made& expected, Turns turns) {
        const test::FakeState before = state_;
        share(std::move(turns));
        const std::uint64_t hashes = helped_->hashes_made();
        for (std::size_t i = 0; i < expected.blocks.size(); ++i)
            EXPECT_TRUE(run(start_of(expected, i), expected.blocks[i].block.transactions));
        const auto summary = executor_->drain();
        EXPECT_TRUE(summary.has_value()) << to_string(summary.error());
        EXPECT_EQ(sink_.blocks.size(), expected.blocks.size());
        for (std::size_t i = 0; i < sink_.blocks.size(); ++i) {
            EXPECT_EQ(sink_.blocks[i].receipts, expected.blocks[i].receipts) << "block " << i;
            EXPECT_EQ(sink_.blocks[i].diff, expected.blocks[i].diff) << "block " << i;
        }
        Made made{
            std::exchange(sink_.blocks, {}), {}, counted_->own, helped_->hashes_made() - hashes};
        take_back(before);
        return made;
    }
    [[nodiscard]] static BlockStart start_of(const Made& made, std::size_t block) {
        BlockStart begin;
        begin.header = made.headers.at(block);
        begin.withdrawals = made.blocks[block].block.withdrawals;
        return begin;
    }
    /// A stream of an executor with help begins.
    void share(Turns turns) {
        counted_.emplace(state_, [this] { help(); });
        turns_ = std::move(turns);
        transactions_ = 0;
        auto serial =
            std::make_unique<SerialExecutor>(Options{}, static_cast<ScheduleObserver*>(this));
        serial->share(signers_, hasher_, ahead_);
        helped_ = serial.get();
        begin(std::move(serial));
    }
    void begin(std::unique_ptr<Executor> executor) {
        executor_ = std::move(executor);
        start_stream();
    }
    void start_stream() {
        executor_->start({config_, *counted_, block_hashes_, sink_},
                         make_chain_head(genesis_, genesis_.difficulty));
    }
    void take_back(const test::FakeState& before) {
        executor_.reset();
        helped_ = nullptr;
        state_ = before;
    }

    const SerialExecutor* helped_ = nullptr;  // executor_, while it has help

private:
    void on_event(const ScheduleEvent& event) noexcept override {
        index_ = event.index;
        ++transactions_;
        help();
    }
    void help() {
        counted_->is_helping = true;
        for (unsigned left = turns_(index_); left != 0; --left)
            ahead_.run_once(forecaster_);
        counted_->is_helping = false;
    }

    std::map<std::uint64_t, std::uint64_t> nonces_;
};

}  // namespace heddle::executor
