// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "chain/block_tries.hpp"

#include <mutex>

#include "chain/chain.hpp"

namespace heddle::node {
namespace {

std::size_t value_count(const StateDiff& diff) {
    std::size_t count = diff.accounts.size();
    for (const AccountChange& change : diff.accounts)
        count += change.storage.size();
    return count;
}

}  // namespace

template <typename Near, typename Past>
auto BlockTries::ask(std::size_t values, Near near, Past past) {
    using Answer = decltype(past(*tries_));
    if (!tries_) {
        asked_ += values;
        {
            const std::scoped_lock lock{chain_.writing_};
            if (chain_.ledger_.is_near(number_, asked_)) return Answer{near(chain_.ledger_)};
        }
        auto made = chain_.ledger_.tries_at(number_, go_on_);
        if (!made.has_value()) return Answer{std::unexpected(std::move(made.error()))};
        tries_ = *std::move(made);
    }
    return Answer{past(*tries_)};
}

std::expected<ledger::AccountProof, ledger::LedgerError> BlockTries::prove(
    const Address& address, const std::vector<Uint256>& slots) {
    if (chain_.is_below_fork(number_)) return chain_.fork_->base().prove(number_, address, slots);
    if (chain_.fork_) return std::unexpected(Chain::no_root_of_fork(number_));
    return ask(
        slots.size(),
        [&](ledger::DurableLedger& ledger) { return ledger.prove(number_, address, slots); },
        [&](ledger::PastTries& tries) { return tries.prove(address, slots); });
}

std::expected<std::set<Bytes>, ledger::LedgerError> BlockTries::nodes(
    std::span<const ledger::TrieKey> keys) {
    if (chain_.fork_) return std::unexpected(Chain::no_root_of_fork(number_));
    return ask(
        keys.size(),
        [&](ledger::DurableLedger& ledger) { return ledger.trie_nodes(number_, keys); },
        [&](ledger::PastTries& tries) { return tries.nodes(keys); });
}

std::expected<Hash, ledger::LedgerError> BlockTries::root_with(const StateDiff& diff) {
    if (chain_.is_below_fork(number_)) return std::unexpected(Chain::no_root_of_fork(number_));
    const StateDiff whole = chain_.with_amendment(number_, diff);
    return ask(
        value_count(whole),
        [&](ledger::DurableLedger& ledger) { return ledger.state_root_with(number_, whole); },
        [&](ledger::PastTries& tries) { return tries.root_with(whole); });
}

}  // namespace heddle::node
