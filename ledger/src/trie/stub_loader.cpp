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
/// Nor more of leaves than this, after which comes one node more: one that is made from its leaves
/// although it is large may take 60 KB.
constexpr std::size_t kMostBytesAtOnce = std::size_t{1} << 20;
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

std::unexpected<TrieError> store_failed(const StubRequest& wanted, LedgerError cause) {
    auto failed = error(wanted, TrieErrorCode::store_failed, std::move(cause.detail));
    failed.error().cause = cause.code;
    return failed;
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
    HEDDLE_ASSERT(store_ != nullptr);
    std::unique_ptr<LeafReader> reader;
    while (!requests.empty()) {
        HEDDLE_TRY(const std::size_t count, read_some(requests, reader));
        HEDDLE_CHECK(make_all(requests.first(count)));
        requests = requests.subspan(count);
    }
    return {};
}

std::expected<std::size_t, TrieError> StubLoader::read_some(std::span<const StubRequest> requests,
                                                            std::unique_ptr<LeafReader>& reader) {
    std::size_t count = 0;
    for (std::size_t bytes = 0;
         count < std::min(requests.size(), kMostAtOnce) && bytes < kMostBytesAtOnce; ++count) {
        if (found_.size() == count) found_.emplace_back();
        HEDDLE_CHECK(read(requests[count], reader, found_[count]));
        bytes += found_[count].leaves.size();
    }
    return count;
}

std::expected<void, TrieError> StubLoader::make_all(std::span<StubRequest> requests) {
    levels_.clear();
    built_.clear();
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const Found& found = found_[i];
        requests[i].link = found.node.has_value() ? *found.node : build(requests[i], found);
        if (!found.node.has_value()) built_.push_back(i);
    }
    hash_pass_.run(levels_);
    for (std::size_t place = 0; place < built_.size(); ++place) {
        const StubRequest& wanted = requests[built_[place]];
        if (levels_.roots[place].reference != wanted.reference)
            return error(wanted, TrieErrorCode::reference_mismatch);
        Found& found = found_[built_[place]];
        if (found.leaf_count < counts_.stored) continue;
        cut_to_stubs(wanted.link, found.is_old);
        // So many leaves are seldom wanted: the next ones need not find room for as many.
        found.leaves = {};
    }
    return {};
}

std::expected<void, TrieError> StubLoader::read(const StubRequest& wanted,
                                                std::unique_ptr<LeafReader>& reader, Found& found) {
    found.node.reset();
    found.is_old = false;
    found.leaves.clear();
    found.leaf_count = 0;
    // Of a root nobody knows the size.
    const std::uint32_t least_count = wanted.leaf_count.value_or(counts_.stored);
    const std::uint32_t most_count = wanted.leaf_count.value_or(UINT32_MAX);
    if (most_count >= counts_.stored) {
        auto bytes = store_->read_node(*wanted.owner, wanted.path.view());
        if (!bytes.has_value()) return store_failed(wanted, std::move(bytes).error());
        if (bytes->has_value()) {
            auto node = decode(wanted, **bytes);
            if (node.has_value()) {
                found.node = *node;
                return {};
            }
            if (least_count >= counts_.always || node.error().code == TrieErrorCode::node_malformed)
                return std::unexpected(std::move(node).error());
            found.is_old = true;
        } else if (wanted.leaf_count.has_value() && least_count >= counts_.always) {
            return error(wanted, TrieErrorCode::node_missing);
        }
    }
    if (reader == nullptr) reader = store_->leaves();
    return read_leaves(wanted, *reader, found);
}

std::expected<void, TrieError> StubLoader::read_leaves(const StubRequest& wanted,
                                                       LeafReader& reader, Found& found) const {
    const std::size_t limit = wanted.leaf_count.value_or(counts_.always - 1);
    TrieErrorCode code = TrieErrorCode::leaf_malformed;
    bool is_good = true;
    Hash last;
    auto visited = reader.for_each_leaf(
        *wanted.owner, wanted.path.view(), [&](const Hash& key, BytesView value) {
            is_good = begins_with(key, wanted.path.view()) && !value.empty() &&
                      value.size() <= kMaxLeafValue && (found.leaf_count == 0 || last < key);
            if (is_good && found.leaf_count == limit) {
                // Of a root whose size nobody knows: its node is missing, or another one.
                code = wanted.leaf_count.has_value() ? TrieErrorCode::count_mismatch
                       : found.is_old                ? TrieErrorCode::reference_mismatch
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
    if (!visited.has_value()) return store_failed(wanted, std::move(visited).error());
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
        leaf_count < counts_.stored)
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

void StubLoader::cut_to_stubs(Link made, bool is_old) {
    HEDDLE_ASSERT(made.kind == LinkKind::branch);
    Branch& branch = pool_.branch(made.index);
    for (std::uint32_t bits = branch.children; bits != 0; bits &= bits - 1) {
        const auto bit = static_cast<std::uint16_t>(bits & -bits);
        const Link child = branch.link(bit);
        const Link stub{LinkKind::stub, pool_.leaf_count(child)};
        pool_.free_all(child);
        NodePool::set_link(branch, bit, stub);
    }
    branch.set(kBehind);
    if (is_old) branch.set(kStored);
}

}  // namespace heddle::ledger
