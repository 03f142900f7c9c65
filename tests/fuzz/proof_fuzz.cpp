// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Trie nodes and changes of a state that a stranger sends with a block or as an answer: whatever
// they are, reads and roots end; what nodes prove they prove to every reader alike, and a state
// that nothing changes keeps its root.
#include <algorithm>
#include <array>
#include <vector>

#include <ledger/partial_state.hpp>
#include <ledger/proof_check.hpp>
#include <types/state_diff.hpp>

#include "byte_source.hpp"
#include "targets.hpp"

namespace heddle::fuzz {
namespace {

constexpr std::size_t kMostNodes = 60;
constexpr unsigned kAddresses = 6;
/// Stands before the number of a node in bytes that are to be that node's hash: nobody finds those
/// by trying.
constexpr std::size_t kMarkBytes = 31;
constexpr std::uint8_t kMark = 0xee;

void put_hashes(Bytes& node, const std::vector<Bytes>& before) {
    if (before.empty()) return;
    for (std::size_t i = 0; i + sizeof(Hash) <= node.size(); ++i) {
        const auto* const mark = node.data() + i;
        if (!std::all_of(mark, mark + kMarkBytes, [](std::uint8_t b) { return b == kMark; }))
            continue;
        const Hash hash = keccak256(before[mark[kMarkBytes] % before.size()]);
        std::ranges::copy(hash.bytes, node.begin() + static_cast<std::ptrdiff_t>(i));
        i += sizeof(Hash) - 1;
    }
}

/// The last one is the root.
std::vector<Bytes> take_nodes(ByteSource& source) {
    std::vector<Bytes> nodes;
    for (unsigned count = source.below(kMostNodes); count > 0; --count) {
        Bytes node(source.uint16() % 700);
        for (std::uint8_t& byte : node)
            byte = source.byte();
        put_hashes(node, nodes);
        nodes.push_back(std::move(node));
    }
    return nodes;
}

Address address_of(unsigned number) {
    return address_from_low64(1 + number);
}

StateDiff take_diff(ByteSource& source) {
    StateDiff diff;
    for (unsigned number = 0; number < kAddresses; ++number) {
        if (source.chance(128)) continue;
        AccountChange& change = diff.accounts.emplace_back();
        change.address = address_of(number);
        if (source.chance(160)) change.account = Account{.nonce = source.byte(), .balance = 1};
        change.storage_cleared = source.chance(40);
        if (!change.account.has_value()) continue;
        for (unsigned slot = 0; slot < 4; ++slot)
            if (source.chance(128))
                change.storage.push_back({Uint256{slot}, Uint256{source.below(3)}});
    }
    return diff;
}

}  // namespace

void proof(BytesView input) {
    ByteSource source(input);
    const std::vector<Bytes> nodes = take_nodes(source);
    const Hash root = nodes.empty() ? kEmptyTrieRoot : keccak256(nodes.back());
    std::vector<Bytes> downwards(nodes.rbegin(), nodes.rend());

    for (unsigned number = 0; number < kAddresses; ++number) {
        const ledger::PartialState state(root, nodes, {});
        const Address address = address_of(number);
        const auto account = state.account(address);
        const bool is_read = !state.fault().has_value();
        (void)state.has_storage(address);
        std::array<Uint256, 3> values;
        for (unsigned slot = 0; slot < values.size(); ++slot)
            values[slot] = state.storage(address, Uint256{slot});
        if (account.has_value()) (void)state.code(account->code_hash);
        const bool are_read = !state.fault().has_value();

        const auto proven = ledger::check_account_proof(root, address, downwards);
        if (!proven.has_value()) {
            require(!proven.error().empty(), "a proof that proves nothing, without words");
            continue;
        }
        if (is_read) require(proven->account == account, "an account proven and read");
        for (unsigned slot = 0; slot < values.size(); ++slot) {
            const auto value =
                ledger::check_slot_proof(proven->storage_root, Uint256{slot}, downwards);
            if (value.has_value() && are_read)
                require(*value == values[slot], "a slot proven and read");
        }
    }
    const ledger::PartialState state(root, nodes, {});
    const auto same = state.root_with({});
    require(!same.has_value() || *same == root, "a state that nothing changed");
    if (const auto changed = state.root_with(take_diff(source)); !changed.has_value())
        require(!ledger::to_string(changed.error()).empty(), "no root, without words");
}

}  // namespace heddle::fuzz
