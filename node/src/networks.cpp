// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "networks.hpp"

#include <algorithm>
#include <charconv>

#include "json.hpp"

namespace heddle::node {

namespace {

/// Steps of the protocol in order, finer than Revision: ice ages and blob forks count.
enum class Step : std::uint8_t {
    frontier,
    homestead,
    dao,
    tangerine_whistle,
    spurious_dragon,
    byzantium,
    constantinople,
    petersburg,
    istanbul,
    muir_glacier,
    berlin,
    london,
    arrow_glacier,
    gray_glacier,
    paris,
    shanghai,
    cancun,
    prague,
    osaka,
    bpo1,
    bpo2,
    bpo3,
    bpo4,
    bpo5,
};

struct NamedStep {
    std::string_view name;
    Step step;
};

constexpr NamedStep kSteps[] = {
    {"Frontier", Step::frontier},
    {"Homestead", Step::homestead},
    {"Dao", Step::dao},
    {"EIP150", Step::tangerine_whistle},
    {"TangerineWhistle", Step::tangerine_whistle},
    {"EIP158", Step::spurious_dragon},
    {"SpuriousDragon", Step::spurious_dragon},
    {"Byzantium", Step::byzantium},
    {"Constantinople", Step::constantinople},
    {"ConstantinopleFix", Step::petersburg},
    {"Petersburg", Step::petersburg},
    {"Istanbul", Step::istanbul},
    {"MuirGlacier", Step::muir_glacier},
    {"Berlin", Step::berlin},
    {"London", Step::london},
    {"ArrowGlacier", Step::arrow_glacier},
    {"GrayGlacier", Step::gray_glacier},
    {"Paris", Step::paris},
    {"Merge", Step::paris},
    {"Shanghai", Step::shanghai},
    {"Cancun", Step::cancun},
    {"Prague", Step::prague},
    {"Osaka", Step::osaka},
    {"BPO1", Step::bpo1},
    {"BPO2", Step::bpo2},
    {"BPO3", Step::bpo3},
    {"BPO4", Step::bpo4},
    {"BPO5", Step::bpo5},
};

std::optional<Step> find_step(std::string_view name) noexcept {
    for (const auto& [known, step] : kSteps)
        if (known == name) return step;
    return std::nullopt;
}

/// Where a step becomes active. Only the member that fits the kind of step is used.
struct Activation {
    std::uint64_t block = 0;
    std::uint64_t time = 0;  // seconds
    Uint256 total_difficulty;
};

void activate(Step step, const Activation& at, Network& network) {
    ChainConfig& c = network.config;
    switch (step) {
        case Step::frontier:
            return;
        case Step::dao:
            // Part of a rule set only where it is the fork in question.
            return;
        case Step::homestead:
            c.homestead_block = at.block;
            return;
        case Step::tangerine_whistle:
            c.tangerine_whistle_block = at.block;
            return;
        case Step::spurious_dragon:
            c.spurious_dragon_block = at.block;
            return;
        case Step::byzantium:
            c.byzantium_block = at.block;
            return;
        case Step::constantinople:
            c.constantinople_block = at.block;
            return;
        case Step::petersburg:
            c.petersburg_block = at.block;
            return;
        case Step::istanbul:
            c.istanbul_block = at.block;
            return;
        case Step::muir_glacier:
            c.muir_glacier_block = at.block;
            return;
        case Step::berlin:
            c.berlin_block = at.block;
            return;
        case Step::london:
            c.london_block = at.block;
            return;
        case Step::arrow_glacier:
            c.arrow_glacier_block = at.block;
            return;
        case Step::gray_glacier:
            c.gray_glacier_block = at.block;
            return;
        case Step::paris:
            c.terminal_total_difficulty = at.total_difficulty;
            return;
        case Step::shanghai:
            c.shanghai_time = at.time;
            return;
        case Step::cancun:
            c.cancun_time = at.time;
            break;
        case Step::prague:
            c.prague_time = at.time;
            break;
        case Step::osaka:
            c.osaka_time = at.time;
            break;
        case Step::bpo1:
        case Step::bpo2:
        case Step::bpo3:
        case Step::bpo4:
        case Step::bpo5:
            break;
    }
    const auto index = static_cast<std::size_t>(step) - static_cast<std::size_t>(Step::cancun);
    network.blob_fork_times.at(index) = at.time;
}

/// A number as transitions write it: decimal, thousands as `k`.
std::optional<std::uint64_t> parse_count(std::string_view text) noexcept {
    std::uint64_t scale = 1;
    if (text.ends_with('k')) {
        scale = 1000;
        text.remove_suffix(1);
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value > 1'000'000'000'000)
        return std::nullopt;
    return value * scale;
}

std::optional<Activation> parse_activation(std::string_view text) noexcept {
    Activation at;
    if (text.starts_with("Time")) {
        const auto time = parse_count(text.substr(4));
        if (!time) return std::nullopt;
        at.time = *time;
        return at;
    }
    if (text.starts_with("Diff")) {
        const auto difficulty = uint256_from_string("0x" + std::string(text.substr(4)));
        if (!difficulty) return std::nullopt;
        at.total_difficulty = *difficulty;
        return at;
    }
    const auto block = parse_count(text);
    if (!block) return std::nullopt;
    at.block = *block;
    return at;
}

Network make_network(Step from, Step to, const Activation& at) {
    Network network;
    for (auto i = static_cast<unsigned>(Step::homestead); i <= static_cast<unsigned>(to); ++i) {
        const bool is_genesis = i <= static_cast<unsigned>(from);
        activate(static_cast<Step>(i), is_genesis ? Activation{} : at, network);
    }
    if (to == Step::dao) {
        network.config.dao_fork_block = at.block;
        network.config.dao_fork_support = true;
    }
    network.config.blob_schedule = make_blob_schedule(network.blob_fork_times, std::nullopt);
    // Fixtures of forks with EIP-6110 use mainnet's deposit contract.
    network.config.deposit_contract_address = mainnet_config().deposit_contract_address;
    return network;
}

/// Parameters where a chain's own schedule says nothing. EIP-4844, 7691, 7892.
constexpr BlobParameters kDefaultBlobParameters[kBlobForks.size()] = {
    {0, 3, 6, 3'338'477},    {0, 6, 9, 5'007'716},    {0, 6, 9, 5'007'716},
    {0, 10, 15, 8'346'193},  {0, 14, 21, 11'684'671}, {0, 21, 32, 20'609'697},
    {0, 14, 21, 13'739'630}, {0, 14, 21, 13'739'630},
};

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

std::optional<JsonView> find_fork(const JsonView& table, std::string_view fork) {
    const std::size_t size = table.size();
    for (std::size_t i = 0; i < size; ++i) {
        const auto [name, entry] = table.member(i);
        if (equal_ignoring_case(name, fork) && !entry.is_null()) return entry;
    }
    return std::nullopt;
}

}  // namespace

std::vector<BlobParameters> make_blob_schedule(const BlobForkTimes& times,
                                               const std::optional<JsonView>& table) {
    std::vector<BlobParameters> schedule;
    for (std::size_t i = 0; i < kBlobForks.size(); ++i) {
        if (!times[i]) continue;
        BlobParameters parameters = kDefaultBlobParameters[i];
        const auto entry = table ? find_fork(*table, kBlobForks[i]) : std::nullopt;
        if (entry) {
            parameters.target = entry->at("target").uint64();
            parameters.max = entry->at("max").uint64();
            parameters.base_fee_update_fraction = entry->at("baseFeeUpdateFraction").uint64();
            if (parameters.base_fee_update_fraction == 0)
                entry->fail("baseFeeUpdateFraction must not be zero");
        } else if (table && kBlobForks[i] == "osaka" && !schedule.empty()) {
            // Osaka itself changes no blob parameter.
            parameters = schedule.back();
        }
        parameters.activation_time = *times[i];
        // Of forks that activate at once the last one counts, so equal times keep their order.
        auto place = schedule.end();
        while (place != schedule.begin() && (place - 1)->activation_time > *times[i])
            --place;
        schedule.insert(place, parameters);
    }
    return schedule;
}

std::optional<Network> find_network(std::string_view name) {
    if (const auto step = find_step(name); step && *step != Step::dao)
        return make_network(*step, *step, {});
    const auto at = name.rfind("At");
    const auto to = name.find("To");
    if (at == std::string_view::npos || to == std::string_view::npos || to >= at)
        return std::nullopt;
    const auto from_step = find_step(name.substr(0, to));
    const auto to_step = find_step(name.substr(to + 2, at - to - 2));
    const auto activation = parse_activation(name.substr(at + 2));
    if (!from_step || !to_step || !activation || *from_step >= *to_step) return std::nullopt;
    return make_network(*from_step, *to_step, *activation);
}

std::string known_networks() {
    std::string names;
    for (const auto& [name, step] : kSteps) {
        if (step == Step::dao) continue;
        if (!names.empty()) names += ", ";
        names += name;
    }
    return names;
}

}  // namespace heddle::node
