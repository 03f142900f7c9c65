// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/stub_loader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>

namespace heddle::ledger {
namespace {

/// Nodes brought at once: enough to be hashed in batches, so few that what is read of them, at most
/// 5 KB each, takes little more than a megabyte for as long as the loader lives.
constexpr std::size_t kMostAtOnce = 256;
/// Nodes that one of several threads brings in a row: enough to be worth an iterator of their own
/// and to be hashed in batches.
constexpr std::size_t kRow = 16;
constexpr std::size_t kKeyBytes = sizeof(Hash);

bool begins_with(const Hash& key, NibblesView prefix) noexcept {
    for (std::size_t i = 0; i < prefix.size(); ++i)
        if (nibble_at(key.bytes.data(), i) != prefix[i]) return false;
    return true;
}

std::unexpected<TrieError> error(const StubRequest& wanted, TrieErrorCode code,
                                 std::string detail = {}) {
    const NibblesView path = wanted.path.view();
    return std::unexpected(
        TrieError{code, *wanted.owner, Nibbles(path.begin(), path.end()), std::move(detail)});
}

}  // namespace

std::expected<Link, TrieError> StubLoader::load(StubRequest request) {
    HEDDLE_CHECK(load_all({&request, 1}));
    return request.link;
}

std::expected<void, TrieError> StubLoader::load_all(std::span<StubRequest> requests,
                                                    const LoaderCrew* crew) {
    if (crew == nullptr || requests.size() <= kRow) return load_all(requests);
    std::vector<std::expected<void, TrieError>> results((requests.size() + kRow - 1) / kRow);
    crew->crew.for_each_on_workers(results.size(), [&](std::size_t row, unsigned worker) {
        const std::span<StubRequest> behind = requests.subspan(row * kRow);
        results[row] = crew->loaders[worker]->load_all(behind.first(std::min(kRow, behind.size())));
    });
    for (std::expected<void, TrieError>& result : results)
        HEDDLE_CHECK(std::move(result));
    return {};
}

std::expected<void, TrieError> StubLoader::load_all(std::span<StubRequest> requests) {
    for (; requests.size() > kMostAtOnce; requests = requests.subspan(kMostAtOnce))
        HEDDLE_CHECK(load_all(requests.first(kMostAtOnce)));
    read_all(requests);
    levels_.clear();
    built_.clear();
    for (std::size_t i = 0; i < requests.size(); ++i) {
        Found& found = found_[i];
        if (!found.result.has_value()) return std::move(found.result);
        if (found.node.has_value()) {
            HEDDLE_TRY(requests[i].link, decode(requests[i], *found.node));
            continue;
        }
        requests[i].link = build(requests[i], found);
        built_.push_back(i);
    }
    hash_pass_.run(levels_);
    for (std::size_t place = 0; place < built_.size(); ++place) {
        const StubRequest& wanted = requests[built_[place]];
        if (levels_.roots[place].reference != wanted.reference)
            return error(wanted, TrieErrorCode::reference_mismatch);
    }
    return {};
}

void StubLoader::read_all(std::span<const StubRequest> requests) {
    HEDDLE_ASSERT(store_ != nullptr);
    if (found_.size() < requests.size()) found_.resize(requests.size());
    std::unique_ptr<LeafReader> reader;
    for (std::size_t i = 0; i < requests.size(); ++i)
        read(requests[i], reader, found_[i]);
}

void StubLoader::read(const StubRequest& wanted, std::unique_ptr<LeafReader>& reader,
                      Found& found) const {
    found.node.reset();
    found.leaves.clear();
    found.leaf_count = 0;
    found.result = {};
    const bool may_be_stored = !wanted.leaf_count.has_value() || is_stored(*wanted.leaf_count);
    if (may_be_stored) {
        auto bytes = store_->read_node(*wanted.owner, wanted.path.view());
        if (!bytes.has_value()) {
            found.result = error(wanted, TrieErrorCode::store_failed, std::move(bytes).error());
            return;
        }
        found.node = *std::move(bytes);
        if (found.node.has_value()) return;
        if (wanted.leaf_count.has_value()) {
            found.result = error(wanted, TrieErrorCode::node_missing);
            return;
        }
    }
    if (reader == nullptr) reader = store_->leaves();
    found.result = read_leaves(wanted, *reader, found);
}

std::expected<void, TrieError> StubLoader::read_leaves(const StubRequest& wanted,
                                                       LeafReader& reader, Found& found) const {
    const std::size_t limit = wanted.leaf_count.value_or(stored_leaf_count_ - 1);
    TrieErrorCode code = TrieErrorCode::leaf_malformed;
    bool is_good = true;
    Hash last;
    auto visited = reader.for_each_leaf(
        *wanted.owner, wanted.path.view(), [&](const Hash& key, BytesView value) {
            is_good = begins_with(key, wanted.path.view()) && !value.empty() &&
                      value.size() <= kMaxLeafValue && (found.leaf_count == 0 || last < key);
            if (is_good && found.leaf_count == limit) {
                // For a root whose size nobody knows this means that its node is missing.
                code = wanted.leaf_count.has_value() ? TrieErrorCode::count_mismatch
                                                     : TrieErrorCode::node_missing;
                is_good = false;
            }
            if (!is_good) return false;
            last = key;
            ++found.leaf_count;
            found.leaves.insert(found.leaves.end(), key.bytes.begin(), key.bytes.end());
            found.leaves.push_back(static_cast<std::uint8_t>(value.size()));
            found.leaves.push_back(static_cast<std::uint8_t>(value.size() >> 8));
            found.leaves.insert(found.leaves.end(), value.begin(), value.end());
            return true;
        });
    if (!visited.has_value())
        return error(wanted, TrieErrorCode::store_failed, std::move(visited).error());
    if (!is_good) return error(wanted, code);
    if (found.leaf_count == 0 || found.leaf_count != wanted.leaf_count.value_or(found.leaf_count))
        return error(wanted, TrieErrorCode::count_mismatch);
    return {};
}

std::expected<Link, TrieError> StubLoader::decode(const StubRequest& wanted, BytesView bytes) {
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

/// Makes the subtrie of the leaves found, to be hashed.
Link StubLoader::build(const StubRequest& wanted, const Found& found) {
    leaves_.clear();
    const std::uint8_t* at = found.leaves.data();
    for (std::uint32_t i = 0; i < found.leaf_count; ++i) {
        const std::size_t size = at[kKeyBytes] | static_cast<std::size_t>(at[kKeyBytes + 1]) << 8;
        leaves_.push_back(pool_.make_leaf(at, {at + kKeyBytes + 2, size}));
        at += kKeyBytes + 2 + size;
    }
    const auto place = static_cast<std::uint32_t>(levels_.roots.size());
    const std::size_t depth = wanted.path.size;
    levels_.roots.emplace_back();
    const Link link = build_subtrie(pool_, {leaves_, depth}, {0, 0, place, 0}, 0, levels_);
    RootSlot& root = levels_.roots[place];
    root.depth = static_cast<std::uint8_t>(depth);
    root.is_whole = depth == 0;
    root.is_dirty = true;
    root.link = link;
    return link;
}

}  // namespace heddle::ledger
