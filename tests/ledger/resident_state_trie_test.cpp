// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <ledger/state_root.hpp>

#include "random.hpp"
#include "trie/resident_state_trie.hpp"
#include "trie_test_store.hpp"

namespace heddle::ledger {
namespace {

constexpr Address kAlice = address_from_low64(0xa11ce);
using Collect = ResidentStateTrie::Collect;

/// @return the root after the diff, or the empty hash and a failure.
Hash apply(ResidentStateTrie& trie, const StateDiff& diff) {
    const auto root = trie.apply(diff);
    EXPECT_TRUE(root.has_value()) << to_string(root.error());
    return root.value_or(Hash{});
}

TEST(ResidentStateTrie, empty_state_has_the_empty_root) {
    ResidentStateTrie trie;
    EXPECT_EQ(trie.root(), kEmptyTrieRoot);
    EXPECT_EQ(apply(trie, {}), kEmptyTrieRoot);
    EXPECT_EQ(trie.storage_root(kAlice), kEmptyTrieRoot);
}

TEST(ResidentStateTrie, empty_account_counts_if_the_diff_says_it_exists) {
    ResidentStateTrie trie;
    StateDiff diff;
    diff.accounts.push_back({kAlice, Account{}, false, {}});

    EXPECT_EQ(apply(trie, diff), StateTrie().apply(diff));
    diff.accounts[0].account = std::nullopt;
    EXPECT_EQ(apply(trie, diff), kEmptyTrieRoot);
}

TEST(ResidentStateTrie, account_keeps_its_storage_when_only_the_account_is_written) {
    ResidentStateTrie trie;
    StateTrie plain;
    StateDiff diff;
    diff.accounts.push_back({kAlice, Account{}, false, {{1, 2}, {2, 3}}});
    ASSERT_EQ(apply(trie, diff), plain.apply(diff));
    const Hash storage_root = plain.storage_root(kAlice);
    EXPECT_EQ(trie.storage_root(kAlice), storage_root);

    diff.accounts[0].account->nonce = 7;
    diff.accounts[0].storage.clear();

    EXPECT_EQ(apply(trie, diff), plain.apply(diff));
    EXPECT_EQ(trie.storage_roots()[0], storage_root);
    diff.accounts[0].storage_cleared = true;
    EXPECT_EQ(apply(trie, diff), plain.apply(diff));
    EXPECT_EQ(trie.storage_roots()[0], kEmptyTrieRoot);
}

struct Case {
    unsigned thread_count;
    std::size_t accounts;
    std::size_t slots;
};

class ResidentStateTrieTest : public testing::TestWithParam<Case> {};

TEST_P(ResidentStateTrieTest, follows_random_diffs_in_memory) {
    const auto [thread_count, accounts, slots] = GetParam();
    test::Random random(31);
    for (int chain = 0; chain < 5; ++chain) {
        MemoryState state;
        StateTrie plain;
        ResidentStateTrie trie({thread_count, {}});
        for (int block = 0; block < 40; ++block) {
            const StateDiff diff = random.diff(accounts, slots);
            const StateDiff inverse = state.inverse(diff);
            const Hash before = plain.root();
            ASSERT_EQ(apply(trie, diff), plain.apply(diff)) << "chain " << chain;
            for (std::size_t i = 0; i < diff.accounts.size(); ++i)
                ASSERT_EQ(trie.storage_roots()[i], plain.storage_root(diff.accounts[i].address));
            if (random.one_in(3)) {
                ASSERT_EQ(apply(trie, inverse), before);
                ASSERT_EQ(apply(trie, diff), plain.root());
            }
            state.apply(diff);
        }
        EXPECT_EQ(trie.root(), compute_state_root(state));
    }
}

TEST_P(ResidentStateTrieTest, follows_random_diffs_between_memory_and_store) {
    const auto [thread_count, accounts, slots] = GetParam();
    test::Random random(32);
    for (const StoredLeafCounts counts :
         {StoredLeafCounts{2, 2}, {4, 4}, {32, 32}, {2, 9}, {4, 64}, {8, 1'000}, {32, 256}}) {
        MemoryState state;
        StateTrie plain;
        test::MapTrieStore store;
        const StateTrieOptions options{thread_count, {.stored_leaf_counts = counts}};
        auto trie = std::make_unique<ResidentStateTrie>(store, kEmptyTrieRoot, options);
        for (int block = 0; block < 80; ++block) {
            const StateDiff diff = random.diff(accounts, slots);
            const StateDiff inverse = state.inverse(diff);
            const Hash before = plain.root();
            ASSERT_EQ(apply(*trie, diff), plain.apply(diff)) << "block " << block;
            store.apply(diff, trie->storage_roots());
            if (random.one_in(4)) {
                ASSERT_EQ(apply(*trie, inverse), before) << "block " << block;
                store.apply(inverse, trie->storage_roots());
                ASSERT_EQ(apply(*trie, diff), plain.root()) << "block " << block;
                store.apply(diff, trie->storage_roots());
            }
            state.apply(diff);
            if (!random.one_in(3)) continue;
            trie->collect_changes(store, random.one_in(6) ? Collect::everything : Collect::changes);
            if (random.one_in(2)) trie->evict(random.below(2) * trie->memory_bytes() / 2);
            // As after a kill: of small branches the store has what it was told last.
            if (random.one_in(4))
                trie = std::make_unique<ResidentStateTrie>(store, plain.root(), options);
        }
        EXPECT_EQ(trie->root(), compute_state_root(state));
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, ResidentStateTrieTest,
                         testing::Values(Case{1, 20, 6}, Case{1, 150, 3}, Case{2, 20, 40},
                                         Case{4, 60, 12}, Case{3, 400, 1}, Case{1, 400, 1}));

/// A store that counts what is asked of it.
class CountingStore final : public TrieStore {
public:
    explicit CountingStore(const TrieStore& store) : store_(store) {}

    std::expected<std::optional<Bytes>, LedgerError> read_node(const Hash& owner,
                                                               NibblesView path) const override {
        ++nodes;
        return store_.read_node(owner, path);
    }
    std::unique_ptr<LeafReader> leaves() const override {
        ++readers;
        return std::make_unique<Reader>(*this);
    }

    mutable std::atomic<std::size_t> nodes = 0;
    mutable std::atomic<std::size_t> readers = 0;
    mutable std::atomic<std::size_t> walks = 0;

private:
    class Reader final : public LeafReader {
    public:
        explicit Reader(const CountingStore& counts)
            : counts_(counts), reader_(counts.store_.leaves()) {}
        std::expected<void, LedgerError> for_each_leaf(const Hash& owner, NibblesView prefix,
                                                       const LeafVisitor& visit) override {
            ++counts_.walks;
            return reader_->for_each_leaf(owner, prefix, visit);
        }

    private:
        const CountingStore& counts_;
        std::unique_ptr<LeafReader> reader_;
    };

    const TrieStore& store_;
};

/// Accounts 1 to 2,000 with a slot each, in a store and nowhere else.
struct ManyAccounts {
    static constexpr std::uint64_t kCount = 2'000;
    test::MapTrieStore store;
    StateTrie plain;

    ManyAccounts() {
        ResidentStateTrie trie(store, kEmptyTrieRoot);
        const StateDiff diff = touch_every(1, 1);
        plain.apply(diff);
        apply(trie, diff);
        store.apply(diff, trie.storage_roots());
        trie.collect_changes(store, Collect::everything);
    }

    /// Every `step`th account gets the nonce, and its slot the same value.
    static StateDiff touch_every(std::uint64_t step, std::uint64_t nonce) {
        StateDiff diff;
        for (std::uint64_t i = 1; i <= kCount; i += step)
            diff.accounts.push_back({address_from_low64(i),
                                     Account{.nonce = nonce, .balance = 0},
                                     false,
                                     {{1, nonce}}});
        return diff;
    }
};

TEST(ResidentStateTrie, leaves_touched_for_the_first_time_share_a_reader_and_are_read_once) {
    ManyAccounts state;
    const CountingStore store(state.store);
    ResidentStateTrie trie(store, state.plain.root());
    const StateDiff diff = ManyAccounts::touch_every(2, 7);

    EXPECT_EQ(apply(trie, diff), state.plain.apply(diff));

    // 2,000 leaves: 273 branches have at least 32 of them or none has, and what is below is read in
    // one walk each; the tries of 1,000 accounts are a node that is not there and a walk.
    EXPECT_LE(store.walks, 256U + 1'000U);
    EXPECT_LE(store.nodes, 273U + 1'000U);
    // One for each depth at which there is something, and one for the accounts' tries.
    EXPECT_LE(store.readers, 8U);
    const std::size_t walks = store.walks;
    EXPECT_EQ(apply(trie, ManyAccounts::touch_every(2, 8)),
              state.plain.apply(ManyAccounts::touch_every(2, 8)));
    EXPECT_EQ(store.walks, walks) << "what is in memory is not read again";
}

TEST(ResidentStateTrie, what_threads_read_is_what_one_reads) {
    const ManyAccounts state;
    const CountingStore alone(state.store);
    const CountingStore shared(state.store);
    ResidentStateTrie one(alone, state.plain.root());
    ResidentStateTrie four(shared, state.plain.root(), {.thread_count = 4, .trie = {}});
    for (const std::uint64_t step : {3U, 5U, 2U, 1U}) {
        const StateDiff diff = ManyAccounts::touch_every(step, 10 + step);
        ASSERT_EQ(apply(four, diff), apply(one, diff)) << "step " << step;
    }
    EXPECT_EQ(shared.nodes, alone.nodes);
    EXPECT_EQ(shared.walks, alone.walks);
}

TEST(ResidentStateTrie, damage_that_a_thread_reads_is_an_error_as_if_one_read) {
    ManyAccounts state;
    auto& accounts = state.store.leaves_of[kAccountTrie];
    const auto middle = std::next(accounts.begin(), 1'000);
    middle->second.back() ^= 1;
    const StateDiff diff = ManyAccounts::touch_every(1, 7);
    std::vector<std::string> errors;
    for (const unsigned threads : {1U, 4U}) {
        ResidentStateTrie trie(state.store, state.plain.root(),
                               {.thread_count = threads, .trie = {}});
        const auto root = trie.apply(diff);
        ASSERT_FALSE(root.has_value());
        EXPECT_EQ(root.error().code, TrieErrorCode::reference_mismatch);
        errors.push_back(to_string(root.error()));
    }
    EXPECT_EQ(errors[0], errors[1]);
}

TEST(ResidentStateTrie, eviction_keeps_within_the_budget_and_what_was_used_last) {
    test::MapTrieStore store;
    ResidentStateTrie trie(store, kEmptyTrieRoot);
    for (std::uint64_t block = 0; block < 20; ++block) {
        StateDiff diff;
        for (std::uint64_t i = 0; i < 200; ++i)
            diff.accounts.push_back({address_from_low64(200 * block + i),
                                     Account{.nonce = 1, .balance = 0},
                                     false,
                                     {{1, 2}}});
        apply(trie, diff);
        store.apply(diff, trie.storage_roots());
    }
    const std::size_t full = trie.memory_bytes();
    trie.evict(full / 4);
    EXPECT_GT(trie.memory_bytes(), full / 2) << "what was not collected must stay";
    trie.collect_changes(store);
    trie.evict(full / 2);
    EXPECT_LE(trie.memory_bytes(), full / 2);
    EXPECT_GT(trie.memory_bytes(), full / 8);
    trie.evict(0);
    EXPECT_GT(trie.memory_bytes(), 0U);
}

/// Counts what is told, and passes it on.
class CountingSink final : public NodeSink {
public:
    explicit CountingSink(NodeSink& sink) : sink_(sink) {}

    void put(const Hash& owner, NibblesView path, BytesView node) override {
        bytes += node.size();
        sink_.put(owner, path, node);
    }
    void erase(const Hash& owner, NibblesView path) override { sink_.erase(owner, path); }
    void erase_all(const Hash& owner) override { sink_.erase_all(owner); }

    std::size_t bytes = 0;

private:
    NodeSink& sink_;
};

/// Accounts of one state, changed a few at a time at random places.
class ScatteredChanges {
public:
    static constexpr std::uint64_t kAccounts = 20'000;

    explicit ScatteredChanges(StoredLeafCounts counts)
        : trie_(std::make_unique<ResidentStateTrie>(
              store_, kEmptyTrieRoot, StateTrieOptions{1, {.stored_leaf_counts = counts}})),
          options_{1, {.stored_leaf_counts = counts}} {
        std::vector<std::uint64_t> all(kAccounts);
        for (std::uint64_t i = 0; i < kAccounts; ++i)
            all[i] = i;
        change(all);
        trie_->collect_changes(store_, Collect::everything);
    }

    /// @return the bytes of the nodes that the store is told.
    std::size_t change_some(std::size_t count, Collect what = Collect::changes) {
        std::vector<std::uint64_t> some(count);
        for (std::uint64_t& account : some)
            account = random_.below(kAccounts);
        std::ranges::sort(some);
        const auto same = std::ranges::unique(some);
        some.erase(same.begin(), same.end());
        change(some);
        CountingSink sink(store_);
        trie_->collect_changes(sink, what);
        return sink.bytes;
    }
    /// What a process knows that begins now.
    void begin_anew() {
        trie_ = std::make_unique<ResidentStateTrie>(store_, trie_->root(), options_);
    }
    [[nodiscard]] ResidentStateTrie& trie() noexcept { return *trie_; }

private:
    void change(std::span<const std::uint64_t> accounts) {
        ++nonce_;
        StateDiff diff;
        for (const std::uint64_t account : accounts)
            diff.accounts.push_back(
                {address_from_low64(account), Account{.nonce = nonce_, .balance = 0}, false, {}});
        ASSERT_EQ(apply(*trie_, diff), plain_.apply(diff));
        store_.apply(diff, trie_->storage_roots());
    }

    test::Random random_{71};
    test::MapTrieStore store_;
    StateTrie plain_;
    std::unique_ptr<ResidentStateTrie> trie_;
    StateTrieOptions options_;
    std::uint64_t nonce_ = 0;
};

TEST(ResidentStateTrie, scattered_changes_make_little_to_store_and_nothing_is_behind_at_the_end) {
    ScatteredChanges late({32, 256});
    ScatteredChanges at_once({32, 32});
    std::size_t late_bytes = 0;
    std::size_t at_once_bytes = 0;
    for (int i = 0; i < 10; ++i) {
        late_bytes += late.change_some(300);
        at_once_bytes += at_once.change_some(300);
    }
    EXPECT_LT(2 * late_bytes, at_once_bytes);
    EXPECT_GT(late.change_some(300, Collect::everything), late_bytes / 10);
    EXPECT_EQ(late.change_some(0, Collect::everything), 0U);
}

TEST(ResidentStateTrie, begins_anew_where_the_store_is_behind) {
    ScatteredChanges state({32, 256});
    for (int i = 0; i < 12; ++i) {
        state.change_some(700);
        if (i % 3 == 2) state.begin_anew();
    }
}

TEST(ResidentStateTrie,
     branches_that_the_store_is_behind_with_stay_no_longer_than_to_the_next_eviction) {
    ScatteredChanges state({32, 256});
    const std::size_t full = state.trie().memory_bytes();
    const std::size_t budget = full / 4;
    state.trie().evict(budget);
    for (int i = 0; i < 30; ++i) {
        const std::size_t before = state.trie().memory_bytes();
        state.change_some(500);
        const std::size_t grown =
            state.trie().memory_bytes() - std::min(before, state.trie().memory_bytes());
        state.trie().evict(budget);
        // Of what was changed since the last eviction, the branches: at most 604 bytes for a leaf.
        EXPECT_LE(state.trie().memory_bytes(), budget + std::min<std::size_t>(grown, 500 * 604));
    }
}

}  // namespace
}  // namespace heddle::ledger
