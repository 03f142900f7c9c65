// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Analysed code by hash and revision: analysis is never repeated while it stays in memory.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>

#include <types/hash.hpp>
#include <types/revision.hpp>

#include <vm/evm.hpp>
#include <vm/native_code.hpp>

#include "code.hpp"

namespace heddle::vm {

/// Code that a machine has in use.
struct CodeInUse {
    const Hash* hash = nullptr;  // of its bytes
    /// Of the cache and of other machines as well. Null where the machine has let go of it.
    std::shared_ptr<const Code> code;
    std::size_t size_bytes = 0;  // when the machine looked last
    bool was_let_go = false;     // in this transaction
    std::uint32_t frames = 0;    // that run it
};

/// What knowing of it takes in a machine beside the code, roughly, in bytes.
inline constexpr std::size_t kCodeEntryBytes = sizeof(Hash) + sizeof(CodeInUse) + 4 * sizeof(void*);

/// Bounded, least recently used first out. Entries are shared: an evicted one lives as long as
/// somebody runs it.
/// Thread safety: as given by the lock it was made with; without one, one thread at a time.
class CodeCache {
public:
    CodeCache(std::size_t max_bytes, std::unique_ptr<CodeCacheLock> lock,
              std::span<const NativeCode* const> natives = {});

    [[nodiscard]] std::shared_ptr<const Code> find(const Hash& hash, Revision revision);
    void insert(const Hash& hash, Revision revision, std::shared_ptr<const Code> code);
    /// Code grows as it is decoded: whoever has decoded some says so, and room is made for it.
    void measure(const Hash& hash, Revision revision);
    /// Memory that all entries together may take, in bytes; a larger one has it for itself.
    [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }
    /// Of all entries, as measured last.
    [[nodiscard]] std::size_t bytes() const;
    /// What runs in place of code with this hash; null: the code itself.
    [[nodiscard]] const NativeCode* native(const Hash& hash) const noexcept;

private:
    struct Key {
        Hash hash;
        Revision revision;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct KeyHasher {
        std::size_t operator()(const Key& key) const noexcept {
            return HashHasher{}(key.hash) ^ static_cast<std::size_t>(key.revision);
        }
    };
    struct Entry {
        Key key;
        std::shared_ptr<const Code> code;
        std::size_t size_bytes;  // when it was measured last
    };

    void make_room();

    // Immutable after construction.
    std::size_t max_bytes_;
    std::unique_ptr<CodeCacheLock> lock_;
    std::unordered_map<Hash, const NativeCode*, HashHasher> natives_;
    // Under the lock.
    std::size_t bytes_ = 0;
    std::list<Entry> entries_;  // most recently used first
    std::unordered_map<Key, std::list<Entry>::iterator, KeyHasher> index_;
};

}  // namespace heddle::vm
