// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>
#include <types/sender_recovery.hpp>
#include <types/transaction_hashes.hpp>

#include <ledger/snapshot.hpp>

#include "durable/opening.hpp"
#include "durable/records.hpp"
#include "durable/state_loader.hpp"
#include "durable/trie_tables.hpp"
#include "storage/byte_codec.hpp"
#include "tools/block_check.hpp"
#include "tools/marks.hpp"
#include "tools/snapshot_stream.hpp"
#include "tools/state_walk.hpp"
#include "tools/unused_codes.hpp"
#include "trie/worker_crew.hpp"

namespace heddle::ledger {

namespace {

/// What is written at once. A batch is in memory several times while it grows and is written.
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;

/// How far a restore has come, under Meta::restore.
struct Step {
    Hash id;  // of the snapshot
    std::uint64_t next_chunk = 0;
    RecordReader reader;

    explicit Step(std::uint64_t last) noexcept : reader(last) {}
};

void encode_step(const Step& step, Bytes& out) {
    append(step.id.view(), out);
    append_uint64(step.next_chunk, out);
    step.reader.encode(out);
}

/// @param last  Number of the snapshot's block.
std::optional<Step> decode_step(std::uint64_t last, BytesView bytes) {
    ByteReader reader(bytes);
    Step step(last);
    step.id = reader.hash();
    step.next_chunk = reader.uint64();
    if (!reader.is_good()) return std::nullopt;
    auto records = RecordReader::decode(last, reader.rest());
    if (!records.has_value()) return std::nullopt;
    step.reader = *std::move(records);
    return step;
}

/// Puts records where they belong. Part of a chunk may be written before it is whole: whoever goes
/// on after a crash writes the same again.
class TableSink final : public RecordSink {
public:
    explicit TableSink(Database& database) : database_(database), batch_(database.batch()) {}

    /// Writes what is left, with how far it has come. Not so in the midst of a record that is
    /// longer than a chunk: with each of its chunks all before it would be written once more, as
    /// often as a stranger's length says. Whoever goes on after a crash begins it again.
    Result finish(const Step& step) {
        if (step.reader.held_back_bytes() <= kSnapshotChunkBytes) {
            encode_step(step, clear());
            batch_.put(Table::meta, schema::meta_key(schema::Meta::restore), value_);
        }
        return database_.write(batch_, false);
    }

    Result header(const schema::HeaderRecord& record) override {
        const Bytes key = schema::number_key(record.header.number);
        schema::encode_header_record(record, clear());
        batch_.put(Table::headers, key, value_);
        batch_.put(Table::block_numbers, record.hash.view(), key);
        return write_if_full();
    }
    Result block(std::uint64_t number, BytesView body, BytesView receipts) override {
        const Bytes key = schema::number_key(number);
        batch_.put(Table::bodies, key, body);
        batch_.put(Table::receipts, key, receipts);
        return write_if_full();
    }
    Result account(const Hash& hash, const schema::AccountEntry& entry) override {
        schema::encode_account_entry(entry.address, entry.record, clear());
        batch_.put(Table::accounts, hash.view(), value_);
        return write_if_full();
    }
    Result slot(const Hash& account, const Hash& hash, const schema::SlotEntry& entry) override {
        schema::encode_slot_entry(entry.slot, entry.value, clear());
        batch_.put(Table::slots, schema::SlotKey(account, hash).view(), value_);
        return write_if_full();
    }
    Result code(const Hash& hash, BytesView code) override {
        batch_.put(Table::codes, hash.view(), code);
        return write_if_full();
    }

private:
    Bytes& clear() {
        value_.clear();
        return value_;
    }
    Result write_if_full() {
        if (batch_.size_bytes() < kBatchBytes) return {};
        HEDDLE_CHECK(database_.write(batch_, false));
        batch_.clear();
        return {};
    }

    Database& database_;
    WriteBatch batch_;
    Bytes value_;
};

}  // namespace

struct SnapshotRestorer::Impl {
    Impl(MaintenanceOptions the_options, SnapshotManifest the_manifest, const Hash& id)
        : options(std::move(the_options)),
          manifest(std::move(the_manifest)),
          step(manifest.header.number) {
        step.id = id;
    }

    MaintenanceOptions options;
    SnapshotManifest manifest;
    std::optional<NewDatabase> fresh;  // none once finished
    Step step;
    bool is_verified =
        false;  // all of it, by a restorer that was interrupted before it could say so

    [[nodiscard]] Database& database() { return fresh->database(); }
    [[nodiscard]] std::uint64_t last() const noexcept { return manifest.header.number; }

    void report(std::string_view doing, std::uint64_t done, std::uint64_t total) const {
        if (options.on_progress) options.on_progress(doing, done, total);
    }

    std::expected<void, LedgerError> write_if_full(WriteBatch& batch) {
        if (batch.size_bytes() < kBatchBytes) return {};
        HEDDLE_CHECK(database().write(batch, false));
        batch.clear();
        return {};
    }
    std::expected<std::uint64_t, LedgerError> count_codes();
    std::expected<void, LedgerError> check_headers();
    std::expected<void, LedgerError> index_blocks();
    std::expected<void, LedgerError> build_tries();
    /// The marks of a ledger, in the place of that of a restore.
    std::expected<WriteBatch, LedgerError> marks();
    /// Whether the database is the whole ledger that the manifest tells of.
    std::expected<bool, LedgerError> has_whole_ledger();
    /// Takes up what `fresh` holds. @return false: it is of no use for this snapshot.
    std::expected<bool, LedgerError> take_up();
};

SnapshotRestorer::SnapshotRestorer(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
SnapshotRestorer::SnapshotRestorer(SnapshotRestorer&&) noexcept = default;
SnapshotRestorer& SnapshotRestorer::operator=(SnapshotRestorer&&) noexcept = default;
SnapshotRestorer::~SnapshotRestorer() = default;

std::expected<SnapshotRestorer, LedgerError> SnapshotRestorer::begin(
    const MaintenanceOptions& options, BytesView manifest) {
    HEDDLE_TRY(SnapshotManifest decoded, decode_manifest(manifest));
    auto impl = std::make_unique<Impl>(options, std::move(decoded), snapshot_id(manifest));
    const std::size_t memory = options.memory_bytes / 2;
    HEDDLE_TRY(impl->fresh, NewDatabase::resume(options.directory, memory));
    if (impl->fresh.has_value()) {
        HEDDLE_TRY(const bool goes_on, impl->take_up());
        if (goes_on) return SnapshotRestorer(std::move(impl));
        impl->fresh.reset();
    }
    HEDDLE_TRY(impl->fresh,
               NewDatabase::create(options.directory, memory, NewDatabase::Maker::restorer));
    return SnapshotRestorer(std::move(impl));
}

std::expected<bool, LedgerError> SnapshotRestorer::Impl::take_up() {
    HEDDLE_TRY(is_verified, has_whole_ledger());
    if (is_verified) {
        step.next_chunk = manifest.chunks.size();
        return true;
    }
    HEDDLE_TRY(const auto bytes,
               database().get(Table::meta, schema::meta_key(schema::Meta::restore)));
    auto found = bytes.has_value() ? decode_step(last(), *bytes) : std::nullopt;
    if (!found.has_value() || found->id != step.id || found->next_chunk > manifest.chunks.size())
        return false;
    step = *std::move(found);
    return true;
}

std::expected<bool, LedgerError> SnapshotRestorer::Impl::has_whole_ledger() {
    HEDDLE_TRY(const auto format,
               database().get(Table::meta, schema::meta_key(schema::Meta::format)));
    if (!format.has_value()) return false;
    HEDDLE_TRY(const auto head, read_head(database()));
    HEDDLE_TRY(const auto chain,
               database().get(Table::meta, schema::meta_key(schema::Meta::chain)));
    return head.has_value() && head->hash == header_hash(manifest.header) &&
           chain == manifest.chain;
}

const SnapshotManifest& SnapshotRestorer::manifest() const noexcept {
    return impl_->manifest;
}

std::size_t SnapshotRestorer::next_chunk() const noexcept {
    return impl_->step.next_chunk;
}

std::expected<Hash, LedgerError> SnapshotRestorer::genesis_hash() const {
    HEDDLE_ASSERT(impl_->fresh.has_value());
    HEDDLE_TRY(const auto record, read_header(impl_->database(), 0));
    if (!record.has_value()) return bad_snapshot("the header of block 0 is missing");
    return record->hash;
}

std::expected<void, LedgerError> SnapshotRestorer::abandon() {
    HEDDLE_ASSERT(impl_->fresh.has_value());
    WriteBatch batch = impl_->database().batch();
    for (const schema::Meta key : {schema::Meta::restore, schema::Meta::format})
        batch.erase(Table::meta, schema::meta_key(key));
    return impl_->database().write(batch, false);
}

std::expected<void, LedgerError> SnapshotRestorer::apply(BytesView chunk) {
    Impl& self = *impl_;
    const std::size_t index = next_chunk();
    HEDDLE_ASSERT(self.fresh.has_value());
    if (index >= self.manifest.chunks.size())
        return bad_snapshot("there are no chunks after " + std::to_string(index));
    const std::string name = "chunk " + std::to_string(index);
    const SnapshotManifest::Chunk& claimed = self.manifest.chunks[index];
    if (chunk.size() != claimed.size || keccak256(chunk) != claimed.hash)
        return bad_snapshot(name + " has another hash than the manifest says");

    Step next = self.step;
    TableSink sink(self.database());
    if (auto read = next.reader.read(chunk, sink); !read.has_value()) {
        read.error().detail.insert(0, name + ": ");
        return read;
    }
    ++next.next_chunk;
    HEDDLE_CHECK(sink.finish(next));
    self.step = std::move(next);
    self.report("restoring chunks", self.step.next_chunk, self.manifest.chunks.size());
    return {};
}

std::expected<void, LedgerError> SnapshotRestorer::finish() {
    Impl& self = *impl_;
    HEDDLE_ASSERT(self.fresh.has_value());
    if (next_chunk() != self.manifest.chunks.size())
        return bad_snapshot("chunk " + std::to_string(next_chunk()) + " is missing");
    if (!self.is_verified) {
        HEDDLE_CHECK(self.step.reader.finish());
        HEDDLE_CHECK(self.check_headers());
        HEDDLE_CHECK(self.index_blocks());
        HEDDLE_CHECK(self.build_tries());
    }
    HEDDLE_TRY(WriteBatch marks, self.marks());
    HEDDLE_TRY(const auto database, self.fresh->finish(std::move(marks)));
    self.fresh.reset();
    return {};
}

std::expected<std::uint64_t, LedgerError> SnapshotRestorer::Impl::count_codes() {
    std::uint64_t records = 0;
    Cursor cursor = database().cursor(Table::codes);
    for (cursor.seek({}); cursor.valid(); cursor.next())
        ++records;
    HEDDLE_CHECK(cursor.error());
    return records;
}

/// Each is the child of the one before. Which there are the reader has seen to.
std::expected<void, LedgerError> SnapshotRestorer::Impl::check_headers() {
    std::optional<schema::HeaderRecord> parent;
    for (std::uint64_t i = 0; i < header_count(last()); ++i) {
        const std::uint64_t number = header_number(last(), i);
        HEDDLE_TRY(auto record, require_header(database(), number));
        auto problem = check_header(record);
        if (!problem.has_value() && parent.has_value() && parent->header.number + 1 == number)
            problem = check_parent(record, *parent);
        if (problem.has_value())
            return bad_snapshot("header of " + block_name(number) + ": " + *problem);
        parent = std::move(record);
    }
    if (parent->header != manifest.header || parent->total_difficulty != manifest.total_difficulty)
        return bad_snapshot("the last header is not that of the manifest");
    return {};
}

/// Checks the last blocks and fills in what follows from them: senders and places of transactions.
std::expected<void, LedgerError> SnapshotRestorer::Impl::index_blocks() {
    WriteBatch batch = database().batch();
    for (std::uint64_t i = 0; i < block_count(last()); ++i) {
        const std::uint64_t number = whole_block_number(last(), i);
        const Bytes key = schema::number_key(number);
        HEDDLE_TRY(const auto record, require_header(database(), number));
        HEDDLE_TRY(const auto body, database().get(Table::bodies, key));
        HEDDLE_TRY(const auto receipts, database().get(Table::receipts, key));
        if (!body.has_value() || !receipts.has_value()) return missing_record(block_name(number));
        if (const auto problem = check_stored_block(record.header, *body, *receipts).problem)
            return bad_snapshot(block_name(number) + ": " + *problem);
        Bytes senders;
        HEDDLE_CHECK(visit_transactions(
            *body,
            [&](std::size_t index,
                std::span<Transaction> transactions) -> std::expected<void, LedgerError> {
                recover_missing_senders(transactions);
                schema::encode_senders(transactions, senders);
                Bytes value;
                for (const Hash& hash : transaction_hashes(transactions)) {
                    value.clear();
                    schema::encode_place({number, static_cast<std::uint32_t>(index++)}, value);
                    batch.put(Table::transactions, hash.view(), value);
                }
                return write_if_full(batch);
            }));
        batch.put(Table::senders, key, senders);
    }
    return database().write(batch, false);
}

std::expected<void, LedgerError> SnapshotRestorer::Impl::build_tries() {
    WriteBatch batch = database().batch();
    TrieBatch nodes(batch);
    std::mutex mutex;  // guards the two above: several threads walk
    StateWalkOptions walk;
    walk.threads = thread_count(options.threads);
    walk.memory_bytes = options.memory_bytes / 4;
    walk.on_node = [&](const Hash& owner, NibblesView path,
                       BytesView node) -> std::expected<std::optional<std::string>, LedgerError> {
        const std::lock_guard lock(mutex);
        nodes.put(owner, path, node);
        HEDDLE_CHECK(write_if_full(batch));
        return std::nullopt;
    };
    walk.on_progress = [&](const StateWalkCounts& counts) {
        report("verifying accounts", counts.accounts, manifest.accounts);
    };
    std::optional<std::string> problem;
    const OnProblem note = [&](std::string text) {
        if (!problem.has_value()) problem = std::move(text);
    };
    StateWalkCounts counts;
    HEDDLE_TRY(const Hash root, walk_state(database(), walk, note, counts));
    HEDDLE_CHECK(database().write(batch, false));
    if (problem.has_value()) return bad_snapshot(*problem);
    if (root != manifest.header.state_root)
        return bad_snapshot("the state root is " + to_string(root) + ", the header says " +
                            to_string(manifest.header.state_root));
    HEDDLE_TRY(const std::uint64_t codes, count_codes());
    if (counts.accounts != manifest.accounts || counts.slots != manifest.slots ||
        codes != manifest.codes)
        return bad_snapshot(
            "there are other numbers of accounts, slots or codes than the manifest says");
    HEDDLE_TRY(const auto unused, find_unused_code(database(), walk.memory_bytes));
    if (unused.has_value())
        return bad_snapshot("code " + to_string(*unused) + " belongs to no account");
    return {};
}

std::expected<WriteBatch, LedgerError> SnapshotRestorer::Impl::marks() {
    WriteBatch batch = database().batch();
    HEDDLE_TRY(const auto record, require_header(database(), last()));
    store_first_block(record, manifest.chain, batch);
    batch.put(Table::meta, schema::meta_key(schema::Meta::first_block),
              schema::number_key(whole_block_number(last(), 0)));
    batch.erase(Table::meta, schema::meta_key(schema::Meta::restore));
    return batch;
}

}  // namespace heddle::ledger
