// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/processors.hpp>

#include <algorithm>

#include <sched.h>
#include <unistd.h>

namespace heddle {

namespace {

/// For where the system does not say which ones the process has.
unsigned processors_of_the_machine() noexcept {
    return static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace

#if defined(__linux__)

namespace {

/// None: the system does not say.
const cpu_set_t& allowed() noexcept {
    static const cpu_set_t set = [] {
        cpu_set_t now;
        if (sched_getaffinity(0, sizeof now, &now) != 0) CPU_ZERO(&now);
        return now;
    }();
    return set;
}

}  // namespace

unsigned processor_count() noexcept {
    const auto count = static_cast<unsigned>(CPU_COUNT(&allowed()));
    return count != 0 ? count : processors_of_the_machine();
}

std::optional<unsigned> processor_id(unsigned number) noexcept {
    const auto count = static_cast<unsigned>(CPU_COUNT(&allowed()));
    if (count == 0) return std::nullopt;
    unsigned left = number % count;
    for (unsigned id = 0; id < CPU_SETSIZE; ++id)
        if (CPU_ISSET(id, &allowed()) && left-- == 0) return id;
    return std::nullopt;
}

#else

unsigned processor_count() noexcept {
    return processors_of_the_machine();
}

std::optional<unsigned> processor_id(unsigned /*number*/) noexcept {
    return std::nullopt;
}

#endif

}  // namespace heddle
