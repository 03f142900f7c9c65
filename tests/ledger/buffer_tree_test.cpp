// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

#include "storage/buffer_tree.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "random.hpp"

namespace heddle::ledger {
namespace {

using Keys = std::vector<std::string>;

/// A tree, and all entries that its keys become: the nth has number n + 1.
class Filled {
public:
    explicit Filled(const Keys& keys) {
        for (const std::string& key : keys)
            entries_.push_back(entry_of(key, entries_.size() + 1));
    }

    void insert(std::size_t place) { tree_.insert(entries_[place].data()); }
    void insert_all() {
        for (std::size_t i = 0; i < entries_.size(); ++i)
            insert(i);
    }

    [[nodiscard]] const BufferTree& tree() const { return tree_; }
    [[nodiscard]] const char* entry(std::size_t place) const { return entries_[place].data(); }
    [[nodiscard]] BufferKey key(std::size_t place) const {
        return BufferKey::of_entry(entry(place));
    }
    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] std::size_t node_bytes() const { return node_bytes_; }
    [[nodiscard]] std::vector<const char*> in_order() const {
        std::vector<const char*> all;
        for (const std::string& entry : entries_)
            all.push_back(entry.data());
        std::ranges::sort(all, {}, [](const char* entry) { return order_of(entry); });
        return all;
    }

    static std::string entry_of(const std::string& key, std::uint64_t number) {
        std::string entry;
        std::size_t size = key.size() + sizeof number;
        for (; size >= 0x80; size >>= 7)
            entry.push_back(static_cast<char>(size | 0x80));
        entry.push_back(static_cast<char>(size));
        entry += key;
        for (unsigned i = 0; i < sizeof number; ++i)
            entry.push_back(static_cast<char>(number >> 8 * i));
        return entry + "value";
    }

private:
    /// The order said in other words.
    static std::pair<std::string, std::uint64_t> order_of(const char* entry) {
        const BufferKey key = BufferKey::of_entry(entry);
        return {std::string(key.bytes, key.size), ~key.number};
    }

    struct alignas(64) Line {
        char bytes[64];
    };
    std::vector<std::string> entries_;
    std::vector<std::unique_ptr<Line[]>> memory_;
    std::size_t node_bytes_ = 0;
    BufferTree tree_{[this](std::size_t size) {
        node_bytes_ += size;
        memory_.push_back(std::make_unique<Line[]>((size + 63) / 64));
        return memory_.back()[0].bytes;
    }};
};

/// Keys in the shapes that tables have, and others.
std::vector<Keys> shapes(std::size_t count) {
    test::Random random(1);
    const auto bytes = [&](std::size_t size) {
        const Bytes drawn = random.bytes(size);
        return std::string(drawn.begin(), drawn.end());
    };
    const std::string owner = bytes(33);
    std::vector<Keys> all(7);
    for (std::size_t i = 0; i < count; ++i) {
        std::string number(8, '\0');
        for (unsigned byte = 0; byte < 8; ++byte)
            number[byte] = static_cast<char>(i >> 8 * (7 - byte));
        all[0].push_back(bytes(32));          // hashes
        all[1].push_back(number);             // ascending
        all[2].push_back(owner + bytes(32));  // of one owner
        const std::string some_owner = random.one_in(2) ? owner : bytes(33);
        all[3].push_back(some_owner + bytes(32));  // of some owners
        all[4].push_back("head");                  // always the same
        all[5].push_back(bytes(random.below(4)));  // short, many equal
        const std::size_t shared = random.below(34);
        all[6].push_back(owner.substr(0, shared) + bytes(random.below(3)));
    }
    all.push_back(all[1]);
    std::ranges::reverse(all.back());
    return all;
}

TEST(BufferTree, entries_are_walked_in_order_from_both_ends) {
    for (const Keys& keys : shapes(5'000)) {
        Filled filled(keys);
        filled.insert_all();
        const std::vector<const char*> expected = filled.in_order();
        std::vector<const char*> up;
        BufferTree::Position place(filled.tree());
        for (place.to_first(); place.valid(); place.next())
            up.push_back(place.entry());
        EXPECT_EQ(up, expected);
        std::vector<const char*> down;
        for (place.to_last(); place.valid(); place.previous())
            down.push_back(place.entry());
        std::ranges::reverse(down);
        EXPECT_EQ(down, expected);
    }
}

TEST(BufferTree, places_are_found_by_keys_that_are_there_and_by_others) {
    test::Random random(2);
    for (const Keys& keys : shapes(1'000)) {
        Filled filled(keys);
        // The first half is there, all of it is looked for.
        for (std::size_t i = 0; i < filled.size() / 2; ++i)
            filled.insert(i);
        std::vector<const char*> there = filled.in_order();
        std::erase_if(there, [&](const char* entry) {
            return BufferKey::of_entry(entry).number > filled.size() / 2;
        });
        for (std::size_t i = 0; i < filled.size(); ++i) {
            const BufferKey key = filled.key(i);
            const auto above = std::ranges::lower_bound(
                there, key, [](const BufferKey& a, const BufferKey& b) { return a < b; },
                [](const char* entry) { return BufferKey::of_entry(entry); });
            BufferTree::Position place(filled.tree());
            place.to(key);
            ASSERT_EQ(place.valid(), above != there.end());
            if (place.valid()) ASSERT_EQ(place.entry(), *above);
            // One step back, wherever in its leaf the place is.
            if (place.valid()) {
                place.previous();
                ASSERT_EQ(place.valid(), above != there.begin());
                if (place.valid()) ASSERT_EQ(place.entry(), *(above - 1));
            }
            const bool is_there = above != there.end() && *above == filled.entry(i);
            place.to_or_before(key);
            ASSERT_EQ(place.valid(), is_there || above != there.begin());
            if (place.valid()) ASSERT_EQ(place.entry(), is_there ? *above : *(above - 1));
        }
    }
}

TEST(BufferTree, an_empty_tree_has_no_place) {
    const Filled filled({"key"});
    BufferTree::Position place(filled.tree());
    place.to_first();
    EXPECT_FALSE(place.valid());
    place.to_last();
    EXPECT_FALSE(place.valid());
    place.to(filled.key(0));
    EXPECT_FALSE(place.valid());
    place.to_or_before(filled.key(0));
    EXPECT_FALSE(place.valid());
}

TEST(BufferTree, nodes_take_a_bounded_share_of_memory_whatever_the_order) {
    for (const Keys& keys : shapes(20'000)) {
        Filled filled(keys);
        filled.insert_all();
        // Half full at worst, 17 bytes for each place of a leaf, and a little above them.
        EXPECT_LE(filled.node_bytes() / filled.size(), 40u);
    }
}

TEST(BufferTree, readers_find_what_was_there_when_they_began_while_nodes_are_divided) {
    std::vector<Keys> all = shapes(20'000);
    // Keys that descend are the hardest: each moves all others of its leaf.
    all.insert(all.end(), 4, Keys(all.back()));
    for (const Keys& keys : all) {
        Filled filled(keys);
        std::atomic<std::size_t> inserted = 0;
        const auto read = [&](std::uint64_t seed) {
            std::mt19937_64 engine(seed);
            for (std::size_t there = 0; there < filled.size();) {
                there = inserted.load(std::memory_order_acquire);
                BufferTree::Position place(filled.tree());
                if (there != 0) {
                    // As a rule one that came of late: where keys descend, its leaf is the one that
                    // is being changed.
                    const std::size_t newest =
                        engine() % 8 == 0 ? there : std::min(there, BufferTree::kFan);
                    const std::size_t wanted = there - 1 - engine() % newest;
                    place.to(filled.key(wanted));
                    ASSERT_TRUE(place.valid());
                    ASSERT_EQ(place.entry(), filled.entry(wanted));
                    place.to_or_before(filled.key(wanted));
                    ASSERT_EQ(place.entry(), filled.entry(wanted));
                }
                if (engine() % 64 != 0) continue;
                std::size_t old = 0;
                const char* before = nullptr;
                const bool is_up = engine() % 2 == 0;
                for (is_up ? place.to_first() : place.to_last(); place.valid();
                     is_up ? place.next() : place.previous()) {
                    const BufferKey key = BufferKey::of_entry(place.entry());
                    if (key.number <= there) ++old;
                    if (before != nullptr) {
                        const BufferKey last = BufferKey::of_entry(before);
                        ASSERT_TRUE(is_up ? last < key : key < last);
                    }
                    before = place.entry();
                }
                ASSERT_EQ(old, there);
            }
        };
        std::vector<std::thread> readers;
        for (std::uint64_t seed = 1; seed <= 3; ++seed)
            readers.emplace_back(read, seed);
        for (std::size_t i = 0; i < filled.size(); ++i) {
            filled.insert(i);
            inserted.store(i + 1, std::memory_order_release);
        }
        for (std::thread& reader : readers)
            reader.join();
    }
}

}  // namespace
}  // namespace heddle::ledger
