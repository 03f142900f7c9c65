// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "storage/rocks_pinning.hpp"

#include <mutex>
#include <utility>

#include "storage/rocks_versions.hpp"

namespace heddle::ledger {
namespace {

std::unique_ptr<rocksdb::TableFactory> make_factory(rocksdb::BlockBasedTableOptions options,
                                                    rocksdb::PinningTier parts) {
    options.metadata_cache_options.partition_pinning = parts;
    return std::unique_ptr<rocksdb::TableFactory>(rocksdb::NewBlockBasedTableFactory(options));
}

/// RocksDB asks a factory for a reader whenever it opens a file; two factories of the same files
/// differ in what their readers pin.
class PinnedTables final : public ClonableTableFactory {
public:
    PinnedTables(const rocksdb::BlockBasedTableOptions& options,
                 std::function<std::size_t()> pinned, std::size_t most)
        : options_(options),
          pinning_(make_factory(options, rocksdb::PinningTier::kAll)),
          plain_(make_factory(options, rocksdb::PinningTier::kFallback)),
          pinned_(std::move(pinned)),
          most_(most) {}

    [[nodiscard]] const char* Name() const override { return "heddle.PinnedTables"; }
    /// Whoever asks for the options of a table of blocks is told those of this one.
    [[nodiscard]] const rocksdb::Customizable* Inner() const override { return plain_.get(); }

    rocksdb::Status PrepareOptions(const rocksdb::ConfigOptions& options) override {
        rocksdb::Status status = pinning_->PrepareOptions(options);
        if (status.ok()) status = plain_->PrepareOptions(options);
        return status;
    }
    [[nodiscard]] rocksdb::Status ValidateOptions(
        const rocksdb::DBOptions& database,
        const rocksdb::ColumnFamilyOptions& table) const override {
        return plain_->ValidateOptions(database, table);
    }

    using TableFactory::NewTableReader;
    // NOLINTNEXTLINE(readability-function-size): as RocksDB declares it
    rocksdb::Status NewTableReader(const rocksdb::ReadOptions& read,
                                   const rocksdb::TableReaderOptions& options,
                                   std::unique_ptr<rocksdb::RandomAccessFileReader>&& file,
                                   std::uint64_t file_size,
                                   std::unique_ptr<rocksdb::TableReader>* reader,
                                   bool reads_metadata) const override {
        std::unique_lock one_at_a_time(opening_);
        const bool pins = pinned_() < most_;
        if (!pins) one_at_a_time.unlock();
        const rocksdb::TableFactory& factory = pins ? *pinning_ : *plain_;
        return factory.NewTableReader(read, options, std::move(file), file_size, reader,
                                      reads_metadata);
    }
    rocksdb::TableBuilder* NewTableBuilder(const rocksdb::TableBuilderOptions& options,
                                           rocksdb::WritableFileWriter* file) const override {
        return plain_->NewTableBuilder(options, file);
    }
    [[nodiscard]] bool IsDeleteRangeSupported() const override {
        return plain_->IsDeleteRangeSupported();
    }
    [[nodiscard]] std::unique_ptr<rocksdb::TableFactory> Clone() const override {
        return std::make_unique<PinnedTables>(options_, pinned_, most_);
    }

private:
    const rocksdb::BlockBasedTableOptions options_;
    const std::unique_ptr<rocksdb::TableFactory> pinning_;
    const std::unique_ptr<rocksdb::TableFactory> plain_;
    const std::function<std::size_t()> pinned_;
    const std::size_t most_;
    /// Held until what a file pins is counted: a database opens its files on up to 16 threads, of
    /// which each would otherwise find room for the same bytes.
    mutable std::mutex opening_;
};

}  // namespace

std::shared_ptr<rocksdb::TableFactory> make_pinned_tables(
    const rocksdb::BlockBasedTableOptions& options, std::function<std::size_t()> pinned,
    std::size_t most) {
    return std::make_shared<PinnedTables>(options, std::move(pinned), most);
}

}  // namespace heddle::ledger
