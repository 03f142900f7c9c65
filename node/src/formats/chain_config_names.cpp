// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "formats/chain_config_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <fmt/format.h>

#include <types/fork.hpp>

#include "formats/json.hpp"

namespace heddle::node {

namespace {

constexpr std::array<std::string_view, 17> kGenesisNames{"config",
                                                         "nonce",
                                                         "timestamp",
                                                         "extraData",
                                                         "gasLimit",
                                                         "difficulty",
                                                         "mixHash",
                                                         "coinbase",
                                                         "alloc",
                                                         "number",
                                                         "gasUsed",
                                                         "parentHash",
                                                         "baseFeePerGas",
                                                         "excessBlobGas",
                                                         "blobGasUsed",
                                                         "slotNumber",
                                                         "parentBeaconBlockRoot"};
constexpr std::array<std::string_view, 4> kAccountNames{"nonce", "balance", "code", "storage"};
/// Those that are no fork's.
constexpr std::array<std::string_view, 9> kConfigNames{"chainId",
                                                       "daoForkSupport",
                                                       "terminalTotalDifficulty",
                                                       "terminalTotalDifficultyPassed",
                                                       "blobSchedule",
                                                       "depositContractAddress",
                                                       "accessLists",
                                                       "equalTimestamps",
                                                       "heddle"};
/// What ends so says when a fork begins.
constexpr std::array<std::string_view, 2> kForkEndings{"Block", "Time"};
/// Ask for a state in other tries than those of Merkle and Patricia (EIP-7864).
constexpr std::array<std::string_view, 2> kOtherTries{"enableVerkleAtGenesis",
                                                      "enableUBTAtGenesis"};
/// Those of older versions of geth for what no rule of execution depends on: they may stand there.
constexpr std::array<std::string_view, 3> kFormerNames{"ewasmBlock", "catalystBlock",
                                                       "mergeForkBlock"};

constexpr char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_same(std::string_view a, std::string_view b) noexcept {
    return std::ranges::equal(a, b, {}, lower, lower);
}

bool ends_with(std::string_view name, std::string_view ending) noexcept {
    return name.size() > ending.size() && is_same(name.substr(name.size() - ending.size()), ending);
}

/// Empty: none of these is meant.
std::string_view find_name(std::string_view name,
                           std::span<const std::string_view> names) noexcept {
    const auto found =
        std::ranges::find_if(names, [&](std::string_view known) { return is_same(name, known); });
    return found == names.end() ? std::string_view{} : *found;
}

std::string_view canonical(std::string_view name,
                           std::span<const std::string_view> names) noexcept {
    const auto found = find_name(name, names);
    return found.empty() ? name : found;
}

std::string_view find_fork_field(std::string_view name) noexcept {
    for (const Fork& fork : kForks)
        if (const auto field = find_name(name, fork.fields); !field.empty()) return field;
    return {};
}

bool is_fork(std::string_view name) noexcept {
    return std::ranges::any_of(kForkEndings,
                               [&](std::string_view ending) { return ends_with(name, ending); });
}

}  // namespace

std::string_view canonical_genesis_name(std::string_view name) noexcept {
    return canonical(name, kGenesisNames);
}

std::string_view canonical_config_name(std::string_view name) noexcept {
    const auto field = find_fork_field(name);
    return field.empty() ? canonical(name, kConfigNames) : field;
}

std::string_view canonical_account_name(std::string_view name) noexcept {
    return canonical(name, kAccountNames);
}

void check_known_forks(const JsonView& config) {
    const std::size_t size = config.size();
    for (std::size_t i = 0; i < size; ++i) {
        const auto [name, value] = config.member(i);
        if (value.is_null()) continue;
        if (!find_name(name, kOtherTries).empty() && !(value.is_boolean() && !value.boolean()))
            value.fail("a state in tries of another kind is not known here");
        if (!is_fork(name) || !find_name(name, kFormerNames).empty()) continue;
        const std::string_view known = find_fork_field(name);
        if (known == name) continue;
        if (!known.empty()) config.fail(fmt::format("\"{}\" is written {}", name, known));
        config.fail(
            fmt::format("\"{}\" is a fork that is not known here, so that blocks would be executed "
                        "by other rules than the chain's; without it, or with null, they are those "
                        "of the forks that are known",
                        name));
    }
}

}  // namespace heddle::node
