// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/snapshot_writer.hpp"

#include <atomic>
#include <filesystem>
#include <system_error>
#include <utility>

#include <types/expected.hpp>

#include "durable/records.hpp"
#include "storage/byte_codec.hpp"
#include "storage/whole_file.hpp"
#include "tools/codes_in_use.hpp"
#include "tools/marks.hpp"
#include "tools/snapshot_folders.hpp"
#include "tools/snapshot_stream.hpp"

namespace heddle::ledger {

namespace {

namespace fs = std::filesystem;

constexpr const char* kUnfinishedEnding = ".unfinished";
constexpr std::uint64_t kProgressInterval = 1 << 14;

class StateSnapshot final : public SnapshotWriter {
public:
    StateSnapshot(const Database& database, schema::HeaderRecord head, Bytes chain,
                  std::size_t memory_bytes)
        : database_(database),
          snapshot_(database.snapshot()),
          head_(std::move(head)),
          memory_bytes_(memory_bytes) {
        manifest_.header = head_.header;
        manifest_.total_difficulty = head_.total_difficulty;
        manifest_.chain = std::move(chain);
    }

    [[nodiscard]] const BlockHeader& header() const noexcept override { return head_.header; }
    void stop() noexcept override { is_stopped_.store(true, std::memory_order_relaxed); }

    [[nodiscard]] std::expected<Hash, LedgerError> write(const std::string& folder,
                                                         const WorkProgress& progress) override {
        std::error_code error;
        if (fs::exists(fs::symlink_status(folder, error)))  // also a link to nothing
            return std::unexpected(LedgerError{
                LedgerErrorCode::invalid,
                "writing a snapshot to " + folder + ", which exists already: name another folder"});
        fs::path name = fs::path(folder).lexically_normal();
        if (!name.has_filename()) name = name.parent_path();
        const std::string unfinished = name.string() + kUnfinishedEnding;
        const auto begun = make_empty_folder(unfinished);
        if (!begun.has_value() && begun.error().code == LedgerErrorCode::locked)
            return std::unexpected(LedgerError{
                LedgerErrorCode::invalid, "writing a snapshot to " + folder +
                                              ", which another process does: name another folder"});
        if (!begun.has_value()) return std::unexpected(begun.error());
        auto id = write_whole(unfinished, name.string(), progress);
        // On a full disk it would hold the room that is missing.
        if (id.has_value()) return id;
        fs::remove_all(unfinished, error);
        remove_made(begun->made);
        return id;
    }

private:
    std::expected<Hash, LedgerError> write_whole(const std::string& unfinished,
                                                 const std::string& folder,
                                                 const WorkProgress& progress) {
        HEDDLE_CHECK(write_chunks(unfinished, progress));
        const Bytes bytes = encode_manifest(manifest_);
        const Hash id = snapshot_id(bytes);
        HEDDLE_CHECK(write_file(unfinished + "/" + kManifestFile, bytes));
        HEDDLE_CHECK(write_file(unfinished + "/" + kIdFile, id_text(id)));
        HEDDLE_CHECK(rename_folder(unfinished, folder));
        return id;
    }

    std::expected<void, LedgerError> write_chunks(const std::string& folder,
                                                  const WorkProgress& progress) {
        manifest_.accounts = manifest_.slots = manifest_.codes = 0;
        manifest_.chunks.clear();
        RecordWriter records([&](BytesView chunk) -> std::expected<void, LedgerError> {
            HEDDLE_CHECK(write_file(folder + "/" + chunk_file(manifest_.chunks.size()), chunk));
            manifest_.chunks.push_back({.size = chunk.size(), .hash = keccak256(chunk)});
            return {};
        });
        HEDDLE_CHECK(write_headers(records));
        HEDDLE_CHECK(write_blocks(records));
        CodesInUse codes(memory_bytes_);
        HEDDLE_CHECK(write_state(records, codes, progress));
        HEDDLE_CHECK(write_codes(records, codes));
        while (codes.go_on()) {
            HEDDLE_CHECK(add_codes(codes));
            HEDDLE_CHECK(write_codes(records, codes));
        }
        return records.finish();
    }

    std::expected<void, LedgerError> check_stopped() const {
        if (!is_stopped_.load(std::memory_order_relaxed)) return {};
        return std::unexpected(LedgerError{LedgerErrorCode::unavailable,
                                           "the snapshot of " + block_name(head_.header.number) +
                                               " was given up before it was complete"});
    }

    /// A record that must be there.
    std::expected<Bytes, LedgerError> get(Table table, BytesView key) const {
        HEDDLE_TRY(auto value, database_.get(table, key, snapshot_.get()));
        if (!value.has_value())
            return missing_record(std::string{"table "} + table_name(table) + ": key " +
                                  to_hex(key));
        return *std::move(value);
    }

    std::expected<void, LedgerError> write_headers(RecordWriter& records) const {
        const std::uint64_t last = head_.header.number;
        for (std::uint64_t i = 0; i < header_count(last); ++i) {
            const Bytes key = schema::number_key(header_number(last, i));
            HEDDLE_TRY(const Bytes record, get(Table::headers, key));
            HEDDLE_CHECK(records.add(RecordKind::header, record));
        }
        return {};
    }

    std::expected<void, LedgerError> write_blocks(RecordWriter& records) const {
        const std::uint64_t last = head_.header.number;
        for (std::uint64_t i = 0; i < block_count(last); ++i) {
            const std::uint64_t number = whole_block_number(last, i);
            const Bytes key = schema::number_key(number);
            HEDDLE_TRY(const Bytes body, get(Table::bodies, key));
            HEDDLE_TRY(const Bytes receipts, get(Table::receipts, key));
            Bytes record;
            append_uint64(number, record);
            append_varint(body.size(), record);
            append(body, record);
            append(receipts, record);
            HEDDLE_CHECK(records.add(RecordKind::block, record));
        }
        return {};
    }

    std::expected<schema::AccountEntry, LedgerError> decode_account(const Cursor& accounts) const {
        HEDDLE_CHECK(check_stopped());
        const auto entry = schema::decode_account_entry(accounts.value());
        if (!entry.has_value())
            return damaged_record("table accounts: key " + to_hex(accounts.key()));
        return *entry;
    }

    /// Those that accounts refer to.
    std::expected<void, LedgerError> add_codes(CodesInUse& codes) const {
        Cursor accounts = database_.cursor(Table::accounts, snapshot_.get());
        for (accounts.seek({}); accounts.valid(); accounts.next()) {
            HEDDLE_TRY(const auto entry, decode_account(accounts));
            codes.add(entry.record.account);
        }
        return accounts.error();
    }

    std::expected<void, LedgerError> write_codes(RecordWriter& records, const CodesInUse& codes) {
        for (const Hash& hash : codes.ascending()) {
            HEDDLE_CHECK(check_stopped());
            HEDDLE_TRY(const Bytes code, get(Table::codes, hash.view()));
            HEDDLE_CHECK(records.add(RecordKind::code, code));
            ++manifest_.codes;
        }
        return {};
    }

    /// Adds the code that accounts refer to.
    std::expected<void, LedgerError> write_state(RecordWriter& records, CodesInUse& codes,
                                                 const WorkProgress& progress) {
        Cursor accounts = database_.cursor(Table::accounts, snapshot_.get());
        Cursor slots = database_.cursor(Table::slots, snapshot_.get());
        slots.seek({});
        for (accounts.seek({}); accounts.valid(); accounts.next()) {
            HEDDLE_TRY(const auto entry, decode_account(accounts));
            HEDDLE_CHECK(records.add(RecordKind::account, accounts.value()));
            codes.add(entry.record.account);
            for (; slots.has_prefix(accounts.key()); slots.next()) {
                HEDDLE_CHECK(check_stopped());
                HEDDLE_CHECK(records.add(RecordKind::slot, slots.value()));
                ++manifest_.slots;
            }
            if (++manifest_.accounts % kProgressInterval == 0 && progress)
                progress("writing accounts", manifest_.accounts, 0);
        }
        HEDDLE_CHECK(accounts.error());
        HEDDLE_CHECK(slots.error());
        if (slots.valid())
            return std::unexpected(LedgerError{
                LedgerErrorCode::corrupt,
                "table slots: key " + to_hex(slots.key()) + " is of an account that is not there"});
        return {};
    }

    const Database& database_;
    const std::unique_ptr<DatabaseSnapshot> snapshot_;
    const schema::HeaderRecord head_;
    const std::size_t memory_bytes_;
    SnapshotManifest manifest_;
    std::atomic<bool> is_stopped_ = false;
};

}  // namespace

std::unique_ptr<SnapshotWriter> make_snapshot_writer(const Database& database,
                                                     const schema::HeaderRecord& head, Bytes chain,
                                                     std::size_t memory_bytes) {
    return std::make_unique<StateSnapshot>(database, head, std::move(chain), memory_bytes);
}

Bytes id_text(const Hash& id) {
    const std::string text = to_string(id) + '\n';
    return Bytes(text.begin(), text.end());
}

std::string chunk_file(std::size_t index) {
    const std::string digits = std::to_string(index);
    constexpr std::size_t kDigits = 6;
    return "chunk-" + std::string(digits.size() < kDigits ? kDigits - digits.size() : 0, '0') +
           digits;
}

}  // namespace heddle::ledger
