// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "inputs/chain_input.hpp"

#include <utility>

#include <consensus_adapter/archive.hpp>
#include <ledger/memory_ledger.hpp>

#include "formats/genesis_json.hpp"
#include "program/command_line.hpp"
#include "program/error.hpp"

namespace heddle::node {

namespace {

using consensus_adapter::BlockSource;
using consensus_adapter::SidecarFault;

const KnownChain kChains[] = {
    {"mainnet", mainnet_config,
     detail::hash_literal("d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3")},
    {"sepolia", sepolia_config,
     detail::hash_literal("25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9")},
};

/// Blocks of the files, with the sets that a sidecar declares. Errors: InputError.
std::unique_ptr<BlockSource> open_files(const ChainInput& input,
                                        consensus_adapter::ArchiveOptions options,
                                        std::shared_ptr<consensus_adapter::DeclaredCounts> counts) {
    auto source = consensus_adapter::make_archive_source(input.files, options);
    if (source && !input.sets.empty())
        source = consensus_adapter::make_declared_source(*std::move(source), input.sets,
                                                         std::move(counts));
    if (!source) fail_input("{}", describe(source.error()));
    return *std::move(source);
}

}  // namespace

const KnownChain* find_chain(const std::string& name) noexcept {
    for (const auto& chain : kChains)
        if (name == chain.name) return &chain;
    return nullptr;
}

void add_chain_options(Command command, ChainInput& input) {
    command.add_option("--genesis", input.genesis, "Genesis file in geth's format");
    command.add_option("--chain", input.chain, "Use the built-in configuration of this chain")
        .one_of({"mainnet", "sepolia"});
}

void require_genesis(const ChainInput& input, std::string_view command) {
    if (input.genesis.empty() && input.chain.empty())
        fail_input("{}: which chain? Give --genesis FILE (geth's format)", command);
    if (input.genesis.empty())
        fail_input(
            "{1}: the genesis allocation of {0} is not built in: give it with --genesis "
            "FILE (`geth dumpgenesis --{0} > FILE` writes one)",
            input.chain, command);
}

Genesis load_chain_genesis(const ChainInput& input, std::string_view command) {
    require_genesis(input, command);
    Genesis genesis = load_genesis(input.genesis);
    if (const KnownChain* chain = find_chain(input.chain)) genesis.config = chain->config();
    return genesis;
}

Hash compute_genesis_hash(const Genesis& genesis) {
    return ledger::MemoryLedger().initialize(genesis).hash;
}

void check_genesis_hash(const ChainInput& input, const Hash& hash) {
    const KnownChain* chain = find_chain(input.chain);
    if (chain != nullptr && hash != chain->genesis_hash)
        fail_input("{}: is not the genesis of {}: its hash is {}, but must be {}", input.genesis,
                   chain->name, to_string(hash), to_string(chain->genesis_hash));
}

std::unique_ptr<BlockSource> open_chain(const ChainInput& input, const Hash& genesis_hash,
                                        std::shared_ptr<consensus_adapter::DeclaredCounts> counts,
                                        consensus_adapter::ResumeOptions resume,
                                        std::size_t ahead_bytes) {
    consensus_adapter::ArchiveOptions archive;
    archive.genesis_hash = genesis_hash;
    archive.head = resume.head;
    archive.head_gas_limit = resume.head_gas_limit;
    auto source = open_files(input, archive, std::move(counts));
    // Before reading ahead, so that no sender is recovered in vain.
    return consensus_adapter::make_prefetching_source(
        consensus_adapter::make_resumed_source(std::move(source), std::move(resume)),
        {.max_bytes = ahead_bytes});
}

void check_chain_files(const ChainInput& input) {
    (void)open_files(input, {}, nullptr);
}

std::string describe(const consensus_adapter::SourceError& error) {
    std::string text = to_string(error);
    if (error.code.is_of<SidecarFault>())
        text += ": record the sets again with `heddle replay --record-sets FILE`";
    // `geth export` writes such a file where its name ends with .gz.
    if (error.reason.starts_with("starts with 0x1f8b"))
        text += ": it is compressed: unpack it with gunzip";
    return text;
}

}  // namespace heddle::node
