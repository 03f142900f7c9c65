// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Readers of a write buffer's tree while its writer moves entries along, under every schedule of
// small cases and under drawn ones of larger cases.
#include "storage/buffer_tree.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "checks.hpp"
#include "explorer.hpp"

namespace heddle::ledger {
namespace {

using test::Case;
using test::expect_holds;
using test::Exploration;

using Keys = std::vector<std::string>;

/// So many keys of one byte, from `first` on, with a gap behind each.
Keys keys_from(char first, std::size_t count) {
    Keys keys;
    for (std::size_t i = 0; i < count; ++i)
        keys.emplace_back(1, static_cast<char>(first + static_cast<char>(2 * i)));
    return keys;
}

struct Shape {
    Keys there;   // before readers begin, ascending
    Keys coming;  // while they read, in this order
};

/// A reader looks for each entry that is there, or goes through all of them.
class Reading final : public Case {
public:
    enum class Reader : std::uint8_t { seeks, goes_up, goes_down };

    Reading(Shape shape, Reader reader) : shape_(std::move(shape)), reader_(reader) {
        for (const Keys* keys : {&shape_.there, &shape_.coming})
            for (const std::string& key : *keys)
                entries_.push_back(entry_of(key, entries_.size() + 1));
        for (std::size_t i = 0; i < shape_.there.size(); ++i)
            tree_.insert(entries_[i].data());
    }
    std::vector<Thread> threads() override {
        return {{"writer",
                 [this] {
                     for (std::size_t i = shape_.there.size(); i < entries_.size(); ++i)
                         tree_.insert(entries_[i].data());
                 }},
                {"reader", [this] {
                     if (reader_ == Reader::seeks)
                         seek();
                     else
                         walk();
                 }}};
    }

private:
    static std::string entry_of(const std::string& key, std::uint64_t number) {
        std::string entry(1, static_cast<char>(key.size() + sizeof number));
        entry += key;
        for (unsigned i = 0; i < sizeof number; ++i)
            entry.push_back(static_cast<char>(number >> 8 * i));
        return entry;
    }
    void seek() {
        BufferTree::Position place(tree_);
        for (std::size_t i = 0; i < shape_.there.size(); ++i) {
            const char* const wanted = entries_[i].data();
            place.to(BufferKey::of_entry(wanted));
            test::expect(place.valid() && place.entry() == wanted, "it is not found");
            place.to_or_before(BufferKey::of_entry(wanted));
            test::expect(place.valid() && place.entry() == wanted, "it is not found from above");
        }
    }
    /// Those that are there come in order; of those that are coming any may be among them.
    void walk() {
        const bool is_up = reader_ == Reader::goes_up;
        const std::size_t count = shape_.there.size();
        std::size_t seen = 0;
        BufferTree::Position place(tree_);
        for (is_up ? place.to_first() : place.to_last(); place.valid();
             is_up ? place.next() : place.previous()) {
            if (BufferKey::of_entry(place.entry()).number > count) continue;
            test::expect(seen < count, "one is seen twice");
            const std::size_t wanted = is_up ? seen : count - 1 - seen;
            test::expect(place.entry() == entries_[wanted].data(), "one is passed over");
            ++seen;
        }
        test::expect(seen == count, "one is missed");
    }

    struct alignas(64) Line {
        char bytes[64];
    };
    const Shape shape_;
    const Reader reader_;
    std::vector<std::string> entries_;
    std::vector<std::unique_ptr<Line[]>> memory_;
    BufferTree tree_{[this](std::size_t size) {
        memory_.push_back(std::make_unique<Line[]>((size + 63) / 64));
        return memory_.back()[0].bytes;
    }};
};

using Reader = Reading::Reader;
constexpr Reader kReaders[] = {Reader::seeks, Reader::goes_up, Reader::goes_down};

test::MakeCase reading(const Shape& shape, Reader reader) {
    return [shape, reader] { return std::make_unique<Reading>(shape, reader); };
}

TEST(BufferTreeSchedules, readers_find_what_is_moved_along_in_its_leaf) {
    // The one that comes moves the other.
    const Shape shape{.there = {"d"}, .coming = {"b"}};
    for (const Reader reader : kReaders) {
        const Exploration exploration = test::explore_all(reading(shape, reader));
        expect_holds(exploration);
        EXPECT_TRUE(exploration.is_complete);
    }
}

TEST(BufferTreeSchedules, readers_find_what_was_there_while_its_leaf_is_divided) {
    const std::uint64_t seed = test::announced_seed(1);
    const Keys full = keys_from('!', BufferTree::kFan);
    for (const Reader reader : kReaders)
        for (const char* const coming : {"\"", "A", "z"}) {
            const Shape shape{.there = full, .coming = {coming, "0"}};
            expect_holds(test::explore_randomly(reading(shape, reader), seed, 200));
        }
}

}  // namespace
}  // namespace heddle::ledger
