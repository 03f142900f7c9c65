// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The records of a snapshot's chunk, so that tests can write them again, changed. Private to tests:
// nothing outside them makes a snapshot of anything but a ledger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tools/snapshot_stream.hpp"

namespace heddle::ledger {

/// Collects a snapshot's records, so that they can be written again, changed.
struct Records final : RecordSink {
    struct Record {
        RecordKind kind;
        Bytes payload;
    };
    Result header(const schema::HeaderRecord& record) override {
        Bytes bytes;
        schema::encode_header_record(record, bytes);
        return add(RecordKind::header, std::move(bytes));
    }
    Result block(std::uint64_t number, BytesView body, BytesView receipts) override {
        Bytes bytes = schema::number_key(number);
        for (std::uint64_t size = body.size();; size >>= 7) {
            bytes.push_back(static_cast<std::uint8_t>(size >= 128 ? size | 128 : size));
            if (size < 128) break;
        }
        bytes.insert(bytes.end(), body.begin(), body.end());
        bytes.insert(bytes.end(), receipts.begin(), receipts.end());
        return add(RecordKind::block, std::move(bytes));
    }
    Result account(const Hash&, const schema::AccountEntry& entry) override {
        Bytes bytes;
        schema::encode_account_entry(entry.address, entry.record, bytes);
        return add(RecordKind::account, std::move(bytes));
    }
    Result slot(const Hash&, const Hash&, const schema::SlotEntry& entry) override {
        Bytes bytes;
        schema::encode_slot_entry(entry.slot, entry.value, bytes);
        return add(RecordKind::slot, std::move(bytes));
    }
    Result code(const Hash&, BytesView code) override {
        return add(RecordKind::code, Bytes(code.begin(), code.end()));
    }
    Result add(RecordKind kind, Bytes payload) {
        records.push_back({kind, std::move(payload)});
        return {};
    }
    [[nodiscard]] Bytes bytes() const {
        Bytes chunk;
        RecordWriter writer([&](BytesView part) -> Result {
            chunk.insert(chunk.end(), part.begin(), part.end());
            return {};
        });
        for (const Record& record : records)
            EXPECT_TRUE(writer.add(record.kind, record.payload).has_value());
        EXPECT_TRUE(writer.finish().has_value());
        return chunk;
    }
    /// Place of the nth record of this kind.
    [[nodiscard]] std::size_t find(RecordKind kind, std::size_t nth = 0) const {
        for (std::size_t i = 0; i < records.size(); ++i)
            if (records[i].kind == kind && nth-- == 0) return i;
        ADD_FAILURE() << "no such record";
        return 0;
    }
    void insert(std::size_t place, Record record) {
        records.insert(records.begin() + static_cast<std::ptrdiff_t>(place), std::move(record));
    }
    void erase(std::size_t place) {
        records.erase(records.begin() + static_cast<std::ptrdiff_t>(place));
    }
    std::vector<Record> records;
};

}  // namespace heddle::ledger
