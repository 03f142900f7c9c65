// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "fiber.hpp"

#include <cstdint>
#include <utility>

#include <types/assert.hpp>

#if defined(__SANITIZE_ADDRESS__)
#define HEDDLE_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEDDLE_HAS_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define HEDDLE_HAS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEDDLE_HAS_TSAN 1
#endif
#endif

#if defined(HEDDLE_HAS_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(HEDDLE_HAS_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace heddle::test {
namespace {

/// Who has switched to the running fiber; its stack is not known otherwise if it is the thread's.
thread_local Fiber* left = nullptr;

}  // namespace

Fiber::Fiber() : context_{} {
#if defined(HEDDLE_HAS_TSAN)
    tsan_fiber_ = __tsan_get_current_fiber();
#endif
}

Fiber::~Fiber() {
#if defined(HEDDLE_HAS_TSAN)
    if (owns_tsan_fiber_) __tsan_destroy_fiber(tsan_fiber_);
#endif
}

void Fiber::start(std::function<void()> body) {
    if (stack_ == nullptr) stack_ = std::make_unique_for_overwrite<std::byte[]>(kStackBytes);
    body_ = std::move(body);
    stack_bottom_ = stack_.get();
    stack_bytes_ = kStackBytes;
    fake_stack_ = nullptr;
#if defined(HEDDLE_HAS_ASAN)
    // Of the frames that were abandoned.
    __asan_unpoison_memory_region(stack_.get(), kStackBytes);
#endif
#if defined(HEDDLE_HAS_TSAN)
    // What was abandoned has left its frames in the old one.
    if (owns_tsan_fiber_) __tsan_destroy_fiber(tsan_fiber_);
    tsan_fiber_ = __tsan_create_fiber(0);
    owns_tsan_fiber_ = true;
#endif
    HEDDLE_ASSERT(getcontext(&context_) == 0);
    context_.uc_stack.ss_sp = stack_.get();
    context_.uc_stack.ss_size = kStackBytes;
    context_.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    // makecontext() passes ints only.
    makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::enter), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
}

void Fiber::switch_to(Fiber& from, Fiber& to) {
    left = &from;
#if defined(HEDDLE_HAS_ASAN)
    __sanitizer_start_switch_fiber(&from.fake_stack_, to.stack_bottom_, to.stack_bytes_);
#endif
#if defined(HEDDLE_HAS_TSAN)
    __tsan_switch_to_fiber(to.tsan_fiber_, 0);
#endif
    swapcontext(&from.context_, &to.context_);
    from.arrive();
}

void Fiber::arrive() {
#if defined(HEDDLE_HAS_ASAN)
    __sanitizer_finish_switch_fiber(fake_stack_, &left->stack_bottom_, &left->stack_bytes_);
#endif
}

void Fiber::enter(unsigned high, unsigned low) {
    const std::uintptr_t address = std::uintptr_t{high} << 32 | std::uintptr_t{low};
    auto* const self = reinterpret_cast<Fiber*>(address);  // NOLINT(performance-no-int-to-ptr)
    self->arrive();
    self->body_();
    fatal("a fiber has returned", __FILE__, __LINE__);
}

}  // namespace heddle::test
