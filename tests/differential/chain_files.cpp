// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain_files.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <types/fork.hpp>

namespace heddle::test {
namespace {

/// A block or difficulty that no chain reaches.
constexpr std::uint64_t kNever = std::uint64_t{1} << 62;

/// Whether the configuration says when it begins.
bool is_in(const ChainConfig& config, const Fork& fork) {
    return fork.member != nullptr && (config.*fork.member).has_value();
}

/// Forks with blob parameters, in the order of a chain's schedule: what changes nothing else begins
/// before Amsterdam, as geth demands.
std::vector<const Fork*> blob_forks() {
    std::vector<const Fork*> forks;
    for (const bool is_late : {false, true})
        for (const Fork& fork : kForks)
            if (fork.blobs != ForkBlobs::none && (fork.revision > Revision::osaka) == is_late)
                forks.push_back(&fork);
    return forks;
}

/// When forks begin that change nothing but blob parameters, and everybody's parameters but those
/// of forks that keep what there is: geth has no place for them.
struct BlobJson {
    std::string times;
    std::string schedule;
};

BlobJson blob_json(const ChainConfig& config) {
    BlobJson json;
    const std::vector<const Fork*> forks = blob_forks();
    std::ptrdiff_t named =
        std::ranges::count_if(forks, [&](const Fork* fork) { return is_in(config, *fork); });
    auto parameters = config.blob_schedule.begin();
    for (const Fork* fork : forks) {
        const bool is_named = is_in(config, *fork);
        // What there is more of than named forks is of those that have nothing but parameters.
        const bool is_left = config.blob_schedule.end() - parameters > named;
        if (!is_named && (fork->member != nullptr || !is_left)) continue;
        if (is_named)
            --named;
        else
            fmt::format_to(std::back_inserter(json.times), R"(,"{}":{})", fork->fields[0],
                           parameters->activation_time);
        if (fork->blobs != ForkBlobs::kept)
            fmt::format_to(std::back_inserter(json.schedule),
                           R"({}"{}":{{"target":{},"max":{},"baseFeeUpdateFraction":{}}})",
                           json.schedule.empty() ? "" : ",", fork->key(), parameters->target,
                           parameters->max, parameters->base_fee_update_fraction);
        ++parameters;
    }
    return json;
}

std::string config_json(const ChainConfig& config) {
    std::string text = fmt::format(R"({{"chainId":{})", config.chain_id);
    const auto add = [&text](std::string_view name, const std::string& value) {
        fmt::format_to(std::back_inserter(text), R"(,"{}":{})", name, value);
    };
    if (config.dao_fork_support) add("daoForkSupport", "true");
    for (const Fork& fork : kForks)
        if (is_in(config, fork))
            for (const std::string_view field : fork.fields)
                if (!field.empty()) add(field, std::to_string(*(config.*fork.member)));
    const BlobJson blobs = blob_json(config);
    text += blobs.times;
    // Without a block of its own Petersburg comes with Constantinople.
    if (config.constantinople_block && !config.petersburg_block)
        add("petersburgBlock", std::to_string(kNever));
    add("terminalTotalDifficulty",
        to_decimal(config.terminal_total_difficulty.value_or(Uint256{kNever})));
    add("depositContractAddress",
        fmt::format("\"{}\"", to_string(config.deposit_contract_address)));
    add("ethash", "{}");
    add("blobSchedule", fmt::format("{{{}}}", blobs.schedule));
    return text + "}";
}

std::string account_json(const GenesisAccount& account) {
    std::string text = fmt::format(R"({{"balance":"{}","nonce":"{:#x}","code":"{}","storage":{{)",
                                   to_hex(account.balance), account.nonce, to_hex(account.code));
    std::string_view separator;
    for (const auto& [slot, value] : account.storage) {
        fmt::format_to(std::back_inserter(text), R"({}"{}":"{}")", separator,
                       to_string(to_hash(slot)), to_string(to_hash(value)));
        separator = ",";
    }
    return text + "}}";
}

}  // namespace

std::string genesis_json(const Genesis& genesis) {
    const BlockHeader& header = genesis.header;
    std::string text = fmt::format(
        R"({{"config":{},"nonce":"0x0","timestamp":"{:#x}","extraData":"{}","gasLimit":"{:#x}",)"
        R"("difficulty":"{}","mixHash":"{}","coinbase":"{}")",
        config_json(genesis.config), header.timestamp, to_hex(header.extra_data), header.gas_limit,
        to_hex(header.difficulty), to_string(header.prev_randao), to_string(header.beneficiary));
    if (header.base_fee_per_gas)
        fmt::format_to(std::back_inserter(text), R"(,"baseFeePerGas":"{}")",
                       to_hex(*header.base_fee_per_gas));
    return text + ",\"alloc\":" + alloc_json(genesis.alloc) + "}\n";
}

std::string alloc_json(const std::vector<GenesisAccount>& alloc) {
    std::string text = "{";
    std::string_view separator = "\n";
    for (const GenesisAccount& account : alloc) {
        fmt::format_to(std::back_inserter(text), R"({}"{}":{})", separator,
                       to_string(account.address), account_json(account));
        separator = ",\n";
    }
    return text + "\n}";
}

Bytes chain_rlp(const std::vector<Block>& blocks) {
    Bytes bytes;
    for (const Block& block : blocks)
        encode_block(block, bytes);
    return bytes;
}

}  // namespace heddle::test
