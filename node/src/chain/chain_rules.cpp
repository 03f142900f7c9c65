// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/chain_rules.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include <types/fork.hpp>
#include <types/text_bytes.hpp>

#include "formats/chain_config_json.hpp"
#include "inputs/ledger_flags.hpp"
#include "program/error.hpp"

namespace heddle::node {
namespace {

bool is_past(const std::optional<std::uint64_t>& activation, std::uint64_t head) {
    return activation.has_value() && *activation <= head;
}

std::string_view changed(ForkActivation kind, std::uint64_t head, const ChainConfig& before,
                         const ChainConfig& after) {
    for (const Fork& fork : kForks) {
        if (fork.member == nullptr || fork.activation != kind) continue;
        const auto& old_activation = before.*fork.member;
        const auto& new_activation = after.*fork.member;
        if (old_activation != new_activation &&
            (is_past(old_activation, head) || is_past(new_activation, head)))
            return fork.fields[0];
    }
    return {};
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
    if (before.equal_timestamps != after.equal_timestamps) return "equalTimestamps";
    if (const std::string_view name =
            changed(ForkActivation::block_number, head.number, before, after);
        !name.empty())
        return std::string{name};
    if (const std::string_view name =
            changed(ForkActivation::timestamp, head.timestamp, before, after);
        !name.empty())
        return std::string{name};
    if (past_blob_parameters(before, head.timestamp) != past_blob_parameters(after, head.timestamp))
        return "blobSchedule";
    return {};
}

bool adopt_rules(ledger::DurableLedger& ledger, const GenesisOutline& genesis,
                 const RuleNames& names) {
    const auto& [directory, file] = names;
    const auto validators =
        parse_stored_validator_contract(ledger.chain(), "the data directory's chain configuration");
    if (genesis.validators != validators)
        fail_input(
            "{} was made with another validator contract than {} names (config.heddle); all nodes "
            "of a network need the same",
            directory, file);
    const BlockHeader head = ledger.head().header;
    const ChainConfig stored = stored_chain_config(ledger);
    ChainConfig rules = genesis.config;
    if (!rules.merge_block.has_value()) rules.merge_block = stored.merge_block;
    const std::string rule = rule_changed_up_to(head, stored, rules);
    if (!rule.empty())
        fail_input(
            "{}: config.{} is another rule than the blocks of {} up to {} were executed by; only "
            "what is to come can change",
            file, rule, directory, head.number);
    const std::string wanted = format_chain_config(rules, validators);
    if (std::ranges::equal(wanted, ledger.chain())) return false;
    const auto replaced = ledger.replace_chain(bytes_of(wanted));
    if (!replaced.has_value()) throw StorageError(to_string(replaced.error()));
    return true;
}

}  // namespace heddle::node
