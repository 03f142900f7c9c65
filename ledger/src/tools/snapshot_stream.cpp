// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/snapshot_stream.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <types/expected.hpp>

#include <ledger/snapshot.hpp>

#include "storage/byte_codec.hpp"
#include "tools/marks.hpp"

namespace heddle::ledger {

namespace {

/// So much of a chunk is copied at once, behind the beginning of a record that goes on in it.
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

void append_hash(const std::optional<Hash>& hash, Bytes& out) {
    out.push_back(hash.has_value() ? 1 : 0);
    if (hash.has_value()) append(hash->view(), out);
}

/// What encoded readers begin with. Those of earlier versions begin with the kind of a record, and
/// do not say how many headers and blocks there were.
constexpr std::uint8_t kEncodedReader = 0;

std::optional<Hash> read_hash(ByteReader& reader) {
    if (reader.byte() == 0) return std::nullopt;
    return reader.hash();
}

/// Whether `next` comes after what there was, which it then replaces.
bool ascends(std::optional<Hash>& last, const Hash& next) {
    if (last.has_value() && *last >= next) return false;
    last = next;
    return true;
}

}  // namespace

std::unexpected<LedgerError> bad_snapshot(std::string detail) {
    return std::unexpected(LedgerError{LedgerErrorCode::bad_snapshot, std::move(detail)});
}

std::expected<void, LedgerError> RecordWriter::add(RecordKind kind, BytesView payload) {
    if (payload.size() > kMaxRecordBytes)
        return std::unexpected(
            LedgerError{LedgerErrorCode::unavailable,
                        "a snapshot with a block or code of " + std::to_string(payload.size()) +
                            " bytes; there is room for " + std::to_string(kMaxRecordBytes)});
    buffer_.push_back(static_cast<std::uint8_t>(kind));
    append_varint(payload.size(), buffer_);
    append(payload, buffer_);
    std::size_t done = 0;
    for (; buffer_.size() - done >= kSnapshotChunkBytes; done += kSnapshotChunkBytes)
        HEDDLE_CHECK(emit_(BytesView(buffer_).subspan(done, kSnapshotChunkBytes)));
    if (done != 0) buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<long>(done));
    return {};
}

std::expected<void, LedgerError> RecordWriter::finish() {
    if (!buffer_.empty()) HEDDLE_CHECK(emit_(buffer_));
    buffer_.clear();
    return {};
}

std::expected<void, LedgerError> RecordReader::read(BytesView chunk, RecordSink& sink) {
    while (!chunk.empty()) {
        const BytesView piece = chunk.first(std::min(chunk.size(), kPieceBytes));
        append(piece, rest_);
        HEDDLE_CHECK(take_whole_records(sink));
        chunk = chunk.subspan(piece.size());
    }
    return {};
}

std::expected<void, LedgerError> RecordReader::take_whole_records(RecordSink& sink) {
    std::size_t done = 0;
    for (;;) {
        ByteReader reader(BytesView(rest_).subspan(done));
        if (reader.at_end()) break;
        const std::uint8_t kind = reader.byte();
        if (kind < static_cast<std::uint8_t>(RecordKind::header) ||
            kind > static_cast<std::uint8_t>(RecordKind::code))
            return bad_snapshot("a record of unknown kind " + std::to_string(kind));
        // The bytes of the length may be in the next chunk, too.
        const std::size_t left = rest_.size() - done;
        const std::uint64_t size = reader.varint();
        if (!reader.is_good() && left <= 10) break;
        if (!reader.is_good() || size > kMaxRecordBytes)
            return bad_snapshot("a record of impossible length");
        const BytesView payload = reader.take(size);
        if (!reader.is_good()) break;
        HEDDLE_CHECK(take(static_cast<RecordKind>(kind), payload, sink));
        done = static_cast<std::size_t>(payload.data() + payload.size() - rest_.data());
    }
    rest_.erase(rest_.begin(), rest_.begin() + static_cast<long>(done));
    return {};
}

std::expected<void, LedgerError> RecordReader::finish() const {
    if (!rest_.empty()) return bad_snapshot("the last record is cut short");
    return check_blocks();
}

std::expected<void, LedgerError> RecordReader::check_headers() const {
    if (headers_ == header_count(last_)) return {};
    return bad_snapshot("the header of " + block_name(header_number(last_, headers_)) +
                        " is missing");
}

std::expected<void, LedgerError> RecordReader::check_blocks() const {
    HEDDLE_CHECK(check_headers());
    if (blocks_ == block_count(last_)) return {};
    return bad_snapshot(block_name(whole_block_number(last_, blocks_)) + " is missing");
}

std::expected<void, LedgerError> RecordReader::take(RecordKind kind, BytesView payload,
                                                    RecordSink& sink) {
    const bool is_slot_before_account = kind == RecordKind::account && kind_ == RecordKind::slot;
    if (kind < kind_ && !is_slot_before_account)
        return bad_snapshot("records in another order than snapshots have");
    kind_ = kind;
    switch (kind) {
        case RecordKind::header:
            return take_header(payload, sink);
        case RecordKind::block:
            HEDDLE_CHECK(check_headers());
            return take_block(payload, sink);
        case RecordKind::account:
            HEDDLE_CHECK(check_blocks());
            return take_account(payload, sink);
        case RecordKind::slot:
            return take_slot(payload, sink);
        case RecordKind::code:
            HEDDLE_CHECK(check_blocks());
            return take_code(payload, sink);
    }
    return bad_snapshot("a record of unknown kind");
}

std::expected<void, LedgerError> RecordReader::take_header(BytesView payload, RecordSink& sink) {
    const auto record = schema::decode_header_record(payload);
    if (!record.has_value()) return bad_snapshot("a header does not decode");
    const std::uint64_t number = record->header.number;
    if (headers_ == header_count(last_) || number != header_number(last_, headers_))
        return bad_snapshot("the header of " + block_name(number) + " is out of order");
    ++headers_;
    return sink.header(*record);
}

std::expected<void, LedgerError> RecordReader::take_block(BytesView payload, RecordSink& sink) {
    ByteReader reader(payload);
    const std::uint64_t number = reader.uint64();
    const BytesView body = reader.take(reader.varint());
    if (!reader.is_good()) return bad_snapshot("a block does not decode");
    if (blocks_ == block_count(last_) || number != whole_block_number(last_, blocks_))
        return bad_snapshot(block_name(number) + " is out of order");
    ++blocks_;
    return sink.block(number, body, reader.rest());
}

std::expected<void, LedgerError> RecordReader::take_account(BytesView payload, RecordSink& sink) {
    const auto entry = schema::decode_account_entry(payload);
    if (!entry.has_value()) return bad_snapshot("an account does not decode");
    const Hash hash = schema::hash_of(entry->address);
    if (!ascends(account_, hash))
        return bad_snapshot("account " + to_string(entry->address) + " is out of order");
    slot_.reset();
    return sink.account(hash, *entry);
}

std::expected<void, LedgerError> RecordReader::take_slot(BytesView payload, RecordSink& sink) {
    const auto entry = schema::decode_slot_entry(payload);
    if (!entry.has_value() || !account_.has_value())
        return bad_snapshot("a slot does not decode or has no account");
    const Hash hash = schema::hash_of_slot(entry->slot);
    if (!ascends(slot_, hash))
        return bad_snapshot("slot " + to_hex(entry->slot) + " is out of order");
    return sink.slot(*account_, hash, *entry);
}

std::expected<void, LedgerError> RecordReader::take_code(BytesView payload, RecordSink& sink) {
    const Hash hash = keccak256(payload);
    if (!ascends(code_, hash)) return bad_snapshot("code " + to_string(hash) + " is out of order");
    return sink.code(hash, payload);
}

void RecordReader::encode(Bytes& out) const {
    out.push_back(kEncodedReader);
    out.push_back(static_cast<std::uint8_t>(kind_));
    append_uint64(headers_, out);
    append_uint64(blocks_, out);
    append_hash(account_, out);
    append_hash(slot_, out);
    append_hash(code_, out);
    append(rest_, out);
}

std::optional<RecordReader> RecordReader::decode(std::uint64_t last, BytesView bytes) {
    ByteReader reader(bytes);
    RecordReader result(last);
    if (reader.byte() != kEncodedReader) return std::nullopt;
    const std::uint8_t kind = reader.byte();
    if (kind < 1 || kind > static_cast<std::uint8_t>(RecordKind::code)) return std::nullopt;
    result.kind_ = static_cast<RecordKind>(kind);
    result.headers_ = reader.uint64();
    result.blocks_ = reader.uint64();
    result.account_ = read_hash(reader);
    result.slot_ = read_hash(reader);
    result.code_ = read_hash(reader);
    if (!reader.is_good() || result.headers_ > header_count(last) ||
        result.blocks_ > block_count(last))
        return std::nullopt;
    append(reader.rest(), result.rest_);
    return result;
}

}  // namespace heddle::ledger
