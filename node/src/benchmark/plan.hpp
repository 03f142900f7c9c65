// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What `heddle bench` is asked to do: the texts of its options, understood and checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <executor/options.hpp>
#include <types/revision.hpp>
#include <workload/scenario.hpp>

#include "benchmark/runner.hpp"
#include "inputs/chain_input.hpp"

namespace heddle::node::benchmark {

/// As they stand on the command line.
struct BenchOptions {
    ChainInput input;  // files, genesis, chain
    std::string datadir;
    std::string workloads;  // NAME[:setting=value,…], several apart by commas
    std::string schedulers = "serial,auto,dag,values";  // the same
    std::string workers = "2";
    std::string knowledge = "declared";
    std::string loads;  // shares of the first contender's throughput
    std::string rates;  // transactions per second
    std::uint64_t from = 0;
    std::uint64_t blocks = 0;  // 0: 5 that are made, up to 100 of what is given
    std::uint32_t txs = 1'000;
    std::uint64_t seed = 1;
    std::string fork;
    std::uint64_t repetitions = 25;
    bool is_cold = false;
    bool no_pin = false;
    bool no_model = false;
    bool stages = false;
    std::string html;
    std::string json;
    std::string csv;
    friend bool operator==(const BenchOptions&, const BenchOptions&) = default;
};

/// How much is offered where nobody waits for an answer.
struct OfferedLoad {
    double share = 0;  // of the first contender's throughput; 0: `tps` counts
    double tps = 0;
    friend bool operator==(const OfferedLoad&, const OfferedLoad&) = default;
};

struct Plan {
    std::vector<Contender> contenders;  // the first is what the others are compared with
    std::vector<OfferedLoad> loads;
    std::vector<workload::ScenarioChoice> scenarios;
    Revision revision = workload::kDefaultRevision;
};
/// Errors: InputError that names the option and what it takes.
[[nodiscard]] Plan make_plan(const BenchOptions& options);

/// Apart by commas, where `name:setting=value,setting=value` is one item: what has an equals sign
/// before any colon continues the item before it.
[[nodiscard]] std::vector<std::string> split_choices(std::string_view text);

}  // namespace heddle::node::benchmark
