// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "plain_interpreter.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "instructions/arithmetic.hpp"
#include "instructions/call.hpp"
#include "instructions/environment.hpp"
#include "instructions/memory.hpp"
#include "instructions/state_access.hpp"
#include "trace_calls.hpp"
#include "unpaid_cost.hpp"

namespace heddle::vm {
namespace {

namespace ops = instructions;

using Body = bool (*)(Frame&, Uint256*&, std::int64_t&) noexcept;

template <int... I>
constexpr void set_dups_and_swaps(std::array<Body, 256>& table, std::integer_sequence<int, I...>) {
    ((table[OP_DUP1 + static_cast<unsigned>(I)] = ops::dup<I + 1>), ...);
    ((table[OP_SWAP1 + static_cast<unsigned>(I)] = ops::swap<I + 1>), ...);
}

/// Everything that does not move the program counter by itself. One line per opcode is long, and
/// clearer than any way to shorten it.
constexpr std::array<Body, 256> make_bodies() {  // NOLINT(readability-function-size)
    std::array<Body, 256> t{};
    t[OP_STOP] = ops::stop;
    t[OP_ADD] = ops::add;
    t[OP_MUL] = ops::mul;
    t[OP_SUB] = ops::sub;
    t[OP_DIV] = ops::div;
    t[OP_SDIV] = ops::sdiv;
    t[OP_MOD] = ops::mod;
    t[OP_SMOD] = ops::smod;
    t[OP_ADDMOD] = ops::addmod;
    t[OP_MULMOD] = ops::mulmod;
    t[OP_EXP] = ops::exp;
    t[OP_SIGNEXTEND] = ops::signextend;
    t[OP_LT] = ops::lt;
    t[OP_GT] = ops::gt;
    t[OP_SLT] = ops::slt;
    t[OP_SGT] = ops::sgt;
    t[OP_EQ] = ops::eq;
    t[OP_ISZERO] = ops::iszero;
    t[OP_AND] = ops::bit_and;
    t[OP_OR] = ops::bit_or;
    t[OP_XOR] = ops::bit_xor;
    t[OP_NOT] = ops::bit_not;
    t[OP_BYTE] = ops::byte;
    t[OP_SHL] = ops::shl;
    t[OP_SHR] = ops::shr;
    t[OP_SAR] = ops::sar;
    t[OP_CLZ] = ops::clz;
    t[OP_KECCAK256] = ops::keccak;
    t[OP_ADDRESS] = ops::address;
    t[OP_BALANCE] = ops::balance;
    t[OP_ORIGIN] = ops::origin;
    t[OP_CALLER] = ops::caller;
    t[OP_CALLVALUE] = ops::callvalue;
    t[OP_CALLDATALOAD] = ops::calldataload;
    t[OP_CALLDATASIZE] = ops::calldatasize;
    t[OP_CALLDATACOPY] = ops::calldatacopy;
    t[OP_CODESIZE] = ops::codesize;
    t[OP_CODECOPY] = ops::codecopy;
    t[OP_GASPRICE] = ops::gasprice;
    t[OP_EXTCODESIZE] = ops::extcodesize;
    t[OP_EXTCODECOPY] = ops::extcodecopy;
    t[OP_RETURNDATASIZE] = ops::returndatasize;
    t[OP_RETURNDATACOPY] = ops::returndatacopy;
    t[OP_EXTCODEHASH] = ops::extcodehash;
    t[OP_BLOCKHASH] = ops::blockhash;
    t[OP_COINBASE] = ops::coinbase;
    t[OP_TIMESTAMP] = ops::timestamp;
    t[OP_NUMBER] = ops::number;
    t[OP_PREVRANDAO] = ops::prevrandao;
    t[OP_GASLIMIT] = ops::gaslimit;
    t[OP_CHAINID] = ops::chainid;
    t[OP_SELFBALANCE] = ops::selfbalance;
    t[OP_BASEFEE] = ops::basefee;
    t[OP_BLOBHASH] = ops::blobhash;
    t[OP_BLOBBASEFEE] = ops::blobbasefee;
    t[OP_SLOTNUM] = ops::slotnum;
    t[OP_POP] = ops::pop;
    t[OP_MLOAD] = ops::mload;
    t[OP_MSTORE] = ops::mstore;
    t[OP_MSTORE8] = ops::mstore8;
    t[OP_SLOAD] = ops::sload;
    t[OP_SSTORE] = ops::sstore;
    t[OP_MSIZE] = ops::msize;
    t[OP_GAS] = ops::gas;
    t[OP_TLOAD] = ops::tload;
    t[OP_TSTORE] = ops::tstore;
    t[OP_MCOPY] = ops::mcopy;
    set_dups_and_swaps(t, std::make_integer_sequence<int, 16>{});
    t[OP_LOG0] = ops::log<0>;
    t[OP_LOG0 + 1] = ops::log<1>;
    t[OP_LOG0 + 2] = ops::log<2>;
    t[OP_LOG0 + 3] = ops::log<3>;
    t[OP_LOG4] = ops::log<4>;
    t[OP_CREATE] = ops::create;
    t[OP_CALL] = ops::call;
    t[OP_CALLCODE] = ops::callcode;
    t[OP_RETURN] = ops::leave<Status::success>;
    t[OP_DELEGATECALL] = ops::delegatecall;
    t[OP_CREATE2] = ops::create2;
    t[OP_STATICCALL] = ops::staticcall;
    t[OP_REVERT] = ops::leave<Status::revert>;
    t[OP_SELFDESTRUCT] = ops::selfdestruct;
    return t;
}

constexpr std::array<Body, 256> kBodies = make_bodies();

/// What every instruction must pass (YP 9.4.2, Z); pays the static gas.
bool check(Frame& frame, const OpcodeTraits& traits, const Uint256* sp,
           std::int64_t& gas) noexcept {
    const std::ptrdiff_t height = sp - frame.stack_base;
    if (!traits.is_defined()) return ops::halt(frame, Status::invalid_instruction);
    if (height < traits.stack_required) return ops::halt(frame, Status::stack_underflow);
    if (height + traits.stack_change > static_cast<std::ptrdiff_t>(kStackLimit))
        return ops::halt(frame, Status::stack_overflow);
    return ops::charge(frame, gas, traits.gas);
}

bool jump(Frame& frame, const Uint256& target, std::uint32_t& pc) noexcept {
    if (!target.fits_uint64() || !frame.code->is_jump_destination(target.low64()))
        return ops::halt(frame, Status::bad_jump_destination);
    pc = static_cast<std::uint32_t>(target.low64());
    if (frame.code->entries(pc) >= frame.decode_after) [[unlikely]] {
        frame.exit = Exit::warm;
        return false;
    }
    return true;
}

/// DUPN, SWAPN, EXCHANGE; what they need on the stack has not been checked.
bool execute_deep(Frame& frame, std::uint32_t pc, Uint256*& sp) noexcept {
    const std::uint8_t* const code = frame.code->padded() + pc;
    const DeepOperands operands = deep_operands(code[0], code[1]);
    if (!operands.is_valid()) return ops::halt(frame, Status::invalid_instruction);
    if (sp - frame.stack_base < operands.stack_required())
        return ops::halt(frame, Status::stack_underflow);
    if (code[0] == OP_DUPN)
        ops::dup_deep(sp, operands.first);
    else
        ops::swap_deep(sp, operands.first, operands.second);
    return true;
}

/// The operand of a PUSH: `size` bytes, 1 to 32, of at least 32 that can be read.
[[gnu::always_inline]] inline Uint256 load_operand(const std::uint8_t* bytes,
                                                   unsigned size) noexcept {
    if (size > 8) return load_be(bytes) >> (256 - 8 * size);
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    return Uint256{std::byteswap(word) >> (64 - 8 * size)};
}

/// Executes the instruction at `pc` and moves `pc` past it.
bool execute(Frame& frame, std::uint32_t& pc, Uint256*& sp, std::int64_t& gas) noexcept {
    const std::uint8_t opcode = frame.code->padded()[pc];
    if (opcode >= OP_PUSH1 && opcode <= OP_PUSH32) {
        const unsigned size = opcode - OP_PUSH1 + 1u;
        *sp++ = load_operand(frame.code->padded() + pc + 1, size);
        pc += size + 1;
        return true;
    }
    switch (opcode) {
        case OP_PUSH0:
            *sp++ = {};
            break;
        case OP_PC:
            *sp++ = Uint256{pc};
            break;
        case OP_JUMPDEST:
            frame.code->enter(pc);
            break;
        case OP_JUMP:
            return jump(frame, *--sp, pc);
        case OP_DUPN:
        case OP_SWAPN:
        case OP_EXCHANGE:
            if (!execute_deep(frame, pc, sp)) return false;
            pc += 2;
            return true;
        case OP_JUMPI: {
            sp -= 2;
            if (!sp[0].is_zero()) return jump(frame, sp[1], pc);
            frame.code->enter(pc + 1);
            break;
        }
        default: {
            const bool goes_on = kBodies[opcode](frame, sp, gas);
            ++pc;  // also before a call: that is where execution goes on
            return goes_on;
        }
    }
    ++pc;
    return true;
}

constexpr bool is_message_call(std::uint8_t opcode) noexcept {
    return opcode == OP_CALL || opcode == OP_CALLCODE || opcode == OP_DELEGATECALL ||
           opcode == OP_STATICCALL;
}

/// One run of the traced interpreter: reports every instruction once it has been executed, with the
/// machine as it was before it, because only then the cost is known.
class StepWatch {
public:
    StepWatch(Frame& frame, Tracer& tracer)
        : frame_(frame),
          tracer_(tracer),
          wanted_(tracer.wanted_steps()),
          with_memory_(tracer.steps_with_memory()) {
        step_.revision = frame.schedule->revision;
    }

    void before(std::uint32_t pc, const Uint256* sp, std::int64_t gas) {
        const std::uint8_t opcode = frame_.code->padded()[pc];
        step_.pc = pc;
        step_.opcode = opcode;
        step_.gas_left = gas;
        memory_before_ = frame_.memory.size();
        spilled_before_ = frame_.state->state_gas().spilled();
        sp_before_ = sp;
        // Empty code ends at once; nobody speaks of an instruction there.
        is_wanted_ = wanted_[opcode] && !frame_.code->bytes().empty();
        if (is_wanted_) keep(sp);
        if (opcode == OP_SELFDESTRUCT && sp != frame_.stack_base) {
            logs_before_ = frame_.state->logs().size();
            beneficiary_ = address_from_word(sp[-1]);
            balance_ = frame_.self->account.balance;
        }
    }

    /// @return false: the transaction is to end.
    bool after(bool goes_on, const Uint256* sp, std::int64_t gas) {
        const bool has_ended = !goes_on && frame_.exit == Exit::done;
        const bool has_failed =
            has_ended && frame_.status != Status::success && frame_.status != Status::revert;
        if (is_wanted_ || has_failed) report(goes_on, has_failed, sp, gas);
        if (!has_failed) tell_events(has_ended);
        const bool asks = is_wanted_ || ++unasked_ == kStepsUnasked;
        if (!asks) return true;
        unasked_ = 0;
        return !tracer_.wants_abort();
    }

private:
    static constexpr std::uint32_t kStepsUnasked = 1024;

    void keep(const Uint256* sp) {
        stack_.assign(static_cast<const Uint256*>(frame_.stack_base), sp);
        memory_.clear();
        if (with_memory_[step_.opcode] && frame_.memory.size() != 0)
            memory_.assign(frame_.memory.data(), frame_.memory.data() + frame_.memory.size());
        return_data_.assign(frame_.return_data.begin(), frame_.return_data.end());
        step_.gas_refund = frame_.state->refund();
        step_.memory_size = frame_.memory.size();
        step_.stack = stack_;
        step_.memory = memory_;
        step_.return_data = return_data_;
    }

    void report(bool goes_on, bool has_failed, const Uint256* sp, std::int64_t gas) {
        const OpcodeTraits& traits = frame_.schedule->opcodes[step_.opcode];
        if (!is_wanted_) {
            step_.gas_refund = frame_.state->refund();
            step_.memory_size = frame_.memory.size();
            // What was popped is still there unless it was written over.
            step_.stack = {static_cast<const Uint256*>(frame_.stack_base), sp_before_};
            step_.memory = {};
            step_.return_data = {};
        }
        // Without what pays for growing the state, or comes back for it (EIP-8037).
        const std::int64_t spilled = frame_.state->state_gas().spilled() - spilled_before_;
        step_.gas_cost = step_.gas_left - gas - spilled + gas_lent(goes_on);
        const bool is_unpaid_call =
            has_failed && frame_.status == Status::out_of_gas && is_message_call(step_.opcode);
        call_end_ = CallEnd::at_all_of_it;
        if (is_unpaid_call) look_at_unpaid_call();
        step_.ends_at_parts = call_end_ == CallEnd::at_its_parts;
        if (has_failed && shows_first_cost())
            step_.gas_cost = first_cost(step_.opcode, *frame_.schedule);
        if (has_failed) step_.gas_cost += uncharged_gas();
        if (has_failed && frame_.status == Status::out_of_gas) tell_whole_cost();
        step_.depth = frame_.depth + 1;
        step_.address = frame_.self->address;
        step_.stack_required = traits.stack_required;
        if (is_deep(step_.opcode)) {
            step_.immediate = frame_.code->padded()[step_.pc + 1];
            step_.stack_required = deep_operands(step_.opcode, step_.immediate).stack_required();
        }
        step_.stack_change = traits.stack_change;
        // Refunds belong to the cost of an instruction, so they show with it.
        if (step_.opcode == OP_SSTORE || step_.opcode == OP_SELFDESTRUCT)
            step_.gas_refund = frame_.state->refund();
        if (step_.opcode == OP_SELFDESTRUCT && has_failed && frame_.status == Status::out_of_gas)
            tell_unpaid_destruction();
        if (step_.opcode == OP_SLOAD && !step_.stack.empty())
            step_.loaded = has_failed ? slot_value(step_.stack.back()) : sp[-1];
        step_.created = address_of_creation(has_failed);
        const Status failure = has_failed ? failure_of_step() : Status::success;
        tracer_.on_step(step_, failure);
    }

    /// Of a creation that was refused, too, or whose account could not be paid (EIP-8037): that is
    /// found out when its own price has been charged.
    [[nodiscard]] std::optional<Address> address_of_creation(bool has_failed) const noexcept {
        if (step_.opcode != OP_CREATE && step_.opcode != OP_CREATE2) return std::nullopt;
        if (has_failed) {
            if (frame_.status != Status::out_of_gas) return std::nullopt;
            const auto price = unpaid_cost(step_, memory_before_, *frame_.schedule);
            if (!price.has_value() || *price > step_.gas_left) return std::nullopt;
        }
        return created_address(frame_.pending, frame_.self->account.nonce);
    }

    /// Gas that a call has taken along or brought back, as far as it is not part of its cost or is
    /// part of it in spite of that: the cost of a call includes what it passes on, that of a
    /// creation does not.
    [[nodiscard]] std::int64_t gas_lent(bool goes_on) const noexcept {
        const Message& message = frame_.pending;
        if (!goes_on && frame_.exit == Exit::create) return -message.gas;
        if (frame_.refusal == Status::success || message.code_account == nullptr) return 0;
        return message.gas;
    }

    /// Whether the instruction failed before its cost was charged, or, from EIP-7702 on, in the
    /// midst of what a call costs; or before anybody looked at whom it leaves its balance to.
    [[nodiscard]] bool shows_first_cost() const noexcept {
        const std::int64_t cold = frame_.schedule->selfdestruct_cold_account;
        // From Amsterdam on geth adds that it would have to be looked at.
        const bool is_unseen = !frame_.schedule->at_least(Revision::amsterdam) &&
                               step_.opcode == OP_SELFDESTRUCT &&
                               frame_.status == Status::out_of_gas && cold != 0 &&
                               step_.gas_cost == frame_.schedule->opcodes[step_.opcode].gas + cold;
        return is_unseen || frame_.status == Status::stack_underflow ||
               frame_.status == Status::stack_overflow || call_end_ != CallEnd::at_all_of_it;
    }

    void look_at_unpaid_call() noexcept {
        const auto needed = frame_.schedule->opcodes[step_.opcode].stack_required;
        if (std::cmp_less(step_.stack.size(), needed)) return;
        const Address address = address_from_word(step_.stack[step_.stack.size() - 2]);
        callee_is_cold_ = !frame_.state->account_entry(address).is_warm;
        call_end_ = end_of_unpaid_call(step_, memory_before_, callee_is_cold_, *frame_.schedule);
    }

    /// What belongs to the cost of an instruction that failed before it was charged: that of a cold
    /// slot.
    [[nodiscard]] std::int64_t uncharged_gas() const noexcept {
        if (step_.opcode != OP_SLOAD || frame_.status != Status::out_of_gas ||
            step_.gas_cost != frame_.schedule->warm_access || step_.stack.empty())
            return 0;
        const SlotEntry& slot = frame_.state->slot_entry(*frame_.self, step_.stack.back());
        return slot.is_warm ? 0 : frame_.schedule->cold_slot;
    }

    [[nodiscard]] Status failure_of_step() noexcept {
        const GasSchedule& schedule = *frame_.schedule;
        const std::uint64_t most_init_code =
            frame_.tx->block->any_code_size ? kNoLimit : schedule.limits.max_init_code_bytes;
        return failure_as_told(step_, frame_.status, memory_before_, most_init_code, schedule);
    }

    /// However much of it was charged until it showed that it could not be paid.
    void tell_whole_cost() noexcept {
        if (is_message_call(step_.opcode)) {
            if (call_end_ == CallEnd::at_all_of_it)
                step_.gas_cost =
                    cost_of_unpaid_call(step_, memory_before_, callee_is_cold_, *frame_.schedule);
            return;
        }
        const auto cost = unpaid_cost(step_, memory_before_, *frame_.schedule);
        const bool reads_code = step_.opcode == OP_EXTCODESIZE || step_.opcode == OP_EXTCODECOPY;
        if (!cost && reads_code) step_.gas_cost = first_cost(step_.opcode, *frame_.schedule);
        if (!cost) return;
        step_.gas_cost = *cost;
        if (!reads_code) return;
        const Address address = address_from_word(step_.stack.back());
        if (!frame_.state->account_entry(address).is_warm)
            step_.gas_cost += frame_.schedule->cold_account;
    }

    /// A self-destruction that could not pay shows all of its price, and what it would have given
    /// back: until EIP-2929 at once, since then if it could pay for looking at its beneficiary.
    void tell_unpaid_destruction() noexcept {
        const GasSchedule& schedule = *frame_.schedule;
        const std::int64_t least = schedule.opcodes[OP_SELFDESTRUCT].gas;
        if (step_.stack.empty()) return;
        if (!schedule.at_least(Revision::berlin)) {
            TransactionState& state = *frame_.state;
            AccountEntry& beneficiary = state.account_entry(address_from_word(step_.stack.back()));
            state.ensure_loaded(beneficiary);
            const bool is_funded = !frame_.self->account.balance.is_zero() ||
                                   !schedule.at_least(Revision::spurious_dragon);
            const bool is_new = is_funded && state.is_dead(beneficiary);
            step_.gas_cost = least + (is_new ? schedule.selfdestruct_new_account : 0);
        } else if (step_.gas_cost <= least) {
            return;
        }
        if (!frame_.self->is_destructed) step_.gas_refund += schedule.selfdestruct_refund;
    }

    /// Of a slot whose loading could not be paid.
    [[nodiscard]] Uint256 slot_value(const Uint256& slot) const noexcept {
        return frame_.state->peek(*frame_.self, slot);
    }

    /// What the instruction did that is told apart.
    void tell_events(bool has_ended) {
        if (frame_.refusal != Status::success) trace_refusal(tracer_, frame_);
        if (step_.opcode == OP_SELFDESTRUCT && has_ended) tell_transfer();
        if (step_.opcode == OP_SELFDESTRUCT && has_ended)
            trace_self_destruction(tracer_, frame_, beneficiary_, balance_);
        if (step_.opcode >= OP_LOG0 && step_.opcode <= OP_LOG4) {
            const std::vector<Log>& logs = frame_.state->logs();
            tracer_.on_log(logs.back(), logs.size() - 1);
        }
    }

    /// A self-destruction has logged the transfer that it made (EIP-7708).
    void tell_transfer() {
        const std::vector<Log>& logs = frame_.state->logs();
        if (logs.size() != logs_before_) tracer_.on_log(logs.back(), logs.size() - 1);
    }

    Frame& frame_;
    Tracer& tracer_;
    const OpcodeSet& wanted_;
    const OpcodeSet& with_memory_;
    std::uint32_t unasked_ = 0;

    // The instruction that is being executed.
    bool is_wanted_ = false;
    TraceStep step_;
    CallEnd call_end_ = CallEnd::at_all_of_it;
    bool callee_is_cold_ = false;
    const Uint256* sp_before_ = nullptr;
    std::uint64_t memory_before_ = 0;  // bytes
    std::int64_t spilled_before_ = 0;  // StateGas::spilled()
    std::size_t logs_before_ = 0;      // of the transaction
    Address beneficiary_;
    Uint256 balance_;

    // The machine before it, where it is wanted.
    std::vector<Uint256> stack_;
    Bytes memory_;
    Bytes return_data_;
};

/// In place of a StepWatch where nobody watches.
struct NoWatch {};

template <typename Watch>
void run(Frame& frame, Watch watch) noexcept {
    constexpr bool kIsTraced = std::is_same_v<Watch, StepWatch>;
    std::uint32_t pc = frame.pc;
    Uint256* sp = frame.sp;
    std::int64_t gas = frame.gas_left;
    for (;;) {
        if constexpr (kIsTraced) watch.before(pc, sp, gas);
        const OpcodeTraits& traits = frame.schedule->opcodes[frame.code->padded()[pc]];
        bool goes_on = check(frame, traits, sp, gas) && execute(frame, pc, sp, gas);
        if constexpr (kIsTraced)
            if (!watch.after(goes_on, sp, gas)) goes_on = ops::halt(frame, Status::aborted);
        if (!goes_on) break;
    }
    frame.pc = pc;
    frame.sp = sp;
    frame.gas_left = gas;
}

}  // namespace

void run_plain(Frame& frame, Tracer* tracer) noexcept {
    if (tracer != nullptr)
        run(frame, StepWatch{frame, *tracer});
    else
        run(frame, NoWatch{});
}

}  // namespace heddle::vm
