// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <ledger/partial_state.hpp>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <ledger/proof_check.hpp>
#include <types/rlp.hpp>

#include "account_leaf.hpp"
#include "storage/schema.hpp"
#include "trie/partial_trie.hpp"

namespace heddle::ledger {
namespace {

Hash key_of(const Address& address) {
    return keccak256(address.view());
}
Hash key_of(const Uint256& slot) {
    return keccak256(to_hash(slot).view());
}

void add(const std::vector<TrieGap>& gaps, const std::optional<Address>& owner, RootGap& sum) {
    for (const TrieGap& gap : gaps) {
        MissingNode node{.owner = owner, .path = {}, .depth = gap.path.size, .hash = gap.hash};
        for (std::size_t i = 0; i < gap.path.size; ++i)
            node.path.bytes[i / 2] |=
                static_cast<std::uint8_t>(gap.path.nibbles[i] << (i % 2 == 0 ? 4 : 0));
        if (!gap.is_malformed)
            sum.missing.push_back(node);
        else if (sum.malformed.empty())
            sum.malformed = "node " + to_string(gap.hash) + " is malformed";
    }
}

}  // namespace

std::string to_string(const MissingNode& node) {
    return "node " + to_string(node.hash) + " of the " +
           (node.owner.has_value() ? "storage of " + to_string(*node.owner)
                                   : std::string{"accounts"}) +
           " is not there, behind " + std::to_string(node.depth) + " nibbles of " +
           to_string(node.path);
}

std::string to_string(const RootGap& gap) {
    if (!gap.malformed.empty()) return gap.malformed;
    return gap.missing.empty() ? std::string{"nothing is missing"} : to_string(gap.missing.front());
}

struct PartialState::Parts {
    using Leaf = std::expected<ProvenAccount, std::string>;

    /// The account with its storage root. Errors: a sentence.
    [[nodiscard]] Leaf account(const Address& address) const {
        const auto leaf = find_value(nodes, root, key_of(address));
        const auto fail = [&](std::string_view why) {
            return std::unexpected("account " + to_string(address) + ": " + std::string{why});
        };
        if (!leaf.has_value()) return fail(reason(leaf.error()));
        if (!leaf->has_value()) return ProvenAccount{};
        auto account = decode_account_leaf(**leaf);
        if (!account.has_value()) return fail(rlp::to_string(account.error()));
        return *account;
    }

    [[nodiscard]] static std::string_view reason(ProofError error) {
        return error == ProofError::node_missing ? "a node on the way to it is not there"
                                                 : "a node on the way to it is malformed";
    }

    Hash root;
    NodeTable nodes;
    std::unordered_map<Hash, Bytes, HashHasher> codes;
};

PartialState::PartialState(const Hash& root, std::span<const Bytes> nodes,
                           std::span<const Bytes> codes)
    : parts_(std::make_unique<Parts>()) {
    parts_->root = root;
    add_nodes(nodes);
    for (const Bytes& code : codes)
        parts_->codes.emplace(keccak256(code), code);
}

PartialState::~PartialState() = default;

void PartialState::add_nodes(std::span<const Bytes> nodes) {
    for (const Bytes& node : nodes)
        parts_->nodes.emplace(keccak256(node), node);
}

void PartialState::note(std::string sentence) const {
    const std::scoped_lock lock{mutex_};
    if (!fault_.has_value()) fault_ = std::move(sentence);
}

std::optional<std::string> PartialState::fault() const {
    const std::scoped_lock lock{mutex_};
    return fault_;
}

std::optional<Account> PartialState::account(const Address& address) const noexcept {
    const auto found = parts_->account(address);
    if (found.has_value()) return found->account;
    note(found.error());
    return std::nullopt;
}

bool PartialState::has_storage(const Address& address) const noexcept {
    const auto found = parts_->account(address);
    if (found.has_value()) return found->storage_root != kEmptyTrieRoot;
    note(found.error());
    return false;
}

Uint256 PartialState::storage(const Address& address, const Uint256& slot) const noexcept {
    const auto found = parts_->account(address);
    if (!found.has_value()) {
        note(found.error());
        return {};
    }
    const auto fail = [&](std::string_view why) {
        note("slot " + to_string(to_hash(slot)) + " of " + to_string(address) + ": " +
             std::string{why});
        return Uint256{};
    };
    const auto leaf = find_value(parts_->nodes, found->storage_root, key_of(slot));
    if (!leaf.has_value()) return fail(Parts::reason(leaf.error()));
    if (!leaf->has_value()) return {};
    rlp::Reader reader(**leaf);
    const auto value = reader.read_uint256();
    if (!value.has_value() || !reader.at_end()) return fail("its value is malformed");
    return *value;
}

BytesView PartialState::code(const Hash& code_hash) const noexcept {
    if (code_hash == kEmptyCodeHash) return {};
    const auto found = parts_->codes.find(code_hash);
    if (found != parts_->codes.end()) return found->second;
    note("code " + to_string(code_hash) + " is not there");
    return {};
}

std::expected<Hash, RootGap> PartialState::root_with(const StateDiff& diff) const {
    RootGap gap;
    std::string unreadable;
    std::vector<TrieWrite> accounts;
    const auto by_key = [](const TrieWrite& a, const TrieWrite& b) { return a.key < b.key; };
    for (const AccountChange& change : diff.accounts) {
        TrieWrite& write = accounts.emplace_back(TrieWrite{key_of(change.address), {}});
        if (!change.account.has_value()) continue;
        AccountRecord record{*change.account};
        if (!change.storage_cleared) {
            const auto before = parts_->account(change.address);
            if (before.has_value())
                record.storage_root = before->storage_root;
            else if (unreadable.empty())
                unreadable = before.error();
        }
        std::vector<TrieWrite> slots;
        slots.reserve(change.storage.size());
        for (const StorageChange& slot : change.storage) {
            TrieWrite& written = slots.emplace_back(TrieWrite{key_of(slot.slot), {}});
            if (!slot.value.is_zero()) rlp::encode_uint256(slot.value, written.value);
        }
        std::ranges::sort(slots, by_key);
        const auto storage_root = root_after(parts_->nodes, record.storage_root, slots);
        if (storage_root.has_value())
            record.storage_root = *storage_root;
        else
            add(storage_root.error(), change.address, gap);
        // There in any case, so that the accounts' own gaps are found as well.
        schema::encode_account_leaf(record, write.value);
    }
    std::ranges::sort(accounts, by_key);
    auto root = root_after(parts_->nodes, parts_->root, accounts);
    if (!root.has_value()) add(root.error(), std::nullopt, gap);
    // Where nodes are missing, that may be why.
    if (gap.missing.empty() && gap.malformed.empty()) gap.malformed = std::move(unreadable);
    if (!gap.missing.empty() || !gap.malformed.empty()) return std::unexpected(std::move(gap));
    return *root;
}

}  // namespace heddle::ledger
