// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The state root (YP 4.1): kept up to date diff by diff, or computed at once from a whole state.
#pragma once

#include <memory>

#include <types/address.hpp>
#include <types/hash.hpp>
#include <types/state_diff.hpp>

#include <ledger/memory_state.hpp>

namespace heddle::ledger {

/// Root of exactly this state, from nothing. The oracle of StateTrie, and the right choice for a
/// state that is asked once (a state test).
/// Complexity: hashes every account and every slot.
[[nodiscard]] Hash compute_state_root(const MemoryState& state);

/// The account trie and the storage tries, with keys hashed ("secure"). Holds no flat values: reads
/// go to MemoryState.
///
/// Thread safety: none.
/// Invariant: root() is the root of the state that all applied diffs make together.
/// A moved-from object may only be assigned to or destroyed.
class StateTrie {
public:
    /// The empty state.
    StateTrie();
    explicit StateTrie(const MemoryState& state);
    StateTrie(StateTrie&&) noexcept;
    StateTrie& operator=(StateTrie&&) noexcept;
    ~StateTrie();

    /// Follows the diff to the letter: an account is in the trie if the diff says that it exists,
    /// be it empty or not (before EIP-161 empty accounts stay). Complexity: hashes the paths of
    /// what changed.
    /// @return the new root.
    Hash apply(const StateDiff& diff);

    [[nodiscard]] const Hash& root() const noexcept;
    /// kEmptyTrieRoot for an account without storage and one that does not exist.
    [[nodiscard]] Hash storage_root(const Address& address) const noexcept;

private:
    struct Tries;
    std::unique_ptr<Tries> tries_;
};

}  // namespace heddle::ledger
