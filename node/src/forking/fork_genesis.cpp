// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "forking/fork_genesis.hpp"

#include <vector>

#include <vm/next_header.hpp>
#include <vm/system_contracts.hpp>

#include "chain/dev_chain.hpp"
#include "chain/read_scope.hpp"

namespace heddle::node::forking {
namespace {

/// EIP-2935: the hash of a block lies in the slot of its number modulo this.
constexpr std::uint64_t kHistoryWindow = 8'191;
/// Of each contract whose requests a block takes: excess, count, head and tail of its queue
/// (EIP-7002, 7251).
constexpr std::uint64_t kQueueSlots = 4;

BlockHeader first_header(const ForkSource& source, const ChainConfig& rules) {
    const ledger::StoredHeader& point = source.point();
    return vm::next_header({point.header, point.hash, point.total_difficulty},
                           {.timestamp = point.header.timestamp + 1,
                            .gas_limit = point.header.gas_limit,
                            .beneficiary = {},
                            .extra_data = {},
                            .prev_randao = point.header.prev_randao},
                           rules);
}

}  // namespace

std::expected<ForkGenesis, std::string> make_fork_genesis(const ForkSource& source,
                                                          const ChainConfig& rules) {
    ForkGenesis made;
    made.genesis.config = rules;
    made.genesis.header = first_header(source, rules);
    std::vector<MissingRead> reads;
    for (const DevAccount& account : dev_accounts())
        reads.push_back({source.number(), account.address, std::nullopt});
    // What every block reads: with that, blocks can be made while the source is gone.
    reads.push_back({source.number(), Address{}, std::nullopt});  // who gets fees if nobody says
    for (const vm::SystemContract& contract : vm::kSystemContracts) {
        reads.push_back({source.number(), contract.address, std::nullopt});
        if (contract.place != vm::SystemCallPlace::end_block) continue;
        for (std::uint64_t slot = 0; slot < kQueueSlots; ++slot)
            reads.push_back({source.number(), contract.address, Uint256{slot}});
    }
    ReadScope scope;
    if (!source.fetch(reads)) return std::unexpected(scope.failure());

    const StateView& state = source.state();
    for (const DevAccount& account : dev_accounts()) {
        // On chains that many use somebody has made these accounts act as contracts (EIP-7702);
        // here they are what they are everywhere else.
        const std::uint64_t nonce = state.account(account.address).value_or(Account{}).nonce;
        made.genesis.alloc.push_back({account.address, nonce, dev_balance(), {}, {}});
        made.own.accounts.push_back(
            {account.address, Account{.nonce = nonce, .balance = dev_balance()}, false, {}});
    }
    // What the block's system call would have written.
    const auto history = state.account(vm::kHistoryStorageAddress);
    if (history.has_value() && history->has_code()) {
        const Uint256 slot{source.number() % kHistoryWindow};
        const Uint256 hash = to_word(source.point().hash);
        const BytesView code = state.code(history->code_hash);
        made.genesis.alloc.push_back({vm::kHistoryStorageAddress,
                                      history->nonce,
                                      history->balance,
                                      Bytes(code.begin(), code.end()),
                                      {{slot, hash}}});
        made.own.accounts.push_back(
            {vm::kHistoryStorageAddress, history, false, {StorageChange{slot, hash}}});
    }
    if (scope.has_failed()) return std::unexpected(scope.failure());
    return made;
}

}  // namespace heddle::node::forking
