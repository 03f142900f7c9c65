// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Following one key through trie nodes (YP App. D) that came from somebody else. Where the nodes
// are found, and that each has the hash by which it is asked for, is the caller's business.
#pragma once

#include <expected>
#include <optional>
#include <utility>

#include <types/bytes.hpp>
#include <types/expected.hpp>
#include <types/hash.hpp>

#include "trie/node_items.hpp"
#include "trie/trie_proof.hpp"

namespace heddle::ledger {

/// `Find` gives the node with a hash, as std::expected<BytesView, ProofError>.
template <typename Find>
class KeyWalk {
public:
    using Answer = std::optional<Bytes>;

    KeyWalk(const Hash& key, Find find) : key_(key.bytes.data()), find_(std::move(find)) {}

    /// The key's value in the trie with this root; nullopt: it is absent.
    /// Errors: those of `Find`; node_malformed.
    std::expected<Answer, ProofError> run(const Hash& root) {
        HEDDLE_TRY(BytesView node, find_(root));
        for (;;) {
            const auto items = split_node(node);
            if (!items.has_value()) return malformed();
            BytesView below;
            if (items->is_branch()) {
                // None is deeper than the keys are.
                if (depth_ == kKeyNibbles || items->has_value()) return malformed();
                below = items->raw[nibble_at(key_, depth_++)];
                if (NodeItems::is_absent(below)) return std::nullopt;
            } else {
                const auto path = decode_path(items->raw[0]);
                if (!path.has_value() || depth_ + path->nibbles.size > kKeyNibbles)
                    return malformed();
                const bool is_shared = shares(path->nibbles);
                if (path->is_leaf) return value_of(*items, is_shared);
                if (path->nibbles.size == 0) return malformed();
                if (!is_shared) return std::nullopt;
                below = items->raw[1];
            }
            const auto link = decode_link(below);
            if (!link.has_value()) return malformed();
            node = link->embedded;
            if (node.empty()) {
                HEDDLE_TRY(node, find_(link->hash));
            }
        }
    }

private:
    static std::unexpected<ProofError> malformed() {
        return std::unexpected(ProofError::node_malformed);
    }

    bool shares(const NibblePath& path) noexcept {
        for (const std::uint8_t nibble : path.view())
            if (nibble_at(key_, depth_++) != nibble) return false;
        return true;
    }

    std::expected<Answer, ProofError> value_of(const NodeItems& leaf, bool is_shared) const {
        const auto value = string_item(leaf.raw[1]);
        if (!value.has_value() || value->empty()) return malformed();
        if (!is_shared) return std::nullopt;
        if (depth_ != kKeyNibbles) return malformed();
        return Bytes(value->begin(), value->end());
    }

    const std::uint8_t* key_;
    Find find_;
    std::size_t depth_ = 0;
};

}  // namespace heddle::ledger
