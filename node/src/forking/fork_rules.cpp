// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "forking/fork_rules.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <types/expected.hpp>
#include <types/fork.hpp>
#include <types/text_bytes.hpp>

#include "formats/chain_config_json.hpp"
#include "formats/genesis_json.hpp"
#include "formats/networks.hpp"
#include "program/error.hpp"

namespace heddle::node::forking {
namespace {

using follow::Answer;
using follow::Question;

constexpr const char* kRecord = "rules";

/// The rules that a fork of eth_config has, by what they brought.
Revision revision_of(const JsonView& fork) {
    const auto has = [&](std::string_view list, std::string_view name) {
        const auto members = fork.find(list);
        return members.has_value() && members->find(name).has_value();
    };
    if (has("systemContracts", "BUILDER_DEPOSIT_CONTRACT_ADDRESS")) return Revision::amsterdam;
    if (has("precompiles", "P256VERIFY")) return Revision::osaka;
    if (has("systemContracts", "HISTORY_STORAGE_ADDRESS")) return Revision::prague;
    if (has("systemContracts", "BEACON_ROOTS_ADDRESS")) return Revision::cancun;
    return Revision::shanghai;
}

/// From `time` on the rules of this revision and all before it hold.
void activate(Revision revision, std::uint64_t time, ChainConfig& config) {
    for (const Fork& fork : kForks) {
        if (fork.member == nullptr || fork.activation != ForkActivation::timestamp) continue;
        if (!fork.revision.has_value() || *fork.revision > revision) continue;
        if ((config.*fork.member).has_value()) continue;
        config.*fork.member = time;
    }
}

void add_blobs(const JsonView& fork, std::uint64_t time, ChainConfig& config) {
    const auto blobs = fork.find("blobSchedule");
    if (!blobs.has_value()) return;
    config.blob_schedule.push_back(parse_blob_entry(*blobs));
    config.blob_schedule.back().activation_time = time;
}

std::optional<ChainConfig> known_rules(std::uint64_t chain_id) {
    for (const ChainConfig* const known : {&mainnet_config(), &sepolia_config()})
        if (known->chain_id == chain_id) return *known;
    return std::nullopt;
}

/// nullopt: the source does not say. Errors: it cannot be asked, or says what is no such thing.
std::expected<std::optional<ChainConfig>, std::string> ask(const ForkSource& source,
                                                           std::string_view method) {
    std::optional<ChainConfig> found;
    const Question question{method, "[]"};
    HEDDLE_CHECK(source.client().ask(
        "the rules of the chain", {&question, 1}, [&](std::size_t, const Answer& answer) {
            if (!answer.has_value() || !answer->is_object()) return;
            if (method == "eth_config") {
                const JsonView current = answer->at("current");
                const std::uint64_t since = current.at("activationTime").uint64();
                if (since > source.point().header.timestamp)
                    fail_input(
                        "eth_config says nothing of the rules before {}, and the block is older",
                        since);
                found = parse_eth_config(*answer);
            } else {
                found = is_stored_chain_config(*answer) ? parse_stored_chain_config(*answer)
                                                        : parse_chain_config(*answer);
            }
        }));
    return found;
}

std::expected<ChainConfig, std::string> rules_of_source(const ForkSource& source) {
    std::string why = "it answers neither debug_chainConfig nor eth_config";
    for (const std::string_view method : {"debug_chainConfig", "eth_config"}) {
        auto asked = ask(source, method);
        if (!asked.has_value())
            why = std::move(asked).error();
        else if (asked->has_value())
            return **std::move(asked);
    }
    return std::unexpected(
        fmt::format("by which rules does chain {} go on? Its source does not say: {}; name a "
                    "genesis file with them by --genesis",
                    source.chain_id(), why));
}

std::expected<ChainConfig, std::string> find_any_rules(const ForkSource& source,
                                                       const std::string& genesis_file) {
    if (!genesis_file.empty()) return load_genesis(genesis_file).config;
    if (const auto known = known_rules(source.chain_id())) return *known;
    if (const auto kept = source.cache().find(kRecord))
        return parse_stored_chain_config(bytes_of(*kept), source.cache().path());
    HEDDLE_TRY(ChainConfig rules, rules_of_source(source));
    std::string text = format_chain_config(rules);
    std::ranges::replace(text, '\n', ' ');
    source.cache().put(kRecord, text);
    return rules;
}

}  // namespace

ChainConfig parse_eth_config(const JsonView& json) {
    ChainConfig config;
    const JsonView current = json.at("current");
    config.chain_id = current.at("chainId").uint64();
    for (const Fork& fork : kForks)
        if (fork.member != nullptr && fork.activation == ForkActivation::block_number &&
            fork.member != &ChainConfig::dao_fork_block)
            config.*fork.member = 0;
    config.terminal_total_difficulty = 0;
    if (const auto contracts = current.find("systemContracts"))
        if (const auto deposits = contracts->find("DEPOSIT_CONTRACT_ADDRESS"))
            config.deposit_contract_address = deposits->address();
    activate(revision_of(current), 0, config);
    add_blobs(current, 0, config);
    std::uint64_t latest = 0;
    for (const std::string_view name : {"next", "last"}) {
        const auto fork = json.find(name);
        if (!fork.has_value()) continue;
        const std::uint64_t time = fork->at("activationTime").uint64();
        if (time <= latest) continue;  // the last one is the next one, or there is none to come
        if (time <= current.at("activationTime").uint64()) continue;
        latest = time;
        activate(revision_of(*fork), time, config);
        add_blobs(*fork, time, config);
    }
    return config;
}

std::expected<ChainConfig, std::string> find_rules(const ForkSource& source,
                                                   const std::string& genesis_file) try {
    HEDDLE_TRY(ChainConfig rules, find_any_rules(source, genesis_file));
    if (rules.chain_id != source.chain_id())
        return std::unexpected(
            fmt::format("the rules are of chain {}, and the source is of chain "
                        "{}; name its genesis file with --genesis",
                        rules.chain_id, source.chain_id()));
    if (!source.point().header.difficulty.is_zero())
        return std::unexpected(
            fmt::format("block {} needs proof of work, and blocks on top of it would too; fork at "
                        "the block of the merge or a later one",
                        source.number()));
    // The source need not say total difficulties, by which a chain would know that it is merged.
    if (!rules.merge_block.has_value()) rules.terminal_total_difficulty = 0;
    return rules;
} catch (const InputError& problem) {
    return std::unexpected(std::string{problem.what()});
}

}  // namespace heddle::node::forking
