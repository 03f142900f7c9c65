// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What a ledger reads of a snapshot that came from a peer, and a recording: chunks may end
// anywhere, a reader may be put away and gone on with, and what is wrong is said in words.
#include <algorithm>
#include <string>

#include <types/block.hpp>

#include "byte_source.hpp"
#include "shim/event_codec.hpp"
#include "targets.hpp"
#include "tools/snapshot_stream.hpp"

namespace heddle::fuzz {
namespace {

/// Writes down what it is told.
class Notes final : public ledger::RecordSink {
public:
    Result header(const ledger::schema::HeaderRecord& header) override {
        return note(header_hash(header.header).view());
    }
    Result block(std::uint64_t number, BytesView body, BytesView receipts) override {
        text_.push_back(static_cast<std::uint8_t>(number));
        (void)note(body);
        return note(receipts);
    }
    Result account(const Hash& hash, const ledger::schema::AccountEntry&) override {
        return note(hash.view());
    }
    Result slot(const Hash& account, const Hash& hash, const ledger::schema::SlotEntry&) override {
        (void)note(account.view());
        return note(hash.view());
    }
    Result code(const Hash& hash, BytesView code) override {
        require(hash == keccak256(code), "the hash of code");
        return note(hash.view());
    }
    [[nodiscard]] const Bytes& text() const noexcept { return text_; }

private:
    Result note(BytesView bytes) {
        text_.insert(text_.end(), bytes.begin(), bytes.end());
        return {};
    }
    Bytes text_;
};

/// The one that the inputs are of.
constexpr std::uint64_t kSnapshotBlock = 2;

/// Streams that begin with accounts or code are read as if all headers and blocks had been before:
/// hardly a change of an input makes these.
ledger::RecordReader reader_of(BytesView stream) {
    if (stream.empty() || stream[0] <= static_cast<std::uint8_t>(ledger::RecordKind::block))
        return ledger::RecordReader(kSnapshotBlock);
    Bytes behind_blocks{0, static_cast<std::uint8_t>(ledger::RecordKind::block)};
    for (int i = 0; i < 2; ++i) {
        const Bytes count = ledger::schema::number_key(kSnapshotBlock + 1);
        behind_blocks.insert(behind_blocks.end(), count.begin(), count.end());
    }
    behind_blocks.insert(behind_blocks.end(), 3, 0);  // no account, slot or code yet
    auto reader = ledger::RecordReader::decode(kSnapshotBlock, behind_blocks);
    require(reader.has_value(), "a reader behind headers and blocks");
    return *std::move(reader);
}

/// What went wrong; empty: nothing.
std::string read_in_pieces(BytesView stream, std::size_t piece, Notes& notes) {
    ledger::RecordReader reader = reader_of(stream);
    while (!stream.empty()) {
        const std::size_t size = std::min(piece, stream.size());
        if (const auto read = reader.read(stream.first(size), notes); !read.has_value())
            return ledger::to_string(read.error());
        stream = stream.subspan(size);
        Bytes put_away;
        reader.encode(put_away);
        auto again = ledger::RecordReader::decode(kSnapshotBlock, put_away);
        require(again.has_value(), "a reader that was put away");
        reader = *std::move(again);
    }
    const auto ended = reader.finish();
    return ended.has_value() ? std::string{} : ledger::to_string(ended.error());
}

}  // namespace

void snapshot(BytesView input) {
    Notes whole;
    const std::string said = read_in_pieces(input, input.size(), whole);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{13}}) {
        // Each piece puts the reader away once, with all that it holds back.
        if (input.size() > 1'500) break;
        Notes notes;
        require(read_in_pieces(input, piece, notes) == said, "an error that hangs on the pieces");
        require(notes.text() == whole.text(), "records that hang on the pieces");
    }
    if (const auto reader = ledger::RecordReader::decode(kSnapshotBlock, input)) {
        Bytes encoded;
        reader->encode(encoded);
        require(encoded.size() <= input.size() + 3, "a reader that grew");
    }
}

void recording(BytesView input) {
    node::EventDecoder decoder;
    node::FieldReader fields(input);
    while (!fields.is_empty()) {
        const std::size_t left = fields.left().size();
        const auto event = decoder.next(fields);
        if (!event.has_value()) return require(!event.error().empty(), "an error without words");
        require(!fields.has_failed() && fields.left().size() < left, "an event of nothing");
    }
}

}  // namespace heddle::fuzz
