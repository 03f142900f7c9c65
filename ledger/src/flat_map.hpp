// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// An open-addressing hash map for the flat state: one probe into a dense array of tags, one into
// the entries, no allocation per entry. For fixed-size keys with a good hash; the order of entries
// is arbitrary and must never reach a result.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace heddle::ledger {

/// Thread safety: concurrent reads as long as nobody writes.
/// Invariants: 1. the capacity is zero or a power of two; 2. at most 3/4 of it is used; 3. between
/// an entry and the place its hash asks for, no place is free (there are no tombstones). Pointers
/// to values are valid until the next insertion or erasure.
template <typename Key, typename Value, typename Hasher>
class FlatMap {
public:
    FlatMap() noexcept = default;
    FlatMap(const FlatMap& other) : capacity_(other.capacity_), size_(other.size_) {
        if (capacity_ == 0) return;
        allocate();
        std::copy_n(other.tags_.get(), capacity_, tags_.get());
        for (std::size_t i = 0; i < capacity_; ++i)
            if (tags_[i] != kFree) entries_[i] = other.entries_[i];
    }
    FlatMap(FlatMap&& other) noexcept
        : entries_(std::move(other.entries_)),
          tags_(std::move(other.tags_)),
          capacity_(std::exchange(other.capacity_, 0)),
          size_(std::exchange(other.size_, 0)) {}
    FlatMap& operator=(FlatMap other) noexcept {
        std::swap(entries_, other.entries_);
        std::swap(tags_, other.tags_);
        std::swap(capacity_, other.capacity_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~FlatMap() = default;

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

    /// nullptr: absent.
    [[nodiscard]] const Value* find(const Key& key) const noexcept {
        if (size_ == 0) return nullptr;
        const std::size_t place = locate(key, Hasher{}(key));
        return tags_[place] == kFree ? nullptr : &entries_[place].value;
    }
    [[nodiscard]] Value* find(const Key& key) noexcept {
        return const_cast<Value*>(std::as_const(*this).find(key));
    }

    /// Asks for the cache lines in which find() begins.
    void expect(const Key& key) const noexcept {
        if (size_ == 0) return;
        const std::size_t hash = Hasher{}(key);
        const std::size_t place = hash & mask();
        __builtin_prefetch(&tags_[place]);
        const auto* const entry = reinterpret_cast<const char*>(&entries_[place]);
        for (std::size_t offset = 0; offset < sizeof(Entry); offset += kCacheLine)
            __builtin_prefetch(entry + offset);
    }

    /// The value of `key`, made anew if absent.
    [[nodiscard]] Value& operator[](const Key& key) {
        if (size_ + 1 > capacity_ / 4 * 3) grow();
        const std::size_t hash = Hasher{}(key);
        const std::size_t place = locate(key, hash);
        if (tags_[place] == kFree) {
            tags_[place] = tag_of(hash);
            entries_[place].key = key;
            ++size_;
        }
        return entries_[place].value;
    }

    /// @return whether the key was there.
    bool erase(const Key& key) noexcept {
        if (size_ == 0) return false;
        std::size_t hole = locate(key, Hasher{}(key));
        if (tags_[hole] == kFree) return false;
        // Entries behind the hole move up unless that would put them before the place they ask for.
        for (std::size_t next = (hole + 1) & mask(); tags_[next] != kFree;
             next = (next + 1) & mask()) {
            const std::size_t home = Hasher{}(entries_[next].key) & mask();
            if (((next - home) & mask()) < ((next - hole) & mask())) continue;
            entries_[hole] = std::move(entries_[next]);
            tags_[hole] = tags_[next];
            hole = next;
        }
        entries_[hole] = Entry{};
        tags_[hole] = kFree;
        --size_;
        return true;
    }

    void clear() noexcept { *this = FlatMap(); }

    /// Makes room for `count` entries in all. Needed before another map is copied in its order,
    /// which is that of the hashes: a map that grows meanwhile fills from one end.
    void reserve(std::size_t count) {
        std::size_t capacity = std::max(kMinCapacity, capacity_);
        while (count > capacity / 4 * 3)
            capacity *= 2;
        if (capacity > capacity_) move_to(capacity);
    }

    /// Calls `visit(key, value)` for every entry, in arbitrary order.
    template <typename Visit>
    void for_each(Visit visit) const {
        for (std::size_t i = 0; i < capacity_; ++i)
            if (tags_[i] != kFree) visit(entries_[i].key, entries_[i].value);
    }

private:
    struct Pair {
        Key key{};
        Value value{};
    };
    /// Entries of whole cache lines start where a line starts, so that a read misses only once.
    static constexpr std::size_t kCacheLine = 64;
    static constexpr std::size_t kAlignment =
        sizeof(Pair) % kCacheLine == 0 ? kCacheLine : alignof(Pair);
    struct alignas(kAlignment) Entry : Pair {};

    static constexpr std::uint8_t kFree = 0;
    static constexpr std::size_t kMinCapacity = 8;

    /// Seven bits that the place does not depend on, and one that tells it from kFree.
    static std::uint8_t tag_of(std::size_t hash) noexcept {
        return static_cast<std::uint8_t>(hash >> 57 | 0x80);
    }
    [[nodiscard]] std::size_t mask() const noexcept { return capacity_ - 1; }

    /// Where `key` is, or the free place where it belongs.
    [[nodiscard]] std::size_t locate(const Key& key, std::size_t hash) const noexcept {
        const std::uint8_t tag = tag_of(hash);
        std::size_t place = hash & mask();
        while (tags_[place] != kFree && (tags_[place] != tag || !(entries_[place].key == key)))
            place = (place + 1) & mask();
        return place;
    }

    void allocate() {
        entries_ = std::make_unique<Entry[]>(capacity_);
        tags_ = std::make_unique<std::uint8_t[]>(capacity_);
    }

    void grow() { move_to(std::max(kMinCapacity, 2 * capacity_)); }

    void move_to(std::size_t capacity) {
        FlatMap bigger;
        bigger.capacity_ = capacity;
        bigger.size_ = size_;
        bigger.allocate();
        for (std::size_t i = 0; i < capacity_; ++i) {
            if (tags_[i] == kFree) continue;
            std::size_t place = Hasher{}(entries_[i].key) & bigger.mask();
            while (bigger.tags_[place] != kFree)
                place = (place + 1) & bigger.mask();
            bigger.tags_[place] = tags_[i];
            bigger.entries_[place] = std::move(entries_[i]);
        }
        *this = std::move(bigger);
    }

    std::unique_ptr<Entry[]> entries_;
    std::unique_ptr<std::uint8_t[]> tags_;
    std::size_t capacity_ = 0;
    std::size_t size_ = 0;
};

}  // namespace heddle::ledger
