// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a small concurrent program under every schedule, or under many drawn by seed, one thread at
// a time, with each atomic operation as a scheduling point. It finds what goes wrong in some order
// of the operations: wrong results, threads that sleep for ever, programs that do not end.
//
// All orders are sequentially consistent ones: operations take effect one after the other, and each
// reads what the last one wrote, whatever memory order the code asks for. So a memory order that is
// too weak is never found here; that is left to ThreadSanitizer and to the reasons given in the
// code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace heddle::test {

/// A concurrent program, made anew for each execution. Its shared variables are ExploredAtomics'.
///
/// Executions are abandoned in the middle when they cannot show anything new, so bodies must not
/// keep on their stacks what owns memory. What they do before their first operation runs first.
class Case {
public:
    struct Thread {
        const char* name;
        std::function<void()> body;
    };
    virtual ~Case() = default;
    /// At most eight.
    [[nodiscard]] virtual std::vector<Thread> threads() = 0;
    /// After all threads have ended: further expect().
    virtual void at_end() {}
    /// How often each thread's compare_exchange_weak() may fail for no reason.
    [[nodiscard]] virtual unsigned spurious_failures() const { return 1; }
    /// An execution with more operations does not end.
    [[nodiscard]] virtual std::size_t most_operations() const { return 20'000; }
};
using MakeCase = std::function<std::unique_ptr<Case>()>;

/// What replay() needs to get to the same place: which thread went on, which sleeper was woken,
/// which operation failed spuriously, wherever there was a choice.
struct Schedule {
    bool has_pauses = false;
    std::vector<std::uint8_t> choices;
};
struct Failure {
    std::string what;
    Schedule schedule;
    std::string trace;  // one line for each operation
};
struct Exploration {
    std::uint64_t executions = 0;
    std::uint64_t abandoned = 0;  // of these, as another one shows the same
    /// Nothing within the limits is left. False after a failure, and for what is drawn by seed.
    bool is_complete = false;
    std::optional<Failure> failure;
};
std::ostream& operator<<(std::ostream& stream, const Exploration& exploration);

/// All interleavings of the operations, without bound, depth first. Of those that differ only in
/// the order of operations that do not see each other (other variables, or loads only) one is run
/// (sleep sets; Godefroid, "Partial-Order Methods", 1996). Plain code runs together with the
/// operation before it: that is all there is to see as long as plain data is touched by one thread
/// at a time, as the operations order it.
[[nodiscard]] Exploration explore_all(const MakeCase& make_case);

/// All interleavings with at most `preemptions` switches away from a thread that could go on; the
/// others are free. Here threads are also interrupted after an operation, before the plain code
/// that follows it, so it sees plain data that is touched by two threads.
[[nodiscard]] Exploration explore_bounded(const MakeCase& make_case, unsigned preemptions);

/// `executions` schedules drawn from `seed`; interrupts as explore_bounded() does.
[[nodiscard]] Exploration explore_randomly(const MakeCase& make_case, std::uint64_t seed,
                                           std::uint64_t executions);

/// One execution.
[[nodiscard]] Exploration replay(const MakeCase& make_case, const Schedule& schedule);

/// In a case, in its threads or at the end: what must hold. Where it does not, exploration ends.
void expect(bool condition, const char* what);

}  // namespace heddle::test
