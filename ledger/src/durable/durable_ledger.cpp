// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <ledger/durable_ledger.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

#include <types/assert.hpp>
#include <types/expected.hpp>

#include "durable/genesis_block.hpp"
#include "durable/ledger_impl.hpp"
#include "durable/opening.hpp"
#include "durable/plain_root.hpp"
#include "durable/state_records.hpp"
#include "durable/stopwatch.hpp"
#include "rejection.hpp"
#include "storage/folders.hpp"
#include "trie/worker_crew.hpp"

namespace heddle::ledger {

namespace {

std::unexpected<BlockError> storage_failed(std::uint64_t number, const LedgerError& cause) {
    BlockError error;
    error.code = BlockErrorCode::storage_failed;
    error.number = number;
    error.detail = to_string(cause);
    return std::unexpected(std::move(error));
}

/// How far back BLOCKHASH reaches (YP 9.4.2).
constexpr std::size_t kBlockHashDepth = 256;
/// What is waited for rather than exceeded, in times of what is asked for.
constexpr std::uint64_t kCheckpointSlack = 3;

/// Shares of the memory: what is on its way to the disk comes first, caches and tries have the
/// rest.
constexpr std::size_t buffer_share(std::size_t memory_bytes) noexcept {
    return std::min<std::size_t>(memory_bytes / 4, std::size_t{192} << 20);
}
constexpr std::size_t database_share(std::size_t memory_bytes) noexcept {
    return (memory_bytes - buffer_share(memory_bytes)) / 16 * 5;
}
constexpr std::size_t state_share(std::size_t memory_bytes) noexcept {
    return memory_bytes - buffer_share(memory_bytes) - database_share(memory_bytes);
}
/// Of the buffers: blocks that are not written yet, and what waits for a checkpoint, which takes
/// several times that while it is put together.
constexpr std::size_t queue_share(std::size_t memory_bytes) noexcept {
    return buffer_share(memory_bytes) / 4;
}
constexpr std::size_t checkpoint_share(std::size_t memory_bytes) noexcept {
    return buffer_share(memory_bytes) / 6;
}

/// One in four: about what records cost beside executing and hashing what they tell.
constexpr unsigned writer_threads(unsigned threads) noexcept {
    return std::clamp(threads / 4, 1u, 8u);
}

Found<schema::HeaderRecord> required_header(const Database& database, std::uint64_t number) {
    HEDDLE_TRY(auto record, read_header(database, number));
    if (!record.has_value()) return missing_record("the header of block " + std::to_string(number));
    return record;
}

}  // namespace

std::expected<void, LedgerError> DurableLedger::Impl::treat_archive_mark() {
    if (options.archive_mark == ArchiveMark::ignored) return {};
    const Bytes key = schema::meta_key(schema::Meta::archive);
    HEDDLE_TRY(const auto mark, database->get(Table::meta, key));
    const bool is_wanted = options.archive_mark == ArchiveMark::set;
    if (mark.has_value() == is_wanted) return {};
    if (options.archive_mark == ArchiveMark::heeded)
        return std::unexpected(LedgerError{LedgerErrorCode::archive, options.directory});
    WriteBatch batch = database->batch();
    if (is_wanted)
        batch.put(Table::meta, key, {});
    else
        batch.erase(Table::meta, key);
    return database->write(batch, true);
}

std::expected<void, LedgerError> DurableLedger::Impl::load_chain() {
    HEDDLE_TRY(const auto mark, read_head(*database));
    if (!mark.has_value()) return missing_record("the head");
    HEDDLE_TRY(const auto record, required_header(*database, mark->number));
    if (record->hash != mark->hash || header_hash(record->header) != mark->hash)
        return damaged_record("the header of block " + std::to_string(mark->number));
    head = to_header(*record);
    hashes.push_front(head.hash);

    HEDDLE_TRY(const auto first, read_number(*database, schema::Meta::first_block));
    if (!first.has_value()) return missing_record("the number of the first block");
    if (*first > mark->number) return damaged_record("the number of the first block");
    first_block = *first;
    HEDDLE_TRY(first_header, read_first_header(*database, first_block));
    Hash parent = record->header.parent_hash;
    for (std::uint64_t number = mark->number; number != 0 && hashes.size() <= kBlockHashDepth;
         --number) {
        HEDDLE_TRY(const auto next, read_header(*database, number - 1));
        if (!next.has_value()) {
            if (number <= first_header) break;  // where a snapshot began
            return missing_record("the header of block " + std::to_string(number - 1));
        }
        if (next->hash != parent || header_hash(next->header) != parent)
            return std::unexpected(LedgerError{LedgerErrorCode::corrupt,
                                               "the header of block " + std::to_string(number - 1) +
                                                   " is not the parent of the one after it"});
        hashes.push_front(next->hash);
        parent = next->header.parent_hash;
    }
    HEDDLE_TRY(auto bytes, database->get(Table::meta, schema::meta_key(schema::Meta::chain)));
    chain = std::move(bytes).value_or(Bytes{});
    return {};
}

std::expected<void, LedgerError> DurableLedger::Impl::bring_forward(std::uint64_t state_block) {
    for (std::uint64_t number = state_block + 1; number <= head.header.number; ++number) {
        HEDDLE_TRY(const auto record, required_header(*database, number));
        HEDDLE_TRY(auto changes, read_changes(*database, number));
        if (!changes.has_value())
            return missing_record("the list of changes of block " + std::to_string(number));
        HEDDLE_CHECK(state->go_to(forward_diff(*changes), number, record->header.state_root));
        state->follow(std::make_shared<const BlockChanges>(*std::move(changes)), number);
    }
    report = {.head = head.header.number, .state_block = state_block};
    return {};
}

void DurableLedger::Impl::start_writer(std::uint64_t state_block, std::uint64_t first_history) {
    BlockWriterOptions writing;
    writing.directory = options.directory;
    writing.sync = options.sync;
    writing.history_blocks = options.history_blocks;
    writing.access_list_blocks = options.access_list_blocks;
    writing.max_queued_bytes = queue_share(options.memory_bytes);
    writing.threads = writer_threads(thread_count(options.threads));
    BlockWriter::Events events;
    events.on_durable = options.on_durable;
    events.on_failure = options.on_failure;
    events.on_state_persisted = [this](std::uint64_t number) { state->set_persisted(number); };
    last_checkpoint = state_block;
    writer = std::make_unique<BlockWriter>(*database, writing, std::move(events), state->recent(),
                                           head.header.number, state_block, first_history);
}

std::expected<std::unique_ptr<DurableLedger::Impl>, LedgerError> DurableLedger::Impl::open(
    DurableLedgerOptions options, std::unique_ptr<Database> database) {
    auto impl = std::make_unique<Impl>(std::move(options), std::move(database));
    HEDDLE_CHECK(impl->treat_archive_mark());
    HEDDLE_CHECK(impl->load_chain());
    HEDDLE_TRY(const auto state_block, read_number(*impl->database, schema::Meta::state_block));
    if (!state_block.has_value()) return missing_record("the number of the state's block");
    HEDDLE_TRY(const auto first_history, read_number(*impl->database, schema::Meta::first_history));
    if (!first_history.has_value()) return missing_record("the number of the first history block");
    if (*state_block > impl->head.header.number) return damaged_record("the state's block");
    if (*first_history == 0 || *first_history > *state_block + 1)
        return damaged_record("the number of the first history block");
    HEDDLE_TRY(const auto record, required_header(*impl->database, *state_block));

    const std::size_t memory = impl->options.memory_bytes;
    ChainStateOptions options_of_state;
    options_of_state.memory_bytes = state_share(memory);
    options_of_state.threads = thread_count(impl->options.threads);
    options_of_state.on_read_failure = impl->options.on_read_failure;
    impl->state =
        std::make_unique<ChainState>(*impl->database, options_of_state, record->header.state_root);
    impl->state->set_persisted(*state_block);
    HEDDLE_CHECK(impl->bring_forward(*state_block));
    impl->start_writer(*state_block, *first_history);
    return impl;
}

void DurableLedger::Impl::set_head(StoredHeader next, SharedStoredBlock block) {
    const std::unique_lock lock{head_mutex};
    hashes.push_back(next.hash);
    if (hashes.size() > kBlockHashDepth + 1) hashes.pop_front();
    head = std::move(next);
    head_block.swap(block);  // what it was is freed after the lock
}

void DurableLedger::Impl::count(const BlockChanges& changes) {
    const std::size_t values = count_values(changes);
    stats.accounts_changed += changes.accounts.size();
    stats.slots_changed += values - changes.accounts.size();
    values_since_checkpoint += values;
}

std::size_t DurableLedger::Impl::push(std::shared_ptr<PendingBlock> block) {
    Stopwatch watch;
    const std::size_t size_bytes = block->size_bytes();
    const std::uint64_t number = block->number();
    const std::uint64_t since = number - last_checkpoint;
    bytes_since_checkpoint += size_bytes;
    std::optional<WriteBatch> nodes;
    const std::size_t bytes = checkpoint_share(options.memory_bytes);
    // Tries that are nowhere are not stored: opening brings the state forward.
    const bool is_wanted = state->check_tries().has_value() &&
                           (since >= options.checkpoint_blocks || bytes_since_checkpoint >= bytes);
    if (is_wanted) {
        if (since >= kCheckpointSlack * options.checkpoint_blocks ||
            bytes_since_checkpoint >= kCheckpointSlack * bytes) {
            (void)writer->wait_checkpoint();
            stats.wait_ns += watch.lap();
        }
        if (!writer->has_checkpoint_under_way()) {
            state->trim();
            // The values go in there, too.
            nodes.emplace(database->batch(kBytesPerValue * values_since_checkpoint));
            state->collect_nodes(*nodes);
            last_checkpoint = number;
            bytes_since_checkpoint = 0;
            values_since_checkpoint = 0;
            stats.root_ns += watch.lap();
        }
    }
    // Where writing has failed meanwhile, the block is there for readers, as those queued before
    // it, and the next commit says so.
    (void)writer->push(std::move(block), std::move(nodes));
    stats.wait_ns += watch.lap();
    return size_bytes;
}

void DurableLedger::Impl::wait_for_large(std::size_t size_bytes) {
    if (size_bytes < 2 * queue_share(options.memory_bytes)) return;
    Stopwatch watch;
    // What fails is said by the next commit.
    (void)writer->wait_for_room();
    stats.wait_ns += watch.lap();
}

DurableLedger::DurableLedger(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}

DurableLedger::~DurableLedger() {
    (void)close();
}

bool DurableLedger::exists(const std::string& directory) {
    return has_finished_database(directory);
}

std::expected<std::unique_ptr<DurableLedger>, LedgerError> DurableLedger::create(
    DurableLedgerOptions options, const Genesis& genesis, BytesView chain) {
    const std::size_t memory = database_share(options.memory_bytes);
    HEDDLE_TRY(NewDatabase fresh, NewDatabase::create(options.directory, memory));
    if (auto stored = store_genesis(fresh.database(), genesis, chain); !stored.has_value()) {
        std::move(fresh).discard();
        return std::unexpected(std::move(stored).error());
    }
    auto database = fresh.finish();
    if (!database.has_value()) {
        std::move(fresh).discard();
        return std::unexpected(std::move(database).error());
    }
    HEDDLE_TRY(auto impl, Impl::open(std::move(options), *std::move(database)));
    return std::unique_ptr<DurableLedger>(new DurableLedger(std::move(impl)));
}

std::expected<std::unique_ptr<DurableLedger>, LedgerError> DurableLedger::open(
    DurableLedgerOptions options) {
    HEDDLE_TRY(auto database,
               open_database(options.directory, database_share(options.memory_bytes)));
    HEDDLE_TRY(auto impl, Impl::open(std::move(options), std::move(database)));
    return std::unique_ptr<DurableLedger>(new DurableLedger(std::move(impl)));
}

std::expected<void, LedgerError> DurableLedger::close() {
    if (impl_->is_closed) return {};
    unstage();
    impl_->is_closed = true;
    auto result = impl_->writer->wait_durable(impl_->head.header.number);
    if (result.has_value()) result = impl_->checkpoint_now(ChainState::Collect::everything);
    if (result.has_value()) result = impl_->database->flush();
    impl_->stats.write_ns += impl_->writer->busy_ns();
    impl_->writer.reset();
    if (!result.has_value())
        return std::unexpected(with_removal(std::move(result).error(), impl_->options.directory));
    return {};
}

std::expected<void, LedgerError> DurableLedger::Impl::checkpoint_now(ChainState::Collect what) {
    drop_foreseen();  // what is stored of the tries is the head's
    const bool is_there = last_checkpoint == head.header.number;
    if (is_there && what == ChainState::Collect::changes) return writer->wait_checkpoint();
    HEDDLE_CHECK(state->check_tries());
    WriteBatch nodes = database->batch();
    state->collect_nodes(nodes, what);
    if (is_there && nodes.empty()) return writer->wait_checkpoint();
    HEDDLE_CHECK(writer->push_checkpoint(std::move(nodes)));
    last_checkpoint = head.header.number;
    return writer->wait_checkpoint();
}

std::expected<Hash, BlockError> DurableLedger::commit(FinishedBlock block) {
    HEDDLE_TRY(const Hash root, stage(std::move(block)));
    publish();
    return root;
}

std::expected<Hash, BlockError> DurableLedger::stage(FinishedBlock block) {
    Impl& self = *impl_;
    if (self.staged.has_value()) unstage();
    BlockHeader& header = block.block.header;
    HEDDLE_CHECK(check_is_child(header, self.head.header.number, self.head.hash));
    Stopwatch watch;
    // Before anything moves: afterwards there is no way back.
    if (auto ready = self.writer->wait_for_room(); !ready.has_value())
        return storage_failed(header.number, ready.error());
    self.stats.wait_ns += watch.lap();
    auto moved = self.move_ahead(block.diff);
    if (!moved.has_value()) return storage_failed(header.number, moved.error());
    const Hash& root = moved->root;
    if (block.check_state_root && root != header.state_root) {
        const auto restored = self.state->go_to(backward_diff(moved->changes), header.number - 1,
                                                self.head.header.state_root);
        if (!restored.has_value()) return storage_failed(header.number, restored.error());
        auto rejected = reject(BlockErrorCode::state_root_mismatch, header.number,
                               to_string(header.state_root), to_string(root));
        if (self.options.explains_mismatches)
            rejected.error().detail = self.explain_mismatch(moved->changes, root);
        return rejected;
    }
    header.state_root = root;
    self.staged =
        Impl::Staged{std::move(block), std::move(moved->changes), std::move(moved->storage_roots)};
    return root;
}

void DurableLedger::foresee(const Hash& parent, const StateDiff& diff) {
    Impl& self = *impl_;
    self.drop_foreseen();
    if (self.staged.has_value() || self.is_closed || self.head.hash != parent) return;
    // What cannot be read is told by commit().
    auto moved = self.move_ahead(diff);
    if (!moved.has_value()) return;
    self.foreseen = *std::move(moved);
    self.foreseen->diff = diff;
    ++self.stats.roots_foreseen;
}

std::expected<DurableLedger::Impl::Foreseen, LedgerError> DurableLedger::Impl::move_ahead(
    const StateDiff& diff) {
    if (foreseen.has_value() && foreseen->diff == diff) {
        Foreseen moved = *std::move(foreseen);
        foreseen.reset();
        return moved;
    }
    drop_foreseen();
    HEDDLE_CHECK(state->check_tries());
    Foreseen moved;
    Stopwatch watch;
    HEDDLE_TRY(moved.changes, state->changes_of(diff));
    stats.flat_ns += watch.lap();
    HEDDLE_TRY(moved.root, state->move_tries(diff));
    trie_bytes.store(state->reserved_trie_bytes(), std::memory_order_relaxed);
    stats.root_ns += watch.lap();
    const std::span<const Hash> storage_roots = state->storage_roots();
    moved.storage_roots.assign(storage_roots.begin(), storage_roots.end());
    return moved;
}

void DurableLedger::Impl::drop_foreseen() {
    if (!foreseen.has_value()) return;
    (void)state->go_to(backward_diff(foreseen->changes), head.header.number,
                       head.header.state_root);
    foreseen.reset();
    ++stats.roots_taken_back;
}

void DurableLedger::unstage() {
    Impl& self = *impl_;
    self.drop_foreseen();
    if (!self.staged.has_value()) return;
    // What fails is said by whatever moves them next.
    const BlockHeader& head = self.head.header;
    (void)self.state->go_to(backward_diff(self.staged->changes), head.number, head.state_root);
    self.staged.reset();
}

void DurableLedger::publish() {
    Impl& self = *impl_;
    HEDDLE_ASSERT(self.staged.has_value());
    Impl::Staged staged = *std::move(self.staged);
    self.staged.reset();
    FinishedBlock& block = staged.block;
    Stopwatch watch;
    auto stored = std::make_shared<StoredBlock>();
    stored->block = std::move(block.block);
    stored->receipts = std::move(block.receipts);
    stored->hash = header_hash(stored->block.header);
    stored->total_difficulty = self.head.total_difficulty + stored->block.header.difficulty;
    auto pending = std::make_shared<PendingBlock>();
    pending->stored = stored;
    pending->object_sets = std::move(block.object_sets);
    pending->access_list = std::move(block.access_list);
    const std::uint64_t number = pending->number();
    pending->changes =
        self.state->move_flat(std::move(staged.changes), block.diff, staged.storage_roots, number);
    pending->codes = std::move(block.diff.codes);
    self.count(*pending->changes);
    StoredHeader next{stored->block.header, stored->hash, stored->total_difficulty};
    self.stats.flat_ns += watch.lap();
    const std::size_t size_bytes = self.push(std::move(pending));
    self.set_head(std::move(next), std::move(stored));
    self.wait_for_large(size_bytes);
}

std::string DurableLedger::Impl::explain_mismatch(const BlockChanges& changes, const Hash& root) {
    // So that the tables show the head's state.
    auto plain = std::expected<Hash, LedgerError>{};
    if (auto written = checkpoint_now(); !written.has_value())
        plain = std::unexpected(written.error());
    else
        plain = plain_root(*database, changes);
    std::string text = summarize(changes);
    if (!plain.has_value())
        text += "; recomputing from the leaves failed: " + to_string(plain.error());
    else if (*plain == root)
        text += "; recomputed from the leaves it is the same";
    else
        text += "; recomputed from the leaves it is " + to_string(*plain) +
                ": the tries are at fault, please report this";
    return text;
}

std::expected<void, LedgerError> DurableLedger::replace_chain(BytesView chain) {
    WriteBatch batch = impl_->database->batch();
    batch.put(Table::meta, schema::meta_key(schema::Meta::chain), chain);
    HEDDLE_CHECK(impl_->database->write(batch, true));
    impl_->chain.assign(chain.begin(), chain.end());
    return {};
}

LedgerMemory DurableLedger::memory() const {
    const DatabaseMemory database = impl_->database->memory();
    LedgerMemory memory;
    memory.values = impl_->state->flat().value_bytes();
    memory.codes = impl_->state->flat().code_bytes();
    memory.tries = impl_->trie_bytes.load(std::memory_order_relaxed);
    memory.changes = impl_->state->recent().size_bytes();
    memory.block_cache = database.block_cache;
    memory.write_buffers = database.write_buffers;
    memory.table_readers = database.table_readers;
    if (impl_->writer) {
        const BlockWriter::Backlog backlog = impl_->writer->backlog();
        memory.waiting_blocks = backlog.blocks;
        memory.waiting_bytes = backlog.bytes;
    }
    return memory;
}

LedgerStats DurableLedger::stats() const noexcept {
    LedgerStats stats = impl_->stats;
    if (impl_->writer) stats.write_ns += impl_->writer->busy_ns();
    stats.bytes_written = impl_->database->bytes_written();
    stats.database_reads = impl_->database->reads();
    return stats;
}

}  // namespace heddle::ledger
