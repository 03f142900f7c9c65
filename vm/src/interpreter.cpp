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

#define HEDDLE_STEP(name)                                                          \
    HEDDLE_BODY Next name([[maybe_unused]] Next ip, [[maybe_unused]] Frame& frame, \
                          [[maybe_unused]] Uint256*& sp,                           \
                          [[maybe_unused]] std::int64_t& gas) noexcept

namespace steps {

[[gnu::noinline, gnu::cold]] Next block_fails(Next block, Frame& frame,
                                              const Uint256* sp) noexcept {
    const std::ptrdiff_t height = sp - frame.stack_base;
    ops::halt(frame, height < block->block.stack_required ? Status::stack_underflow
                                                          : Status::stack_overflow);
    return nullptr;
}

/// Whether the stack fits the block that starts at `ip`.
HEDDLE_BODY bool fits(Next ip, const Frame& frame, const Uint256* sp) noexcept {
    const auto height = static_cast<std::uint32_t>(sp - frame.stack_base);
    return height - ip->block.stack_required <= ip->block.stack_slack;
}
/// The block at `ip` has been paid for, and there is less gas left than Frame::look_below.
[[gnu::noinline, gnu::cold]] Next look(Next ip, Frame& frame, const Uint256* sp,
                                       std::int64_t gas) noexcept {
    if (!ops::may_go_on(frame, gas)) return nullptr;
    return fits(ip, frame, sp) ? ip + 1 : block_fails(ip, frame, sp);
}

HEDDLE_STEP(begin_block) {
    gas -= ip->block.gas;
    if (gas < frame.look_below) [[unlikely]]
        return look(ip, frame, sp, gas);
    if (!fits(ip, frame, sp)) [[unlikely]]
        return block_fails(ip, frame, sp);
    return ip + 1;
}

/// Code that is not decoded is decoded where it is entered often; otherwise the plain interpreter
/// goes on there.
/// @return the block, still to be entered; null when there is none.
template <typename Decode>
HEDDLE_BODY Next decode_or_leave(Frame& frame, std::uint64_t pc, Decode&& decode) noexcept {
    if (frame.code->entries(pc) >= frame.decode_after) return decode();
    frame.code->enter(pc);
    frame.exit = Exit::cold;
    frame.pc = static_cast<std::uint32_t>(pc);
    return nullptr;
}
/// A link whose target is a stub, which needs no gas and fits no stack.
HEDDLE_BODY Next follow(Next link, Next stub, Frame& frame) noexcept {
    return decode_or_leave(frame, stub->undecoded_pc, [&] { return frame.code->follow(*link); });
}
[[gnu::noinline, gnu::cold]] Next look_from(Next link, Next block, Frame& frame, const Uint256* sp,
                                            std::int64_t gas) noexcept {
    return block->is_stub() ? follow(link, block, frame) : look(block, frame, sp, gas);
}
[[gnu::noinline, gnu::cold]] Next fails_from(Next link, Next block, Frame& frame,
                                             const Uint256* sp) noexcept {
    return block->is_stub() ? follow(link, block, frame) : block_fails(block, frame, sp);
}

HEDDLE_STEP(push_small) {
    *sp++ = Uint256{ip->immediate};
    return ip + 1;
}
HEDDLE_STEP(push_large) {
    ops::put(*sp++, *ip->constant);
    return ip + 1;
}

/// Two constants of at most 32 bits: the lower half first.
HEDDLE_STEP(push_two) {
    sp[0] = Uint256{ip->immediate & 0xffff'ffff};
    sp[1] = Uint256{ip->immediate >> 32};
    sp += 2;
    return ip + 1;
}
/// GAS: what its block has paid for behind it is still there.
HEDDLE_STEP(gas_left) {
    *sp++ = Uint256{static_cast<std::uint64_t>(gas) + ip->immediate};
    return ip + 1;
}
HEDDLE_STEP(pop_many) {
    sp -= ip->immediate;
    return ip + 1;
}
/// SWAPn and POP: the top takes the place of the n-th item below it.
HEDDLE_STEP(swap_pop) {
    ops::put(sp[-static_cast<std::ptrdiff_t>(ip->immediate) - 1], sp[-1]);
    --sp;
    return ip + 1;
}

/// DUPN: which item, counted from the top.
HEDDLE_STEP(dup_deep) {
    ops::dup_deep(sp, ip->immediate);
    return ip + 1;
}
/// SWAPN and EXCHANGE: which items, counted from the top, one a half.
HEDDLE_STEP(swap_deep) {
    ops::swap_deep(sp, ip->immediate & 0xffff'ffff, ip->immediate >> 32);
    return ip + 1;
}

/// Enters the block where a link leads. What begin_block checks is checked here: that saves a
/// dispatch.
HEDDLE_BODY Next enter(Next link, Frame& frame, Uint256*& sp, std::int64_t& gas) noexcept {
    const Next block = link->target.get();
    gas -= block->block.gas;
    if (gas < frame.look_below) [[unlikely]]
        return look_from(link, block, frame, sp, gas);
    if (!fits(block, frame, sp)) [[unlikely]]
        return fails_from(link, block, frame, sp);
    return block + 1;
}

/// To where nobody has jumped to up to now, or where one may not jump to.
/// @return the block, still to be entered.
[[gnu::noinline, gnu::cold]] Next jump_to_undecoded(Frame& frame, const Uint256& pc) noexcept {
    if (!pc.fits_uint64() || !frame.code->is_jump_destination(pc.low64())) {
        ops::halt(frame, Status::bad_jump_destination);
        return nullptr;
    }
    return decode_or_leave(frame, pc.low64(), [&] { return frame.code->block_at(pc.low64()); });
}
HEDDLE_BODY Next jump_to(Frame& frame, const Uint256& pc, Uint256*& sp,
                         std::int64_t& gas) noexcept {
    const Next block = frame.code->decoded_block(pc);
    if (block == nullptr) [[unlikely]]
        return jump_to_undecoded(frame, pc);
    return begin_block(block, frame, sp, gas);
}
HEDDLE_STEP(jump) {
    --sp;
    return jump_to(frame, *sp, sp, gas);
}

// Behind what may jump stands the link to where it goes if it does not.
HEDDLE_STEP(jumpi) {
    sp -= 2;
    return sp[0].is_zero() ? enter(ip + 1, frame, sp, gas) : jump_to(frame, sp[1], sp, gas);
}
/// Also what ends a passage before the next one.
HEDDLE_STEP(jump_static) {
    return enter(ip, frame, sp, gas);
}
HEDDLE_STEP(jumpi_static) {
    --sp;
    return sp[0].is_zero() ? enter(ip + 1, frame, sp, gas) : enter(ip, frame, sp, gas);
}
/// ISZERO and a static JUMPI.
HEDDLE_STEP(jumpi_zero_static) {
    --sp;
    return sp[0].is_zero() ? enter(ip, frame, sp, gas) : enter(ip + 1, frame, sp, gas);
}
/// DUP1, a small constant, EQ and a static JUMPI: how functions are selected. The constant is the
/// operand of the instruction behind, which is not executed.
HEDDLE_STEP(jumpi_equal_static) {
    return sp[-1] == Uint256{ip[1].immediate} ? enter(ip, frame, sp, gas)
                                              : enter(ip + 2, frame, sp, gas);
}
/// A static jump to where there is no JUMPDEST.
HEDDLE_STEP(bad_jump) {
    ops::halt(frame, Status::bad_jump_destination);
    return nullptr;
}
HEDDLE_STEP(bad_jumpi) {
    --sp;
    if (sp[0].is_zero()) return enter(ip + 1, frame, sp, gas);
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
template <Body body>
HEDDLE_STEP(wide_constant_then) {
    ops::put(*sp++, *ip->constant);
    return body(frame, sp, gas) ? ip + 1 : nullptr;
}
template <Body body>
HEDDLE_STEP(dup_then) {
    ops::put(*sp, sp[-static_cast<std::ptrdiff_t>(ip->immediate)]);
    ++sp;
    return body(frame, sp, gas) ? ip + 1 : nullptr;
}
template <Body comparison, bool negated>
HEDDLE_STEP(compare_then_jumpi) {
    comparison(frame, sp, gas);
    --sp;
    return (sp[0].low64() != 0) != negated ? enter(ip, frame, sp, gas)
                                           : enter(ip + 1, frame, sp, gas);
}
template <Body first, Body second>
HEDDLE_STEP(pair) {
    return first(frame, sp, gas) && second(frame, sp, gas) ? ip + 1 : nullptr;
}

}  // namespace steps

// Keeps what the machine needs to go on, or to be asked for its result.
HEDDLE_BODY void suspend(Next ip, Uint256* sp, std::int64_t gas, Frame& frame) noexcept {
    frame.ip = ip + 1;
    frame.sp = sp;
    frame.gas_left = gas;
}

}  // namespace

// Every handler as HEDDLE_USE(name, step), in the order of HandlerId; HEDDLE_USE is defined where
// the list is used.
#define HEDDLE_AS_STEP(name) HEDDLE_USE(name, steps::name)
#define HEDDLE_AS_SIMPLE(name, ...) HEDDLE_USE(name, steps::simple<__VA_ARGS__>)
#define HEDDLE_AS_CONSTANT(name, ...) HEDDLE_USE(name, steps::constant_then<__VA_ARGS__>)
#define HEDDLE_AS_WIDE(name, ...) HEDDLE_USE(name, steps::wide_constant_then<__VA_ARGS__>)
#define HEDDLE_AS_DUP(name, ...) HEDDLE_USE(name, steps::dup_then<__VA_ARGS__>)
#define HEDDLE_AS_COMPARE(name, ...) HEDDLE_USE(name, steps::compare_then_jumpi<__VA_ARGS__, false>)
#define HEDDLE_AS_NEGATED(name, ...) HEDDLE_USE(name, steps::compare_then_jumpi<__VA_ARGS__, true>)
#define HEDDLE_AS_PAIR(name, ...) HEDDLE_USE(name, steps::pair<__VA_ARGS__>)
#define HEDDLE_ALL_HANDLERS                            \
    HEDDLE_STEP_HANDLERS(HEDDLE_AS_STEP)               \
    HEDDLE_SIMPLE_HANDLERS(HEDDLE_AS_SIMPLE)           \
    HEDDLE_CONSTANT_HANDLERS(HEDDLE_AS_CONSTANT)       \
    HEDDLE_WIDE_CONSTANT_HANDLERS(HEDDLE_AS_WIDE)      \
    HEDDLE_DUP_HANDLERS(HEDDLE_AS_DUP)                 \
    HEDDLE_COMPARE_HANDLERS(HEDDLE_AS_COMPARE)         \
    HEDDLE_NEGATED_COMPARE_HANDLERS(HEDDLE_AS_NEGATED) \
    HEDDLE_PAIR_HANDLERS(HEDDLE_AS_PAIR)

#if HEDDLE_TAIL_CALLS

namespace {

using Step = Next (*)(Next, Frame&, Uint256*&, std::int64_t&) noexcept;

/// A kind of handlers, one for each step. @param ...  The attributes that make it one.
#define HEDDLE_THREADED(name, ...)                                       \
    template <Step step>                                                 \
    [[clang::preserve_none __VA_OPT__(, ) __VA_ARGS__]] void name(       \
        Next ip, Uint256* sp, std::int64_t gas, Frame* frame) noexcept { \
        __builtin_assume(ip != nullptr);                                 \
        const Next next = step(ip, *frame, sp, gas);                     \
        if (next == nullptr) [[unlikely]] {                              \
            suspend(ip, sp, gas, *frame);                                \
            return;                                                      \
        }                                                                \
        [[clang::musttail]] return next->handler(next, sp, gas, frame);  \
    }

HEDDLE_THREADED(threaded)

#define HEDDLE_USE(name, ...) &threaded<__VA_ARGS__>,
constexpr Handler kHandlers[] = {HEDDLE_ALL_HANDLERS};
#undef HEDDLE_USE
static_assert(std::size(kHandlers) == kHandlerCount);

bool wants_portable = false;

#ifdef __x86_64__

/// For processors that shift, multiply and count bits without detours, as all but old ones do: a
/// jump counts bits, and what it would take instead is a third of it.
HEDDLE_THREADED(threaded_by_bits, gnu::target("bmi,bmi2,lzcnt,popcnt"))

#define HEDDLE_USE(name, ...) &threaded_by_bits<__VA_ARGS__>,
constexpr Handler kHandlersByBits[] = {HEDDLE_ALL_HANDLERS};
#undef HEDDLE_USE

const Handler* choose_handlers() noexcept {
    __builtin_cpu_init();
    const bool has_them =
        __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
        __builtin_cpu_supports("lzcnt") != 0 && __builtin_cpu_supports("popcnt") != 0;
    return has_them ? kHandlersByBits : kHandlers;
}

#else

const Handler* choose_handlers() noexcept {
    return kHandlers;
}

#endif

}  // namespace

const Handler* handler_table() noexcept {
    static const Handler* const table = wants_portable ? kHandlers : choose_handlers();
    return table;
}

void use_portable_handlers() noexcept {
    wants_portable = true;
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
#define HEDDLE_USE(name, ...) &&label_##name,
    static const Handler kLabels[] = {HEDDLE_ALL_HANDLERS};
#undef HEDDLE_USE
    static_assert(std::size(kLabels) == kHandlerCount);
    if (frame == nullptr) return kLabels;

    Next ip = frame->ip;
    Next next = nullptr;
    Uint256* sp = frame->sp;
    std::int64_t gas = frame->gas_left;
    goto * ip->handler;

#define HEDDLE_USE(name, ...)                               \
    label_##name : next = __VA_ARGS__(ip, *frame, sp, gas); \
    if (next == nullptr) goto stopped;                      \
    ip = next;                                              \
    goto * ip->handler;
    HEDDLE_ALL_HANDLERS
#undef HEDDLE_USE

stopped:
    suspend(ip, sp, gas, *frame);
    return nullptr;
}

#pragma GCC diagnostic pop

}  // namespace

const Handler* handler_table() noexcept {
    return run_or_list(nullptr);
}

void use_portable_handlers() noexcept {}  // there are no others

void run_fast(Frame& frame) noexcept {
    run_or_list(&frame);
}

#endif

}  // namespace heddle::vm
