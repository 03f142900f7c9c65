// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "trie/resident_state_trie.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <types/expected.hpp>
#include <types/rlp.hpp>

#include "account_leaf.hpp"

namespace heddle::ledger {
namespace {

/// Below so many slots or accounts in a diff, waking threads costs more than they save.
constexpr std::size_t kParallelSlots = 64;
constexpr std::size_t kParallelAccounts = 64;
/// The same of keys to be hashed and values to be encoded, which take less each, and how many of
/// them a thread does at once.
constexpr std::size_t kParallelKeys = 1'024;
constexpr std::size_t kKeysAtOnce = 256;

}  // namespace

ResidentStateTrie::ResidentStateTrie(StateTrieOptions options)
    : options_(options),
      account_forest_(nullptr, options.trie),
      storage_forest_(nullptr, options.trie) {}

ResidentStateTrie::ResidentStateTrie(const TrieStore& store, const Hash& root,
                                     StateTrieOptions options)
    : options_(options),
      account_forest_(&store, options.trie),
      accounts_(Tree::stub(kAccountTrie, root)),
      storage_forest_(&store, options.trie) {}

ResidentStateTrie::~ResidentStateTrie() = default;

std::expected<Hash, TrieError> ResidentStateTrie::storage_root_of(const Hash& key) {
    const auto found = trees_.find(key);
    if (found != trees_.end()) return found->second.root;
    return account_forest_.storage_root(accounts_, key);
}

std::expected<Hash, TrieError> ResidentStateTrie::storage_root(const Address& address) {
    return storage_root_of(keccak256(address.view()));
}

/// The storage trie of an account, as a stub if it is not in memory.
std::expected<Tree*, TrieError> ResidentStateTrie::storage_tree(const Hash& key) {
    const auto found = trees_.find(key);
    if (found != trees_.end()) return &found->second;
    HEDDLE_TRY(const Hash root, account_forest_.storage_root(accounts_, key));
    return &trees_.emplace(key, Tree::stub(key, root)).first->second;
}

std::expected<Hash, TrieError> ResidentStateTrie::apply(const StateDiff& diff) {
    ++generation_;
    account_forest_.set_generation(generation_);
    storage_forest_.set_generation(generation_);
    storage_jobs_.clear();
    hash_keys(diff);
    HEDDLE_CHECK(load_owners(diff));
    changes_.assign(diff.accounts.size(), {});
    values_.clear();
    slot_updates_.clear();
    slot_updates_.reserve(slots_.size());
    // Values are at most a word with its prefix, and must not move.
    values_.reserve(33 * slots_.size());
    for (std::size_t i = 0; i < diff.accounts.size(); ++i)
        HEDDLE_CHECK(prepare(diff.accounts[i], keys_[i], changes_[i]));
    HEDDLE_CHECK(update_storage());
    HEDDLE_CHECK(update_accounts(diff));
    return accounts_.root;
}

void ResidentStateTrie::hash_keys(const StateDiff& diff) {
    std::vector<Address> addresses;
    addresses.reserve(diff.accounts.size());
    slots_.clear();
    for (const AccountChange& change : diff.accounts) {
        addresses.push_back(change.address);
        if (!change.account.has_value()) continue;
        for (const StorageChange& write : change.storage)
            slots_.push_back(write.slot);
    }
    const auto hash = [&]<typename Key>(std::span<const Key> keys, std::vector<Hash>& hashes) {
        hashes.resize(keys.size());
        WorkerCrew::for_pieces(crew_for(keys.size(), kParallelKeys), keys.size(), kKeysAtOnce,
                               [&](std::size_t begin, std::size_t end) {
                                   keccak256_batch(keys.subspan(begin, end - begin),
                                                   std::span(hashes).subspan(begin, end - begin),
                                                   options_.trie.keccak);
                               });
    };
    hash(std::span<const Address>(addresses), keys_);
    hash(std::span<const Uint256>(slots_), slot_keys_);
}

/// Brings the accounts whose storage roots prepare() will ask for, all together.
std::expected<void, TrieError> ResidentStateTrie::load_owners(const StateDiff& diff) {
    std::vector<Hash> owners;
    for (std::size_t i = 0; i < diff.accounts.size(); ++i) {
        const AccountChange& change = diff.accounts[i];
        const bool is_asked =
            !change.account.has_value() || change.storage_cleared || !change.storage.empty();
        if (is_asked && !trees_.contains(keys_[i])) owners.push_back(keys_[i]);
    }
    if (owners.size() < 2) return {};
    std::ranges::sort(owners);
    return account_forest_.load_paths(accounts_, owners,
                                      crew_for(owners.size(), kParallelAccounts));
}

std::expected<void, TrieError> ResidentStateTrie::clear_storage(const Hash& key) {
    HEDDLE_TRY(const Hash root, storage_root_of(key));
    if (root == kEmptyTrieRoot) return {};
    cleared_.insert(key);
    const auto found = trees_.find(key);
    if (found == trees_.end()) return {};
    storage_forest_.drop(found->second);
    trees_.erase(found);
    return {};
}

std::expected<void, TrieError> ResidentStateTrie::prepare(const AccountChange& account,
                                                          const Hash& key, Change& change) {
    const bool is_removed = !account.account.has_value();
    if (is_removed || account.storage_cleared) {
        HEDDLE_CHECK(clear_storage(key));
    }
    if (is_removed) return {};
    change.keeps_storage = account.storage.empty() && !account.storage_cleared;
    if (account.storage.empty()) return {};
    // After clearing, the old account's storage root must not be found any more.
    if (account.storage_cleared) {
        change.storage = &trees_.emplace(key, Tree::stub(key, kEmptyTrieRoot)).first->second;
    } else {
        HEDDLE_TRY(change.storage, storage_tree(key));
    }
    add_slots(account, change);
    storage_jobs_.push_back(
        {change.storage, std::span(slot_updates_).subspan(change.first_slot, change.slot_count)});
    return {};
}

void ResidentStateTrie::add_slots(const AccountChange& account, Change& change) {
    change.first_slot = slot_updates_.size();
    change.slot_count = account.storage.size();
    for (const StorageChange& write : account.storage) {
        const std::size_t begin = values_.size();
        if (!write.value.is_zero()) rlp::encode_uint256(write.value, values_);
        slot_updates_.push_back(
            {slot_keys_[slot_updates_.size()], BytesView(values_).subspan(begin), nullptr});
    }
    sort_by_key(std::span(slot_updates_).subspan(change.first_slot),
                crew_for(change.slot_count, kParallelKeys), sorting_space_);
}

WorkerCrew* ResidentStateTrie::crew_for(std::size_t count, std::size_t least) {
    if (options_.thread_count < 2 || count < least) return nullptr;
    if (crew_ == nullptr) crew_ = std::make_unique<WorkerCrew>(options_.thread_count);
    return crew_.get();
}

std::expected<void, TrieError> ResidentStateTrie::update_storage() {
    return storage_forest_.update(storage_jobs_, crew_for(slot_updates_.size(), kParallelSlots));
}

std::expected<void, TrieError> ResidentStateTrie::update_accounts(const StateDiff& diff) {
    const std::size_t count = diff.accounts.size();
    storage_roots_.assign(count, kEmptyTrieRoot);
    for (std::size_t i = 0; i < count; ++i) {
        const Tree* const storage = changes_[i].storage;
        if (storage == nullptr) continue;
        storage_roots_[i] = storage->root;
        if (storage->root == kEmptyTrieRoot)
            trees_.erase(keys_[i]);
        else
            written_.push_back(keys_[i]);
    }
    encode_accounts(diff);
    sort_by_key(account_updates_, crew_for(count, kParallelKeys), sorting_space_);
    const TrieJob job{&accounts_, account_updates_};
    return account_forest_.update({&job, 1}, crew_for(count, kParallelAccounts));
}

/// Fills `account_updates_`, in the order of the diff.
void ResidentStateTrie::encode_accounts(const StateDiff& diff) {
    const std::size_t count = diff.accounts.size();
    // An account is at most a list's prefix, two integers and two hashes.
    constexpr std::size_t kMaxSize = 3 + 9 + 33 + 33 + 33;
    account_updates_.resize(count);
    account_values_.resize(kMaxSize * count);
    const auto encode = [&](std::size_t begin, std::size_t end) {
        Bytes value;
        for (std::size_t i = begin; i < end; ++i) {
            value.clear();
            if (diff.accounts[i].account.has_value())
                encode_account_leaf(*diff.accounts[i].account, storage_roots_[i], value);
            std::uint8_t* const to = account_values_.data() + kMaxSize * i;
            std::ranges::copy(value, to);
            account_updates_[i] = {keys_[i], BytesView(to, value.size()),
                                   changes_[i].keeps_storage ? &storage_roots_[i] : nullptr};
        }
    };
    WorkerCrew::for_pieces(crew_for(count, kParallelKeys), count, kKeysAtOnce, encode);
}

std::expected<TrieForest::Proof, TrieError> ResidentStateTrie::prove_account(const Hash& key) {
    return account_forest_.prove(accounts_, key);
}

std::expected<TrieForest::Proof, TrieError> ResidentStateTrie::prove_storage(const Address& address,
                                                                             const Hash& key) {
    const Hash owner = keccak256(address.view());
    HEDDLE_TRY(const Hash root, storage_root_of(owner));
    if (root == kEmptyTrieRoot) return Proof{};
    HEDDLE_TRY(Tree* const tree, storage_tree(owner));
    return storage_forest_.prove(*tree, key);
}

void ResidentStateTrie::collect_changes(NodeSink& sink, Collect what) {
    for (const Hash& owner : cleared_)
        sink.erase_all(owner);
    cleared_.clear();
    const std::uint32_t catch_up_before =
        what == Collect::everything ? UINT32_MAX : std::exchange(next_evicted_, 0);
    if (catch_up_before != 0) {
        written_.clear();
        for (const auto& [owner, tree] : trees_)
            written_.push_back(owner);
        std::ranges::sort(written_);
    }
    account_forest_.collect_stale(sink);
    account_forest_.collect(accounts_, sink, catch_up_before);
    storage_forest_.collect_stale(sink);
    for (const Hash& owner : written_) {
        const auto found = trees_.find(owner);
        if (found != trees_.end()) storage_forest_.collect(found->second, sink, catch_up_before);
    }
    written_.clear();
}

std::size_t ResidentStateTrie::memory_bytes() const noexcept {
    // A trie's entry in the map with the list node and the table around it.
    constexpr std::size_t kEntry = sizeof(std::pair<Hash, Tree>) + 32;
    return account_forest_.live_bytes() + storage_forest_.live_bytes() + kEntry * trees_.size();
}

std::size_t ResidentStateTrie::reserved_bytes() const noexcept {
    return account_forest_.reserved_bytes() + storage_forest_.reserved_bytes();
}

/// What each generation takes, about: leaves are counted as the average one.
std::map<std::uint32_t, std::size_t> ResidentStateTrie::bytes_by_generation() const {
    struct Nodes {
        std::size_t branch_bytes = 0;
        std::size_t leaves = 0;
    };
    std::map<std::uint32_t, Nodes> nodes;
    Nodes all;
    const auto add = [&](std::uint32_t generation, std::size_t bytes, std::size_t leaves) {
        Nodes& of = nodes[generation];
        of.branch_bytes += bytes;
        of.leaves += leaves;
        all.branch_bytes += bytes;
        all.leaves += leaves;
    };
    account_forest_.for_each_generation(accounts_, add);
    for (const auto& [owner, tree] : trees_)
        storage_forest_.for_each_generation(tree, add);
    const std::size_t live = account_forest_.live_bytes() + storage_forest_.live_bytes();
    const std::size_t leaf_bytes =
        (live - std::min(live, all.branch_bytes)) / std::max<std::size_t>(all.leaves, 1);
    std::map<std::uint32_t, std::size_t> bytes;
    for (const auto& [generation, of] : nodes)
        bytes[generation] = of.branch_bytes + of.leaves * leaf_bytes;
    return bytes;
}

void ResidentStateTrie::evict(std::size_t budget_bytes) {
    if (memory_bytes() <= budget_bytes) return;
    const auto bytes = bytes_by_generation();
    /// The generation to keep from, so that about so many bytes stay.
    const auto keep_from = [&](std::size_t most) -> std::uint32_t {
        std::size_t sum = 0;
        for (auto at = bytes.rbegin(); at != bytes.rend(); ++at) {
            sum += at->second;
            // The last diff's nodes stay: the next one most likely needs them.
            if (sum > most && at->first < generation_) return at->first + 1;
        }
        return 0;
    };
    const std::uint32_t generation = keep_from(budget_bytes - budget_bytes / 8);
    next_evicted_ = keep_from(budget_bytes / 2);
    account_forest_.evict(accounts_, generation);
    for (auto at = trees_.begin(); at != trees_.end();) {
        storage_forest_.evict(at->second, generation);
        at = at->second.link.kind == LinkKind::stub ? trees_.erase(at) : std::next(at);
    }
}

}  // namespace heddle::ledger
