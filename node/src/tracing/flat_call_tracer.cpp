// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tracing/flat_call_tracer.hpp"

#include <string>
#include <string_view>
#include <utility>

#include <vm/precompile.hpp>

namespace heddle::node {
namespace {

using Kind = vm::TraceCall::Kind;

/// Parity's word for geth's; what it has none for stays.
std::string parity_error(const std::string& error) {
    static constexpr std::pair<std::string_view, std::string_view> kWhole[] = {
        {"contract creation code storage out of gas", "Out of gas"},
        {"out of gas", "Out of gas"},
        {"gas uint64 overflow", "Out of gas"},
        {"max code size exceeded", "Out of gas"},
        {"invalid jump destination", "Bad jump destination"},
        {"execution reverted", "Reverted"},
        {"return data out of bounds", "Out of bounds"},
        {"stack limit reached 1024 (1023)", "Out of stack"},
        {"precompiled failed", "Built-in failed"},
        {"invalid input length", "Built-in failed"},
    };
    for (const auto& [geth, parity] : kWhole)
        if (error == geth) return std::string{parity};
    if (error.starts_with("out of gas:")) return "Out of gas";
    if (error.starts_with("invalid opcode:")) return "Bad instruction";
    if (error.starts_with("stack underflow")) return "Stack underflow";
    return error;
}

std::string lower(std::string_view text) {
    std::string result{text};
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

void write_creation(const RecordedCall& call, JsonWriter& out) {
    out.key("creationMethod");
    out.string(lower(call_type(call.kind)));
    out.key("from");
    out.address(call.from);
    out.key("gas");
    out.quantity(call.gas);
    out.key("init");
    out.hex(call.input);
    out.key("value");
    out.quantity(call.value);
}

void write_self_destruction(const RecordedCall& call, JsonWriter& out) {
    out.key("address");
    out.address(call.from);
    out.key("balance");
    out.quantity(call.value);
    out.key("refundAddress");
    out.address(call.to);
}

void write_message(const RecordedCall& call, JsonWriter& out) {
    out.key("callType");
    out.string(lower(call_type(call.kind)));
    out.key("from");
    out.address(call.from);
    out.key("gas");
    out.quantity(call.gas);
    out.key("input");
    out.hex(call.input);
    out.key("to");
    out.address(call.to);
    out.key("value");
    out.quantity(call.kind == Kind::static_call ? Uint256{} : call.value);
}

void write_action(const RecordedCall& call, JsonWriter& out) {
    out.key("action");
    out.begin_object();
    if (is_creation(call.kind))
        write_creation(call, out);
    else if (call.kind == Kind::self_destruct)
        write_self_destruction(call, out);
    else
        write_message(call, out);
    out.end_object();
}

void write_result(const RecordedCall& call, JsonWriter& out) {
    out.key("result");
    out.begin_object();
    if (is_creation(call.kind)) {
        if (call.error.empty()) {
            out.key("address");
            out.address(call.to);
        }
        out.key("code");
        out.hex(call.output);
        out.key("gasUsed");
        out.quantity(call.gas_used);
    } else {
        out.key("gasUsed");
        out.quantity(call.gas_used);
        out.key("output");
        out.hex(call.output);
    }
    out.end_object();
}

void write_place(const std::optional<TraceSubject::Place>& place, JsonWriter& out) {
    out.key("blockHash");
    place ? out.hash(place->block_hash) : out.null();
    out.key("blockNumber");
    out.number(place ? place->block_number : 0);
    out.key("transactionHash");
    place ? out.hash(place->transaction_hash) : out.null();
    out.key("transactionPosition");
    out.number(place ? place->index : 0);
}

}  // namespace

void FlatCallTracer::begin(const TraceSubject& subject) {
    subject_ = subject;
    recorder_.begin(subject, budget(), options_.with_intrinsic_gas);
    is_hidden_.clear();
}

void FlatCallTracer::on_step(const vm::TraceStep& step, vm::Status failure) noexcept {
    recorder_.on_step(step, failure);
}

void FlatCallTracer::on_enter(const vm::TraceCall& call) noexcept {
    // Parity's traces have no such calls.
    is_hidden_.push_back(!options_.include_precompiles && !is_hidden_.empty() &&
                         (call.kind == Kind::call || call.kind == Kind::static_call) &&
                         vm::precompile_index(call.to, subject_.env->revision) != 0);
    recorder_.on_enter(call);
}

void FlatCallTracer::on_exit(vm::Status status, std::int64_t gas_used, BytesView output) noexcept {
    recorder_.on_exit(status, gas_used, output);
    if (is_hidden_.back()) recorder_.drop_last();
    is_hidden_.pop_back();
}

void FlatCallTracer::write_call(const RecordedCall& call, const std::vector<std::size_t>& place,
                                JsonWriter& out) const {
    const bool has_result = call.kind != Kind::self_destruct &&
                            (call.error.empty() || call.status == vm::Status::revert);
    out.begin_object();
    write_action(call, out);
    if (!call.error.empty()) {
        out.key("error");
        out.string(options_.convert_parity_errors ? parity_error(call.error) : call.error);
    }
    if (has_result) write_result(call, out);
    out.key("subtraces");
    out.number(call.calls.size());
    out.key("traceAddress");
    out.begin_array();
    for (const std::size_t index : place)
        out.number(index);
    out.end_array();
    out.key("type");
    out.string(is_creation(call.kind)             ? "create"
               : call.kind == Kind::self_destruct ? "suicide"
                                                  : "call");
    if (options_.with_place) write_place(subject_.place, out);
    out.end_object();
}

void FlatCallTracer::write_tree(const RecordedCall& call, std::vector<std::size_t>& place,
                                const IsWanted& is_wanted, JsonWriter& out) const {
    if (is_wanted(call)) write_call(call, place, out);
    place.push_back(0);
    for (const std::size_t index : call.calls) {
        write_tree(recorder_.calls()[index], place, is_wanted, out);
        ++place.back();
    }
    place.pop_back();
}

void FlatCallTracer::write_some(const IsWanted& is_wanted, JsonWriter& out) const {
    std::vector<std::size_t> place;
    if (!recorder_.calls().empty()) write_tree(recorder_.calls().front(), place, is_wanted, out);
}

void FlatCallTracer::write(JsonWriter& out) {
    out.begin_array();
    write_some([](const RecordedCall&) { return true; }, out);
    out.end_array();
}

}  // namespace heddle::node
