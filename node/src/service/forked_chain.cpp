// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/forked_chain.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "follow/endpoint.hpp"
#include "follow/tls_trust.hpp"
#include "forking/fork_rules.hpp"
#include "inputs/ledger_flags.hpp"
#include "logging/log.hpp"
#include "program/error.hpp"
#include "service/node_options.hpp"

namespace heddle::node {
namespace {

constexpr std::string_view kUrlOption = "forking.url";

std::optional<std::uint64_t> fork_block(const NodeConfig& config) {
    const std::string& block = config.forking.block;
    if (block == "latest" || block.empty()) return std::nullopt;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(block.data(), block.data() + block.size(), number);
    if (error != std::errc{} || end != block.data() + block.size())
        fail_input("forking.block: {}: expected `latest` or the number of a block", block);
    return number;
}

std::string cache_folder(const NodeConfig& config) {
    if (config.forking.cache == "none") return {};
    if (!config.forking.cache.empty()) return config.forking.cache;
    return forking::default_cache_folder();
}

forking::ForkSourceOptions source_options(const NodeConfig& config) {
    constexpr std::uint64_t kMostConnections = 64;
    constexpr std::uint64_t kMostMegabytes = 1'024;
    constexpr std::uint64_t kMostCalls = 1'000'000;
    const auto& wanted = config.forking;
    forking::ForkSourceOptions options;
    options.url = wanted.url;
    options.source.endpoint = follow::parse_endpoint(wanted.url, kUrlOption);
    follow::check_trust(wanted.ca, "forking.ca");
    options.source.endpoint.ca_file = wanted.ca;
    options.source.timeout =
        std::chrono::milliseconds{parse_milliseconds(wanted.timeout, "forking.timeout")};
    if (options.source.timeout.count() == 0) fail_input("forking.timeout: must be above 0");
    if (wanted.connections == 0 || wanted.connections > kMostConnections)
        fail_input("forking.connections: {}: expected 1 to {}", wanted.connections,
                   kMostConnections);
    options.source.connections = static_cast<unsigned>(wanted.connections);
    if (wanted.max_answer_megabytes == 0 || wanted.max_answer_megabytes > kMostMegabytes)
        fail_input("forking.max_answer_megabytes: {}: expected 1 to {}",
                   wanted.max_answer_megabytes, kMostMegabytes);
    options.source.max_answer_bytes = std::size_t{wanted.max_answer_megabytes} << 20;
    if (wanted.calls_per_second > kMostCalls)
        fail_input("forking.calls_per_second: {}: expected 0 to {}", wanted.calls_per_second,
                   kMostCalls);
    options.source.calls_per_second = wanted.calls_per_second;
    options.source.is_offline = wanted.offline;
    options.cache_folder = cache_folder(config);
    options.block_bytes = moment_bytes(memory_plan(config)).source_blocks;
    options.proves = wanted.verify;
    options.block = fork_block(config);
    return options;
}

}  // namespace

bool is_forked(const NodeConfig& config) {
    return !config.forking.url.empty();
}

std::string fork_source_name(const NodeConfig& config) {
    return follow::parse_endpoint(config.forking.url, kUrlOption).name();
}

void check_forking(const NodeConfig& config, bool is_dev) {
    const auto& wanted = config.forking;
    if (!is_forked(config)) {
        if (wanted.verify || wanted.offline || fork_block(config).has_value())
            fail_input("--fork-block, --fork-verify and --fork-offline go with --fork-url");
        return;
    }
    (void)source_options(config);
    if (!is_dev)
        fail_input(
            "--fork-url goes with --dev or `heddle dev`: only a development chain forks "
            "another one; --follow takes a chain over block by block");
    if (engine_of(config) != Engine::solo)
        fail_input(
            "--fork-url does not go with consensus.engine = \"{}\": a fork seals its own "
            "blocks",
            config.consensus.engine);
    if (config.replication.mode != "off")
        fail_input(
            "--fork-url does not go with replication.mode: backups have no part of the "
            "state that is the source's");
    if (!config.record.folder.empty())
        fail_input(
            "--fork-url does not go with --record: what the source answers is not written "
            "down");
    if (!config.chain.datadir.empty())
        fail_input(
            "--fork-url does not go with --datadir: a fork is gone at its end, for most of "
            "its state is the source's; what was read of that is kept with --fork-cache");
    if (wanted.offline && cache_folder(config).empty())
        fail_input("--fork-offline: there is no cache; name its folder with --fork-cache");
}

ForkedChain::ForkedChain(const NodeConfig& config, std::string loop_name, std::stop_token stop) {
    auto options = source_options(config);
    options.source.endpoint.loop_name = std::move(loop_name);
    options.source.stop = std::move(stop);
    auto source = forking::ForkSource::open(std::move(options));
    if (!source.has_value()) fail_input("--fork-url: {}", source.error());
    source_ = *std::move(source);
    auto rules = forking::find_rules(*source_, config.chain.genesis);
    if (!rules.has_value()) fail_input("--fork-url: {}", rules.error());
    rules->equal_timestamps = has_equal_timestamps(config);
    auto first = forking::make_fork_genesis(*source_, *rules);
    if (!first.has_value()) fail_input("--fork-url: {}", first.error());
    first_ = *std::move(first);
    const ledger::StoredHeader& point = source_->point();
    logger(Component::node)
        .info("forked at block {} {} of chain {} at {}, {}", point.header.number,
              to_string(point.hash), source_->chain_id(), fork_source_name(config),
              config.forking.offline  ? "out of the cache alone"
              : config.forking.verify ? "every value proven"
                                      : "values as it says they are");
    if (const std::uint64_t damaged = source_->cache().damaged(); damaged != 0)
        logger(Component::node)
            .warn("{}: {} damaged entries are fetched again", source_->cache().path(), damaged);
}

std::unique_ptr<ledger::DurableLedger> ForkedChain::make_ledger(
    ledger::DurableLedgerOptions options) const {
    return create_ledger(std::move(options), first_.genesis);
}

void ForkedChain::attach(Chain& chain) const {
    chain.fork_from(*source_, first_.own);
}

}  // namespace heddle::node
