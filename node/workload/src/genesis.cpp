// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The genesis block as a value and as a file in geth's format.
#include <workload/world.hpp>

#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/fork.hpp>
#include <types/hash.hpp>

namespace heddle::workload {
namespace {

/// Whether a chain that ends at `last` has the fork: all up to there but the DAO fork, which saved
/// what only mainnet had lost.
bool is_part(const Fork& fork, Revision last) {
    return fork.revision ? *fork.revision <= last : fork.member != &ChainConfig::dao_fork_block;
}

/// That of the genesis block.
Revision first_revision(const Options& options) {
    if (options.fork_time == 0) return options.revision;
    HEDDLE_ASSERT(options.revision > kFirstRevision);
    return static_cast<Revision>(static_cast<std::uint8_t>(options.revision) - 1);
}

constexpr std::string_view kDepositContract =
    "00000000219ab540356cbb839cbe05303d7705fa";  // EIP-6110

std::string config_json(const ChainConfig& config) {
    std::string out = fmt::format(R"({{"chainId":{})", config.chain_id);
    auto blobs = config.blob_schedule.begin();
    std::string schedule;
    for (const Fork& fork : kForks) {
        if (fork.member == nullptr || !(config.*fork.member)) continue;
        const std::uint64_t activation = *(config.*fork.member);
        for (const std::string_view field : fork.fields)
            if (!field.empty())
                fmt::format_to(std::back_inserter(out), R"(,"{}":{})", field, activation);
        if (fork.blobs == ForkBlobs::none) continue;
        fmt::format_to(std::back_inserter(schedule),
                       R"({}"{}":{{"target":{},"max":{},"baseFeeUpdateFraction":{}}})",
                       schedule.empty() ? "" : ",", fork.key(), blobs->target, blobs->max,
                       blobs->base_fee_update_fraction);
        ++blobs;
    }
    fmt::format_to(std::back_inserter(out),
                   R"(,"terminalTotalDifficulty":0,"depositContractAddress":"{}")",
                   to_string(config.deposit_contract_address));
    // A rule of no public chain, which other clients pass over.
    if (config.equal_timestamps) out += R"(,"equalTimestamps":true)";
    fmt::format_to(std::back_inserter(out), R"(,"ethash":{{}},"blobSchedule":{{{}}}}})", schedule);
    return out;
}

void append_account(const GenesisAccount& account, std::string& out) {
    fmt::format_to(std::back_inserter(out), R"("{}":{{"balance":"{}")", to_string(account.address),
                   to_hex(account.balance));
    if (account.nonce != 0)
        fmt::format_to(std::back_inserter(out), R"(,"nonce":"{:#x}")", account.nonce);
    if (!account.code.empty())
        fmt::format_to(std::back_inserter(out), R"(,"code":"{}")", to_hex(account.code));
    if (!account.storage.empty()) {
        std::string_view separator = R"(,"storage":{)";
        for (const auto& [slot, value] : account.storage) {
            fmt::format_to(std::back_inserter(out), R"({}"{}":"{}")", separator,
                           to_string(to_hash(slot)), to_string(to_hash(value)));
            separator = ",";
        }
        out += '}';
    }
    out += '}';
}

}  // namespace

Genesis make_genesis(std::vector<GenesisAccount> alloc, const Options& options,
                     std::uint64_t gas_limit) {
    Genesis genesis;
    ChainConfig& config = genesis.config;
    config.chain_id = options.chain_id;
    std::uint64_t activation = 0;
    for (const Fork& fork : kForks) {
        // What comes behind it in the table changes the price of blobs, and cannot come earlier.
        if (fork.revision == options.revision) activation = options.fork_time;
        if (fork.member != nullptr && is_part(fork, options.revision))
            config.*fork.member = activation;
    }
    config.terminal_total_difficulty = Uint256{};
    config.blob_schedule = make_blob_schedule(blob_fork_times(config));
    const auto deposit_contract = address_from_hex(kDepositContract);
    HEDDLE_ASSERT(deposit_contract.has_value());
    config.deposit_contract_address = *deposit_contract;

    BlockHeader& header = genesis.header;
    header.gas_limit = gas_limit;
    header.timestamp = kGenesisTimestamp;
    header.base_fee_per_gas = Uint256{kGenesisBaseFee};
    header.withdrawals_root = kEmptyTrieRoot;
    header.blob_gas_used = 0;
    header.excess_blob_gas = 0;
    header.parent_beacon_block_root = Hash{};
    const Revision first = first_revision(options);
    if (first >= Revision::prague) header.requests_hash = kEmptyRequestsHash;
    if (first >= Revision::amsterdam) {
        header.block_access_list_hash = kEmptyListHash;
        header.slot_number = 0;
    }
    genesis.alloc = std::move(alloc);
    return genesis;
}

void write_genesis_json(const Genesis& genesis, std::ostream& out, std::string_view more_config) {
    std::string text = R"({"config":)" + config_json(genesis.config);
    if (!more_config.empty()) {
        text.back() = ',';  // in place of the object's end
        text += more_config;
        text += '}';
    }
    const BlockHeader& header = genesis.header;
    HEDDLE_ASSERT(header.base_fee_per_gas.has_value());
    fmt::format_to(std::back_inserter(text),
                   R"(,"nonce":"0x0","timestamp":"{:#x}","extraData":"0x","gasLimit":"{:#x}")",
                   header.timestamp, header.gas_limit);
    fmt::format_to(std::back_inserter(text),
                   R"(,"difficulty":"0x0","mixHash":"{}","coinbase":"{}","baseFeePerGas":"{}")",
                   to_string(header.prev_randao), to_string(header.beneficiary),
                   to_hex(*header.base_fee_per_gas));
    out << text << ",\"alloc\":{\n";
    // One account at a time: with a million holders a token's storage alone is hundreds of
    // megabytes.
    std::string_view separator;
    for (const GenesisAccount& account : genesis.alloc) {
        text.clear();
        append_account(account, text);
        out << separator << text;
        separator = ",\n";
    }
    out << "\n}}\n";
}

}  // namespace heddle::workload
