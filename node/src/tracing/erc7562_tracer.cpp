// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tracing/erc7562_tracer.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include <vm/opcode.hpp>

#include "tracing/small_tracers.hpp"

namespace heddle::node {
namespace {

// What an entry costs in JSON, roughly.
constexpr std::size_t kCallBytes = 220;
constexpr std::size_t kReadBytes = 140;
constexpr std::size_t kCountBytes = 80;
constexpr std::size_t kAddressBytes = 48;
constexpr std::size_t kContractBytes = 90;

bool looks_at_code(std::uint8_t opcode) noexcept {
    return opcode == vm::OP_EXTCODEHASH || opcode == vm::OP_EXTCODESIZE ||
           opcode == vm::OP_EXTCODECOPY;
}

bool is_call(std::uint8_t opcode) noexcept {
    return opcode == vm::OP_CALL || opcode == vm::OP_CALLCODE || opcode == vm::OP_DELEGATECALL ||
           opcode == vm::OP_STATICCALL;
}

bool is_out_of_gas(std::string_view error) noexcept {
    return error.starts_with("out of gas") || error == "contract creation code storage out of gas";
}

void write_counts(std::string_view name, const std::map<Hash, std::uint64_t>& counts,
                  JsonWriter& out) {
    out.key(name);
    out.begin_object();
    for (const auto& [slot, count] : counts) {
        out.key(to_string(slot));
        out.number(count);
    }
    out.end_object();
}

}  // namespace

vm::OpcodeSet Erc7562TracerOptions::default_ignored() noexcept {
    vm::OpcodeSet ignored;
    for (std::size_t opcode = vm::OP_PUSH0; opcode <= vm::OP_SWAP16; ++opcode)
        ignored.set(opcode);
    for (const std::uint8_t opcode :
         {vm::OP_POP, vm::OP_ADD, vm::OP_SUB, vm::OP_MUL, vm::OP_DIV, vm::OP_EQ, vm::OP_LT,
          vm::OP_GT, vm::OP_SLT, vm::OP_SGT, vm::OP_SHL, vm::OP_SHR, vm::OP_AND, vm::OP_OR,
          vm::OP_NOT, vm::OP_ISZERO})
        ignored.set(opcode);
    return ignored;
}

void Erc7562Tracer::begin(const TraceSubject& subject) {
    subject_ = subject;
    recorder_.begin(subject, budget());
    findings_.clear();
    open_.clear();
    last_.reset();
    preimages_.clear();
    created_.clear();
    code_sizes_.clear();
    created_before_.clear();
    ever_created_.clear();
}

const vm::OpcodeSet& Erc7562Tracer::steps_with_memory() const noexcept {
    return keccak_steps();
}

void Erc7562Tracer::on_step(const vm::TraceStep& step, vm::Status failure) noexcept {
    recorder_.on_step(step, failure);
    if (open_.empty() || wants_abort()) return;
    Findings& findings = findings_[open_.back()];
    const std::uint8_t opcode = step.opcode;
    if (opcode == vm::OP_REVERT || opcode == vm::OP_RETURN) last_.reset();
    if (last_) note_code_access(opcode, findings);
    note_contract_size(step, findings);
    // Gas that is passed on to a call has not been looked at.
    if (last_ && last_->opcode == vm::OP_GAS && !is_call(opcode)) note_use(vm::OP_GAS, findings);
    if (opcode != vm::OP_GAS && !options_.ignored_opcodes[opcode]) note_use(opcode, findings);
    note_slot(step, findings);
    if (const auto preimage = keccak_preimage(step, budget()))
        if (preimages_.insert(*preimage).second) budget().spend(2 * preimage->size() + 4);
    last_ = LastStep{opcode, std::nullopt};
    if (!step.stack.empty()) last_->top = address_from_word(step.stack.back());
}

void Erc7562Tracer::note_code_access(std::uint8_t opcode, Findings& findings) {
    if (!looks_at_code(last_->opcode) || !last_->top) return;
    // Whether there is a contract may be asked.
    if (last_->opcode == vm::OP_EXTCODESIZE && opcode == vm::OP_ISZERO) return;
    budget().spend(kAddressBytes);
    findings.code_accesses.push_back(*last_->top);
}

void Erc7562Tracer::note_contract_size(const vm::TraceStep& step, Findings& findings) {
    if (!looks_at_code(step.opcode) && !is_call(step.opcode)) return;
    const std::size_t place = is_call(step.opcode) ? 1 : 0;
    if (step.stack.size() <= place) return;
    const Address address = address_from_word(step.stack[step.stack.size() - 1 - place]);
    const auto [entry, is_new] = findings.contract_sizes.try_emplace(address);
    if (!is_new) return;
    budget().spend(kContractBytes);
    entry->second.opcode = step.opcode;
    if (const auto created = code_sizes_.find(address); created != code_sizes_.end())
        entry->second.bytes = created->second;
    else if (ever_created_.contains(address))
        entry->second.bytes = 0;  // it is being made, or was undone
}

void Erc7562Tracer::note_use(std::uint8_t opcode, Findings& findings) {
    const auto [entry, is_new] = findings.used_opcodes.try_emplace(opcode, 0);
    if (is_new) budget().spend(12);
    ++entry->second;
}

void Erc7562Tracer::note_slot(const vm::TraceStep& step, Findings& findings) {
    if (step.stack.empty()) return;
    const Hash slot = to_hash(step.stack.back());
    switch (step.opcode) {
        case vm::OP_SLOAD:
            if (findings.writes.contains(slot)) return;
            if (findings.reads.try_emplace(slot, to_hash(step.loaded)).second)
                budget().spend(kReadBytes);
            return;
        case vm::OP_SSTORE:
            return count(findings.writes, slot);
        case vm::OP_TLOAD:
            return count(findings.transient_reads, slot);
        case vm::OP_TSTORE:
            return count(findings.transient_writes, slot);
        default:
            return;
    }
}

void Erc7562Tracer::count(std::map<Hash, std::uint64_t>& counts, const Hash& slot) {
    const auto [entry, is_new] = counts.try_emplace(slot, 0);
    if (is_new) budget().spend(kCountBytes);
    ++entry->second;
}

void Erc7562Tracer::on_enter(const vm::TraceCall& call) noexcept {
    recorder_.on_enter(call);
    budget().spend(kCallBytes);
    open_.push_back(findings_.size());
    findings_.emplace_back();
    created_before_.push_back(created_.size());
    // Where there was code nothing comes to be, whoever tries.
    if (is_creation(call.kind) && !subject_.before->account(call.to).value_or(Account{}).has_code())
        ever_created_.insert(call.to);
}

void Erc7562Tracer::on_exit(vm::Status status, std::int64_t gas_used, BytesView output) noexcept {
    recorder_.on_exit(status, gas_used, output);
    if (open_.empty()) return;
    const RecordedCall& call = recorder_.calls()[open_.back()];
    // What was made in a call that failed is undone.
    if (status != vm::Status::success) {
        for (; created_.size() > created_before_.back(); created_.pop_back())
            code_sizes_.erase(created_.back());
    } else if (is_creation(call.kind)) {
        created_.push_back(call.to);
        code_sizes_[call.to] = output.size();
    }
    open_.pop_back();
    created_before_.pop_back();
}

void Erc7562Tracer::on_log(const Log& log, std::size_t index) noexcept {
    if (options_.with_log) recorder_.on_log(log, index);
}

/// Of an account that the transaction has not created: only a delegation, before all calls, may
/// have changed its code (EIP-7702).
std::size_t Erc7562Tracer::code_size_of(const Address& address,
                                        const AccountChange* changed) const {
    const Account before = subject_.before->account(address).value_or(Account{});
    if (changed != nullptr && changed->account && changed->account->code_hash != before.code_hash) {
        constexpr std::size_t kDelegationBytes = 23;
        return changed->account->has_code() ? kDelegationBytes : 0;
    }
    return before.has_code() ? subject_.before->code(before.code_hash).size() : 0;
}

void Erc7562Tracer::end(const vm::Outcome& outcome) {
    recorder_.end(outcome);
    const ChangesByAddress changes(outcome.diff);
    for (Findings& findings : findings_)
        for (auto& [address, size] : findings.contract_sizes)
            if (!size.bytes)
                size.bytes = ever_created_.contains(address)
                                 ? 0
                                 : code_size_of(address, changes.find(address));
}

void Erc7562Tracer::write_findings(const Findings& findings, JsonWriter& out) const {
    out.key("accessedSlots");
    out.begin_object();
    out.key("reads");
    out.begin_object();
    for (const auto& [slot, value] : findings.reads) {
        out.key(to_string(slot));
        out.begin_array();
        out.hash(value);
        out.end_array();
    }
    out.end_object();
    write_counts("writes", findings.writes, out);
    write_counts("transientReads", findings.transient_reads, out);
    write_counts("transientWrites", findings.transient_writes, out);
    out.end_object();
    out.key("extCodeAccessInfo");
    out.begin_array();
    for (const Address& address : findings.code_accesses)
        out.address(address);
    out.end_array();
    out.key("usedOpcodes");
    out.begin_object();
    // In the order of the keys' text.
    std::map<std::string, std::uint64_t> used;
    for (const auto& [opcode, times] : findings.used_opcodes)
        used.emplace(fmt::format("0x{:x}", opcode), times);
    for (const auto& [opcode, times] : used) {
        out.key(opcode);
        out.number(times);
    }
    out.end_object();
    out.key("contractSize");
    out.begin_object();
    for (const auto& [address, size] : findings.contract_sizes) {
        out.key(to_string(address));
        out.begin_object();
        out.key("contractSize");
        out.number(size.bytes.value_or(0));
        out.key("opcode");
        out.number(size.opcode);
        out.end_object();
    }
    out.end_object();
}

void Erc7562Tracer::write_call(std::size_t index, bool is_undone, JsonWriter& out) const {
    const RecordedCall& call = recorder_.calls()[index];
    const bool has_failed = is_undone || !call.error.empty();
    out.begin_object();
    write_call_head(call, out);
    if (!has_failed) write_call_logs(call, out);
    if (call.kind != vm::TraceCall::Kind::static_call) {
        out.key("value");
        out.quantity(call.value);
    }
    write_findings(findings_[index], out);
    out.key("outOfGas");
    out.boolean(index != 0 && is_out_of_gas(call.error));
    if (index == 0 && !preimages_.empty()) {
        out.key("keccak");
        out.begin_array();
        for (const Bytes& preimage : preimages_)
            out.hex(preimage);
        out.end_array();
    }
    if (!call.calls.empty()) {
        out.key("calls");
        out.begin_array();
        for (const std::size_t callee : call.calls)
            write_call(callee, has_failed, out);
        out.end_array();
    }
    out.key("type");
    out.string(call_type(call.kind));
    out.end_object();
}

void Erc7562Tracer::write(JsonWriter& out) {
    if (recorder_.calls().empty())
        out.null();
    else
        write_call(0, false, out);
}

}  // namespace heddle::node
