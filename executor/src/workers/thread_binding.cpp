// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <sched.h>

#include <types/processors.hpp>

#include <executor/executor.hpp>

namespace heddle::executor {

#if defined(__linux__)

void bind_this_thread(unsigned number) noexcept {
    const auto id = processor_id(number);
    if (!id.has_value() || processor_count() < 2) return;
    cpu_set_t single;
    CPU_ZERO(&single);
    CPU_SET(*id, &single);
    pthread_setaffinity_np(pthread_self(), sizeof single, &single);
}

#else

void bind_this_thread(unsigned /*number*/) noexcept {}

#endif

}  // namespace heddle::executor
