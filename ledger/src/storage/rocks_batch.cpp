// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "storage/rocks_batch.hpp"

#include <string>
#include <utility>

#include <types/assert.hpp>

namespace heddle::ledger {

WriteBatch::WriteBatch(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
WriteBatch::WriteBatch(WriteBatch&&) noexcept = default;
WriteBatch& WriteBatch::operator=(WriteBatch&&) noexcept = default;
WriteBatch::~WriteBatch() = default;

void WriteBatch::put(Table table, BytesView key, BytesView value) {
    impl_->note(impl_->writes.Put(impl_->family(table), slice(key), slice(value)));
}

void WriteBatch::erase(Table table, BytesView key) {
    impl_->note(impl_->writes.Delete(impl_->family(table), slice(key)));
}

void WriteBatch::erase_range(Table table, BytesView begin, BytesView end) {
    HEDDLE_ASSERT(table == Table::trie_nodes);  // cursors of others do not mind: Database::cursor()
    impl_->note(impl_->writes.DeleteRange(impl_->family(table), slice(begin), slice(end)));
}

void WriteBatch::append(std::span<const WriteBatch> others) {
    // As the log has it: 8 bytes that the database fills in, the number of records in 4,
    // little-endian, and the records.
    constexpr std::size_t kCountAt = 8;
    constexpr std::size_t kHeaderBytes = 12;
    std::size_t size = impl_->writes.GetDataSize();
    std::uint32_t count = 0;
    const auto add_count = [&](const rocksdb::WriteBatch& writes) {
        count += static_cast<std::uint32_t>(writes.Count());
    };
    add_count(impl_->writes);
    for (const WriteBatch& other : others) {
        size += other.size_bytes() - kHeaderBytes;
        add_count(other.impl_->writes);
        impl_->note(other.impl_->status);
    }
    std::string records;
    records.reserve(size);
    records = impl_->writes.Data();
    for (const WriteBatch& other : others)
        records.append(other.impl_->writes.Data(), kHeaderBytes);
    for (unsigned i = 0; i < sizeof count; ++i)
        records[kCountAt + i] = static_cast<char>(count >> 8 * i);
    impl_->writes = rocksdb::WriteBatch(std::move(records));
}

void WriteBatch::clear() {
    impl_->writes.Clear();
    impl_->status = {};
}

bool WriteBatch::empty() const noexcept {
    return impl_->writes.Count() == 0;
}

std::size_t WriteBatch::size_bytes() const noexcept {
    return impl_->writes.GetDataSize();
}

}  // namespace heddle::ledger
