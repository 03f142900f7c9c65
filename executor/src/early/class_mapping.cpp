// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "early/class_mapping.hpp"

#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>

namespace heddle::executor {
namespace {

std::optional<MappingRule> rule_broken_by(const ClassPlace& place, bool conflicts_with_itself) {
    if (place.threads == 0) return MappingRule::some_thread;
    if (conflicts_with_itself && !place.is_sequential) return MappingRule::self_conflicting;
    return std::nullopt;
}

/// Of two classes that conflict.
std::optional<MappingRule> rule_broken_by(const ClassPlace& a, const ClassPlace& b) noexcept {
    if (!a.is_sequential && !b.is_sequential) return MappingRule::one_sequential;
    if (a.is_sequential && b.is_sequential) {
        if ((a.threads & b.threads) == 0) return MappingRule::common_thread;
        return std::nullopt;
    }
    const ThreadSet sequential = a.is_sequential ? a.threads : b.threads;
    const ThreadSet concurrent = a.is_sequential ? b.threads : a.threads;
    if ((concurrent & ~sequential) != 0) return MappingRule::concurrent_included;
    return std::nullopt;
}

}  // namespace

std::string to_string(const RuleViolation& violation, const RequestClasses& classes) {
    const std::string first = classes.name(violation.first);
    const std::string second = classes.name(violation.second);
    switch (violation.rule) {
        case MappingRule::some_thread:
            return fmt::format("rule i: {} has no thread: give it at least one", first);
        case MappingRule::self_conflicting:
            return fmt::format("rule ii: {} conflicts with itself: make it sequential", first);
        case MappingRule::one_sequential:
            return fmt::format(
                "rule iii: {} and {} conflict and both are concurrent: make one of them sequential",
                first, second);
        case MappingRule::concurrent_included:
            return fmt::format(
                "rule iv: {} and {} conflict, and the concurrent one has threads that the "
                "sequential one has not: give the sequential one these threads too",
                first, second);
        case MappingRule::common_thread:
            return fmt::format(
                "rule v: {} and {} conflict and share no thread: give both one in common", first,
                second);
    }
    std::unreachable();
}

bool are_ordered(const ClassPlace& a, const ClassPlace& b) noexcept {
    return !rule_broken_by(a, b).has_value();
}

std::optional<RuleViolation> find_violation(const RequestClasses& classes,
                                            const ClassMapping& mapping) {
    HEDDLE_ASSERT(mapping.places.size() == classes.count());
    for (ClassId a = 0; a < classes.count(); ++a)
        if (const auto rule = rule_broken_by(mapping.places[a], classes.conflict(a, a)))
            return RuleViolation{*rule, a, a};
    for (ClassId a = 0; a < classes.count(); ++a)
        for (ClassId b = static_cast<ClassId>(a + 1); b < classes.count(); ++b)
            if (classes.conflict(a, b))
                if (const auto rule = rule_broken_by(mapping.places[a], mapping.places[b]))
                    return RuleViolation{*rule, a, b};
    return std::nullopt;
}

}  // namespace heddle::executor
