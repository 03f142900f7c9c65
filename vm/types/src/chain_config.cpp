// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/chain_config.hpp>

#include <algorithm>

#include <types/fork.hpp>

namespace heddle {

namespace {

bool is_active(const std::optional<std::uint64_t>& activation, std::uint64_t at) noexcept {
    return activation.has_value() && *activation <= at;
}

}  // namespace

Revision ChainConfig::revision(std::uint64_t number, std::uint64_t timestamp,
                               bool is_merged) const noexcept {
    // Before the merge time means nothing, after it the number does not.
    Revision found = is_merged ? Revision::paris : Revision::frontier;
    for (const Fork& fork : kForks) {
        if (!fork.revision || fork.member == nullptr) continue;
        const bool by_time = fork.activation == ForkActivation::timestamp;
        if (by_time == is_merged && is_active(this->*fork.member, by_time ? timestamp : number))
            found = *fork.revision;
    }
    return found;
}

const BlobParameters* ChainConfig::blob_parameters(std::uint64_t timestamp) const noexcept {
    if (!is_active(cancun_time, timestamp)) return nullptr;
    const auto after = std::upper_bound(blob_schedule.begin(), blob_schedule.end(), timestamp,
                                        [](std::uint64_t time, const BlobParameters& parameters) {
                                            return time < parameters.activation_time;
                                        });
    return after == blob_schedule.begin() ? nullptr : &*(after - 1);
}

namespace {

// Both public networks went through the two blob-parameter-only forks that EIP-7892 made possible.
std::vector<BlobParameters> public_blob_schedule(const ChainConfig& config, std::uint64_t bpo1_time,
                                                 std::uint64_t bpo2_time) {
    BlobForkTimes times = blob_fork_times(config);
    times[detail::fork_index("BPO1")] = bpo1_time;
    times[detail::fork_index("BPO2")] = bpo2_time;
    return make_blob_schedule(times);
}

ChainConfig make_mainnet() {
    ChainConfig config;
    config.chain_id = 1;
    config.homestead_block = 1'150'000;
    config.dao_fork_block = 1'920'000;
    config.dao_fork_support = true;
    config.tangerine_whistle_block = 2'463'000;
    config.spurious_dragon_block = 2'675'000;
    config.byzantium_block = 4'370'000;
    config.constantinople_block = 7'280'000;
    config.petersburg_block = 7'280'000;
    config.istanbul_block = 9'069'000;
    config.muir_glacier_block = 9'200'000;
    config.berlin_block = 12'244'000;
    config.london_block = 12'965'000;
    config.arrow_glacier_block = 13'773'000;
    config.gray_glacier_block = 15'050'000;
    config.terminal_total_difficulty = uint256_from_string("58750000000000000000000");
    config.merge_block = 15'537'394;
    config.shanghai_time = 1'681'338'455;
    config.cancun_time = 1'710'338'135;
    config.prague_time = 1'746'612'311;
    config.osaka_time = 1'764'798'551;
    config.blob_schedule = public_blob_schedule(config, 1'765'290'071, 1'767'747'671);
    config.deposit_contract_address =
        *address_from_hex("0x00000000219ab540356cbb839cbe05303d7705fa");
    return config;
}

ChainConfig make_sepolia() {
    ChainConfig config;
    config.chain_id = 11'155'111;
    config.homestead_block = 0;
    config.dao_fork_support = true;
    config.tangerine_whistle_block = 0;
    config.spurious_dragon_block = 0;
    config.byzantium_block = 0;
    config.constantinople_block = 0;
    config.petersburg_block = 0;
    config.istanbul_block = 0;
    config.muir_glacier_block = 0;
    config.berlin_block = 0;
    config.london_block = 0;
    config.merge_netsplit_block = 1'735'371;
    config.terminal_total_difficulty = Uint256{17'000'000'000'000'000};
    config.merge_block = 1'450'409;
    config.shanghai_time = 1'677'557'088;
    config.cancun_time = 1'706'655'072;
    config.prague_time = 1'741'159'776;
    config.osaka_time = 1'760'427'360;
    config.amsterdam_time = 1'791'294'816;
    config.blob_schedule = public_blob_schedule(config, 1'761'017'184, 1'761'607'008);
    config.deposit_contract_address =
        *address_from_hex("0x7f02c3e3c98b133055b8b348b2ac625669ed295d");
    return config;
}

}  // namespace

const ChainConfig& mainnet_config() {
    static const ChainConfig config = make_mainnet();
    return config;
}

const ChainConfig& sepolia_config() {
    static const ChainConfig config = make_sepolia();
    return config;
}

}  // namespace heddle
