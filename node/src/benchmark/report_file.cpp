// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/report_file.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "formats/json_writer.hpp"

namespace heddle::node::benchmark {
namespace {

constexpr std::string_view kFormat = "heddle-bench-1";

/// Members of one object, each in the shape of its type.
class Members {
public:
    explicit Members(JsonWriter& out) : out_(out) {}

    void text(std::string_view name, std::string_view value) {
        out_.key(name);
        out_.string(value);
    }
    void flag(std::string_view name, bool value) {
        out_.key(name);
        out_.boolean(value);
    }
    void count(std::string_view name, std::uint64_t value) {
        out_.key(name);
        out_.number(value);
    }
    /// The shortest digits that give the same value; JSON has no infinity, so that is null.
    void real(std::string_view name, double value) {
        out_.key(name);
        append(value);
    }
    void reals(std::string_view name, const std::vector<double>& values) {
        out_.key(name);
        out_.begin_array();
        for (const double value : values)
            append(value);
        out_.end_array();
    }

private:
    void append(double value) {
        if (std::isfinite(value))
            out_.raw(fmt::format("{}", value));
        else
            out_.null();
    }

    JsonWriter& out_;
};

void write(const LatencyFigures& latency, std::string_view name, JsonWriter& out) {
    out.key(name);
    out.begin_object();
    Members members(out);
    members.real("p50", latency.p50);
    members.real("p90", latency.p90);
    members.real("p99", latency.p99);
    members.real("p999", latency.p999);
    members.real("max", latency.max);
    out.end_object();
}

void write(const Cell& cell, JsonWriter& out) {
    out.begin_object();
    Members members(out);
    members.text("scheduler", cell.scheduler);
    members.count("workers", cell.workers);
    members.text("knowledge", cell.knowledge);
    members.flag("twin", cell.is_twin);
    members.real("offered_tps", cell.offered_tps);
    members.real("load_share", cell.load_share);
    members.real("cold_ms", cell.cold_ms);
    members.reals("samples_ms", cell.samples_ms);
    members.reals("block_ms", cell.block_ms);
    out.key("phases_ms");
    out.begin_object();
    members.real("recovery", cell.phases.recovery);
    members.real("execution", cell.phases.execution);
    members.real("verification", cell.phases.verification);
    members.real("commit", cell.phases.commit);
    out.end_object();
    out.key("counters");
    out.begin_object();
    for (const auto& [name, value] : cell.counters)
        members.real(name, value);
    out.end_object();
    if (cell.is_open_loop()) {
        write(cell.transaction_latency, "transaction_latency_us", out);
        write(cell.block_latency, "block_latency_us", out);
    }
    out.end_object();
}

void write(const Model& model, JsonWriter& out) {
    out.key("modelled");
    out.begin_object();
    Members members(out);
    members.real("total_ms", model.total_ms);
    members.real("critical_ms", model.critical_ms);
    members.reals("critical_shares", model.critical_shares);
    out.key("speed_up");
    out.begin_array();
    for (const ModelPoint& point : model.points) {
        out.begin_object();
        members.count("cores", point.cores);
        members.real("stream_order", point.stream_order);
        members.real("longest_path", point.longest_path);
        out.end_object();
    }
    out.end_array();
    out.end_object();
}

void write(const SubjectResult& subject, JsonWriter& out) {
    out.begin_object();
    Members members(out);
    members.text("name", subject.name);
    members.text("digest", subject.digest);
    members.count("transactions", subject.transactions);
    members.count("gas", subject.gas);
    out.key("blocks");
    out.begin_array();
    for (const std::uint64_t number : subject.blocks)
        out.number(number);
    out.end_array();
    members.real("noise", subject.noise);
    out.key("handover_ns");
    out.begin_object();
    members.real("least", subject.handover.least_ns);
    members.real("most", subject.handover.most_ns);
    out.end_object();
    out.key("cells");
    out.begin_array();
    for (const Cell& cell : subject.cells)
        write(cell, out);
    out.end_array();
    write(subject.model, out);
    out.end_object();
}

double real_of(const JsonView& object, std::string_view name) {
    const double value = object.at(name).real();
    if (!(value >= 0)) object.at(name).fail("expected a number that is not negative");
    return value;
}

std::vector<double> reals_of(const JsonView& object, std::string_view name) {
    const JsonView array = object.at(name);
    if (!array.is_array()) array.fail("expected an array");
    std::vector<double> values;
    for (std::size_t i = 0; i < array.size(); ++i) {
        values.push_back(array.element(i).real());
        if (!(values.back() >= 0)) array.element(i).fail("expected a number, zero or more");
    }
    return values;
}

std::string text_of(const JsonView& object, std::string_view name) {
    return std::string{object.at(name).string()};
}

template <typename Read>
void for_each(const JsonView& object, std::string_view name, Read&& read) {
    const JsonView array = object.at(name);
    if (!array.is_array()) array.fail("expected an array");
    for (std::size_t i = 0; i < array.size(); ++i)
        read(array.element(i));
}

unsigned small_count(const JsonView& object, std::string_view name) {
    const std::uint64_t value = object.at(name).uint64();
    if (value > 1'000'000) object.at(name).fail("expected a smaller number");
    return static_cast<unsigned>(value);
}

LatencyFigures latency_of(const JsonView& object, std::string_view name) {
    const auto json = object.find(name);
    if (!json) return {};
    return {real_of(*json, "p50"), real_of(*json, "p90"), real_of(*json, "p99"),
            real_of(*json, "p999"), real_of(*json, "max")};
}

Cell cell_of(const JsonView& json) {
    Cell cell;
    cell.scheduler = text_of(json, "scheduler");
    cell.workers = small_count(json, "workers");
    cell.knowledge = text_of(json, "knowledge");
    cell.is_twin = json.at("twin").boolean();
    cell.offered_tps = real_of(json, "offered_tps");
    cell.load_share = real_of(json, "load_share");
    cell.cold_ms = real_of(json, "cold_ms");
    cell.samples_ms = reals_of(json, "samples_ms");
    if (cell.samples_ms.empty()) json.at("samples_ms").fail("expected at least one");
    if (std::ranges::count(cell.samples_ms, 0.0) != 0)
        json.at("samples_ms").fail("a run cannot have taken no time");
    cell.block_ms = reals_of(json, "block_ms");
    const JsonView phases = json.at("phases_ms");
    cell.phases = {real_of(phases, "recovery"), real_of(phases, "execution"),
                   real_of(phases, "verification"), real_of(phases, "commit")};
    const JsonView counters = json.at("counters");
    if (!counters.is_object()) counters.fail("expected an object");
    for (std::size_t i = 0; i < counters.size(); ++i) {
        const auto [name, value] = counters.member(i);
        cell.counters.emplace_back(name, value.real());
    }
    cell.transaction_latency = latency_of(json, "transaction_latency_us");
    cell.block_latency = latency_of(json, "block_latency_us");
    return cell;
}

Model model_of(const JsonView& json) {
    Model model;
    model.total_ms = real_of(json, "total_ms");
    model.critical_ms = real_of(json, "critical_ms");
    model.critical_shares = reals_of(json, "critical_shares");
    for_each(json, "speed_up", [&](const JsonView& point) {
        model.points.push_back({small_count(point, "cores"), real_of(point, "stream_order"),
                                real_of(point, "longest_path")});
    });
    return model;
}

SubjectResult subject_of(const JsonView& json) {
    SubjectResult subject;
    subject.name = text_of(json, "name");
    subject.digest = text_of(json, "digest");
    subject.transactions = json.at("transactions").uint64();
    subject.gas = json.at("gas").uint64();
    for_each(json, "blocks",
             [&](const JsonView& number) { subject.blocks.push_back(number.uint64()); });
    subject.noise = json.find("noise") ? real_of(json, "noise") : INFINITY;
    // Reports of before it was measured have none.
    if (const auto handover = json.find("handover_ns"))
        subject.handover = {real_of(*handover, "least"), real_of(*handover, "most")};
    for_each(json, "cells", [&](const JsonView& cell) { subject.cells.push_back(cell_of(cell)); });
    if (subject.cells.empty()) json.at("cells").fail("expected at least one");
    subject.model = model_of(json.at("modelled"));
    return subject;
}

/// As a field of CSV: in quotes where it needs them.
std::string field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string{text};
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

}  // namespace

std::string to_json(const BenchReport& report) {
    std::string text;
    JsonWriter out(text);
    out.begin_object();
    Members members(out);
    members.text("format", kFormat);
    members.text("program", report.program);
    members.text("command", report.command);
    members.text("began", report.began);
    out.key("machine");
    out.begin_object();
    members.text("processor", report.machine.processor);
    members.count("processors", report.machine.processors);
    members.text("system", report.machine.system);
    members.real("load_average", report.machine.load_average);
    out.end_object();
    members.count("repetitions", report.repetitions);
    members.flag("cold", report.is_cold);
    members.flag("pinned", report.is_pinned);
    out.key("subjects");
    out.begin_array();
    for (const SubjectResult& subject : report.subjects)
        write(subject, out);
    out.end_array();
    out.end_object();
    return text + '\n';
}

BenchReport report_from_json(const JsonView& json) {
    if (!json.is_object()) json.fail("expected a report of heddle bench");
    const auto format = json.find("format");
    if (!format || !format->is_string() || format->string() != kFormat)
        json.fail(fmt::format("is no report of heddle bench: \"format\" must be \"{}\"", kFormat));
    BenchReport report;
    report.program = text_of(json, "program");
    report.command = text_of(json, "command");
    report.began = text_of(json, "began");
    const JsonView machine = json.at("machine");
    report.machine = {text_of(machine, "processor"), small_count(machine, "processors"),
                      text_of(machine, "system"), real_of(machine, "load_average")};
    report.repetitions = json.at("repetitions").uint64();
    report.is_cold = json.at("cold").boolean();
    report.is_pinned = json.at("pinned").boolean();
    for_each(json, "subjects",
             [&](const JsonView& subject) { report.subjects.push_back(subject_of(subject)); });
    return report;
}

std::string to_csv(const BenchReport& report) {
    std::string text =
        "subject,digest,transactions,gas,scheduler,workers,knowledge,again,offered_tps,"
        "load_share,cold_ms,median_ms,least_ms,most_ms,tps,mgas_per_second,speed_up,tx_p50_us,"
        "tx_p90_us,tx_p99_us,tx_p999_us,block_p50_us,block_p99_us\n";
    for (const SubjectResult& subject : report.subjects)
        for (const Cell& cell : subject.cells) {
            const double ms = median_ms(cell);
            const auto [least, most] = std::ranges::minmax(cell.samples_ms);
            const double speed_up = cell.is_open_loop() ? 0 : subject.baseline_ms() / ms;
            text += fmt::format(
                "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                field(subject.name), subject.digest, subject.transactions, subject.gas,
                field(cell.scheduler), cell.workers, cell.knowledge, cell.is_twin ? 1 : 0,
                cell.offered_tps, cell.load_share, cell.cold_ms, ms, least, most,
                static_cast<double>(subject.transactions) / ms * 1e3,
                static_cast<double>(subject.gas) / ms / 1e3, speed_up, cell.transaction_latency.p50,
                cell.transaction_latency.p90, cell.transaction_latency.p99,
                cell.transaction_latency.p999, cell.block_latency.p50, cell.block_latency.p99);
        }
    return text;
}

}  // namespace heddle::node::benchmark
