// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A report that tests change to their liking.
#pragma once

#include <utility>

#include "benchmark/result.hpp"

namespace heddle::node::benchmark {

inline Cell make_cell(std::string scheduler, std::vector<double> samples_ms) {
    Cell cell;
    cell.scheduler = std::move(scheduler);
    if (cell.scheduler != "serial") {
        cell.knowledge = "declared";
        cell.workers = 2;
        cell.counters = {{"dispatched", 100.5}, {"repaired", 0}};
    }
    cell.cold_ms = 12.25;
    cell.samples_ms = std::move(samples_ms);
    cell.block_ms = {4, 5.5};
    cell.phases = {0.5, 7, 1.25, 0.125};
    return cell;
}

/// Serial execution, its twin, and dag twice as fast, with scatter below half a percent.
inline BenchReport make_report() {
    SubjectResult subject;
    subject.name = "erc20";
    subject.digest = "0x0123456789abcdef";
    subject.transactions = 2'000;
    subject.gas = 90'000'000;
    subject.blocks = {1, 2};
    subject.noise = 0.004;
    subject.handover = {40, 50};
    subject.cells = {make_cell("serial", {10, 10.01, 9.99, 10, 10.02}),
                     make_cell("dag", {5, 5.01, 4.99, 5, 5}),
                     make_cell("serial", {10.02, 10, 10, 9.99, 10.01})};
    subject.cells.back().is_twin = true;
    subject.model = {9.5, 0.95, {0.1, 0.1}, {{1, 1, 1}, {8, 6.5, 7.25}}};
    BenchReport report;
    report.program = "heddle 0.0";
    report.command = "heddle bench --workload erc20";
    report.began = "2026-11-22 12:00 UTC";
    report.machine = {"A processor", 2, "Linux 6.1", 0.25};
    report.repetitions = 5;
    report.subjects = {std::move(subject)};
    return report;
}

/// With an open loop of both.
inline BenchReport make_open_report() {
    BenchReport report = make_report();
    for (const char* scheduler : {"serial", "dag"}) {
        Cell cell = make_cell(scheduler, {20, 20, 20});
        cell.offered_tps = 140'000;
        cell.load_share = 0.7;
        cell.cold_ms = 0;
        cell.block_ms = {};
        cell.transaction_latency = {100, 200, 300, 400, 500};
        cell.block_latency = {50, 60, 70, 80, 90};
        report.subjects[0].cells.push_back(std::move(cell));
    }
    return report;
}

}  // namespace heddle::node::benchmark
