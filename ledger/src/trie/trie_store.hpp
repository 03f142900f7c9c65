// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where tries are kept while they are not in memory. Implemented over the database, and by maps in
// tests; the tries know no other way to the disk.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include <ledger/ledger_error.hpp>

#include "trie/nibbles.hpp"

namespace heddle::ledger {

/// Owner of the account trie; a storage trie's owner is KEC(address).
inline constexpr Hash kAccountTrie{};

/// A branch may be stored if at least so many leaves are below it; what is smaller is made again
/// from its leaves. With a million accounts this stores 4,379 branches (2.4 MB) where 8 would store
/// 68,946 (24 MB) and write half as much again per changed leaf, to load a leaf in 8 in place of 15
/// µs.
inline constexpr std::uint32_t kStoredLeafCount = 32;
/// From so many leaves on, what the store has of a branch is always up to date. With fewer it may
/// be behind or missing, where a process has ended without closing the ledger: such a branch, too,
/// is made from its leaves. That keeps most of the writing away, for changes at random places touch
/// nearly every one of the lowest branches between two checkpoints: 600 bytes for a leaf of 70.
inline constexpr std::uint32_t kAlwaysStoredLeafCount = 256;

/// Reads leaves of the store as they were when the reader was made. What it takes to make one is
/// spent once for any number of walks.
/// Thread safety: none; several readers may be used at the same time.
class LeafReader {
public:
    LeafReader() = default;
    LeafReader(const LeafReader&) = delete;
    LeafReader& operator=(const LeafReader&) = delete;
    virtual ~LeafReader() = default;

    /// `key` is hashed; `value` is the leaf's value in the trie: the account's RLP with its storage
    /// root (YP 4.1), or the RLP of the slot's value. @return whether to go on.
    using LeafVisitor = std::function<bool(const Hash& key, BytesView value)>;
    /// Visits the leaves whose keys begin with `prefix`, in ascending order of the keys, until
    /// `visit` returns false. Errors: of the store.
    [[nodiscard]] virtual std::expected<void, LedgerError> for_each_leaf(
        const Hash& owner, NibblesView prefix, const LeafVisitor& visit) = 0;
};

/// Reading. Errors are of the store; the trie adds which node it was.
///
/// Contract: nodes are as NodeSink was told last. Leaves are those of the state that the last
/// collection was of, neither older nor newer.
/// Thread safety: several threads read at the same time.
class TrieStore {
public:
    virtual ~TrieStore() = default;

    /// The bytes put for this node; nullopt: none.
    [[nodiscard]] virtual std::expected<std::optional<Bytes>, LedgerError> read_node(
        const Hash& owner, NibblesView path) const = 0;
    /// Must not outlive the store.
    [[nodiscard]] virtual std::unique_ptr<LeafReader> leaves() const = 0;
};

/// Changes to be made in the store, in the order of the calls.
class NodeSink {
public:
    virtual ~NodeSink() = default;
    virtual void put(const Hash& owner, NibblesView path, BytesView node) = 0;
    virtual void erase(const Hash& owner, NibblesView path) = 0;
    /// Removes every node of this owner.
    virtual void erase_all(const Hash& owner) = 0;
};

}  // namespace heddle::ledger
