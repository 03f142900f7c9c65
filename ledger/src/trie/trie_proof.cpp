// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/trie_proof.hpp"

#include <array>

#include <types/expected.hpp>
#include <types/rlp.hpp>

#include "trie/node_rlp.hpp"

namespace heddle::ledger {
namespace {

using Answer = std::optional<Bytes>;

/// A node's items, prefixes included. Two of them: a leaf or an extension; 17: a branch.
struct Items {
    std::array<BytesView, 17> raw;
    std::size_t count = 0;
};

std::optional<Items> split(BytesView node) {
    rlp::Reader outer(node);
    auto list = outer.read_list();
    if (!list.has_value() || !outer.at_end()) return std::nullopt;
    Items items;
    while (!list->at_end()) {
        const auto raw = list->read_raw();
        if (!raw.has_value() || items.count == items.raw.size()) return std::nullopt;
        items.raw[items.count++] = *raw;
    }
    if (items.count != 2 && items.count != 17) return std::nullopt;
    return items;
}

std::optional<BytesView> read_string(BytesView raw) {
    rlp::Reader reader(raw);
    const auto text = reader.read_string();
    if (!text.has_value() || !reader.at_end()) return std::nullopt;
    return *text;
}

struct Path {
    NibblePath nibbles;
    bool is_leaf = false;
};

/// Inverse of HP (YP App. C).
std::optional<Path> decode_path(BytesView raw) {
    const auto text = read_string(raw);
    if (!text.has_value() || text->empty() || text->size() > 33) return std::nullopt;
    const std::uint8_t first = (*text)[0];
    const bool is_odd = (first & 0x10) != 0;
    if ((first & 0xc0) != 0 || (!is_odd && (first & 0x0f) != 0)) return std::nullopt;
    if (is_odd && text->size() > 32) return std::nullopt;
    Path path;
    path.is_leaf = (first & 0x20) != 0;
    for (std::size_t i = is_odd ? 1 : 2; i < 2 * text->size(); ++i)
        path.nibbles.push_back(nibble_at(text->data(), i));
    return path;
}

/// Goes from node to node along one key.
class Verifier {
public:
    Verifier(const Hash& root, const Hash& key, std::span<const Bytes> proof) noexcept
        : expected_(root), key_(key.bytes.data()), proof_(proof) {}

    std::expected<Answer, ProofError> run() {
        HEDDLE_TRY(BytesView node, next_node());
        for (;;) {
            const auto items = split(node);
            if (!items.has_value()) return malformed();
            BytesView below;
            if (items->count == 17) {
                // With keys of one length no branch has a value, and none is deeper than they are.
                if (depth_ == kKeyNibbles || items->raw[16].size() != 1 ||
                    items->raw[16][0] != 0x80)
                    return malformed();
                below = items->raw[nibble_at(key_, depth_++)];
                if (below.size() == 1 && below[0] == 0x80) return finish(std::nullopt);
            } else {
                const auto path = decode_path(items->raw[0]);
                if (!path.has_value() || depth_ + path->nibbles.size > kKeyNibbles)
                    return malformed();
                const bool is_shared = shares(path->nibbles);
                if (path->is_leaf) return finish_leaf(*items, is_shared);
                if (path->nibbles.size == 0) return malformed();
                if (!is_shared) return finish(std::nullopt);
                below = items->raw[1];
            }
            HEDDLE_TRY(node, follow(below));
        }
    }

private:
    static std::unexpected<ProofError> malformed() {
        return std::unexpected(ProofError::node_malformed);
    }

    std::expected<BytesView, ProofError> next_node() {
        if (used_ == proof_.size()) return std::unexpected(ProofError::node_missing);
        const Bytes& node = proof_[used_++];
        if (keccak256(node) != expected_) return std::unexpected(ProofError::hash_mismatch);
        return BytesView(node);
    }

    /// The node that a reference stands for: the next of the proof, or the reference itself.
    std::expected<BytesView, ProofError> follow(BytesView reference) {
        if (reference[0] >= 0xc0) {
            if (reference.size() >= kReferenceSize) return malformed();
            return reference;
        }
        const auto hash = read_string(reference);
        if (!hash.has_value() || hash->size() != kReferenceSize) return malformed();
        std::memcpy(expected_.bytes.data(), hash->data(), kReferenceSize);
        return next_node();
    }

    bool shares(const NibblePath& path) noexcept {
        for (const std::uint8_t nibble : path.view())
            if (nibble_at(key_, depth_++) != nibble) return false;
        return true;
    }

    std::expected<Answer, ProofError> finish_leaf(const Items& items, bool is_shared) const {
        const auto value = read_string(items.raw[1]);
        if (!value.has_value() || value->empty()) return malformed();
        if (!is_shared) return finish(std::nullopt);
        if (depth_ != kKeyNibbles) return malformed();
        return finish(Bytes(value->begin(), value->end()));
    }

    std::expected<Answer, ProofError> finish(Answer answer) const {
        if (used_ != proof_.size()) return std::unexpected(ProofError::superfluous_node);
        return answer;
    }

    Hash expected_;
    const std::uint8_t* key_;
    std::span<const Bytes> proof_;
    std::size_t used_ = 0;
    std::size_t depth_ = 0;
};

}  // namespace

std::string_view to_string(ProofError error) noexcept {
    switch (error) {
        case ProofError::node_missing:
            return "the proof ends too early";
        case ProofError::hash_mismatch:
            return "a node does not match its hash";
        case ProofError::node_malformed:
            return "a node is malformed";
        case ProofError::superfluous_node:
            return "the proof has superfluous nodes";
    }
    return "unknown error";
}

std::expected<std::optional<Bytes>, ProofError> verify_proof(const Hash& root, const Hash& key,
                                                             std::span<const Bytes> proof) {
    if (root == kEmptyTrieRoot && proof.empty()) return std::nullopt;
    return Verifier(root, key, proof).run();
}

}  // namespace heddle::ledger
