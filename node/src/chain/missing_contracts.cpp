// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/missing_contracts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <types/fork.hpp>
#include <vm/system_contracts.hpp>

namespace heddle::node {
namespace {

/// The fork that brings it.
const Fork& fork_of(const vm::SystemContract& contract) {
    return *std::ranges::find(kForks, contract.since, &Fork::revision);
}

}  // namespace

std::vector<MissingContract> missing_contracts(const HasCode& has_code, const ChainConfig& config) {
    std::vector<MissingContract> missing;
    for (const vm::SystemContract& contract :
         vm::system_contracts(vm::SystemCallPlace::end_block, kLatestRevision)) {
        const Fork& fork = fork_of(contract);
        const auto& time = config.*fork.member;
        if (time.has_value() && !has_code(contract.address))
            missing.push_back({contract.address, fork.field(), *time});
    }
    return missing;
}

std::optional<std::string> describe_missing_contracts(const HasCode& has_code,
                                                      const ChainConfig& config,
                                                      std::uint64_t earliest) {
    const std::vector<MissingContract> missing = missing_contracts(has_code, config);
    if (missing.empty()) return std::nullopt;
    std::string text;
    for (auto first = missing.begin(); first != missing.end();) {
        const auto last = std::find_if(first, missing.end(), [&](const MissingContract& contract) {
            return contract.field != first->field;
        });
        text += text.empty() ? "no block " : ", and none ";
        text += first->time <= earliest
                    ? fmt::format("can be made under the rules of {}", first->field)
                    : fmt::format("from {} {} on can be made", first->field, first->time);
        text += " without code at";
        for (; first != last; ++first)
            text += " " + to_string(first->address);
    }
    return text +
           ": give it to these addresses in the genesis file's alloc, or the fork a later time, or "
           "none (docs/operating.md, \"System contracts\")";
}

HasCode code_in(const StateView& state) {
    return [&state](const Address& address) {
        const auto account = state.account(address);
        return account.has_value() && account->has_code();
    };
}

HasCode code_in(const Genesis& genesis) {
    return [&genesis](const Address& address) {
        return std::ranges::any_of(genesis.alloc, [&](const GenesisAccount& account) {
            return account.address == address && !account.code.empty();
        });
    };
}

}  // namespace heddle::node
