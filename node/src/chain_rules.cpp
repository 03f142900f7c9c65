// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain_rules.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

namespace heddle::node {
namespace {

struct Fork {
    const char* name;
    std::optional<std::uint64_t> ChainConfig::* activation;
};
constexpr std::array kForksByNumber{
    Fork{"homesteadBlock", &ChainConfig::homestead_block},
    Fork{"daoForkBlock", &ChainConfig::dao_fork_block},
    Fork{"eip150Block", &ChainConfig::tangerine_whistle_block},
    Fork{"eip155Block", &ChainConfig::spurious_dragon_block},
    Fork{"byzantiumBlock", &ChainConfig::byzantium_block},
    Fork{"constantinopleBlock", &ChainConfig::constantinople_block},
    Fork{"petersburgBlock", &ChainConfig::petersburg_block},
    Fork{"istanbulBlock", &ChainConfig::istanbul_block},
    Fork{"muirGlacierBlock", &ChainConfig::muir_glacier_block},
    Fork{"berlinBlock", &ChainConfig::berlin_block},
    Fork{"londonBlock", &ChainConfig::london_block},
    Fork{"arrowGlacierBlock", &ChainConfig::arrow_glacier_block},
    Fork{"grayGlacierBlock", &ChainConfig::gray_glacier_block},
    Fork{"mergeNetsplitBlock", &ChainConfig::merge_netsplit_block},
};
constexpr std::array kForksByTime{
    Fork{"shanghaiTime", &ChainConfig::shanghai_time},
    Fork{"cancunTime", &ChainConfig::cancun_time},
    Fork{"pragueTime", &ChainConfig::prague_time},
    Fork{"osakaTime", &ChainConfig::osaka_time},
};

bool is_past(const std::optional<std::uint64_t>& activation, std::uint64_t head) {
    return activation.has_value() && *activation <= head;
}

template <typename Forks>
const char* changed(const Forks& forks, std::uint64_t head, const ChainConfig& before,
                    const ChainConfig& after) {
    for (const Fork& fork : forks) {
        const auto& old_activation = before.*fork.activation;
        const auto& new_activation = after.*fork.activation;
        if (old_activation != new_activation &&
            (is_past(old_activation, head) || is_past(new_activation, head)))
            return fork.name;
    }
    return nullptr;
}

std::vector<BlobParameters> past_blob_parameters(const ChainConfig& config, std::uint64_t time) {
    std::vector<BlobParameters> past;
    std::ranges::copy_if(
        config.blob_schedule, std::back_inserter(past),
        [&](const BlobParameters& entry) { return entry.activation_time <= time; });
    return past;
}

}  // namespace

std::string rule_changed_up_to(const BlockHeader& head, const ChainConfig& before,
                               const ChainConfig& after) {
    if (before.chain_id != after.chain_id) return "chainId";
    if (before.terminal_total_difficulty != after.terminal_total_difficulty)
        return "terminalTotalDifficulty";
    if (before.dao_fork_support != after.dao_fork_support) return "daoForkSupport";
    if (before.deposit_contract_address != after.deposit_contract_address)
        return "depositContractAddress";
    if (before.strict_access_lists != after.strict_access_lists) return "accessLists";
    if (const char* const name = changed(kForksByNumber, head.number, before, after)) return name;
    if (const char* const name = changed(kForksByTime, head.timestamp, before, after)) return name;
    if (past_blob_parameters(before, head.timestamp) != past_blob_parameters(after, head.timestamp))
        return "blobSchedule";
    return {};
}

}  // namespace heddle::node
