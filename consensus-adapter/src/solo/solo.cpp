// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include <consensus_adapter/block_rules.hpp>
#include <consensus_adapter/solo.hpp>

namespace heddle::consensus_adapter {
namespace {

using Clock = std::chrono::steady_clock;
using Result = std::expected<BlockId, BlockError>;

/// What callers left for the sealing thread.
struct Command {
    std::optional<std::uint64_t> timestamp;
    std::promise<Result> done;
};

BlockError ended_error(std::uint64_t number) {
    BlockError error;
    error.code = BlockErrorCode::execution_halted;
    error.number = number;
    error.detail = "sealing has ended";
    return error;
}

}  // namespace

struct Solo::Impl {
    Impl(Application& the_application, SoloOptions the_options)
        : application(the_application), options(std::move(the_options)) {
        HEDDLE_ASSERT(options.clock != nullptr);
        last_seal = Clock::now();
        if (options.sealing == Sealing::on_demand) last_seal -= options.interval;
        thread = std::thread{[this] { run(); }};
    }

    void run() {
        while (auto occasion = next_occasion()) {
            Result result = seal(occasion->timestamp, occasion->must_seal);
            const bool is_fatal =
                !result.has_value() && result.error().code == BlockErrorCode::storage_failed;
            note_ending(result);
            if (!result.has_value() && options.on_failure) options.on_failure(result.error());
            if (occasion->command) occasion->command->done.set_value(std::move(result));
            if (is_fatal) break;
        }
        end();
    }

    /// With on_demand: looks again for what did not fit into a block, or was in one that failed.
    /// Failures in a row are tried again ever later.
    void note_ending(const Result& result) {
        const std::scoped_lock lock{mutex};
        failures = result.has_value() ? 0 : failures + 1;
        if (failures != 0 || made_block) has_arrivals = true;
    }

    struct Occasion {
        std::optional<Command> command;
        std::optional<std::uint64_t> timestamp;
        bool must_seal = false;  // also without transactions
    };

    /// Waits for a reason to seal. nullopt: to stop.
    std::optional<Occasion> next_occasion() {
        std::unique_lock lock{mutex};
        while (true) {
            if (is_stopping) return std::nullopt;
            Occasion occasion;
            if (!commands.empty()) {
                occasion.command = std::move(commands.front());
                commands.pop_front();
                occasion.timestamp = occasion.command->timestamp;
                occasion.must_seal = true;
                return occasion;
            }
            const bool is_timed = options.sealing == Sealing::interval ||
                                  (options.sealing == Sealing::on_demand && has_arrivals);
            if (!is_timed) {
                changed.wait(lock);
                continue;
            }
            const Clock::time_point due =
                last_seal + std::max<Clock::duration>(options.interval, pause());
            if (Clock::now() >= due) {
                has_arrivals = false;
                occasion.must_seal = options.sealing == Sealing::interval;
                // At intervals without drift, but after a pause no crowd of blocks.
                const Clock::time_point now = Clock::now();
                last_seal = options.sealing == Sealing::interval
                                ? std::max(due, now - options.interval)
                                : now;
                return occasion;
            }
            changed.wait_until(lock, due);
        }
    }

    /// After failures, at most a second.
    [[nodiscard]] Clock::duration pause() const {
        constexpr unsigned kMostDoublings = 7;
        if (failures == 0) return {};
        return std::min<Clock::duration>(
            std::chrono::seconds{1},
            std::chrono::milliseconds{10} * (1 << std::min(failures, kMostDoublings)));
    }

    [[nodiscard]] BlockPlan make_plan(const Committed& committed,
                                      std::optional<std::uint64_t> timestamp) const {
        BlockPlan plan;
        const std::uint64_t earliest =
            committed.head_timestamp + (committed.may_repeat_timestamp ? 0 : 1);
        plan.timestamp = std::max(timestamp.value_or(options.clock() + told_ahead), earliest);
        plan.beneficiary = options.beneficiary;
        plan.prev_randao = prev_randao_after(committed.head);
        plan.extra_data = options.extra_data;
        plan.gas_limit = next_gas_limit(committed.head_gas_limit,
                                        options.gas_limit.value_or(committed.head_gas_limit));
        return plan;
    }

    Result seal(std::optional<std::uint64_t> timestamp, bool must_seal) {
        made_block = false;
        const Committed committed = application.committed();
        const BlockPlan plan = make_plan(committed, timestamp);
        SealReport report;
        const auto begin = Clock::now();
        HEDDLE_TRY(Proposal proposal, application.prepare(plan));
        const auto prepared = Clock::now();
        if (proposal.transactions.empty() && !must_seal) return committed.head;

        report.transactions = proposal.transactions.size();
        OrderedBlock block;
        block.start = block_start(plan);
        block.transactions = std::move(proposal.transactions);
        block.object_sets = std::move(proposal.object_sets);
        HEDDLE_TRY(const FinalizedBlock finalized,
                   application.finalize(std::move(block), Unexecutable::refused));
        const auto executed = Clock::now();
        HEDDLE_TRY(report.block, application.commit());
        made_block = true;
        if (const std::uint64_t now = options.clock(); timestamp.has_value())
            told_ahead = *timestamp > now ? *timestamp - now : 0;

        report.gas_used = finalized.header.gas_used;
        report.executions = finalized.executions;
        report.prepare = prepared - begin;
        report.finalize = executed - prepared;
        report.commit = Clock::now() - executed;
        if (options.on_seal) options.on_seal(report);
        return report.block;
    }

    /// Nothing is sealed any more: whoever waits is told.
    void end() {
        const std::scoped_lock lock{mutex};
        is_stopping = true;
        for (Command& command : commands)
            command.done.set_value(std::unexpected(ended_error(0)));
        commands.clear();
    }

    Application& application;
    const SoloOptions options;

    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Command> commands;  // guarded by mutex, as the next two
    bool has_arrivals = false;
    bool is_stopping = false;
    // Sealing thread only.
    Clock::time_point last_seal;
    bool made_block = false;       // the last time
    unsigned failures = 0;         // in a row
    std::uint64_t told_ahead = 0;  // seconds, by a timestamp of seal()

    std::thread thread;
};

Solo::Solo(Application& application, SoloOptions options)
    : impl_(std::make_unique<Impl>(application, std::move(options))) {}

Solo::~Solo() {
    stop();
}

void Solo::transactions_arrived() noexcept {
    const std::scoped_lock lock{impl_->mutex};
    if (impl_->has_arrivals) return;
    impl_->has_arrivals = true;
    impl_->changed.notify_one();
}

std::expected<BlockId, BlockError> Solo::seal(std::optional<std::uint64_t> timestamp) {
    std::future<Result> done;
    {
        const std::scoped_lock lock{impl_->mutex};
        if (impl_->is_stopping) return std::unexpected(ended_error(0));
        Command& command = impl_->commands.emplace_back();
        command.timestamp = timestamp;
        done = command.done.get_future();
        impl_->changed.notify_one();
    }
    return done.get();
}

void Solo::stop() {
    {
        const std::scoped_lock lock{impl_->mutex};
        impl_->is_stopping = true;
        impl_->changed.notify_one();
    }
    if (impl_->thread.joinable()) impl_->thread.join();
}

}  // namespace heddle::consensus_adapter
