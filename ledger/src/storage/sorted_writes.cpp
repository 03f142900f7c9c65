// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "storage/sorted_writes.hpp"

#include <algorithm>

#include "storage/byte_codec.hpp"

namespace heddle::ledger {

void SortedWrites::add(Table table, BytesView key, BytesView value, bool is_put) {
    // Past the byte that all keys of a table may share.
    constexpr std::size_t kSkipped = 1;
    std::uint64_t head = 0;
    for (std::size_t i = 0; i < kSkipped + sizeof head; ++i)
        head = head << 8 | (i < key.size() ? key[i] : 0);
    writes_.push_back({bytes_.size(), static_cast<std::uint32_t>(key.size()),
                       static_cast<std::uint32_t>(value.size()), table, is_put, head});
    append(key, bytes_);
    append(value, bytes_);
}

void SortedWrites::move_to(WriteBatch& batch) {
    std::ranges::sort(writes_, [this](const Write& a, const Write& b) {
        if (a.table != b.table) return a.table < b.table;
        const BytesView left = key_of(a);
        const BytesView right = key_of(b);
        if (!left.empty() && !right.empty() && left[0] != right[0]) return left[0] < right[0];
        if (a.head != b.head) return a.head < b.head;
        return std::ranges::lexicographical_compare(left, right);
    });
    for (const Write& write : writes_) {
        const BytesView key = key_of(write);
        if (write.is_put)
            batch.put(write.table, key,
                      BytesView(bytes_).subspan(write.offset + write.key_size, write.value_size));
        else
            batch.erase(write.table, key);
    }
    writes_.clear();
    bytes_.clear();
}

}  // namespace heddle::ledger
