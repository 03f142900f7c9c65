// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "durable/block_writer.hpp"

#include <algorithm>
#include <utility>

#include <types/expected.hpp>

#include "durable/records.hpp"
#include "durable/state_records.hpp"
#include "durable/stopwatch.hpp"
#include "storage/folders.hpp"
#include "storage/schema.hpp"

namespace heddle::ledger {

namespace {

/// What a checkpoint drops of history for what it adds, so that a backlog shrinks and never stalls:
/// so many blocks for each block, but no more than so many values for each value, or than a few in
/// any case. A block goes whole. Old ones may be much larger than those of now, and what is dropped
/// of them is in memory until it is written.
constexpr std::uint64_t kPrunedPerBlock = 4;
constexpr std::size_t kPrunedPerValue = 2;
constexpr std::size_t kPrunedInAnyCase = 100'000;
/// Blocks that take less in memory are not worth waking other threads for.
constexpr std::size_t kLeastShared = std::size_t{256} << 10;

/// Intervals that are added to a point of time without overflow.
BlockWriterOptions bounded(BlockWriterOptions options) {
    constexpr std::chrono::milliseconds kLongest = std::chrono::hours{24 * 365};
    options.sync.interval = std::min(options.sync.interval, kLongest);
    options.sync.linger = std::min(options.sync.linger, kLongest);
    return options;
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): its surroundings and where it begins, given once
BlockWriter::BlockWriter(Database& database, BlockWriterOptions options, Events events,
                         RecentChanges& recent, std::uint64_t head, std::uint64_t state_block,
                         std::uint64_t first_history)
    : database_(database),
      options_(bounded(std::move(options))),
      events_(std::move(events)),
      recent_(recent),
      written_(head),
      durable_(head),
      state_block_(state_block),
      first_history_(first_history),
      crew_(std::max(1u, options_.threads)),
      rooms_(crew_.thread_count()),
      thread_([this] { run(); }) {}

BlockWriter::~BlockWriter() {
    {
        const std::lock_guard lock{mutex_};
        is_stopping_ = true;
    }
    has_work_.notify_all();
    thread_.join();
}

std::expected<void, LedgerError> BlockWriter::push(SharedBlock block,
                                                   std::optional<WriteBatch> trie_nodes) {
    const std::size_t size_bytes =
        block->size_bytes() + (trie_nodes.has_value() ? trie_nodes->size_bytes() : 0);
    return push(Item{std::move(block), std::move(trie_nodes), size_bytes});
}

std::expected<void, LedgerError> BlockWriter::push_checkpoint(WriteBatch trie_nodes) {
    return push(Item{nullptr, std::move(trie_nodes), 0});
}

std::expected<void, LedgerError> BlockWriter::push(Item item) {
    std::unique_lock lock{mutex_};
    wait_for(lock, [&] { return has_room(); });
    if (item.block) unwritten_.push_back(item.block);
    if (failure_.has_value()) return std::unexpected(*failure_);
    queued_bytes_ += item.size_bytes;
    if (item.trie_nodes.has_value()) ++checkpoints_under_way_;
    if (queue_.empty()) oldest_queued_ = std::chrono::steady_clock::now();
    queue_.push_back(std::move(item));
    // The first one wakes the writer, which looks after the linger for itself.
    const bool must_wake = queue_.size() == 1 || !may_linger();
    lock.unlock();
    if (must_wake) has_work_.notify_one();
    return {};
}

std::expected<void, LedgerError> BlockWriter::wait_for_room() {
    std::unique_lock lock{mutex_};
    wait_for(lock, [&] { return has_room(); });
    if (failure_.has_value()) return std::unexpected(*failure_);
    return {};
}

/// A full queue is written at once while the next one fills. Blocks larger than that go through one
/// by one: each takes several times its size while it is written.
bool BlockWriter::has_room() const {
    if (writing_bytes_ != 0 && queued_bytes_ + writing_bytes_ >= 2 * options_.max_queued_bytes)
        return false;
    return queue_.empty() || (queue_.size() < options_.max_queued_blocks &&
                              queued_bytes_ < options_.max_queued_bytes);
}

bool BlockWriter::may_linger() const {
    return waiting_ == 0 && !is_stopping_ && queue_.size() < options_.max_queued_blocks / 2 &&
           queued_bytes_ < options_.max_queued_bytes / 2;
}

template <class Condition>
void BlockWriter::wait_for(std::unique_lock<std::mutex>& lock, const Condition& is_reached) {
    const auto is_over = [&] { return failure_.has_value() || is_reached(); };
    if (is_over()) return;
    ++waiting_;
    has_work_.notify_one();
    has_progress_.wait(lock, is_over);
    --waiting_;
}

SharedBlock BlockWriter::find(std::uint64_t number) const {
    const std::lock_guard lock{mutex_};
    if (unwritten_.empty() || number < unwritten_.front()->number()) return nullptr;
    const std::uint64_t place = number - unwritten_.front()->number();
    return place < unwritten_.size() ? unwritten_[place] : nullptr;
}

SharedBlock BlockWriter::find(const Hash& hash) const {
    const std::lock_guard lock{mutex_};
    const auto found = std::ranges::find_if(
        unwritten_, [&](const SharedBlock& block) { return block->stored->hash == hash; });
    return found == unwritten_.end() ? nullptr : *found;
}

std::optional<TransactionLocation> BlockWriter::find_transaction(const Hash& hash) const {
    std::deque<SharedBlock> blocks;
    {
        const std::lock_guard lock{mutex_};
        blocks = unwritten_;
    }
    for (const SharedBlock& block : blocks) {
        const std::vector<Transaction>& transactions = block->stored->block.transactions;
        for (std::size_t i = 0; i < transactions.size(); ++i)
            if (transaction_hash(transactions[i]) == hash)
                return TransactionLocation{block->number(), static_cast<std::uint32_t>(i)};
    }
    return std::nullopt;
}

std::expected<void, LedgerError> BlockWriter::wait_written(std::uint64_t number) {
    std::unique_lock lock{mutex_};
    wait_for(lock, [&] { return written_ >= number; });
    if (written_ < number) return std::unexpected(*failure_);
    return {};
}

std::expected<void, LedgerError> BlockWriter::wait_durable(std::uint64_t number) {
    std::unique_lock lock{mutex_};
    wanted_durable_ = std::max(wanted_durable_, number);
    wait_for(lock, [&] { return durable_ >= number; });
    if (durable_ < number) return std::unexpected(*failure_);
    return {};
}

std::expected<void, LedgerError> BlockWriter::wait_idle() {
    std::unique_lock lock{mutex_};
    wait_for(lock, [&] { return unwritten_.empty() && checkpoints_under_way_ == 0; });
    if (failure_.has_value()) return std::unexpected(*failure_);
    return {};
}

void BlockWriter::rewind(std::uint64_t number) {
    const std::lock_guard lock{mutex_};
    written_ = std::min(written_, number);
    durable_ = std::min(durable_, number);
    state_block_ = std::min(state_block_, number);
    wanted_durable_ = std::min(wanted_durable_, number);
    ++rewinds_;
}

void BlockWriter::fail(const LedgerError& error) {
    {
        const std::lock_guard lock{mutex_};
        if (failure_.has_value()) return;
        failure_ = with_removal(error, options_.directory);
    }
    has_progress_.notify_all();
    if (events_.on_failure) events_.on_failure(*failure_);  // which does not change any more
}

bool BlockWriter::has_checkpoint_under_way() const {
    const std::lock_guard lock{mutex_};
    return checkpoints_under_way_ != 0;
}

std::expected<void, LedgerError> BlockWriter::wait_checkpoint() {
    std::unique_lock lock{mutex_};
    wait_for(lock, [&] { return checkpoints_under_way_ == 0; });
    if (failure_.has_value()) return std::unexpected(*failure_);
    return {};
}

std::uint64_t BlockWriter::durable() const {
    const std::lock_guard lock{mutex_};
    return durable_;
}

std::uint64_t BlockWriter::state_block() const {
    const std::lock_guard lock{mutex_};
    return state_block_;
}

std::uint64_t BlockWriter::first_history() const {
    const std::lock_guard lock{mutex_};
    return first_history_;
}

void BlockWriter::hold_states_from(std::uint64_t number) noexcept {
    held_from_.store(number, std::memory_order_relaxed);
}

BlockWriter::Backlog BlockWriter::backlog() const {
    const std::lock_guard lock{mutex_};
    return {unwritten_.size(), queued_bytes_ + writing_bytes_};
}

std::uint64_t BlockWriter::busy_ns() const noexcept {
    return busy_ns_.load(std::memory_order_relaxed);
}

void BlockWriter::run() {
    std::unique_lock lock{mutex_};
    for (;;) {
        const auto has_work = [&] { return !queue_.empty() || is_stopping_ || is_sync_wanted(); };
        if (written_ > durable_)
            has_work_.wait_until(lock, oldest_unsynced_ + options_.sync.interval, has_work);
        else
            has_work_.wait(lock, has_work);
        if (!queue_.empty() && options_.sync.linger.count() != 0)
            has_work_.wait_until(lock, oldest_queued_ + options_.sync.linger,
                                 [&] { return !may_linger(); });

        // Up to the first checkpoint, so that it is written when its turn comes.
        std::vector<Item> items;
        while (!queue_.empty() && (items.empty() || !items.back().trie_nodes.has_value())) {
            queued_bytes_ -= queue_.front().size_bytes;
            writing_bytes_ += queue_.front().size_bytes;
            items.push_back(std::move(queue_.front()));
            queue_.pop_front();
        }
        lock.unlock();
        Stopwatch watch;
        const bool has_checkpoint = !items.empty() && items.back().trie_nodes.has_value();
        auto result = items.empty() ? std::expected<void, LedgerError>{} : write(items);
        if (result.has_value()) result = sync_if_due();
        // Nobody may have the blocks any more, and freeing them takes a while: not under the lock.
        items.clear();
        busy_ns_.fetch_add(watch.lap(), std::memory_order_relaxed);
        lock.lock();
        writing_bytes_ = 0;
        if (has_checkpoint) --checkpoints_under_way_;
        if (!result.has_value()) {
            queue_.clear();
            lock.unlock();
            fail(result.error());
            return;
        }
        has_progress_.notify_all();
        if (is_stopping_ && queue_.empty() && durable_ == written_) return;
    }
}

std::expected<void, LedgerError> BlockWriter::write(std::vector<Item>& items) {
    if (items.front().block) HEDDLE_CHECK(write_blocks(items));
    if (!items.back().trie_nodes.has_value()) return {};
    return write_checkpoint(written_, *items.back().trie_nodes);
}

std::expected<void, LedgerError> BlockWriter::write_blocks(const std::vector<Item>& items) {
    std::vector<SharedBlock> blocks;
    std::size_t size_bytes = 0;
    for (const Item& item : items) {
        if (!item.block) continue;
        blocks.push_back(item.block);
        size_bytes += item.block->size_bytes();
    }
    WriteBatch batch = database_.batch(size_bytes);
    store_blocks(blocks, size_bytes, batch);
    for (const SharedBlock& block : blocks)
        // One goes for each that comes: what a longer setting has left is dropped by prune().
        if (!block->access_list.empty() && block->number() >= options_.access_list_blocks)
            batch.erase(Table::access_lists,
                        schema::number_key(block->number() - options_.access_list_blocks));
    store_head(*blocks.back(), batch);
    for (RecordRoom& room : rooms_)
        room.trim();
    const std::uint64_t last = blocks.back()->number();
    const bool is_synced = is_sync_due(last - durable());
    HEDDLE_CHECK(database_.write(batch, is_synced));
    {
        const std::lock_guard lock{mutex_};
        if (written_ == durable_) oldest_unsynced_ = std::chrono::steady_clock::now();
        written_ = last;
        if (is_synced) durable_ = last;
        while (!unwritten_.empty() && unwritten_.front()->number() <= last)
            unwritten_.pop_front();
    }
    has_progress_.notify_all();
    if (is_synced && events_.on_durable) events_.on_durable(last);
    return {};
}

void BlockWriter::store_blocks(std::span<const SharedBlock> blocks, std::size_t size_bytes,
                               WriteBatch& batch) {
    if (crew_.thread_count() == 1 || size_bytes < kLeastShared) {
        for (const SharedBlock& block : blocks)
            store_block(*block, rooms_.front(), batch);
        return;
    }
    std::vector<WriteBatch> batches;
    batches.reserve(crew_.thread_count());
    for (unsigned i = 0; i < crew_.thread_count(); ++i)
        batches.push_back(database_.batch(size_bytes / crew_.thread_count()));
    // Who is done takes the next part of a block, so in which batch it is depends on the moment. No
    // key is in two parts but that of a code, which says what it is.
    crew_.for_each_on_workers(blocks.size() * kBlockParts, [&](std::size_t i, unsigned worker) {
        store_part(*blocks[i / kBlockParts], static_cast<BlockPart>(i % kBlockParts),
                   rooms_[worker], batches[worker]);
    });
    batch.append(batches);
}

std::expected<void, LedgerError> BlockWriter::write_checkpoint(std::uint64_t number,
                                                               WriteBatch& batch) {
    const std::vector<RecentChanges::Entry> entries = recent_.through(number);
    HEDDLE_TRY(const std::uint64_t first, prune_history(number, entries, batch));
    store_states(entries, first, database_, crew_, batch);
    batch.put(Table::meta, schema::meta_key(schema::Meta::first_history),
              schema::number_key(first));
    batch.put(Table::meta, schema::meta_key(schema::Meta::state_block), schema::number_key(number));
    {
        // Before the tables lose it: who is refused a state finds that it is not offered any more.
        const std::lock_guard lock{mutex_};
        first_history_ = first;
    }
    HEDDLE_CHECK(database_.write(batch, false));
    {
        const std::lock_guard lock{mutex_};
        state_block_ = number;
    }
    // The tables show it now, so a reader that misses it among the recent ones finds it there.
    if (events_.on_state_persisted) events_.on_state_persisted(number);
    recent_.drop_through(number);
    return {};
}

std::expected<std::uint64_t, LedgerError> BlockWriter::prune_history(
    std::uint64_t number, std::span<const RecentChanges::Entry> added, WriteBatch& batch) const {
    const std::uint64_t state_block = this->state_block();
    std::uint64_t first = first_history();
    // The last so many blocks can be taken back, up to and including this one.
    const std::uint64_t asked =
        number >= options_.history_blocks ? number - options_.history_blocks + 1 : 0;
    const std::uint64_t held = held_from_.load(std::memory_order_relaxed);
    const std::uint64_t keep_from = held < asked ? held + 1 : asked;
    std::uint64_t blocks = kPrunedPerBlock * added.size();
    std::size_t values_added = 0;
    for (const RecentChanges::Entry& entry : added)
        values_added += count_values(*entry.changes);
    const std::size_t most_values = std::max(kPrunedInAnyCase, kPrunedPerValue * values_added);
    for (std::size_t values = 0; first < keep_from && blocks != 0 && values < most_values;
         ++first, --blocks) {
        HEDDLE_TRY(const auto changes, read_changes(database_, first));
        if (!changes.has_value()) continue;
        values += count_values(*changes);
        // Those of later blocks have not been stored yet.
        if (first <= state_block) erase_history(first, *changes, batch);
        batch.erase(Table::changes, schema::number_key(first));
    }
    return first;
}

bool BlockWriter::is_sync_due(std::uint64_t unsynced) const {
    return unsynced != 0 && unsynced >= options_.sync.blocks;
}

bool BlockWriter::is_sync_wanted() const {
    // Of blocks that were written only: others are synced when they are.
    return durable_ < wanted_durable_ && durable_ < written_;
}

std::expected<void, LedgerError> BlockWriter::sync_if_due() {
    std::uint64_t written = 0;
    std::uint64_t rewinds = 0;
    {
        const std::lock_guard lock{mutex_};
        if (written_ == durable_) return {};
        const bool is_old =
            std::chrono::steady_clock::now() >= oldest_unsynced_ + options_.sync.interval;
        if (!is_sync_wanted() && !is_old && !is_stopping_ && !is_sync_due(written_ - durable_))
            return {};
        written = written_;
        rewinds = rewinds_;
    }
    HEDDLE_CHECK(database_.sync());
    {
        const std::lock_guard lock{mutex_};
        // Blocks that have come in the place of others since then may not be forced yet.
        if (rewinds != rewinds_) return {};
        durable_ = written;
    }
    has_progress_.notify_all();
    if (events_.on_durable) events_.on_durable(written);
    return {};
}

}  // namespace heddle::ledger
