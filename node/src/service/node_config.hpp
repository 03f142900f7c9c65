// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What can be set of a running node: one list of options with their descriptions, read from a TOML
// file, overridden one by one, and printed. Nothing here starts anything.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <executor/block_building.hpp>
#include <executor/schedulers.hpp>
#include <workload/options.hpp>

#include "inputs/fork_flag.hpp"
#include "inputs/ledger_flags.hpp"

namespace heddle::node {

/// Defaults are those of a node without a file. Times are text with a unit, e.g. `250ms`, `12s`.
struct NodeConfig {
    static constexpr std::string_view kDefaultScheduler = executor::kDefaultScheduler;
    static constexpr std::string_view kDefaultBuilderName = "aria";

    struct {
        std::string datadir;
        bool is_datadir_temporary = false;  // no setting: it goes with the process
        std::string genesis;
        std::string genesis_copy;  // no setting: file that gets the genesis of --dev
        std::string fork{fork_name(workload::kDefaultRevision)};  // of --dev, as what follows
        std::uint64_t id = 1'337;
        std::string timestamps = "equal";
        bool any_code_size = false;
    } chain;
    struct {
        std::string sync = "block";
        std::uint64_t memory = 1024;  // MiB
        std::uint64_t history = LedgerFlags::kDefaultHistory;
        bool is_history_given = false;  // no setting: whether that one was set
        std::uint64_t access_lists = LedgerFlags{}.access_lists;
        bool store_lists = false;
        bool archive = false;
    } ledger;
    struct {
        std::string scheduler{kDefaultScheduler};
        std::uint64_t workers = 0;
    } executor;
    struct {
        std::string engine = "solo";
        std::string seal = "demand";
        std::string block_time = "12s";
        std::string least_distance = "20ms";
        std::string beneficiary = "0x0000000000000000000000000000000000000000";
        std::uint64_t gas_limit = 60'000'000;
        std::string extra_data;
    } consensus;
    struct {
        std::string builder{kDefaultBuilderName};
        std::uint64_t fee_tolerance = executor::BuildOptions{}.fee_tolerance_percent;  // percent
    } building;
    struct {
        std::string abci = "tcp://127.0.0.1:26658";
        std::string rpc = "http://127.0.0.1:26657";
        bool state_sync = false;
        std::uint64_t snapshot_interval = 10'000;  // blocks
        std::uint64_t snapshots_kept = 2;
        std::uint64_t retain_blocks = 0;
        bool access_lists = true;
    } cometbft;
    struct {
        std::string origin;
        std::string ca;  // a file
        std::string depth = "finalized";
        std::uint64_t connections = 4;
        std::string timeout = "20s";
        std::uint64_t max_answer_megabytes = 32;
    } follow;
    struct {
        std::string url;
        std::string block = "latest";
        std::string ca;     // a file
        std::string cache;  // empty: the user's folder for caches
        bool verify = false;
        bool offline = false;
        std::string timeout = "10s";
        std::uint64_t connections = 4;
        std::uint64_t calls_per_second = 0;
        std::uint64_t max_answer_megabytes = 32;
    } forking;
    struct {
        std::vector<std::string> addresses;
        std::vector<std::string> comets;
        std::vector<std::string> genesis;
        std::string ca;  // a file
        std::uint64_t leading = 0;
        std::string mover;
        bool opportunistic = true;
        std::string overshoot = "2ms";
        std::uint64_t retain_blocks = 0;
        std::string join;
        std::uint64_t trust_number = 0;
        std::string trust_hash;
        std::uint64_t snapshot_interval = 10'000;  // merged blocks
        std::uint64_t snapshots_kept = 2;
    } lanes;
    struct {
        std::string mode = "off";
        std::string name;
        std::vector<std::string> members;
        std::string primary;
        std::uint64_t acks = 1;
        std::string timeout = "5s";
        std::string on_timeout = "stop";
        std::uint64_t window = 64;  // blocks
    } replication;
    struct {
        std::uint64_t max_transactions = 32'768;
        std::uint64_t max_megabytes = 256;
        std::uint64_t max_per_sender = 4'096;
        std::uint64_t price_bump = 10;       // percent
        std::uint64_t min_priority_fee = 0;  // wei
        std::string local;                   // empty: loopback with --dev, else none
        bool journal = true;
        bool allow_unprotected = false;  // always with --dev
    } mempool;
    struct {
        std::string address = "127.0.0.1";
        std::uint64_t port = 8545;
        std::string ipc_path;
        std::uint64_t threads = 0;
        std::uint64_t heavy_calls = 0;
        std::uint64_t scans = 0;
        std::uint64_t queue = 1'024;
        std::uint64_t max_connections = 4'096;
        std::uint64_t max_connections_per_address = 1'024;
        std::uint64_t max_request_kilobytes = 5'120;
        std::uint64_t max_response_kilobytes = 25'600;
        std::uint64_t batch_items = 1'000;
        std::string call_timeout = "5s";
        std::string idle_timeout = "120s";
        std::string header_timeout = "10s";
        std::string read_timeout = "30s";
        std::uint64_t call_gas = 50'000'000;
        std::uint64_t gas_per_second = 0;
        std::uint64_t logs_blocks = 100'000;
        std::uint64_t logs_results = 20'000;
        std::uint64_t trace_blocks = 100;
        std::vector<std::string> allowed_origins;
        std::vector<std::string> allowed_hosts{"localhost"};
        std::string client_name;
        bool throw_on_failure = false;
        std::string jwt_secret;
        bool expose_admin = false;
        std::string artifacts;
        std::uint64_t executions = 4'096;  // blocks
    } rpc;
    struct {
        std::string folder;
        std::uint64_t limit = 4'096;  // MiB
    } record;
    struct {
        std::string format = "text";
        std::string level = "info";
        std::map<std::string, std::string> levels;
    } log;
};

/// Reads a TOML file over what `config` says.
/// Errors: InputError with file, line and the option at fault; an unknown option is one.
void read_config(const std::string& path, NodeConfig& config);

/// Sets one option.
/// @param assignment  `section.option=value`, the value as in TOML; quotes of a text may be left
///                    out.
/// Errors: InputError.
void set_option(const std::string& assignment, NodeConfig& config);

/// The value of one option as a help shows it: text without quotes; empty where there is none, and
/// for what is off or a list. @param name  `section.option`, of which there must be one.
[[nodiscard]] std::string describe_option(std::string_view name, const NodeConfig& config);

/// The whole configuration as a TOML file, each option with its description.
[[nodiscard]] std::string print_config(const NodeConfig& config);

/// A time in milliseconds out of `250ms`, `12s` or `5m`.
/// Errors: InputError that names `option`.
[[nodiscard]] std::uint64_t parse_milliseconds(const std::string& text, std::string_view option);

}  // namespace heddle::node
