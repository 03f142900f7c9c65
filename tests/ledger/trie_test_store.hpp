// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A store for tries made of maps, that tests can damage; and the flat leaves of a state that
// follows diffs, as a ledger keeps them.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include <types/rlp.hpp>

#include "trie/resident_state_trie.hpp"
#include "trie/trie_store.hpp"

namespace heddle::test {

class MapTrieStore final : public ledger::TrieStore, public ledger::NodeSink {
public:
    using Node = std::pair<Hash, ledger::Nibbles>;

    std::map<Node, Bytes> nodes;
    std::map<Hash, std::map<Hash, Bytes>> leaves_of;  // by owner
    bool fails = false;

    static ledger::LedgerError on_fire() {
        return {ledger::LedgerErrorCode::io_error, "disk on fire"};
    }

    std::expected<std::optional<Bytes>, ledger::LedgerError> read_node(
        const Hash& owner, ledger::NibblesView path) const override {
        if (fails) return std::unexpected(on_fire());
        const auto found = nodes.find({owner, {path.begin(), path.end()}});
        if (found == nodes.end()) return std::nullopt;
        return found->second;
    }

    class Reader final : public ledger::LeafReader {
    public:
        explicit Reader(const MapTrieStore& store) : store_(store) {}
        std::expected<void, ledger::LedgerError> for_each_leaf(const Hash& owner,
                                                               ledger::NibblesView prefix,
                                                               const LeafVisitor& visit) override {
            if (store_.fails) return std::unexpected(on_fire());
            const auto of_owner = store_.leaves_of.find(owner);
            if (of_owner == store_.leaves_of.end()) return {};
            ledger::Nibbles padded(prefix.begin(), prefix.end());
            padded.resize(64);
            Hash first;
            std::ranges::copy(ledger::from_nibbles(padded), first.bytes.begin());
            for (auto at = of_owner->second.lower_bound(first); at != of_owner->second.end();
                 ++at) {
                const ledger::Nibbles key = ledger::to_nibbles(at->first.view());
                if (ledger::common_prefix(key, prefix) != prefix.size()) break;
                if (!visit(at->first, at->second)) break;
            }
            return {};
        }

    private:
        const MapTrieStore& store_;
    };
    std::unique_ptr<ledger::LeafReader> leaves() const override {
        return std::make_unique<Reader>(*this);
    }

    void put(const Hash& owner, ledger::NibblesView path, BytesView node) override {
        nodes[{owner, {path.begin(), path.end()}}] = {node.begin(), node.end()};
    }
    void erase(const Hash& owner, ledger::NibblesView path) override {
        nodes.erase({owner, {path.begin(), path.end()}});
    }
    void erase_all(const Hash& owner) override {
        std::erase_if(nodes, [&](const auto& entry) { return entry.first.first == owner; });
    }

    /// Brings the leaves to the state after `diff`, which the trie has applied.
    void apply(const StateDiff& diff, std::span<const Hash> storage_roots) {
        for (std::size_t i = 0; i < diff.accounts.size(); ++i) {
            const AccountChange& change = diff.accounts[i];
            const Hash owner = keccak256(change.address.view());
            if (!change.account.has_value() || change.storage_cleared) leaves_of.erase(owner);
            if (!change.account.has_value()) {
                leaves_of[ledger::kAccountTrie].erase(owner);
                continue;
            }
            leaves_of[ledger::kAccountTrie][owner] =
                encode_account(*change.account, storage_roots[i]);
            for (const StorageChange& write : change.storage) {
                const Hash key = keccak256(to_hash(write.slot).view());
                leaves_of[owner].erase(key);
                if (write.value.is_zero()) continue;
                rlp::encode_uint256(write.value, leaves_of[owner][key]);
            }
        }
    }

    static Bytes encode_account(const Account& account, const Hash& storage_root) {
        Bytes encoded;
        rlp::encode_uint64(account.nonce, encoded);
        rlp::encode_uint256(account.balance, encoded);
        rlp::encode_hash(storage_root, encoded);
        rlp::encode_hash(account.code_hash, encoded);
        rlp::wrap_list(0, encoded);
        return encoded;
    }
};

}  // namespace heddle::test
