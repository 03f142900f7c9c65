// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "formats/networks.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "formats/json.hpp"

namespace heddle::node {

namespace {

/// Part of a rule set only where it is the fork in question.
constexpr bool is_dao(const Fork& fork) noexcept {
    return fork.member == &ChainConfig::dao_fork_block;
}

const Fork* find_named(std::string_view name) noexcept {
    if (name.empty()) return nullptr;
    const auto found = std::ranges::find_if(kForks, [&](const Fork& fork) {
        return std::ranges::find(fork.networks, name) != fork.networks.end();
    });
    return found == kForks.end() ? nullptr : &*found;
}

/// Where a fork begins. Only the member that fits its kind is used.
struct Activation {
    std::uint64_t block = 0;
    std::uint64_t time = 0;  // seconds
    Uint256 total_difficulty;
};

void activate(std::size_t index, const Activation& at, Network& network) {
    const Fork& fork = kForks[index];
    const bool by_time = fork.activation == ForkActivation::timestamp;
    if (fork.member != nullptr) network.config.*fork.member = by_time ? at.time : at.block;
    if (fork.activation == ForkActivation::total_difficulty)
        network.config.terminal_total_difficulty = at.total_difficulty;
    if (fork.blobs != ForkBlobs::none) network.blob_fork_times[index] = at.time;
    if (is_dao(fork)) network.config.dao_fork_support = true;
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

/// The rules of `to`: `from` and what it builds on from genesis, the rest from `at`.
Network make_network(const Fork& from, const Fork& to, const Activation& at) {
    Network network;
    for (std::size_t i = 0; i < kForks.size(); ++i)
        if (builds_on(to, kForks[i]))
            activate(i, builds_on(from, kForks[i]) ? Activation{} : at, network);
    network.config.blob_schedule = make_blob_schedule(network.blob_fork_times);
    // Fixtures of forks with EIP-6110 use mainnet's deposit contract.
    network.config.deposit_contract_address = mainnet_config().deposit_contract_address;
    return network;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

std::optional<JsonView> find_entry(const JsonView& table, std::string_view fork) {
    const std::size_t size = table.size();
    for (std::size_t i = 0; i < size; ++i) {
        const auto [name, entry] = table.member(i);
        if (equal_ignoring_case(name, fork) && !entry.is_null()) return entry;
    }
    return std::nullopt;
}

}  // namespace

BlobParameters parse_blob_entry(const JsonView& entry) {
    BlobParameters parameters;
    parameters.target = entry.at("target").uint64();
    parameters.max = entry.at("max").uint64();
    parameters.base_fee_update_fraction = entry.at("baseFeeUpdateFraction").uint64();
    if (parameters.base_fee_update_fraction == 0)
        entry.fail("baseFeeUpdateFraction must not be zero");
    if (parameters.max < parameters.target) entry.fail("max must not be below target");
    // What a block has is told in gas, 2^17 for each (EIP-4844), with 64 bits.
    constexpr std::uint64_t kMost = (std::uint64_t{1} << 47) - 1;
    if (parameters.max > kMost) entry.fail(fmt::format("max must not be above {}", kMost));
    return parameters;
}

bool has_blob_entry(const JsonView& table, const Fork& fork) {
    return find_entry(table, fork.key()).has_value();
}

std::vector<BlobParameters> parse_blob_schedule(const BlobForkTimes& times,
                                                const std::optional<JsonView>& table) {
    BlobOverrides overrides;
    for (std::size_t i = 0; table && i < kForks.size(); ++i) {
        if (!times[i]) continue;
        const auto entry = find_entry(*table, kForks[i].key());
        if (!entry) continue;
        overrides[i] = parse_blob_entry(*entry);
    }
    return make_blob_schedule(times, overrides);
}

std::optional<Network> find_network(std::string_view name) {
    if (const Fork* const fork = find_named(name); fork != nullptr && !is_dao(*fork))
        return make_network(*fork, *fork, {});
    const auto at = name.rfind("At");
    const auto to = name.find("To");
    if (at == std::string_view::npos || to == std::string_view::npos || to >= at)
        return std::nullopt;
    const Fork* const from_fork = find_named(name.substr(0, to));
    const Fork* const to_fork = find_named(name.substr(to + 2, at - to - 2));
    const auto activation = parse_activation(name.substr(at + 2));
    if (from_fork == nullptr || to_fork == nullptr || from_fork == to_fork || !activation ||
        !builds_on(*to_fork, *from_fork))
        return std::nullopt;
    return make_network(*from_fork, *to_fork, *activation);
}

std::string known_networks() {
    std::string names;
    for (const Fork& fork : kForks)
        for (const std::string_view name : fork.networks) {
            if (name.empty() || is_dao(fork)) continue;
            if (!names.empty()) names += ", ";
            names += name;
        }
    return names;
}

}  // namespace heddle::node
