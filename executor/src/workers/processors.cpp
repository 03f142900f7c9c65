// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "workers/processors.hpp"

#include <algorithm>
#include <thread>

#include <pthread.h>
#include <sched.h>

#include <executor/executor.hpp>

namespace heddle::executor {

#if defined(__linux__)

namespace {

/// What the process was given at its start, whatever single threads have been bound to since.
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
    return count != 0 ? count : std::max(1U, std::thread::hardware_concurrency());
}

void bind_this_thread(unsigned number) noexcept {
    const int count = CPU_COUNT(&allowed());
    if (count < 2) return;
    int left = static_cast<int>(number % static_cast<unsigned>(count));
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed()) || left-- != 0) continue;
        cpu_set_t single;
        CPU_ZERO(&single);
        CPU_SET(cpu, &single);
        pthread_setaffinity_np(pthread_self(), sizeof single, &single);
        return;
    }
}

#else

unsigned processor_count() noexcept {
    return std::max(1U, std::thread::hardware_concurrency());
}

void bind_this_thread(unsigned /*number*/) noexcept {}

#endif

}  // namespace heddle::executor
