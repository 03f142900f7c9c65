// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/stub_loader.hpp"

#include <cstring>

#include <types/assert.hpp>
#include <types/expected.hpp>

namespace heddle::ledger {
namespace {

bool begins_with(const Hash& key, NibblesView prefix) noexcept {
    for (std::size_t i = 0; i < prefix.size(); ++i)
        if (nibble_at(key.bytes.data(), i) != prefix[i]) return false;
    return true;
}

}  // namespace

std::unexpected<TrieError> StubLoader::error(const Wanted& wanted, TrieErrorCode code,
                                             std::string detail) {
    return std::unexpected(TrieError{
        code, wanted.owner, Nibbles(wanted.path.begin(), wanted.path.end()), std::move(detail)});
}

std::expected<Link, TrieError> StubLoader::load(const Hash& owner, NibblesView path,
                                                const Reference& expected,
                                                std::uint32_t leaf_count) {
    const Wanted wanted{owner, path, expected, leaf_count};
    if (!is_stored(leaf_count)) return derive(wanted);
    HEDDLE_TRY(const auto bytes, read(wanted));
    if (!bytes.has_value()) return error(wanted, TrieErrorCode::node_missing);
    return decode(wanted, *bytes);
}

std::expected<Link, TrieError> StubLoader::load_root(const Hash& owner, const Hash& root) {
    const Wanted wanted{owner, {}, {root.bytes, false}, std::nullopt};
    HEDDLE_TRY(const auto bytes, read(wanted));
    return bytes.has_value() ? decode(wanted, *bytes) : derive(wanted);
}

std::expected<std::optional<Bytes>, TrieError> StubLoader::read(const Wanted& wanted) const {
    HEDDLE_ASSERT(store_ != nullptr);
    auto bytes = store_->read_node(wanted.owner, wanted.path);
    if (!bytes.has_value())
        return error(wanted, TrieErrorCode::store_failed, std::move(bytes).error());
    return *std::move(bytes);
}

std::expected<Link, TrieError> StubLoader::decode(const Wanted& wanted, BytesView bytes) {
    const std::optional<StoredBranch> stored = decode_stored_branch(bytes);
    if (!stored.has_value()) return error(wanted, TrieErrorCode::node_malformed);
    const std::uint64_t leaf_count = stored->leaf_count();
    if (wanted.leaf_count.value_or(leaf_count) != leaf_count || leaf_count > UINT32_MAX ||
        !is_stored(static_cast<std::uint32_t>(leaf_count)))
        return error(wanted, TrieErrorCode::count_mismatch);
    // A root is hashed however short; but a stored one has so many leaves that it is not short.
    if (stored->reference() != wanted.reference)
        return error(wanted, TrieErrorCode::reference_mismatch);

    const std::uint32_t index = pool_.make_branch(stored->children, stored->prefix.view());
    Branch& branch = pool_.branch(index);
    branch.stubs = stored->children;
    branch.embedded = stored->embedded;
    branch.leaf_count = static_cast<std::uint32_t>(leaf_count);
    branch.flags = kStored;
    const std::size_t count = stored->child_count();
    std::memcpy(branch.links(), stored->leaf_counts.data(), count * sizeof(std::uint32_t));
    std::memcpy(branch.references(), stored->references.data(), count * kReferenceSize);
    return Link{LinkKind::branch, index};
}

std::expected<void, TrieError> StubLoader::collect_leaves(const Wanted& wanted) {
    HEDDLE_ASSERT(store_ != nullptr);
    leaves_.clear();
    const std::size_t limit = wanted.leaf_count.value_or(stored_leaf_count_ - 1);
    TrieErrorCode code = TrieErrorCode::leaf_malformed;
    bool is_good = true;
    auto visited =
        store_->for_each_leaf(wanted.owner, wanted.path, [&](const Hash& key, BytesView value) {
            is_good = begins_with(key, wanted.path) && !value.empty() &&
                      value.size() <= kMaxLeafValue &&
                      (leaves_.empty() ||
                       std::memcmp(pool_.leaf(leaves_.back()).key, key.bytes.data(), 32) < 0);
            if (is_good && leaves_.size() == limit) {
                // For a root whose size nobody knows this means that its node is missing.
                code = wanted.leaf_count.has_value() ? TrieErrorCode::count_mismatch
                                                     : TrieErrorCode::node_missing;
                is_good = false;
            }
            if (is_good) leaves_.push_back(pool_.make_leaf(key.bytes.data(), value));
            return is_good;
        });
    if (!visited.has_value())
        return error(wanted, TrieErrorCode::store_failed, std::move(visited).error());
    if (!is_good) return error(wanted, code);
    if (leaves_.empty() ||
        leaves_.size() != wanted.leaf_count.value_or(static_cast<std::uint32_t>(leaves_.size())))
        return error(wanted, TrieErrorCode::count_mismatch);
    return {};
}

std::expected<Link, TrieError> StubLoader::derive(const Wanted& wanted) {
    HEDDLE_CHECK(collect_leaves(wanted));
    levels_.clear();
    RootSlot& root = levels_.roots.emplace_back();
    root.depth = static_cast<std::uint8_t>(wanted.path.size());
    root.is_whole = wanted.path.empty();
    root.is_dirty = true;
    root.link = build_subtrie(pool_, {leaves_, wanted.path.size()}, {}, 0, levels_);
    hash_pass_.run(levels_);
    if (root.reference != wanted.reference) return error(wanted, TrieErrorCode::reference_mismatch);
    return root.link;
}

}  // namespace heddle::ledger
