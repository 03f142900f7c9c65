// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <utility>

#include <types/expected.hpp>

#include <consensus_adapter/archive.hpp>

#include "chain_file.hpp"
#include "era1_file.hpp"
#include "era_format.hpp"
#include "ere_file.hpp"

namespace heddle::consensus_adapter {

namespace {

std::expected<std::unique_ptr<HistoryFile>, SourceError> open_history(const std::string& path,
                                                                      const ArchiveOptions& options,
                                                                      std::uint64_t& size_bytes) {
    HEDDLE_TRY(FileReader reader, FileReader::open(path));
    size_bytes = reader.size_bytes();
    HEDDLE_TRY(const EraFormat era, era_format_of(reader));
    if (era == EraFormat::era1) return open_era1_file(std::move(reader), options);
    if (era == EraFormat::ere) return open_ere_file(reader, options);
    constexpr std::size_t kShownBytes = 8;
    HEDDLE_TRY(const BytesView start, reader.peek(kShownBytes));
    if (is_chain_file(start)) return open_chain_file(std::move(reader), options.max_block_bytes);
    return reader.error(ContentFault::unknown_format,
                        start.empty() ? "the file is empty" : "starts with " + to_hex(start));
}

class ArchiveSource final : public BlockSource {
public:
    ArchiveSource(std::vector<std::string> paths, const ArchiveOptions& options,
                  std::uint64_t bytes_total) noexcept
        : paths_(std::move(paths)),
          options_(options),
          bytes_total_(bytes_total),
          plausibility_(options.head, options.head_gas_limit),
          last_(options.head) {}

    std::optional<OrderedBlock> next() override {
        while (!error_.has_value()) {
            auto stored = next_stored();
            if (!stored.has_value())
                error_ = std::move(stored).error();
            else if (!stored->has_value())
                return std::nullopt;
            else if ((*stored)->block.header.number >= options_.first_number)
                return to_ordered(**std::move(stored));
        }
        return std::nullopt;
    }

    const std::optional<SourceError>& error() const noexcept override { return error_; }

    SourceProgress progress() const noexcept override {
        return {bytes_done_.load(std::memory_order_relaxed), bytes_total_};
    }

private:
    static OrderedBlock to_ordered(StoredBlock&& stored) {
        OrderedBlock ordered;
        ordered.start.header = std::move(stored.block.header);
        ordered.start.ommers = std::move(stored.block.ommers);
        ordered.start.withdrawals = std::move(stored.block.withdrawals);
        ordered.start.encoded_size_bytes = stored.encoded_size_bytes;
        ordered.start.transaction_count = stored.transaction_count;
        ordered.transactions = std::move(stored.block.transactions);
        return ordered;
    }

    /// The next block of any file; nullopt after the last.
    std::expected<std::optional<StoredBlock>, SourceError> next_stored() {
        for (;;) {
            if (file_ == nullptr) {
                if (index_ == paths_.size()) return std::nullopt;
                std::uint64_t size_bytes = 0;
                HEDDLE_TRY(file_, open_history(paths_[index_], options_, size_bytes));
                is_at_begin_ = true;
            }
            HEDDLE_TRY(std::optional<StoredBlock> stored, file_->next(plausibility_));
            bytes_done_.store(bytes_before_ + file_->offset(), std::memory_order_relaxed);
            if (stored.has_value()) {
                HEDDLE_CHECK(check_genesis(*stored));
                HEDDLE_CHECK(check_place(*stored));
                plausibility_.pass(stored->block.header);
                return stored;
            }
            bytes_before_ += file_->offset();
            file_.reset();
            ++index_;
        }
    }

    std::expected<void, SourceError> check_genesis(const StoredBlock& stored) const {
        const BlockHeader& header = stored.block.header;
        if (header.number != 0 || !options_.genesis_hash.has_value()) return {};
        const Hash hash = header_hash(header);
        if (hash == *options_.genesis_hash) return {};
        return std::unexpected(SourceError{
            StreamFault::wrong_genesis, paths_[index_], stored.offset, header.number,
            "file has " + to_string(hash) + ", chain has " + to_string(*options_.genesis_hash)});
    }

    /// A gap inside a file is for whoever judges its blocks.
    std::expected<void, SourceError> check_place(const StoredBlock& stored) {
        const std::uint64_t number = stored.block.header.number;
        const bool is_first = std::exchange(is_at_begin_, false);
        if (!last_.has_value()) return {};
        if (is_first && number > *last_ && number - *last_ > 1)
            return std::unexpected(
                SourceError{StreamFault::gap, paths_[index_], stored.offset, number,
                            "the chain ends with block " + std::to_string(*last_) +
                                "; name the files with the blocks between first"});
        last_ = std::max(*last_, number);
        return {};
    }

    const std::vector<std::string> paths_;
    const ArchiveOptions options_;
    const std::uint64_t bytes_total_;
    std::size_t index_ = 0;
    GasPlausibility plausibility_;
    std::unique_ptr<HistoryFile> file_;
    bool is_at_begin_ = false;           // of that file
    std::optional<std::uint64_t> last_;  // block of the chain so far
    std::uint64_t bytes_before_ = 0;     // of the files done
    std::optional<SourceError> error_;
    std::atomic<std::uint64_t> bytes_done_ = 0;  // a figure to show: nothing hangs on it
};

}  // namespace

std::expected<std::unique_ptr<BlockSource>, SourceError> make_archive_source(
    std::vector<std::string> paths, ArchiveOptions options) {
    std::uint64_t bytes_total = 0;
    for (const std::string& path : paths) {
        std::uint64_t size_bytes = 0;
        HEDDLE_TRY(const auto file, open_history(path, options, size_bytes));
        bytes_total += size_bytes;
    }
    return std::make_unique<ArchiveSource>(std::move(paths), options, bytes_total);
}

}  // namespace heddle::consensus_adapter
