// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "loading/state_sorter.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <types/expected.hpp>

#include "storage/byte_codec.hpp"

namespace heddle::ledger {

namespace {

constexpr std::size_t kLeastReadBytes = std::size_t{8} << 10;
constexpr std::size_t kMostReadBytes = std::size_t{1} << 20;
/// Before somebody is asked whether they are wanted: a millisecond or so.
constexpr std::size_t kRecordsInARow = 1'024;
/// Before a record in a file: its size, and a checksum.
constexpr std::size_t kPrefixBytes = kRecordSizeBytes + sizeof(std::uint32_t);
static_assert(kLeastReadBytes >= kPrefixBytes + kMaxRecordBytes);

/// Against a disk that gives back something else than it was given, as tables and logs have it: a
/// state would be made of it that is whole, and another one. Not zero for a record without bytes.
std::uint32_t checksum_of(BytesView bytes) noexcept {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
    std::uint64_t sum = kOdd ^ bytes.size();
    while (!bytes.empty()) {
        std::uint64_t word = 0;
        const std::size_t size = std::min(bytes.size(), sizeof word);
        std::memcpy(&word, bytes.data(), size);
        sum = (sum ^ word) * kOdd;
        sum ^= sum >> 32;
        bytes = bytes.subspan(size);
    }
    return static_cast<std::uint32_t>(sum);
}

std::expected<void, LedgerError> append_record(const StateRecord& record, TemporaryFile& file) {
    const std::uint32_t sum = checksum_of(record.bytes());
    const auto size = static_cast<std::uint16_t>(record.bytes().size());
    std::uint8_t prefix[kPrefixBytes];
    std::memcpy(prefix, &size, sizeof size);
    std::memcpy(prefix + sizeof size, &sum, sizeof sum);
    HEDDLE_CHECK(file.append(prefix));
    return file.append(record.bytes());
}

/// Reads one part of a run from front to back.
class RunReader {
public:
    RunReader(const TemporaryFile& file, std::uint64_t begin, std::uint64_t end,
              std::size_t read_bytes)
        : file_(&file), offset_(begin), end_(end), read_bytes_(read_bytes) {}

    /// To the first record, or the next one. Errors: io_error.
    std::expected<void, LedgerError> next() {
        done_ += taken_;
        taken_ = 0;
        const std::size_t left = buffer_.size() - done_;
        if (left < kPrefixBytes + kMaxRecordBytes && offset_ < end_) HEDDLE_CHECK(refill());
        if (done_ == buffer_.size()) {
            is_at_end_ = true;
            return {};
        }
        return take();
    }
    [[nodiscard]] bool is_at_end() const noexcept { return is_at_end_; }
    /// Good until next().
    [[nodiscard]] const StateRecord& record() const noexcept { return record_; }

private:
    /// The record that begins the buffer.
    std::expected<void, LedgerError> take() {
        ByteReader reader(BytesView(buffer_).subspan(done_));
        std::uint16_t size = 0;
        std::uint32_t sum = 0;
        const BytesView prefix = reader.take(kPrefixBytes);
        if (reader.is_good()) {
            std::memcpy(&size, prefix.data(), sizeof size);
            std::memcpy(&sum, prefix.data() + sizeof size, sizeof sum);
        }
        const BytesView record = reader.take(size);
        if (!reader.is_good() || checksum_of(record) != sum)
            return std::unexpected(
                LedgerError{LedgerErrorCode::io_error,
                            "a temporary file of sorted state reads as something else "
                            "than was written to it"});
        record_ = StateRecord(record);
        taken_ = kPrefixBytes + size;
        return {};
    }
    std::expected<void, LedgerError> refill() {
        buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(done_));
        done_ = 0;
        const std::size_t kept = buffer_.size();
        const auto size = static_cast<std::size_t>(
            std::min<std::uint64_t>(std::max(read_bytes_, kept) - kept, end_ - offset_));
        buffer_.resize(kept + size);
        HEDDLE_CHECK(file_->read(offset_, std::span(buffer_).subspan(kept)));
        offset_ += size;
        return {};
    }

    const TemporaryFile* file_;
    std::uint64_t offset_;  // of what is not in the buffer yet
    std::uint64_t end_;
    std::size_t read_bytes_;
    Bytes buffer_;
    std::size_t done_ = 0;
    std::size_t taken_ = 0;  // by the record, from done_ on
    StateRecord record_;
    bool is_at_end_ = false;
};

}  // namespace

StateSorter::StateSorter(std::string folder, std::size_t memory_bytes, WorkerCrew& crew,
                         IsGivenUp is_given_up)
    : folder_(std::move(folder)),
      memory_bytes_(memory_bytes),
      crew_(crew),
      is_given_up_(std::move(is_given_up)) {}

std::expected<void, LedgerError> StateSorter::check_wanted(std::size_t record) const {
    if (record % kRecordsInARow != 0 || !is_given_up_ || !is_given_up_()) return {};
    return std::unexpected(
        LedgerError{LedgerErrorCode::unavailable, "sorting a state was given up"});
}

std::expected<void, LedgerError> StateSorter::add_slot(const Hash& account, const Uint256& slot,
                                                       const Uint256& value) {
    buffer_.add_slot(account, slot, value);
    return spill_if_full();
}

std::expected<void, LedgerError> StateSorter::add_account(const Address& address,
                                                          const Account& account) {
    buffer_.add_account(address, account);
    return spill_if_full();
}

std::expected<void, LedgerError> StateSorter::spill_if_full() {
    if (buffer_.memory_bytes() < memory_bytes_) return {};
    return spill();
}

std::expected<void, LedgerError> StateSorter::seal() {
    // All of it, so that the memory is free for reading; what never was too much stays there.
    if (!runs_.empty() && !buffer_.empty()) return spill();
    buffer_.sort(crew_);
    return {};
}

std::expected<void, LedgerError> StateSorter::spill() {
    buffer_.sort(crew_);
    HEDDLE_TRY(TemporaryFile file, TemporaryFile::make(folder_));
    Run run{std::move(file), {}, 0};
    for (std::size_t part = 0; part < kStateParts; ++part) {
        for (std::size_t i = 0; i < buffer_.part_size(part); ++i)
            HEDDLE_CHECK(append_record(buffer_.record(part, i), run.file));
        run.bounds[part + 1] = run.file.size();
    }
    HEDDLE_CHECK(run.file.flush());
    spilled_ += run.file.size();
    buffer_.clear();
    runs_.push_back(std::move(run));
    return merge_full_levels();
}

std::expected<void, LedgerError> StateSorter::merge_full_levels() {
    const auto is_full = [this] {
        return runs_.size() >= kRunsPerLevel &&
               runs_[runs_.size() - kRunsPerLevel].level == runs_.back().level;
    };
    while (is_full()) {
        const std::size_t first = runs_.size() - kRunsPerLevel;
        HEDDLE_TRY(Run merged, merge(first));
        spilled_ += merged.file.size();
        while (runs_.size() > first)
            runs_.pop_back();
        runs_.push_back(std::move(merged));
    }
    return {};
}

std::expected<StateSorter::Run, LedgerError> StateSorter::merge(std::size_t first_run) const {
    HEDDLE_TRY(TemporaryFile file, TemporaryFile::make(folder_));
    Run merged{std::move(file), {}, runs_.back().level + 1};
    const auto append = [&](const StateRecord& record) {
        return append_record(record, merged.file);
    };
    for (std::size_t part = 0; part < kStateParts; ++part) {
        HEDDLE_CHECK(visit_runs(first_run, part, memory_bytes_, append));
        merged.bounds[part + 1] = merged.file.size();
    }
    HEDDLE_CHECK(merged.file.flush());
    return merged;
}

std::expected<void, LedgerError> StateSorter::visit_runs(std::size_t first_run, std::size_t part,
                                                         std::size_t memory_bytes,
                                                         const Visit& visit) const {
    const std::size_t read_bytes =
        std::clamp(memory_bytes / (runs_.size() - first_run), kLeastReadBytes, kMostReadBytes);
    std::vector<RunReader> readers;
    readers.reserve(runs_.size() - first_run);
    for (std::size_t i = first_run; i < runs_.size(); ++i) {
        const Run& run = runs_[i];
        readers.emplace_back(run.file, run.bounds[part], run.bounds[part + 1], read_bytes);
    }
    // A heap whose top has the least key.
    const auto is_behind = [](const RunReader* a, const RunReader* b) {
        return a->record().compare(b->record()) > 0;
    };
    std::vector<RunReader*> heap;
    for (RunReader& reader : readers) {
        HEDDLE_CHECK(reader.next());
        if (!reader.is_at_end()) heap.push_back(&reader);
    }
    std::ranges::make_heap(heap, is_behind);
    for (std::size_t record = 0; !heap.empty(); ++record) {
        HEDDLE_CHECK(check_wanted(record));
        std::ranges::pop_heap(heap, is_behind);
        RunReader& least = *heap.back();
        HEDDLE_CHECK(visit(least.record()));
        HEDDLE_CHECK(least.next());
        if (least.is_at_end())
            heap.pop_back();
        else
            std::ranges::push_heap(heap, is_behind);
    }
    return {};
}

std::expected<void, LedgerError> StateSorter::visit(std::size_t part, unsigned threads,
                                                    const Visit& visit) const {
    if (!runs_.empty()) return visit_runs(0, part, memory_bytes_ / std::max(threads, 1U), visit);
    for (std::size_t i = 0; i < buffer_.part_size(part); ++i) {
        HEDDLE_CHECK(check_wanted(i));
        HEDDLE_CHECK(visit(buffer_.record(part, i)));
    }
    return {};
}

bool StateSorter::has_part(std::size_t part) const noexcept {
    if (runs_.empty()) return buffer_.part_size(part) != 0;
    return std::ranges::any_of(
        runs_, [&](const Run& run) { return run.bounds[part] != run.bounds[part + 1]; });
}

}  // namespace heddle::ledger
