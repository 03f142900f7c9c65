// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <optional>

#include <types/expected.hpp>
#include <types/rlp.hpp>

#include <ledger/snapshot.hpp>

#include "tools/block_check.hpp"
#include "tools/codes_in_use.hpp"
#include "tools/marks.hpp"
#include "tools/snapshot_stream.hpp"
#include "trie/trie_builder.hpp"

namespace heddle::ledger {

namespace {

/// Whether the code in the stream is what accounts refer to, of one part of the hashes.
class CodeCheck : public RecordSink {
public:
    explicit CodeCheck(std::size_t memory_bytes) : wanted_(memory_bytes) {}

    Result header(const schema::HeaderRecord&) override { return {}; }
    Result block(std::uint64_t, BytesView, BytesView) override { return {}; }
    Result account(const Hash&, const schema::AccountEntry& entry) override {
        wanted_.add(entry.record.account);
        return {};
    }
    Result slot(const Hash&, const Hash&, const schema::SlotEntry&) override { return {}; }
    Result code(const Hash& hash, BytesView) override {
        if (wanted_.covers(hash) && !wanted_.remove(hash))
            return bad_snapshot("code " + to_string(hash) + " belongs to no account");
        return {};
    }
    /// Once the stream has ended. @return whether it is to be read for another part.
    std::expected<bool, LedgerError> next_part() {
        if (const auto missing = wanted_.ascending(); !missing.empty())
            return bad_snapshot("code " + to_string(missing.front()) + " is missing");
        return wanted_.go_on();
    }

private:
    CodesInUse wanted_;  // those that were not there yet
};

/// Follows the stream from beginning to end and keeps nothing but paths of tries, hashes of code
/// and the headers.
class SnapshotCheck final : public RecordSink {
public:
    SnapshotCheck(const SnapshotManifest& manifest, CodeCheck& codes)
        : manifest_(manifest), code_check_(codes) {}

    Result header(const schema::HeaderRecord& record) override {
        const std::uint64_t number = record.header.number;
        const std::string name = "header of " + block_name(number) + ": ";
        if (auto problem = check_header(record)) return bad_snapshot(name + *problem);
        if (last_header_.has_value() && last_header_->header.number + 1 == number)
            if (auto problem = check_parent(record, *last_header_))
                return bad_snapshot(name + *problem);
        if (number >= whole_block_number(manifest_.header.number, 0))
            headers_.emplace(number, record.header);
        last_header_ = record;
        return {};
    }

    Result block(std::uint64_t number, BytesView body, BytesView receipts) override {
        // Headers of all blocks were before them.
        const BlockHeader& header = headers_.at(number);
        if (const auto problem = check_stored_block(header, body, receipts).problem)
            return bad_snapshot(block_name(number) + ": " + *problem);
        return {};
    }

    Result account(const Hash& hash, const schema::AccountEntry& entry) override {
        HEDDLE_CHECK(end_account());
        account_ = Current{hash, entry};
        ++accounts_;
        return code_check_.account(hash, entry);
    }

    Result slot(const Hash&, const Hash& hash, const schema::SlotEntry& entry) override {
        leaf_.clear();
        rlp::encode_uint256(entry.value, leaf_);
        (void)storage_trie_.add(hash, leaf_);
        ++slots_;
        return {};
    }

    Result code(const Hash& hash, BytesView code) override {
        ++codes_;
        return code_check_.code(hash, code);
    }

    Result finish() {
        HEDDLE_CHECK(end_account());
        if (!last_header_.has_value() || last_header_->header != manifest_.header ||
            last_header_->total_difficulty != manifest_.total_difficulty)
            return bad_snapshot("the last header is not that of the manifest");
        if (accounts_ != manifest_.accounts || slots_ != manifest_.slots ||
            codes_ != manifest_.codes)
            return bad_snapshot(
                "there are other numbers of accounts, slots or codes than the "
                "manifest says");
        if (const Hash root = account_trie_.finish(); root != manifest_.header.state_root)
            return bad_snapshot("the state root is " + to_string(root) + ", the header says " +
                                to_string(manifest_.header.state_root));
        return {};
    }

private:
    struct Current {
        Hash hash;
        schema::AccountEntry entry;
    };

    Result end_account() {
        if (!account_.has_value()) return {};
        const AccountRecord& record = account_->entry.record;
        if (const Hash root = storage_trie_.finish(); root != record.storage_root)
            return bad_snapshot("account " + to_string(account_->entry.address) +
                                ": its storage root is " + to_string(record.storage_root) +
                                ", that of its slots " + to_string(root));
        leaf_.clear();
        schema::encode_account_leaf(record, leaf_);
        (void)account_trie_.add(account_->hash, leaf_);
        return {};
    }

    const SnapshotManifest& manifest_;
    CodeCheck& code_check_;
    std::optional<schema::HeaderRecord> last_header_;
    std::map<std::uint64_t, BlockHeader> headers_;  // of the blocks that are there whole
    std::optional<Current> account_;
    TrieBuilder account_trie_{[](NibblesView, BytesView) {}};
    TrieBuilder storage_trie_{[](NibblesView, BytesView) {}};
    std::uint64_t accounts_ = 0;
    std::uint64_t slots_ = 0;
    std::uint64_t codes_ = 0;
    Bytes leaf_;
};

std::expected<void, LedgerError> read_all(const SnapshotReader& reader, RecordSink& sink,
                                          const WorkProgress& on_progress) {
    const std::size_t count = reader.manifest().chunks.size();
    RecordReader records(reader.manifest().header.number);
    for (std::size_t i = 0; i < count; ++i) {
        HEDDLE_TRY(const Bytes chunk, reader.read_chunk(i));
        HEDDLE_CHECK(records.read(chunk, sink));
        if (on_progress) on_progress("verifying chunks", i + 1, count);
    }
    return records.finish();
}

}  // namespace

std::expected<void, LedgerError> verify_snapshot(const std::string& folder,
                                                 const WorkProgress& on_progress,
                                                 std::size_t memory_bytes) {
    HEDDLE_TRY(const SnapshotReader reader, SnapshotReader::open(folder));
    CodeCheck codes(memory_bytes);
    SnapshotCheck check(reader.manifest(), codes);
    HEDDLE_CHECK(read_all(reader, check, on_progress));
    HEDDLE_TRY(bool is_more, codes.next_part());
    HEDDLE_CHECK(check.finish());
    while (is_more) {
        HEDDLE_CHECK(read_all(reader, codes, on_progress));
        HEDDLE_TRY(is_more, codes.next_part());
    }
    return {};
}

}  // namespace heddle::ledger
