// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <sched.h>

#include <executor/executor.hpp>

namespace heddle::executor {

void bind_this_thread(unsigned number) noexcept {
#if defined(__linux__)
    // What the process was given at its start, whatever single threads have been bound to since.
    static const cpu_set_t allowed = [] {
        cpu_set_t set;
        if (sched_getaffinity(0, sizeof set, &set) != 0) CPU_ZERO(&set);
        return set;
    }();
    const int count = CPU_COUNT(&allowed);
    if (count < 2) return;
    int left = static_cast<int>(number % static_cast<unsigned>(count));
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed) || left-- != 0) continue;
        cpu_set_t single;
        CPU_ZERO(&single);
        CPU_SET(cpu, &single);
        pthread_setaffinity_np(pthread_self(), sizeof single, &single);
        return;
    }
#else
    (void)number;
#endif
}

}  // namespace heddle::executor
