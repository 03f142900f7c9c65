// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tracing/trace_config.hpp"

#include <charconv>
#include <utility>
#include <vector>

#include "formats/strict_hex.hpp"
#include "program/error.hpp"
#include "tracing/call_tracer.hpp"
#include "tracing/erc7562_tracer.hpp"
#include "tracing/flat_call_tracer.hpp"
#include "tracing/prestate_tracer.hpp"
#include "tracing/small_tracers.hpp"

namespace heddle::node {
namespace {

using Options = std::optional<JsonView>;

/// An option that is off unless it is given.
bool flag(const Options& options, std::string_view name) {
    if (!options.has_value()) return false;
    const auto value = options->find(name);
    return value.has_value() && value->boolean();
}

/// An int of Go's.
std::int64_t signed_integer(const JsonView& value) {
    if (!value.is_integer()) value.fail("expected a number without a fraction");
    if (const double real = value.real(); real < 0) return static_cast<std::int64_t>(real);
    const std::uint64_t magnitude = value.uint64();
    if (!std::in_range<std::int64_t>(magnitude)) value.fail("expected a number below 2^63");
    return static_cast<std::int64_t>(magnitude);
}

std::unique_ptr<TransactionTracer> make_call_tracer(const Options& options, TraceBudget& budget) {
    return std::make_unique<CallTracer>(
        budget, CallTracerOptions{.only_top_call = flag(options, "onlyTopCall"),
                                  .with_log = flag(options, "withLog")});
}

std::unique_ptr<TransactionTracer> make_flat_call_tracer(const Options& options,
                                                         TraceBudget& budget) {
    return std::make_unique<FlatCallTracer>(
        budget, FlatCallTracerOptions{.convert_parity_errors = flag(options, "convertParityErrors"),
                                      .include_precompiles = flag(options, "includePrecompiles")});
}

std::unique_ptr<TransactionTracer> make_prestate_tracer(const Options& options,
                                                        TraceBudget& budget) {
    const PrestateTracerOptions wanted{.diff_mode = flag(options, "diffMode"),
                                       .with_code = !flag(options, "disableCode"),
                                       .with_storage = !flag(options, "disableStorage"),
                                       .include_empty = flag(options, "includeEmpty")};
    if (wanted.diff_mode && wanted.include_empty)
        throw InputError("cannot use diffMode with includeEmpty");
    return std::make_unique<PrestateTracer>(budget, wanted);
}

std::unique_ptr<TransactionTracer> make_erc7562_tracer(const Options& options,
                                                       TraceBudget& budget) {
    Erc7562TracerOptions wanted;
    wanted.with_log = flag(options, "withLog");
    if (const auto list = options.has_value() ? options->find("ignoredOpcodes") : std::nullopt) {
        if (!list->is_array()) list->fail("expected an array");
        wanted.ignored_opcodes.reset();
        for (std::size_t i = 0; i < list->size(); ++i)
            wanted.ignored_opcodes.set(to_uint64(list->element(i)) & 0xff);
    }
    return std::make_unique<Erc7562Tracer>(budget, wanted);
}

std::unique_ptr<TransactionTracer> make_named(std::string_view name, const Options& options,
                                              TraceBudget& budget);

/// `{"callTracer": {…}, "prestateTracer": null, …}`; none of them another of these.
std::unique_ptr<TransactionTracer> make_mux_tracer(const Options& options, TraceBudget& budget) {
    std::vector<MuxTracer::Named> tracers;
    const std::size_t count = options.has_value() ? options->size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto [name, config] = options->member(i);
        if (name == "muxTracer") throw InputError("a muxTracer cannot run another one");
        const Options own = config.is_null() ? std::nullopt : Options{config};
        tracers.emplace_back(std::string{name}, make_named(name, own, budget));
    }
    return std::make_unique<MuxTracer>(budget, std::move(tracers));
}

std::unique_ptr<TransactionTracer> make_named(std::string_view name, const Options& options,
                                              TraceBudget& budget) {
    if (options.has_value() && !options->is_object()) options->fail("expected an object");
    if (name == "callTracer") return make_call_tracer(options, budget);
    if (name == "flatCallTracer") return make_flat_call_tracer(options, budget);
    if (name == "prestateTracer") return make_prestate_tracer(options, budget);
    if (name == "muxTracer") return make_mux_tracer(options, budget);
    if (name == "4byteTracer") return std::make_unique<FourByteTracer>(budget);
    if (name == "erc7562Tracer") return make_erc7562_tracer(options, budget);
    if (name == "keccak256PreimageTracer") return std::make_unique<PreimageTracer>(budget);
    if (name == "opcountTracer") return std::make_unique<OpcodeCountTracer>(budget);
    if (name == "noopTracer") return std::make_unique<NoopTracer>(budget);
    // What is no name is a program.
    if (name.find_first_of(" {}()") != std::string_view::npos)
        throw InputError("tracers in JavaScript are not supported");
    fail_input(
        "ReferenceError: {} is not defined; there are callTracer, flatCallTracer, prestateTracer, "
        "muxTracer, 4byteTracer, erc7562Tracer, keccak256PreimageTracer, opcountTracer and "
        "noopTracer, and without a name there are struct logs; tracers in JavaScript are not "
        "supported",
        name);
}

struct Unit {
    std::string_view name;
    double nanoseconds;
};
/// Longer names before those that they begin with.
constexpr Unit kUnits[] = {{"ns", 1},  {"us", 1e3}, {"\u00b5s", 1e3}, {"ms", 1e6},
                           {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};

}  // namespace

TraceConfig parse_trace_config(const JsonView& json) {
    TraceConfig config;
    if (!json.is_object()) json.fail("expected an object");
    // An empty name is none (execution-apis, TraceConfig).
    if (const auto tracer = json.find("tracer"); tracer.has_value() && !tracer->string().empty())
        config.tracer = std::string{tracer->string()};
    config.tracer_config = json.find("tracerConfig");
    if (const auto timeout = json.find("timeout")) config.timeout = std::string{timeout->string()};
    StructLoggerOptions& options = config.struct_logger;
    options.with_stack = !flag(json, "disableStack");
    options.with_storage = !flag(json, "disableStorage");
    options.with_memory = flag(json, "enableMemory");
    options.with_return_data = flag(json, "enableReturnData");
    if (const auto limit = json.find("limit")) options.limit = signed_integer(*limit);
    return config;
}

std::chrono::nanoseconds parse_duration(std::string_view text) {
    const auto fail = [&] { fail_input("time: invalid duration \"{}\"", text); };
    constexpr double kMost = 9e18;  // what 64 bits hold
    double total = 0;
    std::string_view rest = text;
    if (rest == "0") return {};
    if (rest.empty()) fail();
    while (!rest.empty()) {
        double value = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value,
                                                  std::chars_format::fixed);
        if (error != std::errc{} || value < 0) fail();
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        const Unit* unit = nullptr;
        for (const Unit& known : kUnits)
            if (rest.starts_with(known.name) &&
                (unit == nullptr || known.name.size() > unit->name.size()))
                unit = &known;
        if (unit == nullptr) fail();
        rest.remove_prefix(unit->name.size());
        total += value * unit->nanoseconds;
        if (!(total < kMost)) fail();
    }
    return std::chrono::nanoseconds{static_cast<std::int64_t>(total)};
}

std::unique_ptr<TransactionTracer> make_tracer(const TraceConfig& config, TraceBudget& budget) {
    if (!config.tracer.has_value())
        return std::make_unique<StructLogger>(budget, config.struct_logger);
    return make_named(*config.tracer, config.tracer_config, budget);
}

}  // namespace heddle::node
