// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "aria/aria_scheduler.hpp"

#include <bit>

#include "stream/block_run.hpp"
#include "stream/window.hpp"

namespace heddle::executor {
namespace {

/// Most units that a worker takes at once, and so what the others may have to wait for.
constexpr std::uint32_t kMaxUnits = 8;
/// Of a batch, for each worker.
constexpr std::uint32_t kLeastOfWorker = 4;

}  // namespace

// --- The queue -----------------------------------------------------------------------------------

/// Marks are never next to each other, so that there are no more of them than transactions in
/// flight.
AriaScheduler::Queue::Queue(std::size_t capacity)
    : mask(std::bit_ceil(2 * capacity + 2) - 1),
      entries(std::make_unique<StreamAtomics::Atomic<std::uint64_t>[]>(mask + 1)) {}

std::uint64_t AriaScheduler::Queue::at(std::uint64_t number) const noexcept {
    return entries[number & mask].load(std::memory_order_relaxed);
}

void AriaScheduler::Queue::push(std::uint64_t entry) noexcept {
    const std::uint64_t end = tail.load(std::memory_order_relaxed);
    entries[end & mask].store(entry, std::memory_order_relaxed);
    if (entry == kMark) last_mark.store(end + 1, std::memory_order_seq_cst);
    // Sequentially consistent: whoever is to be woken for it must see it, see ParkingLot.
    tail.store(end + 1, std::memory_order_seq_cst);
}

AriaScheduler::AriaScheduler(const SchedulerContext& context, const AriaSettings& settings)
    : settings_(settings),
      workers_(context.workers),
      window_(context.window),
      parking_(context.parking),
      links_(context.window.capacity()),
      dag_(context),
      size_(kLeastOfWorker * context.workers, settings.batch),
      queue_(context.window.capacity()),
      rests_(context.workers) {}

// --- The dispatching thread ----------------------------------------------------------------------

Placement AriaScheduler::arrive(Task& task, std::uint64_t /*watermark*/) {
    links_.make(task.position) = {};
    const std::uint64_t end = queue_.tail.load(std::memory_order_relaxed);
    const bool has_mark = queue_.last_mark.load(std::memory_order_relaxed) == end;
    if (task.kind == TaskKind::end_block && !has_mark) {
        queue_.push(Queue::kMark);
        if (can_form()) parking_.notify_any();
    }
    return Placement::ahead;
}

void AriaScheduler::release(Task& task) {
    queue_.push(task.position);
    if (can_form()) parking_.notify_any();
}

void AriaScheduler::stream_waits(std::uint64_t end) {
    awaited_.store(end, std::memory_order_seq_cst);
    if (can_form()) parking_.notify_any();
}

void AriaScheduler::stream_goes_on() {
    awaited_.store(kNever, std::memory_order_seq_cst);
}

// --- Putting a batch together --------------------------------------------------------------------

/// Whether what is at the front of the queue may be attempted: the state before it is there, and as
/// many as are to come together. Out of date at once; sequentially consistent, see ParkingLot.
bool AriaScheduler::can_form() const noexcept {
    const std::uint64_t tail = queue_.tail.load(std::memory_order_seq_cst);
    std::uint64_t first = queue_.head.load(std::memory_order_seq_cst);
    if (first < tail && queue_.at(first) == Queue::kMark) ++first;
    if (first >= tail) return false;
    if (queue_.at(first) != next_turn_.load(std::memory_order_seq_cst)) return false;
    if (!settings_.is_deterministic || tail - first >= size_.current()) return true;
    return queue_.last_mark.load(std::memory_order_seq_cst) > first + 1 ||
           window_.dispatched() >= awaited_.load(std::memory_order_seq_cst);
}

bool AriaScheduler::form() {
    if (!can_form() || !barrier_.claim()) return false;
    // Somebody else may have put it together meanwhile, and it may even be over.
    if (!can_form()) {
        barrier_.reopen();
        return false;
    }
    gather();
    is_resolved_ = false;
    // Once it is started, others may run the batch to its end and put the next one together.
    const auto members = static_cast<std::uint32_t>(members_.size());
    const auto units = static_cast<std::uint32_t>(units_.size());
    barrier_.start(members, units);
    for (unsigned i = 1; i < std::min(workers_, units); ++i)
        parking_.notify_any();
    return true;
}

void AriaScheduler::gather() {
    members_.clear();
    units_.clear();
    writers_.begin_batch();
    senders_.begin_batch();
    const std::uint64_t tail = queue_.tail.load(std::memory_order_acquire);
    std::uint64_t head = queue_.head.load(std::memory_order_relaxed);
    if (queue_.at(head) == Queue::kMark) ++head;
    for (const std::uint32_t most = size_.current(); head < tail && members_.size() < most;
         ++head) {
        const std::uint64_t position = queue_.at(head);
        if (position == Queue::kMark) break;
        add_member(position);
    }
    last_position_ = members_.back().position;
    queue_.head.store(head, std::memory_order_seq_cst);
}

void AriaScheduler::add_member(std::uint64_t position) {
    const auto index = static_cast<std::uint32_t>(members_.size());
    Task& task = window_.at(position);
    Links& links = links_.at(position);
    links.member = index;
    links.sight.before = members_.empty() ? position : members_.front().position;
    members_.push_back({.position = position, .gas = task.tx->gas_limit, .last = index});
    std::uint32_t first = Reservations::kNobody;
    if (task.sender != nullptr) {
        first = senders_.first(task.sender->number);
        senders_.reserve(task.sender->number, index);
    }
    if (first == Reservations::kNobody) return units_.push_back(index);
    Member& unit = members_[first];
    members_[unit.last].next = index;
    unit.last = index;
    links_.at(unit.position).sight.unit = unit.position;
    links.sight.unit = unit.position;
}

// --- The ready set -------------------------------------------------------------------------------

ReadyBundle AriaScheduler::take(unsigned worker, std::span<ReadyItem> items) {
    // What is in the DAG holds up the stream.
    if (const ReadyBundle taken = dag_.take(worker, items); taken.count != 0) return taken;
    std::size_t count = take_units(worker, items);
    if (count == 0 && form()) count = take_units(worker, items);
    return {count, false};
}

std::size_t AriaScheduler::take_units(unsigned worker, std::span<ReadyItem> items) {
    std::size_t count = 0;
    std::uint32_t& rest = rests_[worker].member;
    const auto give = [&] {
        for (; rest != kNone && count < items.size(); rest = members_[rest].next)
            items[count++] = {members_[rest].position, members_[rest].gas};
    };
    give();
    if (count != 0) return count;
    const UnitRange range = barrier_.take(kMaxUnits, workers_);
    for (std::uint32_t unit = range.begin; unit < range.end; ++unit) {
        rest = units_[unit];
        give();
        if (rest == kNone) continue;
        // A unit that does not fit is the last one taken, or its tasks stand among others'.
        for (std::uint32_t left = unit + 1; left < range.end; ++left) {
            std::uint32_t last = rest;
            while (members_[last].next != kNone)
                last = members_[last].next;
            members_[last].next = units_[left];
        }
        break;
    }
    return count;
}

std::size_t AriaScheduler::backlog() const noexcept {
    return dag_.backlog() + barrier_.left();
}

bool AriaScheduler::has_ready() const noexcept {
    return dag_.has_ready() || barrier_.left() != 0 || (can_form() && barrier_.is_open());
}

void AriaScheduler::make_ready(unsigned worker, Task& task) {
    dag_.make_ready(worker, task);
}

// --- What becomes of a task ----------------------------------------------------------------------

Task* AriaScheduler::attempted(unsigned worker, Task& task, bool may_continue) {
    const std::uint32_t index = links_.at(task.position).member;
    if (index == kNone) return dag_.attempted(worker, task, may_continue);
    visit_objects(*task.attempt, {task.sender, task.block->beneficiary}, [&](const auto& touch) {
        if (touch.is_changed)
            (touch.slot != nullptr ? writers_.slots : writers_.accounts)
                .reserve(touch.number, index);
        return true;
    });
    return nullptr;
}

Sight AriaScheduler::sight(const Task& task) const noexcept {
    return links_.at(task.position).sight;
}

void AriaScheduler::settle(unsigned /*worker*/, Task& task, TaskState state) {
    const std::uint32_t index = links_.at(task.position).member;
    if (index == kNone) return task.state.store(state, std::memory_order_release);
    members_[index].settled = state;
    if (!barrier_.settle()) return;
    // At its turn the others follow.
    const Member& first = members_.front();
    window_.at(first.position).state.store(first.settled, std::memory_order_release);
}

/// Rule 1: nothing that it has read is written by an earlier one of the batch.
bool AriaScheduler::holds(std::uint32_t index, const Task& task) const {
    const std::uint64_t snapshot = make_stamp(members_.front().position, 0);
    return visit_objects(*task.attempt, {task.sender, task.block->beneficiary},
                         [&](const ObjectTouch& touch) {
                             // With the transaction before it there was a fee.
                             if (touch.is_of_beneficiary && touch.is_read) return index == 0;
                             if (!touch.is_read) return true;
                             // Nothing else of the batch than its own unit's values.
                             if (touch.seen >= snapshot)
                                 return links_.at(touch.seen >> kAttemptBits).is_held;
                             const Reservations& written =
                                 touch.slot != nullptr ? writers_.slots : writers_.accounts;
                             return written.first(touch.number) >= index;
                         });
}

/// Tells the DAG what the task was seen to touch.
Placement AriaScheduler::order(Task& task, bool is_attempted, bool is_held) {
    requests_.clear();
    if (is_attempted) {
        visit_objects(*task.attempt, {task.sender, nullptr}, [&](const ObjectTouch& touch) {
            AccessMode mode = touch.is_changed ? AccessMode::write : AccessMode::read;
            if (touch.is_moved)
                mode = touch.account == task.sender ? AccessMode::debit : AccessMode::add;
            requests_.push_back({touch.number, touch.kind, mode, touch.account, touch.slot});
            return true;
        });
    }
    task.requests.swap(requests_);
    const Placement placement = dag_.arrive(task, members_.front().position);
    task.requests.swap(requests_);
    links_.at(task.position) = {.member = kNone, .is_in_dag = true, .is_held = is_held};
    return placement;
}

void AriaScheduler::resolve(unsigned worker, std::uint32_t index, KeptBack& kept) {
    const Member& member = members_[index];
    Task& task = window_.at(member.position);
    const bool is_attempted = member.settled == TaskState::attempted;
    const bool is_held = is_attempted && holds(index, task);
    const Placement placement = order(task, is_attempted, is_held);
    TaskState state = member.settled;
    if (!is_held) ++aborted_in_batch_;
    if (is_held) {
        // Nobody waits for it yet.
        static_cast<void>(dag_.attempted(worker, task, false));
    } else if (is_attempted) {
        if (kept.take_back(task) && placement == Placement::ahead) return dag_.release(task);
        state = TaskState::unattempted;
    }
    if (index != 0) task.state.store(state, std::memory_order_release);
}

void AriaScheduler::its_turn(unsigned worker, Task& task, KeptBack& kept) {
    if (is_resolved_ || links_.at(task.position).member != 0) return;
    is_resolved_ = true;
    aborted_in_batch_ = 0;
    std::uint32_t index = 0;
    for (std::uint64_t position = task.position; position <= last_position_; ++position) {
        // What runs in order in between is known to the DAG as well: somebody may wait for it.
        if (members_[index].position == position)
            resolve(worker, index++, kept);
        else
            static_cast<void>(order(window_.at(position), false, false));
    }
    batches_.add();
    aborted_.add(aborted_in_batch_);
    size_.adapt(static_cast<std::uint32_t>(members_.size()), aborted_in_batch_);
}

/// It has had its second attempt, or what overtook it was not in the batch.
Repair AriaScheduler::overtaken(const Task& /*task*/) {
    return Repair::in_order;
}

bool AriaScheduler::is_commit_awaited(const Task& task) {
    // The next batch reads what there is now.
    if (task.position == last_position_) return true;
    return links_.at(task.position).is_in_dag && dag_.is_commit_awaited(task);
}

void AriaScheduler::committed(unsigned worker, Task& task) {
    if (links_.at(task.position).is_in_dag) dag_.committed(worker, task);
    if (task.position == last_position_) barrier_.reopen();
    next_turn_.store(task.position + 1, std::memory_order_seq_cst);
    if (can_form()) parking_.notify_any();
}

// --- Memory and counts ---------------------------------------------------------------------------

void AriaScheduler::forget_objects(std::size_t kept_accounts, std::size_t kept_slots) {
    dag_.forget_objects(kept_accounts, kept_slots);
    writers_.shrink(kept_accounts, kept_slots);
    senders_.shrink(kept_accounts);
}

std::size_t AriaScheduler::memory_bytes() const noexcept {
    return dag_.memory_bytes() + writers_.memory_bytes() + senders_.memory_bytes();
}

void AriaScheduler::add_counts(ParallelStats& stats) const {
    dag_.add_counts(stats);
    stats.batches += batches_.get();
    stats.aborted += aborted_.get();
}

std::unique_ptr<Scheduler> make_aria_scheduler(const SchedulerContext& context) {
    const SchedulerSettings& set = context.settings;
    return std::make_unique<AriaScheduler>(
        context,
        AriaSettings{.is_deterministic = set.value("deterministic") == "on",
                     .batch = static_cast<std::uint32_t>(set.number("batch").value_or(0))});
}

}  // namespace heddle::executor
