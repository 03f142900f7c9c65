// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A state of which only the root and some trie nodes are known, as a block's execution witness has
// them: read, and asked which root changes lead to. Nothing is believed that the root does not
// prove. Where the nodes come from is the caller's business (DurableLedger::trie_nodes()).
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/state_diff.hpp>
#include <types/state_view.hpp>
#include <types/uint256.hpp>

namespace heddle::ledger {

/// A trie node that is needed and is not there.
struct MissingNode {
    std::optional<Address> owner;  // of the storage trie; nullopt: the trie of accounts
    Hash path;                     // a key that leads to it
    std::size_t depth = 0;         // how many nibbles of that key do
    Hash hash;
};
/// A sentence.
[[nodiscard]] std::string to_string(const MissingNode& node);

/// Why there is no root.
struct RootGap {
    std::vector<MissingNode> missing;
    std::string malformed;  // a sentence; empty: nothing is
};
[[nodiscard]] std::string to_string(const RootGap& gap);

/// What cannot be read reads as nothing, and the first such read is told by fault(): whoever
/// executes something on this state asks it in the end, and throws the result away.
/// Thread safety: any.
class PartialState final : public StateView {
public:
    /// @param nodes  RLP, in any order; copied, as `codes`.
    PartialState(const Hash& root, std::span<const Bytes> nodes, std::span<const Bytes> codes);
    ~PartialState() override;

    // As StateView.
    [[nodiscard]] std::optional<Account> account(const Address& address) const noexcept override;
    [[nodiscard]] Uint256 storage(const Address& address,
                                  const Uint256& slot) const noexcept override;
    [[nodiscard]] bool has_storage(const Address& address) const noexcept override;
    [[nodiscard]] BytesView code(const Hash& code_hash) const noexcept override;

    /// What the first read that failed wanted, as a sentence; nullopt: none has failed.
    [[nodiscard]] std::optional<std::string> fault() const;

    /// The root of the state with `diff` on top of it; nothing is changed.
    /// Errors: the nodes that are needed and not there, as far as is known; a second try, with
    /// them, may need more.
    [[nodiscard]] std::expected<Hash, RootGap> root_with(const StateDiff& diff) const;

    /// Beside those that are there.
    void add_nodes(std::span<const Bytes> nodes);

private:
    struct Parts;

    void note(std::string sentence) const;

    std::unique_ptr<Parts> parts_;
    mutable std::mutex mutex_;
    mutable std::optional<std::string> fault_;  // guarded by mutex_
};

}  // namespace heddle::ledger
