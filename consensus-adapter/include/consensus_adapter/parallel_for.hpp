// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A loop over independent items on all cores. Not a scheduler: it returns when the last item is
// done.
#pragma once

#include <algorithm>
#include <cstddef>

#if defined(__SANITIZE_THREAD__)
#define HEDDLE_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEDDLE_THREAD_SANITIZER 1
#endif
#endif

#ifdef HEDDLE_THREAD_SANITIZER
#include <thread>
#include <vector>

#include <types/processors.hpp>
#else
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#endif

namespace heddle::consensus_adapter {

/// Calls `body(i)` for each i below `count`, in no order and concurrently. `grain` is how many make
/// a thread worth its while. `body` must not throw.
template <typename Body>
void parallel_for(std::size_t count, std::size_t grain, const Body& body) {
#ifdef HEDDLE_THREAD_SANITIZER
    // The packaged TBB is not instrumented: ThreadSanitizer does not see how it hands work over and
    // reports races that are none. Plain threads keep the bodies under its eyes.
    const std::size_t threads = std::min<std::size_t>(processor_count(), count / grain + 1);
    std::vector<std::jthread> workers;
    for (std::size_t first = 0; first < threads; ++first)
        workers.emplace_back([&body, count, threads, first] {
            for (std::size_t i = first; i < count; i += threads)
                body(i);
        });
#else
    tbb::parallel_for(tbb::blocked_range<std::size_t>{0, count, grain},
                      [&](const tbb::blocked_range<std::size_t>& range) {
                          for (std::size_t i = range.begin(); i != range.end(); ++i)
                              body(i);
                      });
#endif
}

}  // namespace heddle::consensus_adapter
