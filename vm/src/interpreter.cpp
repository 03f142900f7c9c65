// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "interpreter.hpp"

#include <iterator>

#include "handlers.hpp"
#include "instructions/arithmetic.hpp"
#include "instructions/call.hpp"
#include "instructions/environment.hpp"
#include "instructions/memory.hpp"
#include "instructions/state_access.hpp"

namespace heddle::vm {
namespace {

namespace ops = instructions;

/// The next instruction; null when the frame stops.
using Next = const Instruction*;

#define HEDDLE_STEP(name) \
    HEDDLE_BODY Next name([[maybe_unused]] Next ip, [[maybe_unused]] Frame& frame, \
                          [[maybe_unused]] Uint256*& sp, [[maybe_unused]] std::int64_t& gas) noexcept

namespace steps {

[[gnu::noinline, gnu::cold]] Next block_fails(Frame& frame, BlockNeeds needs,
                                              const Uint256* sp) noexcept {
    const std::ptrdiff_t height = sp - frame.stack_base;
    ops::halt(frame, height < needs.stack_required ? Status::stack_underflow
                                                   : Status::stack_overflow);
    return nullptr;
}

HEDDLE_STEP(begin_block) {
    const BlockNeeds needs = ip->block;
    gas -= needs.gas;
    if (gas < 0) [[unlikely]] {
        ops::halt(frame, Status::out_of_gas);
        return nullptr;
    }
    const auto height = static_cast<std::uint32_t>(sp - frame.stack_base);
    if (height - needs.stack_required > needs.stack_slack) [[unlikely]]
        return block_fails(frame, needs, sp);
    return ip + 1;
}

HEDDLE_STEP(push_small) {
    *sp++ = Uint256{ip->immediate};
    return ip + 1;
}
HEDDLE_STEP(push_large) {
    *sp++ = *ip->constant;
    return ip + 1;
}

HEDDLE_BODY Next jump_to(Frame& frame, const Uint256& pc) noexcept {
    const Next target = frame.code->jump_target(pc);
    if (target == nullptr) [[unlikely]]
        ops::halt(frame, Status::bad_jump_destination);
    return target;
}
HEDDLE_STEP(jump) {
    return jump_to(frame, *--sp);
}
HEDDLE_STEP(jumpi) {
    sp -= 2;
    return sp[0].is_zero() ? ip + 1 : jump_to(frame, sp[1]);
}
HEDDLE_STEP(jump_static) {
    return ip->target;
}
HEDDLE_STEP(jumpi_static) {
    --sp;
    return sp[0].is_zero() ? ip + 1 : ip->target;
}
/// ISZERO and a static JUMPI.
HEDDLE_STEP(jumpi_zero_static) {
    --sp;
    return sp[0].is_zero() ? ip->target : ip + 1;
}
/// A static jump to where there is no JUMPDEST.
HEDDLE_STEP(bad_jump) {
    ops::halt(frame, Status::bad_jump_destination);
    return nullptr;
}
HEDDLE_STEP(bad_jumpi) {
    --sp;
    if (sp[0].is_zero())
        return ip + 1;
    ops::halt(frame, Status::bad_jump_destination);
    return nullptr;
}

using Body = bool (*)(Frame&, Uint256*&, std::int64_t&) noexcept;

template <Body body>
HEDDLE_STEP(simple) {
    return body(frame, sp, gas) ? ip + 1 : nullptr;
}
template <Body body>
HEDDLE_STEP(constant_then) {
    *sp++ = Uint256{ip->immediate};
    return body(frame, sp, gas) ? ip + 1 : nullptr;
}

}  // namespace steps

// Keeps what the machine needs to go on, or to be asked for its result.
HEDDLE_BODY void suspend(Next ip, Uint256* sp, std::int64_t gas, Frame& frame) noexcept {
    frame.ip = ip + 1;
    frame.sp = sp;
    frame.gas_left = gas;
}

}  // namespace

#if HEDDLE_TAIL_CALLS

namespace {

using Step = Next (*)(Next, Frame&, Uint256*&, std::int64_t&) noexcept;

template <Step step>
[[clang::preserve_none]] void threaded(Next ip, Uint256* sp, std::int64_t gas,
                                       Frame* frame) noexcept {
    __builtin_assume(ip != nullptr);
    const Next next = step(ip, *frame, sp, gas);
    if (next == nullptr) [[unlikely]] {
        suspend(ip, sp, gas, *frame);
        return;
    }
    [[clang::musttail]] return next->handler(next, sp, gas, frame);
}

constexpr Handler kHandlers[] = {
#define HEDDLE_THREAD_STEP(name) &threaded<steps::name>,
#define HEDDLE_THREAD_SIMPLE(name, ...) &threaded<steps::simple<__VA_ARGS__>>,
#define HEDDLE_THREAD_CONSTANT(name, ...) &threaded<steps::constant_then<__VA_ARGS__>>,
    HEDDLE_STEP_HANDLERS(HEDDLE_THREAD_STEP) HEDDLE_SIMPLE_HANDLERS(HEDDLE_THREAD_SIMPLE)
        HEDDLE_CONSTANT_HANDLERS(HEDDLE_THREAD_CONSTANT)};
static_assert(std::size(kHandlers) == kHandlerCount);

}  // namespace

const Handler* handler_table() noexcept {
    return kHandlers;
}

void run_fast(Frame& frame) noexcept {
    frame.ip->handler(frame.ip, frame.sp, frame.gas_left, &frame);
}

#else

namespace {

// Label addresses and computed gotos are GNU extensions; ISO C++ has no threaded dispatch.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

/// With a null frame: returns the label addresses. Otherwise runs the frame and returns null.
[[gnu::noinline]] const Handler* run_or_list(Frame* frame) noexcept {
#define HEDDLE_LABEL(name, ...) &&label_##name,
    static const Handler kLabels[] = {HEDDLE_STEP_HANDLERS(HEDDLE_LABEL)
                                          HEDDLE_SIMPLE_HANDLERS(HEDDLE_LABEL)
                                              HEDDLE_CONSTANT_HANDLERS(HEDDLE_LABEL)};
    static_assert(std::size(kLabels) == kHandlerCount);
    if (frame == nullptr)
        return kLabels;

    Next ip = frame->ip;
    Next next = nullptr;
    Uint256* sp = frame->sp;
    std::int64_t gas = frame->gas_left;
    goto* ip->handler;

#define HEDDLE_DISPATCH(...)                  \
    next = __VA_ARGS__(ip, *frame, sp, gas);  \
    if (next == nullptr)                      \
        goto stopped;                         \
    ip = next;                                \
    goto* ip->handler;
#define HEDDLE_LABEL_STEP(name) label_##name : HEDDLE_DISPATCH(steps::name)
#define HEDDLE_LABEL_SIMPLE(name, ...) label_##name : HEDDLE_DISPATCH(steps::simple<__VA_ARGS__>)
#define HEDDLE_LABEL_CONSTANT(name, ...) \
    label_##name : HEDDLE_DISPATCH(steps::constant_then<__VA_ARGS__>)
    HEDDLE_STEP_HANDLERS(HEDDLE_LABEL_STEP)
    HEDDLE_SIMPLE_HANDLERS(HEDDLE_LABEL_SIMPLE)
    HEDDLE_CONSTANT_HANDLERS(HEDDLE_LABEL_CONSTANT)

stopped:
    suspend(ip, sp, gas, *frame);
    return nullptr;
}

#pragma GCC diagnostic pop

}  // namespace

const Handler* handler_table() noexcept {
    return run_or_list(nullptr);
}

void run_fast(Frame& frame) noexcept {
    run_or_list(&frame);
}

#endif

}  // namespace heddle::vm
