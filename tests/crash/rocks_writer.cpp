// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

// A small RocksDB program, for the tests of the fault shim: what RocksDB itself promises must hold
// under it, whatever the ledger does. Logs and log files are those of the ledger, see
// storage/rocks_environment.hpp.
//
//   rocks_writer write FOLDER COUNT SYNC_EVERY   appends COUNT records after those there are and
//                                                prints `written N` and `durable N`
//   rocks_writer check FOLDER                    prints `holds N`; exit code 1 when there is a gap
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/write_batch.h>

#include "storage/rocks_environment.hpp"
#include "storage/rocks_versions.hpp"

namespace {

namespace ledger = heddle::ledger;

using Families = std::vector<rocksdb::ColumnFamilyHandle*>;

int fail(const rocksdb::Status& status) {
    std::cerr << "rocks_writer: " << status.ToString() << "\n";
    return 3;
}

/// Behind all records, and in every memtable: files overlap, so that compaction rewrites them.
constexpr const char* kHead = "head";

std::string key_of(long number) {
    char text[16];
    std::snprintf(text, sizeof text, "%012ld", number);
    return text;
}

std::string value_of(long number) {
    return std::string(200, static_cast<char>('a' + number % 26)) + std::to_string(number);
}

/// Two families whose memtables fill at different speed, so that logs outlive each other.
rocksdb::Status open(const std::string& folder, std::unique_ptr<rocksdb::DB>& db,
                     Families& families) {
    rocksdb::DBOptions options;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    options.max_background_jobs = 2;
    options.env = &ledger::durable_env();
    options.info_log = ledger::make_silent_logger();
    rocksdb::ColumnFamilyOptions small;
    small.write_buffer_size = 64 << 10;
    small.level0_file_num_compaction_trigger = 2;
    rocksdb::ColumnFamilyOptions large = small;
    large.write_buffer_size = 256 << 10;
    const std::vector<rocksdb::ColumnFamilyDescriptor> tables{{"default", small},
                                                              {"second", large}};
    return ledger::open_rocks(db, options, folder, tables, &families);
}

/// The number of records 1..n that are there; -1 when one is missing or wrong in the middle, or
/// when the families disagree.
long count_records(rocksdb::DB& db, const Families& families) {
    std::vector<long> counts;
    for (auto* const family : families) {
        long count = 0;
        const std::unique_ptr<rocksdb::Iterator> it{db.NewIterator(rocksdb::ReadOptions{}, family)};
        for (it->SeekToFirst(); it->Valid(); it->Next()) {
            if (it->key().ToString() == kHead) {
                if (it->value().ToString() != std::to_string(count)) return -1;
                continue;
            }
            ++count;
            if (it->key().ToString() != key_of(count)) return -1;
            if (it->value().ToString() != value_of(count)) return -1;
        }
        if (!it->status().ok()) return -1;
        counts.push_back(count);
    }
    return counts.at(0) == counts.at(1) ? counts.at(0) : -1;
}

int write(rocksdb::DB& db, const Families& families, long count, long sync_every) {
    const long first = count_records(db, families) + 1;
    if (first == 0) return 1;
    for (long i = first; i < first + count; ++i) {
        rocksdb::WriteBatch batch;
        for (auto* const family : families)
            batch.Put(family, key_of(i), value_of(i));
        for (auto* const family : families)
            batch.Put(family, kHead, std::to_string(i));
        rocksdb::WriteOptions options;
        options.sync = i % sync_every == 0;
        if (const auto status = db.Write(options, &batch); !status.ok()) return fail(status);
        std::cout << (options.sync ? "durable " : "written ") << i << "\n" << std::flush;
    }
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 3) return 2;
    const std::string_view verb{arguments[1]};
    std::unique_ptr<rocksdb::DB> db;
    Families families;
    if (const auto status = open(arguments[2], db, families); !status.ok()) return fail(status);
    int result = 0;
    if (verb == "check") {
        const long records = count_records(*db, families);
        std::cout << "holds " << records << "\n";
        result = records < 0 ? 1 : 0;
    } else {
        const auto number = [&](int place, long otherwise) {
            return count > place ? std::strtol(arguments[place], nullptr, 10) : otherwise;
        };
        result = write(*db, families, number(3, 100), number(4, 1));
    }
    for (auto* const family : families)
        static_cast<void>(db->DestroyColumnFamilyHandle(family));
    const auto status = db->Close();
    return result == 0 && !status.ok() ? fail(status) : result;
}
