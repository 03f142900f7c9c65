// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/solo.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include <consensus_adapter/block_rules.hpp>

namespace heddle::consensus_adapter {
namespace {

using Clock = std::chrono::steady_clock;
using Result = std::expected<BlockId, BlockError>;

/// Blocks in a row that could not be made, after which nobody waits for the next one: the reason
/// will not go away by itself.
constexpr unsigned kHopeless = 3;

/// What callers left for the sealing thread.
struct Command {
    std::optional<std::uint64_t> timestamp;
    std::function<void()> work;  // in place of a block
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
        : application(the_application),
          options(std::move(the_options)),
          schedule(options.schedule) {
        HEDDLE_ASSERT(options.clock != nullptr);
        last_seal = Clock::now();
        if (schedule.on_arrival) last_seal -= schedule.least_distance;
        draw();
        thread = std::thread{[this] { run(); }};
    }

    void run() {
        while (auto occasion = next_occasion()) {
            if (occasion->command && occasion->command->work) {
                occasion->command->work();
                occasion->command->done.set_value(BlockId{});
                rest();
                continue;
            }
            Result result = make_block(*occasion);
            const bool is_fatal = ends(result);
            if (occasion->command) occasion->command->done.set_value(std::move(result));
            if (is_fatal) break;
        }
        end();
    }

    static bool ends(const Result& result) {
        return !result.has_value() && result.error().code == BlockErrorCode::storage_failed;
    }

    struct Occasion {
        std::optional<Command> command;
        std::optional<std::uint64_t> timestamp;
        bool must_seal = false;  // also without transactions
    };

    /// By whoever has set is_busy, which it gives back.
    Result make_block(const Occasion& occasion) {
        Result result = seal(occasion.timestamp, occasion.must_seal);
        note_ending(result);
        if (!result.has_value() && options.on_failure) options.on_failure(result.error());
        return result;
    }

    /// With SealSchedule::on_arrival: looks again for what did not fit into a block, or was in one
    /// that failed. Failures in a row are tried again ever later.
    void note_ending(const Result& result) {
        const bool is_more = made_block && (options.has_more == nullptr || options.has_more());
        const std::scoped_lock lock{mutex};
        failures = result.has_value() ? 0 : failures + 1;
        if (failures != 0 || is_more) note_arrivals();
        // Whoever sealed may be a caller whose scopes have all ended meanwhile.
        if (has_arrivals_for_thread()) changed.notify_one();
        if (ends(result)) is_stopping = true;
        ++looks;
        give_back();
    }

    /// After what was no look at arrivals.
    void rest() {
        const std::scoped_lock lock{mutex};
        give_back();
    }

    /// The right to seal. With the lock.
    void give_back() {
        is_busy = false;
        rested.notify_all();
        if (std::exchange(is_thread_waiting, false) || is_stopping) changed.notify_one();
    }

    /// Something is to be looked at, which scopes that live now are about to seal. What came before
    /// is left to the same ones as until now. With the lock.
    void note_arrivals() noexcept {
        if (std::exchange(has_arrivals, true)) return;
        heirs = settlers;
        first_stranger = next_scope;
    }

    /// Whether nobody else is about to seal what has arrived. With the lock.
    [[nodiscard]] bool has_arrivals_for_thread() const noexcept {
        return has_arrivals && heirs == 0;
    }

    /// Whether something is or will be done without anybody asking for it. With the lock.
    [[nodiscard]] bool has_arrivals_to_seal() const noexcept {
        return !is_stopping && schedule.on_arrival && (has_arrivals || is_busy);
    }

    /// What has arrived, if nobody seals and it is time. With the lock.
    std::optional<Occasion> take_arrivals() {
        if (is_busy || is_stopping || !commands.empty()) return std::nullopt;
        const auto due = next_due(has_arrivals);
        const Clock::time_point now = Clock::now();
        if (!due.has_value() || now < due->at || due->is_interval) return std::nullopt;
        has_arrivals = false;
        is_busy = true;
        last_seal = now;
        return Occasion{};
    }

    /// Waits for a reason to seal, and takes the right to. nullopt: to stop.
    std::optional<Occasion> next_occasion() {
        std::unique_lock lock{mutex};
        while (true) {
            if (is_busy) {
                is_thread_waiting = true;
                changed.wait(lock);
                continue;
            }
            if (is_stopping) return std::nullopt;
            Occasion occasion;
            if (!commands.empty()) {
                occasion.command = std::move(commands.front());
                commands.pop_front();
                occasion.timestamp = occasion.command->timestamp;
                occasion.must_seal = true;
                is_busy = true;
                return occasion;
            }
            const auto due = next_due(has_arrivals_for_thread());
            if (!due.has_value()) {
                changed.wait(lock);
                continue;
            }
            const Clock::time_point now = Clock::now();
            if (now < due->at) {
                changed.wait_until(lock, due->at);
                continue;
            }
            has_arrivals = false;
            is_busy = true;
            occasion.must_seal = due->is_interval;
            // At intervals without drift, but after a pause no crowd of blocks.
            last_seal = due->is_interval ? std::max(due->at, now - *schedule.interval) : now;
            if (due->is_interval) draw();
            return occasion;
        }
    }

    struct Due {
        Clock::time_point at;
        bool is_interval = false;  // and not for what has arrived
    };
    /// When the next block is sealed that nobody asks for. With the lock.
    /// @param is_look_due  There is something that has arrived, for whoever asks.
    [[nodiscard]] std::optional<Due> next_due(bool is_look_due) const {
        std::optional<Due> due;
        if (schedule.interval.has_value())
            due = Due{last_seal + std::max<Clock::duration>(*schedule.interval + drawn, pause()),
                      true};
        if (!schedule.on_arrival || !is_look_due) return due;
        const Due arrival{last_seal + std::max<Clock::duration>(schedule.least_distance, pause()),
                          false};
        if (!due.has_value() || arrival.at < due->at) due = arrival;
        return due;
    }

    /// How much later than after the interval the next block comes. With the lock.
    void draw() {
        using Count = std::chrono::milliseconds::rep;
        std::uniform_int_distribution<Count> distribution{0, schedule.spread.count()};
        drawn = std::chrono::milliseconds{distribution(random)};
    }

    /// After failures, at most a second.
    [[nodiscard]] Clock::duration pause() const {
        constexpr unsigned kMostDoublings = 7;
        if (failures == 0) return {};
        return std::min<Clock::duration>(
            std::chrono::seconds{1},
            std::chrono::milliseconds{10} * (1 << std::min(failures, kMostDoublings)));
    }

    [[nodiscard]] static std::uint64_t earliest_timestamp(const Committed& committed) noexcept {
        return committed.head_timestamp + (committed.may_repeat_timestamp ? 0 : 1);
    }

    [[nodiscard]] BlockPlan make_plan(const Committed& committed,
                                      std::optional<std::uint64_t> timestamp) const {
        BlockPlan plan;
        plan.timestamp = std::max(timestamp.value_or(options.clock() + told_ahead),
                                  earliest_timestamp(committed));
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
        BlockPlan plan = make_plan(committed, timestamp);
        if (options.adjust) {
            options.adjust(committed, plan);
            plan.timestamp = std::max(plan.timestamp, earliest_timestamp(committed));
        }
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

    /// A command for the sealing thread.
    std::future<Result> enqueue(std::optional<std::uint64_t> timestamp,
                                std::function<void()> work) {
        const std::scoped_lock lock{mutex};
        Command command{timestamp, std::move(work), {}};
        std::future<Result> done = command.done.get_future();
        if (is_stopping) {
            command.done.set_value(std::unexpected(ended_error(0)));
            return done;
        }
        commands.push_back(std::move(command));
        changed.notify_one();
        return done;
    }

    /// Nothing is sealed any more: whoever waits is told. Of the thread, while nobody seals.
    void end() {
        const std::scoped_lock lock{mutex};
        is_stopping = true;
        for (Command& command : commands)
            command.done.set_value(std::unexpected(ended_error(0)));
        commands.clear();
        rested.notify_all();
    }

    /// Until when there is nothing to do for whoever settles. With the lock.
    [[nodiscard]] Clock::time_point next_look(Clock::time_point deadline) const {
        if (is_busy || settlers == 0) return deadline;
        const auto due = next_due(has_arrivals);
        return due.has_value() ? std::min(deadline, due->at) : deadline;
    }

    Application& application;
    const SoloOptions options;

    mutable std::mutex mutex;
    std::condition_variable changed;
    std::condition_variable rested;
    // Guarded by mutex:
    SealSchedule schedule;
    std::deque<Command> commands;
    bool has_arrivals = false;
    bool is_busy = false;            // somebody seals
    bool is_thread_waiting = false;  // for the right to seal
    bool is_stopping = false;
    unsigned settlers = 0;  // that live of SettleScope
    unsigned heirs = 0;     // of those, who lived when has_arrivals was set
    std::uint64_t next_scope = 1;
    std::uint64_t first_stranger = 1;  // scopes from here on are no heirs
    unsigned failures = 0;             // in a row
    std::uint64_t looks = 0;           // at what has arrived
    Clock::time_point last_seal;
    std::chrono::milliseconds drawn{0};  // of schedule.spread, for the next block
    std::minstd_rand random{std::random_device{}()};
    // Of whoever seals.
    bool made_block = false;       // the last time
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
    impl_->note_arrivals();
    if (impl_->heirs == 0) impl_->changed.notify_one();
}

Solo::SettleScope::SettleScope(Solo& solo) : solo_(&solo) {
    const std::scoped_lock lock{solo_->impl_->mutex};
    ++solo_->impl_->settlers;
    number_ = solo_->impl_->next_scope++;
}

Solo::SettleScope::~SettleScope() {
    if (solo_ == nullptr) return;
    Impl& impl = *solo_->impl_;
    const std::scoped_lock lock{impl.mutex};
    --impl.settlers;
    if (number_ >= impl.first_stranger || --impl.heirs != 0) return;
    if (impl.has_arrivals) impl.changed.notify_one();
}

std::expected<BlockId, BlockError> Solo::seal(std::optional<std::uint64_t> timestamp) {
    return impl_->enqueue(timestamp, nullptr).get();
}

bool Solo::between_blocks(std::function<void()> work) {
    return impl_->enqueue(std::nullopt, std::move(work)).get().has_value();
}

void Solo::set_schedule(const SealSchedule& schedule) {
    const std::scoped_lock lock{impl_->mutex};
    impl_->schedule = schedule;
    impl_->draw();
    if (schedule.interval.has_value()) impl_->last_seal = Clock::now();
    if (schedule.on_arrival) impl_->note_arrivals();
    impl_->changed.notify_one();
    impl_->rested.notify_all();
}

SealSchedule Solo::schedule() const {
    const std::scoped_lock lock{impl_->mutex};
    return impl_->schedule;
}

void Solo::settle(const std::function<bool()>& is_done,
                  std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock{impl_->mutex};
    while (impl_->has_arrivals_to_seal() && impl_->failures < kHopeless &&
           Clock::now() < deadline) {
        const std::uint64_t looks = impl_->looks;
        lock.unlock();
        const bool is_settled = is_done();
        lock.lock();
        if (is_settled) return;
        if (impl_->settlers != 0) {
            if (const auto occasion = impl_->take_arrivals()) {
                lock.unlock();
                (void)impl_->make_block(*occasion);  // on_failure is told of errors
                lock.lock();
                continue;
            }
        }
        // Who has the right to seal may give it back without a look, after work between blocks.
        const bool was_busy = impl_->is_busy;
        impl_->rested.wait_until(lock, impl_->next_look(deadline), [&] {
            return impl_->looks != looks || !impl_->has_arrivals_to_seal() ||
                   (was_busy && !impl_->is_busy);
        });
    }
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
