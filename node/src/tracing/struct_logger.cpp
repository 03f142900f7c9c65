// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tracing/struct_logger.hpp"

#include <iterator>

#include <fmt/format.h>

#include <vm/opcode.hpp>

#include "tracing/failure_texts.hpp"
#include "tracing/json_tracer.hpp"

namespace heddle::node {

void StructLogger::begin(const TraceSubject& /*subject*/) {
    steps_.clear();
    size_ = 0;
    storage_.clear();
    output_.clear();
}

void StructLogger::end(const vm::Outcome& outcome) {
    gas_used_ = outcome.receipt.gas_used;
    has_failed_ = outcome.status != vm::Status::success;
    if (!vm::is_exceptional_halt(outcome.status)) output_ = outcome.output;
    budget().spend(2 * output_.size() + 100);
}

const vm::OpcodeSet& StructLogger::wanted_steps() const noexcept {
    return is_full() ? no_steps() : Tracer::wanted_steps();
}

void StructLogger::append_storage(const vm::TraceStep& step) {
    const std::size_t height = step.stack.size();
    const bool is_load = step.opcode == vm::OP_SLOAD && height >= 1;
    const bool is_store = step.opcode == vm::OP_SSTORE && height >= 2;
    if (!is_load && !is_store) return;
    std::map<Uint256, Uint256>& slots = storage_[step.address];
    slots[step.stack[height - 1]] = is_load ? step.loaded : step.stack[height - 2];
    // Each step shows all of them.
    constexpr std::size_t kSlotBytes = 138;
    if (!budget().has_room_for(kSlotBytes * slots.size())) return;
    auto out = std::back_inserter(steps_);
    steps_ += ",\"storage\":{";
    const char* separator = "";
    for (const auto& [slot, value] : slots) {
        fmt::format_to(out, R"({}"{}":"{}")", separator, to_string(to_hash(slot)),
                       to_string(to_hash(value)));
        separator = ",";
    }
    steps_ += '}';
}

void StructLogger::append(const vm::TraceStep& step, const std::string& error) {
    auto out = std::back_inserter(steps_);
    fmt::format_to(out, R"({{"pc":{},"op":"{}","gas":{},"gasCost":{},"depth":{})", step.pc,
                   opcode_name(step.opcode), static_cast<std::uint64_t>(step.gas_left),
                   static_cast<std::uint64_t>(step.gas_cost), step.depth);
    if (!error.empty()) fmt::format_to(out, R"(,"error":"{}")", error);
    if (options_.with_stack) {
        steps_ += ",\"stack\":[";
        for (std::size_t i = 0; i < step.stack.size(); ++i)
            fmt::format_to(out, R"({}"{}")", i == 0 ? "" : ",", to_hex(step.stack[i]));
        steps_ += ']';
    }
    if (options_.with_return_data && !step.return_data.empty())
        fmt::format_to(out, R"(,"returnData":"{}")", to_hex(step.return_data));
    if (options_.with_memory && !step.memory.empty()) {
        if (!budget().has_room_for(2 * step.memory.size())) return;
        steps_ += ",\"memory\":[";
        for (std::size_t at = 0; at < step.memory.size(); at += 32)
            fmt::format_to(out, R"({}"{}")", at == 0 ? "" : ",",
                           to_hex(step.memory.subspan(at, 32)));
        steps_ += ']';
    }
    if (options_.with_storage) append_storage(step);
    if (step.gas_refund != 0) fmt::format_to(out, R"(,"refund":{})", step.gas_refund);
    steps_ += '}';
}

void StructLogger::on_step(const vm::TraceStep& step, vm::Status failure) noexcept {
    if (is_full() || vm::is_unfinished(failure) || wants_abort()) return;
    const std::size_t before = steps_.size();
    if (before != 0) steps_ += ',';
    append(step, is_found_before(step, failure) ? failure_text(step, failure) : "");
    size_ += steps_.size() - before - (before != 0 ? 1 : 0);
    budget().spend(steps_.size() - before);
}

void StructLogger::write(JsonWriter& out) {
    out.begin_object();
    out.key("gas");
    out.number(gas_used_);
    out.key("failed");
    out.boolean(has_failed_);
    out.key("returnValue");
    out.hex(output_);
    out.key("structLogs");
    out.begin_array();
    if (!steps_.empty()) out.raw(steps_);
    out.end_array();
    out.end_object();
    steps_ = {};
}

}  // namespace heddle::node
