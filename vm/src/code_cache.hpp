// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Analysed code by hash and revision: analysis is never repeated while it stays in memory.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <unordered_map>

#include <types/hash.hpp>
#include <types/revision.hpp>

#include <vm/evm.hpp>

#include "code.hpp"

namespace heddle::vm {

/// Code that a machine has in use, and how much it has been used.
struct CodeInUse {
    const Hash* hash = nullptr;           // of its bytes
    std::shared_ptr<const Code> plain;    // jump destinations only; null when `decoded` came first
    std::shared_ptr<const Code> decoded;  // null until it has earned it
    std::int64_t gas_used = 0;            // by frames that ran it plainly, callees included

    [[nodiscard]] const Code& code() const noexcept {
        return decoded != nullptr ? *decoded : *plain;
    }
};

/// Bounded, least recently used first out. Entries are shared: an evicted one lives as long as
/// somebody runs it.
/// Thread safety: as given by the lock it was made with; without one, one thread at a time.
class CodeCache {
public:
    CodeCache(std::size_t max_bytes, std::unique_ptr<CodeCacheLock> lock)
        : max_bytes_(max_bytes), lock_(std::move(lock)) {}

    [[nodiscard]] std::shared_ptr<const Code> find(const Hash& hash, Revision revision,
                                                   bool decoded);
    void insert(const Hash& hash, Revision revision, bool decoded,
                std::shared_ptr<const Code> code);

private:
    struct Key {
        Hash hash;
        Revision revision;
        bool decoded;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct KeyHasher {
        std::size_t operator()(const Key& key) const noexcept {
            return HashHasher{}(key.hash) ^ (static_cast<std::size_t>(key.revision) << 1) ^
                   static_cast<std::size_t>(key.decoded);
        }
    };
    struct Entry {
        Key key;
        std::shared_ptr<const Code> code;
    };

    // Immutable after construction.
    std::size_t max_bytes_;
    std::unique_ptr<CodeCacheLock> lock_;
    // Under the lock.
    std::size_t bytes_ = 0;
    std::list<Entry> entries_;  // most recently used first
    std::unordered_map<Key, std::list<Entry>::iterator, KeyHasher> index_;
};

}  // namespace heddle::vm
