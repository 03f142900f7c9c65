// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "storage/rocks_buffer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include <rocksdb/slice.h>

#include "storage/buffer_tree.hpp"

namespace heddle::ledger {

namespace {

using rocksdb::Slice;

constexpr std::size_t kCacheLine = 64;

class BufferIterator : public rocksdb::MemTableRep::Iterator {
public:
    explicit BufferIterator(const BufferTree& tree) noexcept : place_(tree) {}

    [[nodiscard]] bool Valid() const override { return place_.valid(); }
    [[nodiscard]] const char* key() const override { return place_.entry(); }
    void Next() override { place_.next(); }
    void Prev() override { place_.previous(); }
    // The second argument is the same key as an entry has it, or null.
    void Seek(const Slice& key, const char*) override { place_.to(key_of(key)); }
    void SeekForPrev(const Slice& key, const char*) override { place_.to_or_before(key_of(key)); }
    void SeekToFirst() override { place_.to_first(); }
    void SeekToLast() override { place_.to_last(); }

private:
    static BufferKey key_of(const Slice& key) noexcept {
        return BufferKey::of(key.data(), key.size());
    }
    BufferTree::Position place_;
};

/// The iterator of a lookup. RocksDB 7 asks for one and loses it; others may delete it. Each thread
/// has memory for one, and a lookup is over before the next one begins.
class LookupIterator final : public BufferIterator {
public:
    using BufferIterator::BufferIterator;
    static void operator delete(void*) noexcept {}

    static LookupIterator* make(const BufferTree& tree);
};

LookupIterator* LookupIterator::make(const BufferTree& tree) {
    alignas(LookupIterator) thread_local std::array<std::byte, sizeof(LookupIterator)> memory;
    return ::new (memory.data()) LookupIterator(tree);
}

/// Memory of an arena, which is of a type that RocksDB does not show, but an allocator, as the one
/// that buffers are given, and what hides in Allocate() can use it.
class ArenaMemory final : public rocksdb::MemTableRep {
public:
    explicit ArenaMemory(rocksdb::Arena& arena)
        : MemTableRep(reinterpret_cast<rocksdb::Allocator*>(&arena)) {}

    void* allocate(std::size_t size, std::size_t alignment) {
        char* bytes = nullptr;
        (void)Allocate(size + alignment - 1, &bytes);
        return bytes + (-reinterpret_cast<std::uintptr_t>(bytes) % alignment);
    }

    // Nothing else is asked of it.
    void Insert(rocksdb::KeyHandle) override {}
    [[nodiscard]] bool Contains(const char*) const override { return false; }
    std::size_t ApproximateMemoryUsage() override { return 0; }
    Iterator* GetIterator(rocksdb::Arena*) override { return nullptr; }
};

class Buffer final : public rocksdb::MemTableRep {
public:
    explicit Buffer(rocksdb::Allocator* allocator)
        : MemTableRep(allocator), tree_([this](std::size_t size) { return node_memory(size); }) {}

    void Insert(rocksdb::KeyHandle handle) override { tree_.insert(static_cast<char*>(handle)); }

    [[nodiscard]] bool Contains(const char* entry) const override {
        const BufferKey key = BufferKey::of_entry(entry);
        BufferTree::Position place(tree_);
        place.to(key);
        return place.valid() && !(key < BufferKey::of_entry(place.entry()));
    }

    /// All of it is the allocator's.
    std::size_t ApproximateMemoryUsage() override { return 0; }

    Iterator* GetIterator(rocksdb::Arena* arena) override {
        if (arena == nullptr) return new BufferIterator(tree_);
        void* const memory =
            ArenaMemory(*arena).allocate(sizeof(BufferIterator), alignof(BufferIterator));
        return ::new (memory) BufferIterator(tree_);
    }

    /// What lookups begin with. They are the only ones without an arena, as no table has prefixes.
    Iterator* GetDynamicPrefixIterator(rocksdb::Arena* arena) override {
        return arena == nullptr ? LookupIterator::make(tree_) : GetIterator(arena);
    }

private:
    char* node_memory(std::size_t size) {
        char* bytes = nullptr;
        (void)Allocate(size + kCacheLine - 1, &bytes);
        return bytes + (-reinterpret_cast<std::uintptr_t>(bytes) % kCacheLine);
    }

    BufferTree tree_;
};

class BufferFactory final : public rocksdb::MemTableRepFactory {
public:
    using MemTableRepFactory::CreateMemTableRep;
    rocksdb::MemTableRep* CreateMemTableRep(const rocksdb::MemTableRep::KeyComparator&,
                                            rocksdb::Allocator* allocator,
                                            const rocksdb::SliceTransform*,
                                            rocksdb::Logger*) override {
        return new Buffer(allocator);
    }
    [[nodiscard]] const char* Name() const override { return "heddle.BufferTree"; }
};

}  // namespace

std::shared_ptr<rocksdb::MemTableRepFactory> make_buffer_factory() {
    return std::make_shared<BufferFactory>();
}

}  // namespace heddle::ledger
