// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes put into the order of their keys before they go into a batch. Hashes come in any order,
// and the database takes a sorted run several times faster, for each key finds its place next to
// the one before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <types/bytes.hpp>

#include "storage/database.hpp"

namespace heddle::ledger {

/// Each key of a table at most once.
class SortedWrites {
public:
    void put(Table table, BytesView key, BytesView value) { add(table, key, value, true); }
    void erase(Table table, BytesView key) { add(table, key, {}, false); }
    /// Appends everything to `batch` and is empty afterwards.
    void move_to(WriteBatch& batch);
    /// Memory that it holds, also while it is empty.
    [[nodiscard]] std::size_t held_bytes() const noexcept {
        return writes_.capacity() * sizeof(Write) + bytes_.capacity();
    }

private:
    struct Write {
        std::size_t offset = 0;  // of the key in bytes_; the value follows
        std::uint32_t key_size = 0;
        std::uint32_t value_size = 0;
        Table table = Table::meta;
        bool is_put = false;
        std::uint64_t head = 0;  // first bytes of the key: most comparisons need no more
    };
    void add(Table table, BytesView key, BytesView value, bool is_put);
    [[nodiscard]] BytesView key_of(const Write& write) const noexcept {
        return BytesView(bytes_).subspan(write.offset, write.key_size);
    }

    std::vector<Write> writes_;
    Bytes bytes_;
};

}  // namespace heddle::ledger
