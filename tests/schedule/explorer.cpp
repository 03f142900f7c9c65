// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "explorer.hpp"

#include <array>
#include <bit>
#include <random>
#include <span>
#include <utility>

#include <types/assert.hpp>

#include "fiber.hpp"
#include "operations.hpp"

namespace heddle::test {
namespace {

constexpr unsigned kMaxThreads = 8;
constexpr unsigned kNobody = kMaxThreads;

/// Threads or outcomes, one bit each.
using Set = std::uint32_t;
constexpr Set set_of(unsigned member) {
    return Set{1} << member;
}
constexpr bool contains(Set set, unsigned member) {
    return (set & set_of(member)) != 0;
}
constexpr unsigned first_of(Set set) {
    return static_cast<unsigned>(std::countr_zero(set));
}

bool are_independent(Operation a, Operation b) {
    return a.cell != b.cell || (a.kind == OperationKind::load && b.kind == OperationKind::load);
}

const char* to_string(OperationKind kind) {
    constexpr std::array kNames{"pause", "load",    "store", "exchange",
                                "add",   "compare", "wait",  "notify"};
    return kNames[static_cast<std::size_t>(kind)];
}

/// How executions choose.
enum class Mode : std::uint8_t { all, bounded, random, replay };

/// One choice on the way that is being explored. Invariant: `chosen` is of `alternatives` and not
/// `finished`.
struct Decision {
    Set alternatives = 0;
    Set finished = 0;  // nothing new begins with these any more
    unsigned chosen = 0;
};

struct Step {
    unsigned thread = 0;
    Operation operation;
    std::uint64_t value = 0;
};

class Scheduler {
public:
    Mode mode = Mode::all;
    unsigned max_preemptions = 0;
    bool has_pauses = false;
    // In random mode seeded by the caller.
    std::mt19937_64 random{0};  // NOLINT(bugprone-random-generator-seed)
    std::span<const std::uint8_t> replayed;

    /// Before the case of the next execution is made.
    void prepare();
    /// One execution. @return the failure, if it has come to one.
    std::optional<Failure> execute(Case& program);
    /// To the next way. @return false: there is none.
    bool advance();
    [[nodiscard]] bool was_abandoned() const { return was_abandoned_; }

    // --- From the threads and from whoever makes and checks the case
    // ------------------------------
    std::uint32_t new_cell() { return ++cells_; }
    void before(Operation operation);
    void after(std::uint64_t value);
    bool fails_spuriously();
    void sleep_on_cell();
    void wake(std::uint32_t cell, bool wakes_all);
    void expect(bool condition, const char* what);

private:
    struct Thread {
        Fiber fiber;
        const char* name = nullptr;
        std::function<void()> body;
        Operation operation;  // the next one
        unsigned spurious_left = 0;
        bool is_asleep = false;
        bool is_done = false;
    };
    enum class Phase : std::uint8_t { outside, starting, running };

    void start(Case& program);
    void run_body(unsigned number);
    [[nodiscard]] unsigned choose(Set alternatives, Set finished, unsigned preferred);
    [[nodiscard]] unsigned next_thread();
    void go_on();
    void leave();
    void fail(std::string what);
    [[nodiscard]] std::string trace() const;

    Fiber main_;
    std::array<Thread, kMaxThreads> threads_;
    unsigned count_ = 0;
    Phase phase_ = Phase::outside;
    unsigned current_ = 0;
    std::uint32_t cells_ = 0;

    // Of this execution.
    std::vector<std::uint8_t> choices_;
    std::vector<Step> steps_;
    std::size_t most_steps_ = 0;
    Set settled_ = 0;  // threads whose next operation leads nowhere new
    unsigned preemptions_ = 0;
    unsigned stay_of_eight_ = 0;  // random mode: how likely a thread goes on
    std::optional<Failure> failure_;
    bool was_abandoned_ = false;

    // Depth first: the way.
    std::vector<Decision> way_;
    std::size_t depth_ = 0;
};

thread_local Scheduler* scheduler = nullptr;

void Scheduler::prepare() {
    cells_ = 0;
    choices_.clear();
    steps_.clear();
    settled_ = 0;
    preemptions_ = 0;
    depth_ = 0;
    failure_.reset();
    was_abandoned_ = false;
    if (mode == Mode::random) {
        constexpr std::array<unsigned, 4> kOdds{0, 2, 5, 7};
        stay_of_eight_ = kOdds[random() % kOdds.size()];
    }
}

/// Every thread to its first operation.
void Scheduler::start(Case& program) {
    std::vector<Case::Thread> bodies = program.threads();
    most_steps_ = program.most_operations();
    count_ = static_cast<unsigned>(bodies.size());
    HEDDLE_ASSERT(count_ > 0 && count_ <= kMaxThreads);
    phase_ = Phase::starting;
    for (unsigned i = 0; i < count_; ++i) {
        Thread& thread = threads_[i];
        thread.name = bodies[i].name;
        thread.body = std::move(bodies[i].body);
        thread.spurious_left = program.spurious_failures();
        thread.is_asleep = false;
        thread.is_done = false;
        current_ = i;
        thread.fiber.start([this, i] { run_body(i); });
        Fiber::switch_to(main_, thread.fiber);
        if (failure_.has_value()) break;
    }
}

std::optional<Failure> Scheduler::execute(Case& program) {
    start(program);
    if (!failure_.has_value()) {
        phase_ = Phase::running;
        current_ = kNobody;
        if (const unsigned first = next_thread(); first != kNobody) {
            current_ = first;
            Fiber::switch_to(main_, threads_[first].fiber);
        }
    }
    phase_ = Phase::outside;
    if (!failure_.has_value() && !was_abandoned_) program.at_end();
    return std::move(failure_);
}

void Scheduler::run_body(unsigned number) {
    threads_[number].body();
    threads_[number].is_done = true;
    if (phase_ == Phase::running) go_on();
    leave();
}

/// Never comes back.
void Scheduler::leave() {
    Fiber::switch_to(threads_[current_].fiber, main_);
    fatal("an execution that has ended goes on", __FILE__, __LINE__);
}

unsigned Scheduler::choose(Set alternatives, Set finished, unsigned preferred) {
    unsigned chosen = 0;
    if (std::has_single_bit(alternatives)) return first_of(alternatives);
    switch (mode) {
        case Mode::all:
        case Mode::bounded:
            if (depth_ == way_.size()) {
                const Set open = alternatives & ~finished;
                chosen =
                    preferred != kNobody && contains(open, preferred) ? preferred : first_of(open);
                way_.push_back({alternatives, finished, chosen});
            }
            HEDDLE_ASSERT(way_[depth_].alternatives == alternatives);
            chosen = way_[depth_++].chosen;
            break;
        case Mode::random: {
            if (preferred != kNobody && contains(alternatives, preferred) &&
                random() % 8 < stay_of_eight_) {
                chosen = preferred;
                break;
            }
            auto nth = random() % static_cast<unsigned>(std::popcount(alternatives));
            Set rest = alternatives;
            for (; nth != 0; --nth)
                rest &= rest - 1;
            chosen = first_of(rest);
            break;
        }
        case Mode::replay:
            HEDDLE_ASSERT(choices_.size() < replayed.size());
            chosen = replayed[choices_.size()];
            HEDDLE_ASSERT(contains(alternatives, chosen));
            break;
    }
    choices_.push_back(static_cast<std::uint8_t>(chosen));
    return chosen;
}

bool Scheduler::advance() {
    while (!way_.empty()) {
        Decision& last = way_.back();
        last.finished |= set_of(last.chosen);
        if (const Set open = last.alternatives & ~last.finished; open != 0) {
            last.chosen = first_of(open);
            return true;
        }
        way_.pop_back();
    }
    return false;
}

/// @return kNobody: the execution has ended, in whatever way.
unsigned Scheduler::next_thread() {
    Set enabled = 0;
    std::string asleep;
    for (unsigned i = 0; i < count_; ++i) {
        const Thread& thread = threads_[i];
        if (thread.is_asleep)
            asleep += std::string{" "} + thread.name;
        else if (!thread.is_done)
            enabled |= set_of(i);
    }
    if (enabled == 0) {
        if (!asleep.empty()) fail("for ever asleep:" + asleep);
        return kNobody;
    }
    const bool can_stay = current_ != kNobody && contains(enabled, current_);
    if (mode == Mode::bounded && can_stay && preemptions_ == max_preemptions) {
        // No choice here, but one to whoever replays this.
        if (!std::has_single_bit(enabled)) choices_.push_back(static_cast<std::uint8_t>(current_));
        return current_;
    }
    if ((enabled & ~settled_) == 0) {
        was_abandoned_ = true;
        return kNobody;
    }
    const std::size_t depth = depth_;
    const unsigned chosen = choose(enabled, settled_, current_);
    if (can_stay && chosen != current_) ++preemptions_;
    if (mode == Mode::all) {
        // What has been explored first at this place stays asleep until something concerns it.
        if (depth_ != depth) settled_ = way_[depth].finished;
        Set still = 0;
        for (unsigned i = 0; i < count_; ++i)
            if (i != chosen && contains(settled_, i) &&
                are_independent(threads_[i].operation, threads_[chosen].operation))
                still |= set_of(i);
        settled_ = still;
    }
    return chosen;
}

/// Lets whoever is chosen go on; comes back when it is the caller's turn again.
void Scheduler::go_on() {
    const unsigned from = current_;
    const unsigned chosen = next_thread();
    if (chosen == kNobody) leave();
    if (chosen == from) return;
    current_ = chosen;
    Fiber::switch_to(threads_[from].fiber, threads_[chosen].fiber);
}

void Scheduler::before(Operation operation) {
    if (phase_ == Phase::outside) return;
    threads_[current_].operation = operation;
    if (phase_ == Phase::starting)
        Fiber::switch_to(threads_[current_].fiber, main_);
    else
        go_on();
    if (steps_.size() >= most_steps_) {
        fail("does not end");
        leave();
    }
    steps_.push_back({current_, operation, 0});
}

void Scheduler::after(std::uint64_t value) {
    if (phase_ != Phase::running) return;
    steps_.back().value = value;
    if (!has_pauses) return;
    threads_[current_].operation = {};
    go_on();
}

bool Scheduler::fails_spuriously() {
    if (phase_ != Phase::running || threads_[current_].spurious_left == 0) return false;
    const bool fails = choose(0b11, 0, 0) != 0;
    if (fails) --threads_[current_].spurious_left;
    return fails;
}

void Scheduler::sleep_on_cell() {
    HEDDLE_ASSERT(phase_ == Phase::running);
    threads_[current_].is_asleep = true;
    go_on();
    steps_.push_back({current_, threads_[current_].operation, 0});
}

void Scheduler::wake(std::uint32_t cell, bool wakes_all) {
    if (phase_ != Phase::running) return;
    Set sleepers = 0;
    for (unsigned i = 0; i < count_; ++i)
        if (threads_[i].is_asleep && threads_[i].operation.cell == cell) sleepers |= set_of(i);
    if (sleepers == 0) return;
    if (!wakes_all) sleepers = set_of(choose(sleepers, 0, kNobody));
    for (unsigned i = 0; i < count_; ++i)
        if (contains(sleepers, i)) threads_[i].is_asleep = false;
}

void Scheduler::fail(std::string what) {
    if (failure_.has_value()) return;
    failure_ = Failure{std::move(what), {has_pauses, choices_}, trace()};
}

void Scheduler::expect(bool condition, const char* what) {
    if (condition) return;
    fail(what);
    if (phase_ != Phase::outside) leave();
}

std::string Scheduler::trace() const {
    std::string text;
    for (const Step& step : steps_) {
        text += std::string{"  "} + threads_[step.thread].name + ": " +
                to_string(step.operation.kind) + " #" + std::to_string(step.operation.cell) +
                " -> " + std::to_string(step.value) + "\n";
    }
    return text;
}

/// Makes `used` the one that the atomics of this thread talk to.
class Use {
public:
    explicit Use(Scheduler& used) {
        HEDDLE_ASSERT(scheduler == nullptr);
        scheduler = &used;
    }
    ~Use() { scheduler = nullptr; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
};

/// One execution. @return whether to go on.
bool execute_once(Scheduler& used, const MakeCase& make_case, Exploration& result) {
    ++result.executions;
    used.prepare();
    const std::unique_ptr<Case> program = make_case();
    result.failure = used.execute(*program);
    if (used.was_abandoned()) ++result.abandoned;
    return !result.failure.has_value();
}

Exploration explore_depth_first(Scheduler& used, const MakeCase& make_case) {
    const Use use(used);
    Exploration result;
    while (execute_once(used, make_case, result)) {
        if (!used.advance()) {
            result.is_complete = true;
            break;
        }
    }
    return result;
}

}  // namespace

std::ostream& operator<<(std::ostream& stream, const Exploration& exploration) {
    stream << exploration.executions << " executions, " << exploration.abandoned << " abandoned";
    if (!exploration.failure.has_value()) return stream;
    const Failure& failure = *exploration.failure;
    stream << "; " << failure.what << "\nschedule" << (failure.schedule.has_pauses ? " with" : "")
           << (failure.schedule.has_pauses ? " pauses" : "") << ": {";
    const char* separator = "";
    for (const std::uint8_t choice : failure.schedule.choices)
        stream << std::exchange(separator, ", ") << unsigned{choice};
    return stream << "}\n" << failure.trace;
}

Exploration explore_all(const MakeCase& make_case) {
    Scheduler used;
    used.mode = Mode::all;
    return explore_depth_first(used, make_case);
}

Exploration explore_bounded(const MakeCase& make_case, unsigned preemptions) {
    Scheduler used;
    used.mode = Mode::bounded;
    used.max_preemptions = preemptions;
    used.has_pauses = true;
    return explore_depth_first(used, make_case);
}

Exploration explore_randomly(const MakeCase& make_case, std::uint64_t seed,
                             std::uint64_t executions) {
    Scheduler used;
    used.mode = Mode::random;
    used.has_pauses = true;
    used.random.seed(seed);
    const Use use(used);
    Exploration result;
    for (std::uint64_t i = 0; i < executions; ++i)
        if (!execute_once(used, make_case, result)) break;
    return result;
}

Exploration replay(const MakeCase& make_case, const Schedule& schedule) {
    Scheduler used;
    used.mode = Mode::replay;
    used.has_pauses = schedule.has_pauses;
    used.replayed = schedule.choices;
    const Use use(used);
    Exploration result;
    execute_once(used, make_case, result);
    return result;
}

// --- What the atomics and the cases call ---------------------------------------------------------

void expect(bool condition, const char* what) {
    HEDDLE_ASSERT(scheduler != nullptr);
    scheduler->expect(condition, what);
}
std::uint32_t new_cell() noexcept {
    return scheduler != nullptr ? scheduler->new_cell() : 0;
}
void before(Operation operation) noexcept {
    if (scheduler != nullptr) scheduler->before(operation);
}
void after(std::uint64_t value) noexcept {
    if (scheduler != nullptr) scheduler->after(value);
}
bool fails_spuriously() noexcept {
    return scheduler != nullptr && scheduler->fails_spuriously();
}
void sleep_on_cell() noexcept {
    HEDDLE_ASSERT(scheduler != nullptr);
    scheduler->sleep_on_cell();
}
void wake(std::uint32_t cell, bool wakes_all) noexcept {
    if (scheduler != nullptr) scheduler->wake(cell, wakes_all);
}

}  // namespace heddle::test
