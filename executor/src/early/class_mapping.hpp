// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which threads a class of requests runs on, and the rules that make of it an order of what
// conflicts (Early Scheduling §3.3, definition 3).
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "early/request_classes.hpp"

namespace heddle::executor {

/// A set of threads, one bit each.
using ThreadSet = std::uint64_t;
inline constexpr unsigned kMaxThreads = 64;

[[nodiscard]] constexpr ThreadSet first_threads(unsigned count) noexcept {
    return count == kMaxThreads ? ~ThreadSet{0} : (ThreadSet{1} << count) - 1;
}
[[nodiscard]] constexpr unsigned count_of(ThreadSet threads) noexcept {
    return static_cast<unsigned>(std::popcount(threads));
}

/// How a class is run.
struct ClassPlace {
    /// All its threads meet for each request, and one of them runs it. Otherwise each request goes
    /// to one of them.
    bool is_sequential = true;
    ThreadSet threads = 0;
    friend bool operator==(const ClassPlace&, const ClassPlace&) = default;
};

struct ClassMapping {
    unsigned threads = 1;            // 1 to kMaxThreads
    std::vector<ClassPlace> places;  // by ClassId
    friend bool operator==(const ClassMapping&, const ClassMapping&) = default;
};

/// The rules, in the paper's words and numbers.
enum class MappingRule : std::uint8_t {
    some_thread,          // i: every class has at least one thread
    self_conflicting,     // ii: a class that conflicts with itself is sequential
    one_sequential,       // iii: of two classes that conflict at least one is sequential
    concurrent_included,  // iv: of a sequential and a concurrent class that conflict, the first has
                          // all threads of the second
    common_thread,        // v: two sequential classes that conflict have a thread in common
};

struct RuleViolation {
    MappingRule rule = MappingRule::some_thread;
    ClassId first = 0;
    ClassId second = 0;  // the same where the rule is about one class
    friend bool operator==(const RuleViolation&, const RuleViolation&) = default;
};
/// Names the rule and the classes, and says what to do.
[[nodiscard]] std::string to_string(const RuleViolation& violation, const RequestClasses& classes);

/// Whether places of two classes that conflict keep rules iii to v.
[[nodiscard]] bool are_ordered(const ClassPlace& a, const ClassPlace& b) noexcept;

/// The first rule that the mapping of all `classes` breaks; nullopt: none.
[[nodiscard]] std::optional<RuleViolation> find_violation(const RequestClasses& classes,
                                                          const ClassMapping& mapping);

}  // namespace heddle::executor
