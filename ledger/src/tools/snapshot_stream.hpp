// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the chunks of a snapshot make together: one stream of records, cut every
// kSnapshotChunkBytes. A record is a byte that tells its kind, the length of the rest (LEB128), and
// the rest, which is as the table of the ledger has it:
//
//   1 header   hash, total difficulty and header; ascending: block 0, then the last 256 up to the
//              snapshot's (once, where block 0 is one of these)
//   2 block    number (8 bytes, big-endian), length of the body (LEB128), body, receipts;
//              ascending: the snapshot's and the six before it, to which ommers reach
//   3 account  address and account; ascending by hash of the address
//   4 slot     slot and value, of the account before it; ascending by hash of the slot
//   5 code     ascending by hash; exactly what accounts refer to
//
// Kinds follow each other in this order, but for slots, which stand among accounts.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include <ledger/ledger_error.hpp>

#include "durable/records.hpp"
#include "storage/schema.hpp"

namespace heddle::ledger {

enum class RecordKind : std::uint8_t { header = 1, block, account, slot, code };

/// The first of so many consecutive blocks, or block 0.
[[nodiscard]] constexpr std::uint64_t first_of(std::uint64_t last, std::uint64_t count) noexcept {
    return last >= count ? last - count + 1 : 0;
}

/// How many headers the snapshot of block `last` has, and of which block each is, in their order.
[[nodiscard]] constexpr std::uint64_t header_count(std::uint64_t last) noexcept {
    return last >= kSnapshotHeaders ? kSnapshotHeaders + 1 : last + 1;
}
[[nodiscard]] constexpr std::uint64_t header_number(std::uint64_t last,
                                                    std::uint64_t index) noexcept {
    return last >= kSnapshotHeaders && index != 0 ? last - kSnapshotHeaders + index : index;
}
/// The same of its whole blocks.
[[nodiscard]] constexpr std::uint64_t block_count(std::uint64_t last) noexcept {
    return last - first_of(last, kSnapshotBlocks) + 1;
}
[[nodiscard]] constexpr std::uint64_t whole_block_number(std::uint64_t last,
                                                         std::uint64_t index) noexcept {
    return first_of(last, kSnapshotBlocks) + index;
}

/// No record is longer: the bound on what a stranger's bytes make a reader hold.
inline constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{256} << 20;

[[nodiscard]] std::unexpected<LedgerError> bad_snapshot(std::string detail);

/// Cuts records into chunks and hands each on as it is full.
class RecordWriter {
public:
    using EmitChunk = std::function<std::expected<void, LedgerError>(BytesView)>;
    explicit RecordWriter(EmitChunk emit) : emit_(std::move(emit)) {}

    /// Errors: unavailable where the record is longer than a reader takes; those of `emit`.
    [[nodiscard]] std::expected<void, LedgerError> add(RecordKind kind, BytesView payload);
    /// The last chunk.
    [[nodiscard]] std::expected<void, LedgerError> finish();

private:
    EmitChunk emit_;
    Bytes buffer_;
};

/// Takes what a snapshot says.
class RecordSink {
public:
    virtual ~RecordSink() = default;
    using Result = std::expected<void, LedgerError>;
    virtual Result header(const schema::HeaderRecord& header) = 0;
    virtual Result block(std::uint64_t number, BytesView body, BytesView receipts) = 0;
    virtual Result account(const Hash& hash, const schema::AccountEntry& entry) = 0;
    virtual Result slot(const Hash& account, const Hash& hash, const schema::SlotEntry& entry) = 0;
    virtual Result code(const Hash& hash, BytesView code) = 0;
};

/// Reads the stream and refuses what no snapshot of its block has: records that do not decode, that
/// come in another order or twice, headers and blocks that are missing or of other numbers. What
/// records mean together is not its business.
class RecordReader {
public:
    /// @param last  Number of the snapshot's block.
    explicit RecordReader(std::uint64_t last) noexcept : last_(last) {}

    /// A whole chunk. After an error the reader is of no more use.
    [[nodiscard]] std::expected<void, LedgerError> read(BytesView chunk, RecordSink& sink);
    /// Errors: bad_snapshot if the stream ends within a record, or before all headers and blocks.
    [[nodiscard]] std::expected<void, LedgerError> finish() const;

    /// Of a record that is not whole yet.
    [[nodiscard]] std::size_t held_back_bytes() const noexcept { return rest_.size(); }

    /// Everything that reading on from here needs.
    void encode(Bytes& out) const;
    [[nodiscard]] static std::optional<RecordReader> decode(std::uint64_t last, BytesView bytes);

private:
    /// Those at the beginning of what is held back.
    [[nodiscard]] std::expected<void, LedgerError> take_whole_records(RecordSink& sink);
    [[nodiscard]] std::expected<void, LedgerError> take(RecordKind kind, BytesView payload,
                                                        RecordSink& sink);
    /// Whether there were all headers, and all blocks: records of a kind that comes behind both may
    /// follow.
    [[nodiscard]] std::expected<void, LedgerError> check_headers() const;
    [[nodiscard]] std::expected<void, LedgerError> check_blocks() const;
    [[nodiscard]] std::expected<void, LedgerError> take_header(BytesView payload, RecordSink& sink);
    [[nodiscard]] std::expected<void, LedgerError> take_block(BytesView payload, RecordSink& sink);
    [[nodiscard]] std::expected<void, LedgerError> take_account(BytesView payload,
                                                                RecordSink& sink);
    [[nodiscard]] std::expected<void, LedgerError> take_slot(BytesView payload, RecordSink& sink);
    [[nodiscard]] std::expected<void, LedgerError> take_code(BytesView payload, RecordSink& sink);

    std::uint64_t last_;
    RecordKind kind_ = RecordKind::header;  // of the last record
    std::uint64_t headers_ = 0;             // that there were
    std::uint64_t blocks_ = 0;
    std::optional<Hash> account_;
    std::optional<Hash> slot_;  // of account_
    std::optional<Hash> code_;
    Bytes rest_;  // a record that is not whole yet
};

}  // namespace heddle::ledger
