// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <algorithm>
#include <utility>

#include <vm/native_code.hpp>
#include <vm/precompile.hpp>
#include <vm/tracer.hpp>

#include "interpreter.hpp"
#include "plain_interpreter.hpp"
#include "trace_calls.hpp"

namespace heddle::vm {

Evm::Evm(EvmOptions options) : machine_(std::make_unique<Machine>(std::move(options))) {}
Evm::~Evm() = default;
Evm::Evm(Evm&&) noexcept = default;
Evm& Evm::operator=(Evm&&) noexcept = default;

void Evm::record_accesses(bool on) noexcept {
    machine_->record_accesses(on);
}

void Evm::use_precompiles(const PrecompileTable* table) noexcept {
    machine_->use_precompiles(table);
}

void Evm::supervise(Supervisor* supervisor) noexcept {
    machine_->oversight().set_supervisor(supervisor);
}

void Evm::accesses_so_far(AccessRecord& record) const noexcept {
    machine_->state().record(record);
}

void Evm::note_hashes(HashNotes* notes) noexcept {
    machine_->hashes().note(notes);
}

void Evm::remember(std::span<const KnownHash> hashes) noexcept {
    for (const KnownHash& known : hashes)
        machine_->hashes().remember(known);
}

std::uint64_t Evm::hashes_made() const noexcept {
    return machine_->hashes().made();
}

std::uint64_t Evm::hashes_missed() const noexcept {
    return machine_->hashes().made() + machine_->hashes().told();
}

bool Evm::keeps_much_code() const noexcept {
    return machine_->keeps_much_code();
}

Machine::Machine(EvmOptions options)
    : engine_(options.tracer != nullptr ? Engine::plain : options.engine),
      tracer_(options.tracer),
      code_cache_(options.code_cache != nullptr ? std::move(options.code_cache)
                                                : make_code_cache()),
      decode_after_entries_(options.decode_after_entries),
      record_accesses_(options.record_accesses),
      defer_fees_(options.defer_fees),
      leave_blooms_(options.leave_blooms),
      lets_go_of_code_(options.lets_go_of_code),
      pinned_code_bytes_(
          std::clamp(code_cache_->max_bytes(), kLeastPinnedCodeBytes, kPinnedCodeBytes)),
      kept_code_bytes_(std::min(code_cache_->max_bytes() / 8, kPinnedCodeBytes)),
      stack_(make_stack()) {
    give_back_above_ = kept_code_bytes_;
}

bool Machine::begin(const StateView& view, const TransactionEnv& env) noexcept {
    const Revision revision = env.block->revision;
    env_ = &env;
    schedule_ = &gas_schedule(revision);
    state_.reset(view, revision);
    block_hashes_.begin(env.block_hashes);
    release_codes_above_ = pinned_code_bytes_;
    return oversight_.begin();
}

Frame& Machine::frame_at(std::uint32_t depth) {
    while (frames_.size() <= depth)
        frames_.push_back(std::make_unique<Frame>());
    deepest_ = std::max(deepest_, depth);
    return *frames_[depth];
}

CodeInUse& Machine::code_of(AccountEntry& account) noexcept {
    if (account.code != nullptr && account.code->code != nullptr) [[likely]]
        return *account.code;
    const Hash& hash = account.account.code_hash;
    auto& codes = codes_[static_cast<std::size_t>(schedule_->revision)];
    const auto [entry, is_new] = codes.try_emplace(hash);
    auto& [key, use] = *entry;
    if (is_new) codes_bytes_ += kCodeEntryBytes;
    if (use.code == nullptr) {
        use.hash = &key;
        fetch_code(use, account);
    }
    account.code = &use;
    if (codes_bytes_ > release_codes_above_) [[unlikely]] {
        ++use.frames;  // not this one
        release_idle_codes();
        --use.frames;
    }
    return use;
}

void Machine::set_code(Frame& frame, AccountEntry& owner) noexcept {
    CodeInUse& use = code_of(owner);
    ++use.frames;
    frame.code_in_use = &use;
    frame.code = use.code.get();
    begin_code(frame);
}

void Machine::set_init_code(Frame& frame, BytesView bytes) noexcept {
    frame.own_code = std::make_unique<Code>(bytes, *schedule_);
    frame.code_in_use = nullptr;
    frame.code = frame.own_code.get();
    begin_code(frame);
}

void Machine::begin_code(Frame& frame) noexcept {
    const bool may_decode = engine_ == Engine::fast && codes_bytes_ <= kPinnedCodeBytes &&
                            frame.code->native() == nullptr;
    frame.decode_after = may_decode ? decode_after_entries_ : kNever;
    if (frame.code->entries(0) >= frame.decode_after) {
        frame.ip = frame.code->entry();
    } else {
        frame.code->enter(0);
        frame.ip = nullptr;
    }
}

CallResult Machine::execute(const Message& message) noexcept {
    oversight_.start(message.gas);
    const CallResult result = run_message(message);
    give_back_frames();
    give_back_codes();
    if (ends_transaction(result.status)) return result;
    // What a failure burns at the very end is followed by nothing that would look.
    if (!oversight_.may_leave(result.gas_left)) return {Status::stopped, 0, {}, nullptr};
    return result;
}

CallResult Machine::run_message(const Message& message) noexcept {
    if (const std::optional<CallResult> result = start(message)) return *result;
    Frame* frame = frames_[0].get();
    for (;;) {
        run(*frame);
        if (frame->exit == Exit::done) {
            if (ends_transaction(frame->status)) return abort(*frame);
            const CallResult result = finish(*frame);
            if (frame->depth == 0) return result;
            frame = frames_[frame->depth - 1].get();
            if (ends_transaction(result.status)) {
                frame->status = result.status;
                return abort(*frame);
            }
            deliver(*frame, result);
        } else if (const std::optional<CallResult> result = start(frame->pending)) {
            if (ends_transaction(result->status)) {
                frame->status = result->status;
                return abort(*frame);
            }
            deliver(*frame, *result);
        } else {
            frame = frames_[frame->depth + 1].get();
        }
    }
}

CallResult Machine::fail(const Message& message, Status status) noexcept {
    oversight_.start(message.gas);
    (void)state_.state_gas().undo({});
    const CallResult result{status, 0, {}, nullptr};
    if (tracer_ != nullptr) {
        trace_enter(*tracer_, message, schedule_->revision, state_);
        trace_exit(result, message.gas);
    }
    return result;
}

CallResult Machine::abort(const Frame& innermost) noexcept {
    const Status status = innermost.status;
    for (std::uint32_t depth = innermost.depth;; --depth) {
        Frame& frame = *frames_[depth];
        frame.status = status;
        const CallResult result = finish(frame);
        if (depth == 0) return result;
    }
}

void Machine::run(Frame& frame) noexcept {
    do {
        if (frame.ip == nullptr) {
            if (frame.code->native() != nullptr) [[unlikely]]
                return run_native(frame);
            run_plain(frame, tracer_);
            if (frame.exit != Exit::warm) return;
            frame.ip = frame.code->block_at(frame.pc);
        }
        run_fast(frame);
        if (frame.exit == Exit::cold) frame.ip = nullptr;
    } while (frame.exit == Exit::cold);
    if (frame.code_in_use != nullptr) note_growth(*frame.code_in_use);
}

void Machine::run_native(Frame& frame) noexcept {
    NativeCall call(frame);
    if (call.charge(kCopyWordGas * word_count(frame.input.size()))) frame.code->native()->run(call);
}

std::optional<CallResult> Machine::start(const Message& message) noexcept {
    if (tracer_ != nullptr) {
        if (tracer_->wants_abort()) return CallResult{Status::aborted, 0, {}, nullptr};
        trace_enter(*tracer_, message, schedule_->revision, state_);
    }
    const bool is_creation = message.kind == CallKind::create || message.kind == CallKind::create2;
    std::optional<CallResult> result = is_creation ? start_creation(message) : start_call(message);
    if (result && tracer_ != nullptr) trace_exit(*result, message.gas);
    return result;
}

std::optional<CallResult> Machine::start_call(const Message& message) noexcept {
    const Checkpoint checkpoint = state_.checkpoint();
    if (message.kind == CallKind::call) {
        if (!message.value.is_zero()) {
            state_.sub_balance(state_.account(message.caller), message.value);
            log_transfer(message.caller, message.recipient->address, message.value);
        }
        state_.add_balance(*message.recipient, message.value);
    } else if (message.kind == CallKind::static_call) {
        state_.touch(*message.recipient);
    }
    if (message.delegate == nullptr) {
        const std::uint32_t index = precompile_at(message.code_account->address);
        if (index != 0) return run_precompile(index, message, checkpoint);
    }
    AccountEntry& owner = message.delegate != nullptr ? *message.delegate : *message.code_account;
    if (!owner.account.has_code()) return CallResult{Status::success, message.gas, {}, nullptr};
    push_frame(message, checkpoint);
    Frame& frame = *frames_[message.depth];
    set_code(frame, owner);
    return std::nullopt;
}

std::uint32_t Machine::precompile_at(const Address& address) const noexcept {
    if (precompiles_ == nullptr) [[likely]]
        return precompile_index(address, schedule_->revision);
    const auto entry = precompiles_->find(address);
    return entry == precompiles_->end() ? 0 : entry->second;
}

CallResult Machine::run_precompile(std::uint32_t index, const Message& message,
                                   const Checkpoint& checkpoint) noexcept {
    Bytes& output = frame_at(message.depth).precompile_output;
    if (output.capacity() > kKeptOutput)
        Bytes{}.swap(output);
    else
        output.clear();
    if (oversight_.is_watched()) {
        const std::int64_t cost = precompile_cost(index, schedule_->revision, message.input);
        if (cost <= message.gas &&
            !oversight_.may_leave(gas_outside(message.depth) + message.gas - cost))
            return {Status::stopped, 0, {}, nullptr};
    }
    const PrecompileResult result =
        vm::run_precompile(index, schedule_->revision, message.input, message.gas, output);
    if (!result.ok) {
        state_.revert_to(checkpoint);
        return {
            result.is_out_of_gas ? Status::out_of_gas : Status::precompile_failure, 0, {}, nullptr};
    }
    return {Status::success, result.gas_left, output, nullptr};
}

std::optional<CallResult> Machine::start_creation(const Message& message) noexcept {
    AccountEntry& creator = state_.account(message.caller);
    std::uint64_t nonce = creator.account.nonce;
    if (message.depth > 0) {
        state_.set_nonce(creator, nonce + 1);
    } else if (nonce-- == 0) {  // the transaction has incremented it, beyond its greatest value
        // EIP-2681. No transaction is valid with that nonce, but a call need not be one.
        state_.set_nonce(creator, nonce);
        return CallResult{Status::nonce_overflow, message.gas, {}, nullptr};
    }
    AccountEntry& account = message.recipient != nullptr
                                ? *message.recipient
                                : state_.account_entry(created_address(message, nonce));
    if (schedule_->at_least(Revision::berlin)) {
        // What the transaction itself creates follows from its sender: nobody need declare it.
        if (message.depth > 0 && !account.is_warm && env_->forbids(account))
            return CallResult{Status::undeclared_access, 0, {}, nullptr};
        state_.warm_account(account);
    }
    state_.ensure_loaded(account);
    if (state_.is_collision(account))
        return CallResult{Status::contract_address_collision, 0, {}, nullptr};

    const Checkpoint checkpoint = state_.checkpoint();
    state_.create_contract(account);
    if (!message.value.is_zero()) {
        state_.sub_balance(creator, message.value);
        state_.add_balance(account, message.value);
        log_transfer(message.caller, account.address, message.value);
    }
    push_frame(message, checkpoint);
    Frame& frame = *frames_[message.depth];
    frame.self = &account;
    frame.input = {};
    set_init_code(frame, message.input);
    return std::nullopt;
}

void Machine::log_transfer(const Address& from, const Address& to, const Uint256& value) noexcept {
    const std::size_t count = state_.logs().size();
    state_.log_transfer(from, to, value);
    if (tracer_ != nullptr && state_.logs().size() != count)
        tracer_->on_log(state_.logs().back(), count);
}

std::int64_t Machine::gas_outside(std::uint32_t depth) const noexcept {
    if (depth == 0) return 0;
    const Frame& caller = *frames_[depth - 1];
    return caller.gas_left + caller.gas_outside;
}

void Machine::push_frame(const Message& message, const Checkpoint& checkpoint) noexcept {
    Frame& frame = frame_at(message.depth);
    frame.stack_base = message.depth == 0 ? stack_.get() : frames_[message.depth - 1]->sp;
    highest_stack_ = std::max(highest_stack_, frame.stack_base - stack_.get());
    frame.memory.reset();
    frame.state = &state_;
    frame.schedule = schedule_;
    frame.hashes = &hashes_;
    frame.moduli = &moduli_;
    frame.block_hashes = &block_hashes_;
    frame.self = message.recipient;
    frame.return_data = {};
    frame.is_static = message.is_static;
    frame.is_creation = message.kind == CallKind::create || message.kind == CallKind::create2;
    frame.exit = Exit::done;
    frame.status = Status::success;
    frame.depth = message.depth;
    frame.pc = 0;
    frame.sp = frame.stack_base;
    frame.gas_left = message.gas;
    frame.gas_given = message.gas;
    frame.gas_outside = gas_outside(message.depth);
    frame.machine = this;
    frame.oversight = &oversight_;
    frame.look_below = oversight_.look_below(frame.gas_outside);
    frame.caller = message.caller;
    frame.value = message.value;
    frame.input = message.input;
    frame.tx = env_;
    frame.output_offset = 0;
    frame.output_size = 0;
    frame.checkpoint = checkpoint;
    if (schedule_->state.are_charged()) frame.caller_state_gas = state_.state_gas().enter();
}

bool Machine::is_too_large(BytesView code) const noexcept {
    return code.size() > schedule_->limits.max_code_bytes && !env_->block->any_code_size;
}

void Machine::finish_creation(Frame& frame) noexcept {
    const BytesView code = frame.output();
    if (schedule_->state.are_charged()) return deploy(frame, code);
    const auto deposit = schedule_->code_deposit_byte * static_cast<std::int64_t>(code.size());
    if (schedule_->at_least(Revision::london) && !code.empty() && code[0] == 0xef) {
        frame.status = Status::invalid_code_prefix;
    } else if (frame.gas_left >= deposit) {
        frame.gas_left -= deposit;
        if (is_too_large(code))
            frame.status = Status::code_size_exceeded;
        else
            leave_code(frame, code);
    } else if (schedule_->at_least(Revision::homestead)) {
        frame.status = Status::code_deposit_out_of_gas;  // EIP-2
    } else {
        frame.output_size = 0;  // Frontier: an account without code
        if (tracer_ != nullptr) tracer_->on_unpaid_code();
    }
}

void Machine::deploy(Frame& frame, BytesView code) noexcept {
    const auto size = static_cast<std::int64_t>(code.size());
    const std::int64_t hashing = schedule_->code_deposit_word * word_count(code.size());
    if (is_too_large(code)) {
        frame.status = Status::code_size_exceeded;
    } else if (!code.empty() && code[0] == 0xef) {
        frame.status = Status::invalid_code_prefix;
    } else if (frame.gas_left < hashing) {
        frame.status = Status::code_deposit_out_of_gas;
    } else {
        frame.gas_left -= hashing;
        if (!state_.state_gas().charge(schedule_->state.code_byte * size, frame.gas_left))
            frame.status = Status::code_deposit_out_of_gas;
        else
            leave_code(frame, code);
    }
}

void Machine::leave_code(Frame& frame, BytesView code) noexcept {
    if (!oversight_.may_leave(frame.gas_outside + frame.gas_left))
        frame.status = Status::stopped;
    else if (!code.empty())
        state_.set_code(*frame.self, code);
}

void Machine::leave_state_gas(const Frame& frame, CallResult& result) noexcept {
    StateGas& state_gas = state_.state_gas();
    if (frame.status == Status::success) {
        result.gas_left += state_gas.leave(frame.caller_state_gas);
        return;
    }
    const std::int64_t lent = state_gas.undo(frame.caller_state_gas);
    if (frame.status == Status::revert) result.gas_left += lent;
}

void Machine::note_growth(CodeInUse& use) noexcept {
    const std::size_t size = use.code->size_in_memory();
    if (size == use.size_bytes) [[likely]]
        return;
    codes_bytes_ += size - use.size_bytes;
    use.size_bytes = size;
    code_cache_->measure(*use.hash, schedule_->revision);
}

CallResult Machine::finish(Frame& frame) noexcept {
    if (frame.code_in_use != nullptr) --frame.code_in_use->frames;
    const BytesView returned = frame.output();
    if (frame.is_creation && frame.status == Status::success) finish_creation(frame);
    CallResult result;
    result.status = frame.status;
    if (frame.status == Status::success || frame.status == Status::revert) {
        result.gas_left = frame.gas_left;
        result.output = frame.output();
    }
    if (schedule_->state.are_charged()) leave_state_gas(frame, result);
    if (frame.status != Status::success)
        state_.revert_to(frame.checkpoint);
    else if (frame.is_creation) {
        result.created = frame.self;
        result.is_code_unpaid = result.output.size() != returned.size();
    }
    if (tracer_ != nullptr) {
        CallResult told = result;
        // Not what comes back to the caller as well, for state that it had paid for (EIP-8037).
        if (frame.status == Status::success) told.gas_left = frame.gas_left;
        // Code that was not accepted shows all the same, also where that was no failure (Frontier).
        if (frame.is_creation) told.output = returned;
        trace_exit(told, frame.gas_given);
    }
    return result;
}

void Machine::deliver(Frame& frame, const CallResult& result) noexcept {
    frame.gas_left += result.gas_left;
    if (schedule_->state.are_charged() && result.status != Status::success &&
        frame.pending.new_account_gas != 0)
        state_.state_gas().refill(frame.pending.new_account_gas, frame.gas_left);
    frame.look_below = oversight_.look_below(frame.gas_outside);
    if (frame.exit == Exit::create) {
        frame.return_data = result.status == Status::revert ? result.output : BytesView{};
        *frame.sp++ = result.created != nullptr ? to_word(result.created->address) : Uint256{};
        return;
    }
    frame.return_data = result.output;
    const std::uint64_t size = std::min<std::uint64_t>(frame.result_size, result.output.size());
    if (size != 0)
        std::memcpy(frame.memory.data() + frame.result_offset, result.output.data(), size);
    *frame.sp++ = Uint256{static_cast<std::uint64_t>(result.status == Status::success)};
}

void Machine::trace_exit(const CallResult& result, std::int64_t gas) noexcept {
    // State gas that comes back may be more than all that was used (EIP-8037).
    const std::int64_t used = std::max<std::int64_t>(gas - result.gas_left, 0);
    tracer_->on_exit(result.status, used, result.output);
}

}  // namespace heddle::vm
