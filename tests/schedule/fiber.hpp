// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A stack to run a function on, left and entered again at any call depth: what the explorer makes
// its threads of. The sanitizers are told of every switch.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <ucontext.h>

namespace heddle::test {

/// Thread safety: none; all fibers of a thread stay on it.
class Fiber {
public:
    /// The calling thread's own stack.
    Fiber();
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// Gives the fiber a stack, kept for later uses, on which the next switch to it starts `body`.
    /// What ran there before is abandoned: nothing on its stack is destroyed. `body` must not
    /// return.
    void start(std::function<void()> body);

    /// Continues on `to`; returns when somebody switches back to `from`, which is the running one.
    static void switch_to(Fiber& from, Fiber& to);

private:
    static constexpr std::size_t kStackBytes = std::size_t{256} << 10;

    static void enter(unsigned high, unsigned low);
    /// On arrival, `from` being the fiber arrived at.
    void arrive();

    ucontext_t context_;
    std::unique_ptr<std::byte[]> stack_;
    std::function<void()> body_;
    // For the sanitizers.
    const void* stack_bottom_ = nullptr;
    std::size_t stack_bytes_ = 0;
    [[maybe_unused]] void* fake_stack_ = nullptr;
    [[maybe_unused]] void* tsan_fiber_ = nullptr;
    [[maybe_unused]] bool owns_tsan_fiber_ = false;
};

}  // namespace heddle::test
