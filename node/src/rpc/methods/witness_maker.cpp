// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "rpc/methods/witness_maker.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rpc/methods/block_replays.hpp"
#include "rpc/queries/block_selector.hpp"

namespace heddle::node::rpc {
namespace {

/// Nodes that are missing on the way up are known after the first round; a second one is in hand.
constexpr int kMostRounds = 3;

ledger::TrieKey account_key(const Address& address) {
    return {std::nullopt, keccak256(address.view())};
}
ledger::TrieKey slot_key(const Address& address, const Uint256& slot) {
    return {address, keccak256(to_hash(slot).view())};
}

Hash root_of(const Chain& chain, std::uint64_t number) {
    const auto header = take(chain.header(number));
    if (!header.has_value()) throw server_error(fmt::format("block #{} not found", number));
    return header->header.state_root;
}

}  // namespace

WitnessMaker::WitnessMaker(Chain& chain, SharedBlock block, const Call& call)
    : chain_(chain),
      block_(std::move(block)),
      call_(call),
      parent_(block_->block.header.number - 1),
      tries_(chain, parent_, call.until_deadline()),
      parent_root_(root_of(chain, parent_)),
      known_(parent_root_, {}, {}) {}

ExecutionWitness WitnessMaker::make() {
    const BlockHeader& header = block_->block.header;
    const StateDiff diff = execute();
    add_ways(diff);
    const Revision revision =
        chain_.env_of({header, block_->hash, block_->total_difficulty}).revision;
    if (revision < Revision::byzantium) close_each();
    if (const Hash root = close(diff); root != header.state_root)
        throw server_error(
            fmt::format("block {} leads to the state root {} from the state before it, and its "
                        "header says {}: there is no witness",
                        header.number, to_string(root), to_string(header.state_root)));
    add_codes(diff);
    add_headers();
    return std::move(witness_);
}

void WitnessMaker::count(std::size_t bytes) {
    // As text, with quotes, prefix and comma.
    bytes_ += 2 * bytes + 5;
    if (call_.max_result_bytes != 0 && bytes_ > call_.max_result_bytes)
        throw RpcError(Code::response_too_large,
                       fmt::format("the witness is larger than {} bytes", call_.max_result_bytes));
}

StateDiff WitnessMaker::execute() {
    const auto replay = start_replay(chain_, block_, &reads_);
    // Code that others have read already would not be seen to be read.
    vm::Evm evm;
    skip_to(block_->block.transactions.size(), *replay, evm, call_);
    take_or_refuse(replay->end());
    return replay->diff();
}

/// The ways to all that was read or written.
void WitnessMaker::add_ways(const StateDiff& diff) {
    for (const AccountChange& change : diff.accounts) {
        std::set<Uint256>& slots = reads_.accounts[change.address];
        // What is written after that never was in the state before.
        if (change.storage_cleared) continue;
        for (const StorageChange& slot : change.storage)
            slots.insert(slot.slot);
    }
    std::vector<ledger::TrieKey> keys;
    const auto add = [&](const ledger::TrieKey& key, BytesView preimage) {
        if (witness_.keys.emplace(preimage.begin(), preimage.end()).second) count(preimage.size());
        keys.push_back(key);
        if (keys.size() < kKeysAtOnce) return;
        add_nodes(keys);
        keys.clear();
    };
    for (const auto& [address, slots] : reads_.accounts) {
        add(account_key(address), address.view());
        for (const Uint256& slot : slots)
            add(slot_key(address, slot), to_hash(slot).view());
    }
    add_nodes(keys);
}

void WitnessMaker::add_nodes(std::span<const ledger::TrieKey> keys) {
    std::vector<Bytes> added;
    for (const Bytes& node : nodes_to(keys)) {
        if (!witness_.state.insert(node).second) continue;
        count(node.size());
        added.push_back(node);
    }
    known_.add_nodes(added);
}

std::set<Bytes> WitnessMaker::nodes_to(std::span<const ledger::TrieKey> keys) {
    call_.check_deadline();
    auto nodes = tries_.nodes(keys);
    if (!nodes.has_value()) call_.check_deadline();
    return take_or_refuse(std::move(nodes));
}

Hash WitnessMaker::close(const StateDiff& diff) {
    for (int round = 0; round < kMostRounds; ++round) {
        call_.check_deadline();
        const auto root = known_.root_with(diff);
        if (root.has_value()) return *root;
        const std::vector<ledger::MissingNode>& missing = root.error().missing;
        if (missing.empty()) break;
        for (std::size_t begin = 0; begin < missing.size(); begin += kKeysAtOnce) {
            const std::size_t end = std::min(missing.size(), begin + kKeysAtOnce);
            std::vector<ledger::TrieKey> keys;
            for (std::size_t i = begin; i < end; ++i)
                keys.push_back({missing[i].owner, missing[i].path});
            // The way to such a node is there; of what else lies on the way to the key nothing is
            // needed.
            add_wanted(nodes_to(keys), std::span(missing).subspan(begin, end - begin));
        }
    }
    throw server_error(fmt::format(
        "the tries before block {} have changed meanwhile: its chain was taken back", parent_ + 1));
}

void WitnessMaker::add_wanted(const std::set<Bytes>& nodes,
                              std::span<const ledger::MissingNode> wanted) {
    std::vector<Bytes> added;
    for (const Bytes& node : nodes) {
        const Hash hash = keccak256(node);
        const auto is_it = [&](const ledger::MissingNode& one) { return one.hash == hash; };
        if (std::ranges::none_of(wanted, is_it)) continue;
        if (!witness_.state.insert(node).second) continue;
        count(node.size());
        added.push_back(node);
    }
    known_.add_nodes(added);
}

void WitnessMaker::close_each() {
    const auto replay = start_replay(chain_, block_);
    vm::Evm evm({.code_cache = chain_.code_cache(), .lets_go_of_code = true});
    for (std::size_t i = 1; i <= block_->block.transactions.size(); ++i) {
        skip_to(i, *replay, evm, call_);
        (void)close(replay->diff());
    }
}

void WitnessMaker::add_codes(const StateDiff& diff) {
    const auto before = take_or_refuse(chain_.state_at(parent_));
    // A machine does not ask the state for code that the block itself has brought; but where an
    // account had the same code before, whoever goes by accounts asks for it.
    std::set<Hash> made;
    for (const CodeChange& code : diff.codes)
        made.insert(code.hash);
    for (const auto& [address, slots] : reads_.accounts) {
        if (made.empty()) break;
        const auto account = before->account(address);
        if (account.has_value() && made.contains(account->code_hash))
            reads_.codes.insert(account->code_hash);
    }
    for (const Hash& hash : reads_.codes) {
        const BytesView code = before->code(hash);
        count(code.size());
        witness_.codes.emplace(code.begin(), code.end());
    }
}

/// From the oldest block whose hash was asked for on; the parent's is there in any case.
void WitnessMaker::add_headers() {
    for (std::uint64_t number = std::min(parent_, reads_.oldest_hash.value_or(parent_));
         number <= parent_; ++number) {
        const auto header = take(chain_.header(number));
        if (!header.has_value()) throw server_error(fmt::format("block #{} not found", number));
        encode_header(header->header, witness_.headers.emplace_back());
        count(witness_.headers.back().size());
    }
}

}  // namespace heddle::node::rpc
