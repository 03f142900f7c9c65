// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/trie_forest.hpp"

#include <algorithm>
#include <cstring>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include "trie/stored_branch.hpp"

namespace heddle::ledger {
namespace {

/// Updates of one trie in one pass: so few that what a pass touches stays in the caches from the
/// way down to the hashing.
constexpr std::size_t kPortion = 2'048;
/// Bundles per thread, so that whoever is done early finds something left to do.
constexpr std::size_t kBundlesPerThread = 8;

}  // namespace

TrieForest::TrieForest(const TrieStore* store, TrieOptions options)
    : store_(store),
      options_(options),
      loader_(pool_, store, options.stored_leaf_counts, options.keccak),
      update_pass_(pool_, loader_, options.keccak, stale_) {
    HEDDLE_ASSERT(options.stored_leaf_counts.stored >= 2);
    HEDDLE_ASSERT(options.stored_leaf_counts.always >= options.stored_leaf_counts.stored);
    HEDDLE_ASSERT(options.least_bundle >= 1 && options.least_bundle <= kPortion);
}

std::optional<LoaderCrew> TrieForest::with_lanes(WorkerCrew* crew) {
    if (crew == nullptr) return std::nullopt;
    while (lanes_.size() < crew->thread_count()) {
        lanes_.push_back(std::make_unique<Lane>(*this));
        lane_loaders_.push_back(&lanes_.back()->loader);
    }
    return LoaderCrew{*crew, lane_loaders_};
}

void TrieForest::gather() {
    for (const auto& lane : lanes_) {
        lane->pool.give_back();
        stale_.insert(stale_.end(), lane->stale.begin(), lane->stale.end());
        lane->stale.clear();
    }
}

std::expected<void, TrieError> TrieForest::update(std::span<const TrieJob> jobs, WorkerCrew* crew) {
    const std::optional<LoaderCrew> loaders = with_lanes(crew);
    if (!loaders.has_value()) return update_in_portions(jobs, nullptr);
    std::size_t update_count = 0;
    for (const TrieJob& job : jobs)
        update_count += job.updates.size();
    auto updated = update_count < options_.least_shared
                       ? update_in_portions(jobs, &*loaders)
                       : update_in_parts(jobs, update_count, *loaders);
    gather();
    return updated;
}

std::expected<void, TrieError> TrieForest::update_in_portions(std::span<const TrieJob> jobs,
                                                              const LoaderCrew* crew) {
    // Keys are sorted: portions of a large job share only the top of the trie.
    jobs_.clear();
    for (TrieJob job : jobs) {
        for (; job.updates.size() > kPortion; job.updates = job.updates.subspan(kPortion)) {
            const TrieJob portion{job.tree, job.updates.first(kPortion)};
            HEDDLE_CHECK(update_pass_.run({&portion, 1}, generation_, crew));
        }
        jobs_.push_back(job);
    }
    return update_pass_.run(jobs_, generation_, crew);
}

void TrieForest::make_bundles(std::span<const TriePart> parts, std::size_t bundle_size) {
    bundles_.clear();
    std::size_t update_count = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::size_t size = parts[i].job.updates.size();
        if (bundles_.empty() || update_count + size > bundle_size) {
            bundles_.push_back({i, 0, {}});
            update_count = 0;
        }
        ++bundles_.back().count;
        update_count += size;
    }
}

std::expected<void, TrieError> TrieForest::update_in_parts(std::span<const TrieJob> jobs,
                                                           std::size_t update_count,
                                                           const LoaderCrew& crew) {
    const std::size_t bundle_size =
        std::clamp(update_count / (kBundlesPerThread * crew.crew.thread_count()),
                   std::size_t{options_.least_bundle}, kPortion);
    HEDDLE_CHECK(
        update_pass_.split(jobs, generation_, static_cast<std::uint32_t>(bundle_size), &crew));
    const std::span<TriePart> parts = update_pass_.parts();
    make_bundles(parts, bundle_size);
    crew.crew.for_each_on_workers(bundles_.size(), [&](std::size_t i, unsigned worker) {
        Bundle& bundle = bundles_[i];
        bundle.result =
            lanes_[worker]->pass.run_parts(parts.subspan(bundle.first, bundle.count), generation_);
    });
    for (Bundle& bundle : bundles_)
        HEDDLE_CHECK(std::move(bundle.result));
    return update_pass_.join();
}

template <typename Visit>
std::expected<Link, TrieError> TrieForest::walk(Tree& tree, const Hash& key, Visit visit) {
    const std::uint8_t* const bytes = key.bytes.data();
    if (tree.link.kind == LinkKind::stub) {
        HEDDLE_TRY(tree.link, loader_.load(StubRequest::of_root(tree.owner, tree.root)));
    }
    Link link = tree.link;
    std::size_t depth = 0;
    while (link.kind != LinkKind::none) {
        visit(link, depth);
        if (link.kind == LinkKind::leaf)
            return std::memcmp(pool_.leaf(link.index).key, bytes, 32) == 0 ? link : Link{};
        Branch& branch = pool_.branch(link.index);
        branch.last_used = generation_;
        const NibblePath prefix = pool_.prefix(branch);
        for (const std::uint8_t nibble : prefix.view())
            if (nibble_at(bytes, depth++) != nibble) return Link{};
        const std::uint16_t bit = nibble_bit(nibble_at(bytes, depth++));
        link = branch.link(bit);
        if (link.kind != LinkKind::stub) continue;
        HEDDLE_TRY(link, loader_.load({&tree.owner,
                                       path_of(bytes, 0, depth),
                                       NodePool::child_reference(branch, bit),
                                       link.index,
                                       {}}));
        NodePool::set_link(branch, bit, link);
    }
    return Link{};
}

std::optional<TrieForest::StubPlace> TrieForest::find_stub(const Tree& tree,
                                                           const Hash& key) const {
    const std::uint8_t* const bytes = key.bytes.data();
    std::size_t depth = 0;
    for (Link link = tree.link; link.kind == LinkKind::branch;) {
        Branch& branch = pool_.branch(link.index);
        const NibblePath prefix = pool_.prefix(branch);
        for (const std::uint8_t nibble : prefix.view())
            if (nibble_at(bytes, depth++) != nibble) return std::nullopt;
        const std::uint16_t bit = nibble_bit(nibble_at(bytes, depth++));
        const std::uint32_t index = link.index;
        link = branch.link(bit);
        if (link.kind == LinkKind::stub) return StubPlace{index, bit, path_of(bytes, 0, depth)};
    }
    return std::nullopt;
}

std::expected<void, TrieError> TrieForest::load_paths(Tree& tree, std::span<const Hash> keys,
                                                      WorkerCrew* crew) {
    if (tree.link.kind == LinkKind::stub) {
        HEDDLE_TRY(tree.link, loader_.load(StubRequest::of_root(tree.owner, tree.root)));
    }
    const std::optional<LoaderCrew> loaders = with_lanes(crew);
    std::vector<Hash> left(keys.begin(), keys.end());
    std::vector<StubPlace> places;
    std::vector<StubRequest> requests;
    while (!left.empty()) {
        places.clear();
        requests.clear();
        // A key stays as long as something was missing: more may be below it.
        std::erase_if(left, [&](const Hash& key) {
            const std::optional<StubPlace> place = find_stub(tree, key);
            if (!place.has_value()) return true;
            // Keys are sorted: those of one stub stand together.
            if (!places.empty() && places.back().branch == place->branch &&
                places.back().bit == place->bit)
                return false;
            Branch& branch = pool_.branch(place->branch);
            places.push_back(*place);
            requests.push_back({&tree.owner,
                                place->path,
                                NodePool::child_reference(branch, place->bit),
                                branch.link(place->bit).index,
                                {}});
            return false;
        });
        if (requests.empty()) break;
        HEDDLE_CHECK(loader_.load_all(requests, loaders.has_value() ? &*loaders : nullptr));
        for (std::size_t i = 0; i < places.size(); ++i)
            NodePool::set_link(pool_.branch(places[i].branch), places[i].bit, requests[i].link);
    }
    gather();
    return {};
}

std::expected<std::optional<Bytes>, TrieError> TrieForest::get(Tree& tree, const Hash& key) {
    HEDDLE_TRY(const Link leaf, walk(tree, key, [](Link, std::size_t) {}));
    if (leaf.kind == LinkKind::none) return std::nullopt;
    Bytes value;
    pool_.append_value(leaf.index, value);
    return value;
}

std::expected<Hash, TrieError> TrieForest::storage_root(Tree& tree, const Hash& key) {
    HEDDLE_TRY(const Link leaf, walk(tree, key, [](Link, std::size_t) {}));
    return leaf.kind == LinkKind::none ? kEmptyTrieRoot : pool_.storage_root(leaf.index);
}

std::expected<TrieForest::Proof, TrieError> TrieForest::prove(Tree& tree, const Hash& key) {
    Proof proof;
    const auto add = [&](const std::uint8_t* rlp, std::size_t size) {
        if (size >= kReferenceSize || proof.empty()) proof.emplace_back(rlp, rlp + size);
    };
    const auto add_node = [&](Link link, std::size_t depth) {
        if (link.kind == LinkKind::leaf) {
            Bytes rlp(pool_.max_leaf_size(link.index));
            add(rlp.data(), pool_.write_leaf_rlp(link.index, depth, rlp.data()));
            return;
        }
        Branch& branch = pool_.branch(link.index);
        std::uint8_t rlp[kMaxBranchRlp];
        const std::size_t size =
            write_branch(branch.children, branch.embedded, branch.references(), rlp);
        const NibblePath prefix = pool_.prefix(branch);
        if (prefix.size != 0) {
            std::uint8_t extension[kMaxExtensionRlp];
            add(extension, write_extension(prefix.view(), make_reference({rlp, size}), extension));
            // The branch is part of the proof only if the key shares the extension.
            for (std::size_t i = 0; i < prefix.size; ++i)
                if (nibble_at(key.bytes.data(), depth + i) != prefix.nibbles[i]) return;
        }
        add(rlp, size);
    };
    HEDDLE_CHECK(walk(tree, key, add_node));
    return proof;
}

void TrieForest::collect_stale(NodeSink& sink) {
    for (const StalePath& stale : stale_)
        sink.erase(stale.owner, stale.path.view());
    stale_.clear();
}

void TrieForest::collect(Tree& tree, NodeSink& sink, std::uint32_t catch_up_before) {
    if (!tree.is_unsaved && catch_up_before == 0) return;
    tree.is_unsaved = false;
    if (tree.link.kind != LinkKind::branch) return;
    NibblePath path;
    collect_branch({tree.owner, sink, catch_up_before}, tree.link.index, path);
}

void TrieForest::collect_branch(const Collection& to, std::uint32_t index, NibblePath& path) {
    Branch& branch = pool_.branch(index);
    const StoredLeafCounts& counts = options_.stored_leaf_counts;
    if (!branch.has(kUnsaved) && (to.catch_up_before == 0 || branch.leaf_count < counts.stored))
        return;
    const bool is_changed = branch.has(kUnsaved);
    branch.clear(kUnsaved);
    if (branch.leaf_count < counts.stored) {
        if (branch.has(kStored)) to.sink.erase(to.owner, path.view());
        branch.clear(kStored | kBehind);
    } else if (branch.leaf_count >= counts.always || branch.last_used < to.catch_up_before) {
        if (is_changed || branch.has(kBehind)) put_branch(to, branch, path);
    } else if (is_changed) {
        branch.set(kBehind);
    }
    const std::size_t size = path.size;
    path.append(pool_.prefix(branch).view());
    for (std::uint32_t bits = branch.children & ~branch.leaves & ~branch.stubs; bits != 0;
         bits &= bits - 1) {
        path.push_back(lowest_nibble(bits));
        collect_branch(to, branch.link(static_cast<std::uint16_t>(bits & -bits)).index, path);
        --path.size;
    }
    path.size = size;
}

void TrieForest::put_branch(const Collection& to, Branch& branch, const NibblePath& path) {
    StoredBranch stored;
    stored.prefix = pool_.prefix(branch);
    stored.children = branch.children;
    stored.embedded = branch.embedded;
    std::size_t position = 0;
    for (std::uint32_t bits = branch.children; bits != 0; bits &= bits - 1)
        stored.leaf_counts[position++] =
            pool_.leaf_count(branch.link(static_cast<std::uint16_t>(bits & -bits)));
    std::memcpy(stored.references.data(), branch.references(),
                branch.child_count() * kReferenceSize);
    encoded_.clear();
    encode_stored_branch(stored, encoded_);
    to.sink.put(to.owner, path.view(), encoded_);
    branch.set(kStored);
    branch.clear(kBehind);
}

void TrieForest::drop(Tree& tree) noexcept {
    pool_.free_all(tree.link);
    tree.link = {};
    tree.root = kEmptyTrieRoot;
}

void TrieForest::evict(Tree& tree, std::uint32_t generation) noexcept {
    if (tree.link.kind == LinkKind::branch) {
        tree.link = evict_below(tree.link, generation);
        // The number of leaves is known for children only.
        if (tree.link.kind == LinkKind::stub) tree.link.index = 0;
    } else if (tree.link.kind == LinkKind::leaf && !tree.is_unsaved) {
        pool_.free_leaf(tree.link.index);
        tree.link = {LinkKind::stub, 0};
    }
}

Link TrieForest::evict_below(Link link, std::uint32_t generation) noexcept {
    Branch& branch = pool_.branch(link.index);
    // Above a branch nothing is older than it.
    const bool is_old = !branch.has(kUnsaved) && branch.last_used < generation;
    const bool is_stored = branch.leaf_count >= options_.stored_leaf_counts.stored;
    bool is_kept = !is_old || (is_stored && branch.has(kBehind));
    if (is_kept || is_stored) {
        for (std::uint32_t bits = branch.children & ~branch.leaves & ~branch.stubs; bits != 0;
             bits &= bits - 1) {
            const auto bit = static_cast<std::uint16_t>(bits & -bits);
            const Link child = branch.link(bit);
            const Link left = evict_below(child, generation);
            if (left != child) NodePool::set_link(branch, bit, left);
            is_kept = is_kept || left == child;
        }
    }
    if (is_kept) return link;
    const Link stub{LinkKind::stub, branch.leaf_count};
    pool_.free_all(link);
    return stub;
}

}  // namespace heddle::ledger
