// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The genesis block as a value and as a file in geth's format.
#include <workload/world.hpp>

#include <array>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <types/assert.hpp>
#include <types/hash.hpp>

namespace heddle::workload {
namespace {

// The forks that a generated chain may end at; each includes those before.
struct ForkEntry {
    std::string_view name;
    Revision revision;
    BlobParameters blobs;
    std::optional<std::uint64_t> ChainConfig::* time;
};
constexpr std::array<ForkEntry, 3> kForks{{
    {"cancun", Revision::cancun, {0, 3, 6, 3'338'477}, &ChainConfig::cancun_time},  // EIP-4844
    {"prague", Revision::prague, {0, 6, 9, 5'007'716}, &ChainConfig::prague_time},  // EIP-7691
    {"osaka", Revision::osaka, {0, 6, 9, 5'007'716}, &ChainConfig::osaka_time},
}};

struct BlockFork {
    std::string_view name;  // as in geth's format, without the ending "Block"
    std::optional<std::uint64_t> ChainConfig::* block;
};
// EIP-155 and EIP-158 are one fork to ChainConfig and two entries of the file.
constexpr std::array<BlockFork, 14> kBlockForks{{
    {"homestead", &ChainConfig::homestead_block},
    {"eip150", &ChainConfig::tangerine_whistle_block},
    {"eip155", &ChainConfig::spurious_dragon_block},
    {"eip158", &ChainConfig::spurious_dragon_block},
    {"byzantium", &ChainConfig::byzantium_block},
    {"constantinople", &ChainConfig::constantinople_block},
    {"petersburg", &ChainConfig::petersburg_block},
    {"istanbul", &ChainConfig::istanbul_block},
    {"muirGlacier", &ChainConfig::muir_glacier_block},
    {"berlin", &ChainConfig::berlin_block},
    {"london", &ChainConfig::london_block},
    {"arrowGlacier", &ChainConfig::arrow_glacier_block},
    {"grayGlacier", &ChainConfig::gray_glacier_block},
    {"mergeNetsplit", &ChainConfig::merge_netsplit_block},
}};

constexpr std::string_view kDepositContract =
    "00000000219ab540356cbb839cbe05303d7705fa";  // EIP-6110

std::string config_json(const ChainConfig& config) {
    std::string out = fmt::format(R"({{"chainId":{})", config.chain_id);
    for (const BlockFork& fork : kBlockForks)
        if (const auto& block = config.*fork.block)
            fmt::format_to(std::back_inserter(out), R"(,"{}Block":{})", fork.name, *block);
    if (config.shanghai_time)
        fmt::format_to(std::back_inserter(out), R"(,"shanghaiTime":{})", *config.shanghai_time);
    std::string schedule;
    std::size_t index = 0;
    for (const ForkEntry& fork : kForks) {
        const auto& time = config.*fork.time;
        if (!time) continue;
        const BlobParameters& blobs = config.blob_schedule[index++];
        fmt::format_to(std::back_inserter(out), R"(,"{}Time":{})", fork.name, *time);
        fmt::format_to(std::back_inserter(schedule),
                       R"({}"{}":{{"target":{},"max":{},"baseFeeUpdateFraction":{}}})",
                       schedule.empty() ? "" : ",", fork.name, blobs.target, blobs.max,
                       blobs.base_fee_update_fraction);
    }
    fmt::format_to(std::back_inserter(out),
                   R"(,"terminalTotalDifficulty":0,"depositContractAddress":"{}")",
                   to_string(config.deposit_contract_address));
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
    for (const BlockFork& fork : kBlockForks)
        config.*fork.block = 0;
    config.terminal_total_difficulty = Uint256{};
    config.shanghai_time = 0;
    for (const ForkEntry& fork : kForks) {
        if (options.revision < fork.revision) continue;
        config.*fork.time = 0;
        config.blob_schedule.push_back(fork.blobs);
    }
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
    if (options.revision >= Revision::prague) header.requests_hash = kEmptyRequestsHash;
    genesis.alloc = std::move(alloc);
    return genesis;
}

void write_genesis_json(const Genesis& genesis, std::ostream& out) {
    std::string text = R"({"config":)" + config_json(genesis.config);
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
