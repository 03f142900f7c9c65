// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "service/chain_folder.hpp"

#include <cstdint>
#include <optional>
#include <sstream>
#include <utility>

#include <workload/world.hpp>

#include "chain/chain_rules.hpp"
#include "chain/dev_chain.hpp"
#include "inputs/chain_input.hpp"
#include "inputs/fork_flag.hpp"
#include "inputs/genesis_ledger.hpp"
#include "inputs/known_genesis.hpp"
#include "inputs/ledger_flags.hpp"
#include "logging/log.hpp"
#include "program/error.hpp"
#include "program/file.hpp"
#include "service/node_options.hpp"

namespace heddle::node {
namespace {

/// Of a development chain; nullopt: it is none.
/// @param begin  When the chain begins whose blocks are a second apart, as on hardhat's network:
///               tests reckon from the time of the first block.
std::optional<Genesis> wanted_dev_genesis(const NodeConfig& config, bool is_dev,
                                          std::uint64_t begin) {
    if (!is_dev) return std::nullopt;
    Genesis genesis = dev_genesis(revision_of("chain.fork", config.chain.fork), config.chain.id);
    genesis.config.equal_timestamps = has_equal_timestamps(config);
    if (!genesis.config.equal_timestamps) genesis.header.timestamp = begin;
    return genesis;
}

/// When the chain in the folder begins.
std::uint64_t first_timestamp(const ledger::DurableLedger& ledger) {
    const auto first = ledger.header(0);
    return first.has_value() && first->has_value() ? (*first)->header.timestamp : 0;
}

ChainInput input_of(const NodeConfig& config) {
    ChainInput input;
    input.genesis = config.chain.genesis;
    return input;
}

/// What the folder is to be compared with; nullopt: with nothing.
/// @param begin  As above.
std::optional<GenesisOutline> wanted_chain(const NodeConfig& config, bool is_dev,
                                           std::uint64_t begin) {
    if (!config.chain.genesis.empty())
        return outline_genesis(config.chain.datadir, memory_plan(config).ledger, input_of(config),
                               "node", {});
    auto genesis = wanted_dev_genesis(config, is_dev, begin);
    if (!genesis.has_value()) return std::nullopt;
    const Hash hash = compute_genesis_hash(*genesis);
    return GenesisOutline{std::move(genesis->config), std::nullopt, hash};
}

/// Errors: InputError where the folder holds another chain than the one asked for.
void check_chain(const NodeConfig& config, const ledger::DurableLedger& ledger,
                 const std::optional<GenesisOutline>& genesis) {
    if (!genesis.has_value()) return;
    const Hash& wanted = genesis->hash;
    const Hash found = ledger.block_hash(0);
    if (wanted != found)
        fail_input(
            "{} holds another chain: its genesis block is {}, that of {} is {}; choose another "
            "--datadir",
            config.chain.datadir, to_string(found),
            config.chain.genesis.empty() ? "--dev" : config.chain.genesis, to_string(wanted));
    // Of which a genesis block says nothing.
    const std::uint64_t id = stored_chain_config(ledger).chain_id;
    if (config.chain.genesis.empty() && id != genesis->config.chain_id)
        fail_input("{} holds the chain with id {}, and chain.id is {}; choose another --datadir",
                   config.chain.datadir, id, genesis->config.chain_id);
}

}  // namespace

std::unique_ptr<ledger::DurableLedger> open_or_create(const NodeConfig& config, bool is_dev,
                                                      ledger::DurableLedgerOptions options) {
    const bool has_file = !config.chain.genesis.empty();
    if (!ledger::DurableLedger::exists(config.chain.datadir)) {
        if (has_file) return create_chain_ledger(std::move(options), input_of(config), "node", {});
        const auto genesis = wanted_dev_genesis(config, is_dev, solo_options(config).clock());
        if (!genesis.has_value()) {
            const auto opened = ledger::DurableLedger::open(std::move(options));
            if (!opened.has_value() && opened.error().code == ledger::LedgerErrorCode::unfinished)
                fail_ledger(opened.error());
            fail_input(
                "{}: there is no ledger; fill it with `heddle replay`, make one with --genesis "
                "FILE, or use --dev",
                config.chain.datadir);
        }
        return create_ledger(std::move(options), *genesis);
    }
    auto ledger = open_ledger(std::move(options));
    std::optional<KnownGenesis> known;
    if (has_file) known.emplace(config.chain.datadir, config.chain.genesis);
    if (known && known->is_chain(ledger->block_hash(0), ledger->chain())) return ledger;
    const auto genesis = wanted_chain(config, is_dev, first_timestamp(*ledger));
    check_chain(config, *ledger, genesis);
    if (has_file &&
        adopt_rules(*ledger, genesis.value(), {config.chain.datadir, config.chain.genesis}))
        logger(Component::chain)
            .info("the rules of {} are in force from now on", config.chain.genesis);
    if (known) known->remember_chain(ledger->block_hash(0), ledger->chain());
    return ledger;
}

void write_dev_genesis(const NodeConfig& config, const ledger::DurableLedger& ledger) {
    Genesis genesis = wanted_dev_genesis(config, true, first_timestamp(ledger)).value();
    // Runs before this one may have had the other rule, and its blocks are there.
    if (stored_chain_config(ledger).equal_timestamps) genesis.config.equal_timestamps = true;
    std::ostringstream text;
    workload::write_genesis_json(genesis, text);
    write_file(config.chain.genesis_copy, text.view());
}

StateSyncOptions restorable_chain(const NodeConfig& config, std::string_view option) {
    if (config.chain.genesis.empty())
        fail_input(
            "{}: a snapshot is compared with the genesis of the chain; name its file with "
            "chain.genesis",
            option);
    StateSyncOptions options;
    options.ledger.directory = config.chain.datadir;
    options.ledger.memory_bytes = memory_plan(config).ledger;
    const Genesis genesis = load_chain_genesis(input_of(config), "node");
    options.config = genesis.config;
    options.validators = load_validator_contract(config.chain.genesis);
    options.genesis_hash = compute_genesis_hash(genesis);
    return options;
}

}  // namespace heddle::node
