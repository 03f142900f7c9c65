// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/node_options.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <limits>
#include <random>

#include <boost/asio/ip/address.hpp>

#include <executor/schedulers.hpp>
#include <types/counted.hpp>
#include <types/processors.hpp>

#include "chain/shared_code_cache.hpp"
#include "follow/tls_trust.hpp"
#include "inputs/ledger_flags.hpp"
#include "logging/log.hpp"
#include "program/error.hpp"
#include "program/file.hpp"
#include "service/forked_chain.hpp"

namespace heddle::node {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxExtraData = 32;  // YP 4.3.4
// MiB, as the commands that work on data directories have it.
constexpr std::uint64_t kLeastMemory = 64;
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 24;

/// More threads than any machine has processors are a slip of the finger.
constexpr std::uint64_t kMostThreads = 1'024;

/// @param usual  Where none are asked for.
std::size_t threads_or(std::uint64_t wanted, std::size_t usual, const char* option) {
    if (wanted > kMostThreads) fail_input("{}: {}: at most {}", option, wanted, kMostThreads);
    return wanted != 0 ? static_cast<std::size_t>(wanted) : usual;
}

}  // namespace

Engine engine_of(const NodeConfig& config) {
    if (config.consensus.engine == "solo") return Engine::solo;
    if (config.consensus.engine == "cometbft") return Engine::cometbft;
    if (config.consensus.engine == "follow") return Engine::follow;
    if (config.consensus.engine == "lanes") return Engine::lanes;
    fail_input("consensus.engine: {}: expected solo, cometbft, follow or lanes",
               config.consensus.engine);
}

MemoryPlan memory_plan(const NodeConfig& config) {
    if (config.ledger.memory < kLeastMemory || config.ledger.memory > kMostMemory)
        fail_input("ledger.memory: {}: expected {} to {} MiB", config.ledger.memory, kLeastMemory,
                   kMostMemory);
    return plan_memory(std::size_t{config.ledger.memory} << 20,
                       std::size_t{config.mempool.max_megabytes} << 20);
}

ChainApplicationOptions building_options(const NodeConfig& config) {
    ChainApplicationOptions options;
    options.scheduler = config.executor.scheduler;
    if (const auto check = executor::check_scheduler(options.scheduler); !check.has_value())
        fail_input("executor.scheduler: {}: {}", options.scheduler, check.error());
    // On a fork one transaction after the other: it is known of each what it could not read.
    if (config.building.builder == "serial" || is_forked(config))
        options.builder = Builder::serial;
    else if (config.building.builder == "aria")
        options.builder = Builder::aria;
    else
        fail_input("building.builder: {}: expected aria or serial", config.building.builder);
    if (config.building.fee_tolerance > 100)
        fail_input("building.fee_tolerance: {}: expected 0 to 100", config.building.fee_tolerance);
    options.fee_tolerance_percent = static_cast<unsigned>(config.building.fee_tolerance);
    options.stores_lists = config.ledger.store_lists;
    options.executor.parallel.workers =
        static_cast<unsigned>(threads_or(config.executor.workers, 0, "executor.workers"));
    const MemoryPlan memory = memory_plan(config);
    bound_executor(memory, options.executor.parallel);
    options.executor.code_cache = make_shared_code_cache(memory.executor_code);
    return options;
}

ledger::DurableLedgerOptions ledger_options(const NodeConfig& config) {
    LedgerFlags flags;
    flags.datadir = config.chain.datadir;
    flags.sync = config.ledger.sync;
    flags.memory_mib = config.ledger.memory;
    if (config.ledger.is_history_given) flags.history = config.ledger.history;
    flags.access_lists = config.ledger.access_lists;
    flags.archive = config.ledger.archive;
    ledger::DurableLedgerOptions options = make_ledger_options(flags);
    options.memory_bytes = memory_plan(config).ledger;
    return options;
}

MempoolOptions mempool_options(const NodeConfig& config) {
    MempoolOptions options;
    options.max_transactions = config.mempool.max_transactions;
    options.max_bytes = memory_plan(config).mempool;
    options.max_per_sender = config.mempool.max_per_sender;
    options.allow_blobs = engine_of(config) == Engine::solo;  // nobody else keeps them
    options.price_bump_percent = config.mempool.price_bump;
    options.min_priority_fee = Uint256{config.mempool.min_priority_fee};
    options.allow_unprotected = config.mempool.allow_unprotected;
    // What a follower's origin has taken is kept there.
    if (config.mempool.journal && engine_of(config) != Engine::follow &&
        !config.chain.is_datadir_temporary)
        options.journal = (fs::path{config.chain.datadir} / "mempool.rlp").string();
    return options;
}

Bytes read_jwt_secret(const std::string& path, std::string_view option) {
    constexpr std::size_t kMostBytes = 4 << 10;  // more than anybody puts around 64 digits
    constexpr std::string_view kSpace = " \t\r\n";
    std::string text;
    try {
        read_file(path, kMostBytes, text);
    } catch (const InputError& error) {
        fail_input("{}: cannot be read: {}", option, error.what());
    }
    std::string_view word{text};
    word.remove_prefix(std::min(word.find_first_not_of(kSpace), word.size()));
    const auto secret = hash_from_hex(word.substr(0, word.find_first_of(kSpace)));
    if (!secret.has_value())
        fail_input("{}: {}: expected 32 bytes in hexadecimal, e.g. from `openssl rand -hex 32`",
                   option, path);
    return {secret->bytes.begin(), secret->bytes.end()};
}

Bytes jwt_secret(const NodeConfig& config) {
    if (config.rpc.jwt_secret.empty()) return {};
    return read_jwt_secret(config.rpc.jwt_secret, "rpc.jwt_secret");
}

Address beneficiary_of(const NodeConfig& config) {
    const auto beneficiary = address_from_hex(config.consensus.beneficiary);
    if (!beneficiary.has_value())
        fail_input("consensus.beneficiary: {}: expected an address", config.consensus.beneficiary);
    return *beneficiary;
}

consensus_adapter::SoloOptions solo_options(const NodeConfig& config) {
    consensus_adapter::SoloOptions options;
    const auto& consensus = config.consensus;
    options.schedule = {};
    if (consensus.seal == "automine") {
        options.schedule.on_arrival = true;
    } else if (consensus.seal == "demand") {
        options.schedule.on_arrival = true;
        options.schedule.least_distance = std::chrono::milliseconds{
            parse_milliseconds(consensus.least_distance, "consensus.least_distance")};
    } else if (consensus.seal == "interval") {
        options.schedule.interval = std::chrono::milliseconds{
            parse_milliseconds(consensus.block_time, "consensus.block_time")};
        if (options.schedule.interval->count() == 0)
            fail_input("consensus.block_time: must be above 0; to seal at once use `demand`");
    } else if (consensus.seal != "command") {
        fail_input("consensus.seal: {}: expected demand, automine, interval or command",
                   consensus.seal);
    }
    options.beneficiary = beneficiary_of(config);
    if (consensus.extra_data.size() > kMaxExtraData)
        fail_input("consensus.extra_data: is longer than {} bytes", kMaxExtraData);
    options.extra_data.assign(consensus.extra_data.begin(), consensus.extra_data.end());
    if (consensus.gas_limit != 0) options.gas_limit = consensus.gas_limit;
    options.clock = [] {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        return static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::seconds>(now).count());
    };
    return options;
}

std::optional<std::string> chain_ahead_of_clock(std::uint64_t head, std::uint64_t clock) {
    constexpr std::uint64_t kTolerated = 60;
    if (head <= clock + kTolerated) return std::nullopt;
    return fmt::format(
        "the last block is {} ahead of this machine's clock: the next ones go on from its time, a "
        "second each, until the clock has come there; either blocks came faster than one a second, "
        "or the clock is wrong, or was",
        counted(head - clock, "second"));
}

rpc::ServerOptions server_options(const NodeConfig& config, bool is_dev) {
    const auto& rpc = config.rpc;
    const auto milliseconds = [](const std::string& text, const char* option) {
        return std::chrono::milliseconds{parse_milliseconds(text, option)};
    };
    if (rpc.port > std::numeric_limits<std::uint16_t>::max())
        fail_input("rpc.port: {}: a port is at most 65535", rpc.port);
    boost::system::error_code error;
    (void)boost::asio::ip::make_address(rpc.address, error);
    if (error)
        fail_input(
            "rpc.address: {}: is not an IP address to listen on; for example 127.0.0.1 or ::1",
            rpc.address);
    const std::size_t processors = processor_count();
    rpc::ServerOptions options;
    options.address = rpc.address;
    options.port = static_cast<std::uint16_t>(rpc.port);
    options.ipc_path = rpc.ipc_path;
    options.io_threads = threads_or(rpc.threads, processors, "rpc.threads");
    options.worker_threads = threads_or(rpc.scans, processors, "rpc.scans");
    options.execution_threads = threads_or(rpc.heavy_calls, processors, "rpc.heavy_calls");
    options.max_queued_requests = rpc.queue;
    options.max_connections = rpc.max_connections;
    options.max_connections_per_client = rpc.max_connections_per_address;
    options.gas_per_second = rpc.gas_per_second;
    // Room for two of the largest: one that comes and one that goes.
    options.max_buffered_bytes = memory_plan(config).messages;
    options.max_request_bytes =
        std::min(std::size_t{rpc.max_request_kilobytes} << 10, options.max_buffered_bytes / 2);
    options.call_timeout = milliseconds(rpc.call_timeout, "rpc.call_timeout");
    options.idle_timeout = milliseconds(rpc.idle_timeout, "rpc.idle_timeout");
    options.header_timeout = milliseconds(rpc.header_timeout, "rpc.header_timeout");
    options.read_timeout = milliseconds(rpc.read_timeout, "rpc.read_timeout");
    options.allowed_origins = rpc.allowed_origins;
    options.allows_local_pages = is_dev;
    options.allowed_hosts = rpc.allowed_hosts;
    if (!rpc.jwt_secret.empty()) options.jwt_secret = jwt_secret(config);
    return options;
}

rpc::ResponderLimits responder_limits(const NodeConfig& config, bool is_dev) {
    rpc::ResponderLimits limits;
    limits.request.batch_items = config.rpc.batch_items;
    limits.response_bytes = std::min(std::size_t{config.rpc.max_response_kilobytes} << 10,
                                     memory_plan(config).messages / 2);
    limits.exposes_authenticated = config.rpc.expose_admin || is_dev;
    return limits;
}

std::unique_ptr<ExecutionLog> execution_log(const NodeConfig& config) {
    constexpr std::uint64_t kMostBlocks = 1'000'000;
    if (config.rpc.executions > kMostBlocks)
        fail_input("rpc.executions: {}: at most {}", config.rpc.executions, kMostBlocks);
    if (config.rpc.executions == 0) return nullptr;
    return std::make_unique<ExecutionLog>(ExecutionLogLimits{
        .blocks = config.rpc.executions, .run_bytes = memory_plan(config).executions});
}

ContractArtifacts contract_artifacts(const NodeConfig& config) {
    if (config.rpc.artifacts.empty()) return {};
    ContractArtifacts artifacts;
    try {
        artifacts = read_artifacts(config.rpc.artifacts);
    } catch (const InputError& problem) {
        fail_input("rpc.artifacts: {}", problem.what());
    }
    logger(Component::rpc)
        .info("interfaces of {} out of {}", counted(artifacts.contracts.size(), "contract"),
              config.rpc.artifacts);
    for (const ContractArtifacts::LeftOut& one : artifacts.left_out)
        logger(Component::rpc).warn("left out: {}: {}", one.file, one.reason);
    return artifacts;
}

void check_combinations(const NodeConfig& config, bool is_dev) {
    if (is_dev && engine_of(config) == Engine::follow)
        fail_input("--follow does not go with --dev: a node that follows seals no blocks");
    // The default may be there, too: --print-config writes it.
    if (!is_dev && config.ledger.archive && config.ledger.is_history_given &&
        config.ledger.history != LedgerFlags::kDefaultHistory)
        fail_input(
            "ledger.history: {}: does not go with ledger.archive, which keeps all: leave one out",
            config.ledger.history);
    check_forking(config, is_dev);
    if (engine_of(config) == Engine::lanes && (is_dev || !config.record.folder.empty()))
        fail_input(
            "consensus.engine: lanes goes neither with --dev nor with --record: what decides is in "
            "the logs of the lanes, which can be merged again (`heddle lanes merge`)");
}

rpc::MethodLimits method_limits(const NodeConfig& config) {
    rpc::MethodLimits limits;
    limits.call_gas = config.rpc.call_gas;
    limits.logs_blocks = config.rpc.logs_blocks;
    limits.logs_results = config.rpc.logs_results;
    limits.trace_blocks = config.rpc.trace_blocks;
    const MemoryPlan memory = memory_plan(config);
    limits.kept_log_bytes = memory.logs;
    limits.kept_bloom_bytes = memory.blooms;
    limits.kept_fee_bytes = memory.fees;
    const MomentBytes moment = moment_bytes(memory);
    limits.removed_log_bytes = moment.removed_logs;
    limits.arrival_bytes = moment.arrivals;
    return limits;
}

bool has_equal_timestamps(const NodeConfig& config) {
    if (config.chain.timestamps == "equal") return true;
    if (config.chain.timestamps == "distinct") return false;
    fail_input("chain.timestamps: {}: expected equal or distinct", config.chain.timestamps);
}

std::string told_version(const NodeConfig& config, const std::string& version) {
    constexpr std::size_t kLongestName = 64;
    const std::string& name = config.rpc.client_name;
    if (name.empty()) return version;
    const bool is_plain = std::ranges::all_of(name, [](char c) { return c > ' ' && c < '\x7f'; });
    if (name.size() > kLongestName || !is_plain)
        fail_input("rpc.client_name: expected up to {} letters, digits and signs, without spaces",
                   kLongestName);
    return name + "/" + version;
}

rpc::LocalCallers local_callers(const NodeConfig& config, bool is_dev) {
    const std::string& local = config.mempool.local;
    if (local.empty()) return is_dev ? rpc::LocalCallers::loopback : rpc::LocalCallers::none;
    if (local == "none") return rpc::LocalCallers::none;
    if (local == "loopback") return rpc::LocalCallers::loopback;
    if (local == "all") return rpc::LocalCallers::all;
    fail_input("mempool.local: {}: expected none, loopback or all", local);
}

follow::Endpoint follow_origin(const NodeConfig& config) {
    if (config.follow.origin.empty())
        fail_input("follow.origin: which node is to be followed? name its JSON-RPC with --follow");
    follow::Endpoint endpoint = follow::parse_endpoint(config.follow.origin, "follow.origin");
    follow::check_trust(config.follow.ca, "follow.ca");
    endpoint.ca_file = config.follow.ca;
    return endpoint;
}

follow::ConnectionLimits follow_limits(const NodeConfig& config) {
    constexpr std::uint64_t kMostMegabytes = 1'024;
    const std::uint64_t megabytes = config.follow.max_answer_megabytes;
    if (megabytes == 0 || megabytes > kMostMegabytes)
        fail_input("follow.max_answer_megabytes: {}: expected 1 to {}", megabytes, kMostMegabytes);
    follow::ConnectionLimits limits;
    limits.timeout =
        std::chrono::milliseconds{parse_milliseconds(config.follow.timeout, "follow.timeout")};
    if (limits.timeout.count() == 0) fail_input("follow.timeout: must be above 0");
    limits.max_answer_bytes = std::size_t{megabytes} << 20;
    return limits;
}

consensus_adapter::follow::FollowOptions follow_options(const NodeConfig& config) {
    constexpr std::uint64_t kMostConnections = 64;
    consensus_adapter::follow::FollowOptions options;
    const std::uint64_t connections = config.follow.connections;
    if (connections == 0 || connections > kMostConnections)
        fail_input("follow.connections: {}: expected 1 to {}", connections, kMostConnections);
    options.connections = static_cast<unsigned>(connections);
    if (const std::string& depth = config.follow.depth; depth != "finalized") {
        std::uint64_t number = 0;
        const auto [end, error] =
            std::from_chars(depth.data(), depth.data() + depth.size(), number);
        if (error != std::errc{} || end != depth.data() + depth.size())
            fail_input("follow.depth: {}: expected `finalized` or a number of blocks", depth);
        options.depth = number;
    }
    options.max_ready_bytes = memory_plan(config).messages;
    options.seed = std::random_device{}();
    return options;
}

void check_dev_address(const NodeConfig& config) {
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(config.rpc.address, error);
    if (error || address.is_loopback()) return;  // what is no address is refused anyway
    fail_input(
        "rpc.address: {}: a development chain listens on loopback addresses only, for everybody "
        "knows its keys; to let whoever reaches it spend its accounts and seal its blocks, add "
        "--insecure-public-dev",
        config.rpc.address);
}

}  // namespace heddle::node
