// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/prefetching_source.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <types/held_bytes.hpp>
#include <types/sender_recovery.hpp>
#include <types/transaction.hpp>

#include <consensus_adapter/parallel_for.hpp>

namespace heddle::consensus_adapter {

namespace {

std::uint64_t thread_time_ns() noexcept {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(time.tv_nsec);
}

/// What is counted of blocks read ahead.
struct Load {
    std::size_t blocks = 0;
    std::size_t transactions = 0;
    std::size_t bytes = 0;

    void add(const Load& more) noexcept {
        blocks += more.blocks;
        transactions += more.transactions;
        bytes += more.bytes;
    }
    void remove(const Load& less) noexcept {
        blocks -= less.blocks;
        transactions -= less.transactions;
        bytes -= less.bytes;
    }
    /// The smaller one of each.
    [[nodiscard]] Load at_most(const Load& other) const noexcept {
        return {std::min(blocks, other.blocks), std::min(transactions, other.transactions),
                std::min(bytes, other.bytes)};
    }
    [[nodiscard]] bool is_below(const Load& limit) const noexcept {
        return blocks < limit.blocks && transactions < limit.transactions && bytes < limit.bytes;
    }
};

/// What was declared with a block may be much more than the block.
Load load_of(const OrderedBlock& block) noexcept {
    std::size_t bytes = sizeof block + block.start.access_list.size();
    bytes += held_bytes(block.transactions) + held_bytes(block.object_sets);
    return {.blocks = 1, .transactions = block.transactions.size(), .bytes = bytes};
}

struct ReadBlock {
    OrderedBlock block;
    Load load;
    std::uint64_t bytes_done = 0;  // of the source, behind this block
};

/// @param spent_ns  Grows by the processor time that it took.
void recover_signers(std::vector<ReadBlock>& batch, std::atomic<std::uint64_t>& spent_ns) {
    UnknownSigners unknown;
    for (ReadBlock& read : batch)
        for (Transaction& tx : read.block.transactions)
            unknown.add(tx);
    parallel_for(unknown.pieces(), 1, [&](std::size_t piece) {
        const std::uint64_t begin = thread_time_ns();
        unknown.recover(piece);
        spent_ns.fetch_add(thread_time_ns() - begin, std::memory_order_relaxed);
    });
}

// Blocks are taken in batches, so that small blocks give the cores enough to do as well.
constexpr Load kBatch{.blocks = 64, .transactions = 512, .bytes = std::size_t{8} << 20};

/// Two threads: the reader, which alone calls the source behind, and the consumer of next().
///
///   state      event                              next state   who
///   reading    a batch is delivered, room left    reading      reader
///   reading    no room, for a block that was      waiting      reader, until next() takes a block
///              read or before another batch is
///   waiting    room                               reading      consumer wakes it
///   reading    the source has ended               finished     reader; writes error_ before it
///   any        destructor                         cancelled    consumer; ends the reader
///
/// All of it happens under mutex_. error_ is read without it, but only after next() has given
/// nullopt: it has then seen is_finished_, which the reader set after writing error_.
/// A block larger than every bound still passes, alone: there is room when nothing is ready.
/// Thread safety: next(), error() by one thread.
class PrefetchingSource final : public BlockSource {
public:
    PrefetchingSource(std::unique_ptr<BlockSource> source, PrefetchOptions options)
        : source_(std::move(source)), options_(options), reader_([this] { read(); }) {}

    PrefetchingSource(const PrefetchingSource&) = delete;
    PrefetchingSource& operator=(const PrefetchingSource&) = delete;

    ~PrefetchingSource() override {
        {
            const std::lock_guard lock{mutex_};
            is_cancelled_ = true;
        }
        changed_.notify_all();
        reader_.join();
    }

    std::optional<OrderedBlock> next() override {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return !ready_.empty() || is_finished_; });
        if (ready_.empty()) {
            bytes_done_.store(source_->progress().bytes_done, std::memory_order_relaxed);
            return std::nullopt;
        }
        OrderedBlock block = std::move(ready_.front().block);
        load_.remove(ready_.front().load);
        bytes_done_.store(ready_.front().bytes_done, std::memory_order_relaxed);
        ready_.pop_front();
        lock.unlock();
        changed_.notify_all();
        return block;
    }

    // After next() has given nullopt the reader has ended: nobody writes it any more.
    const std::optional<SourceError>& error() const noexcept override { return error_; }

    // As far as blocks were given out: what is read ahead may be the whole of the files.
    SourceProgress progress() const noexcept override {
        SourceProgress progress = source_->progress();
        progress.bytes_done = bytes_done_.load(std::memory_order_relaxed);
        progress.recovery_ns += recovery_ns_.load(std::memory_order_relaxed);
        return progress;
    }

private:
    /// The reader thread.
    void read() {
        bool is_last = false;
        while (!is_last) {
            // Before it reads: what was read has to lie somewhere, however large it is.
            if (!wait_for_room()) break;
            std::vector<ReadBlock> batch = read_batch(is_last);
            if (options_.recover_senders) recover_signers(batch, recovery_ns_);
            if (!deliver(std::move(batch))) break;
        }
        const std::lock_guard lock{mutex_};
        error_ = source_->error();
        is_finished_ = true;
        changed_.notify_all();
    }

    std::vector<ReadBlock> read_batch(bool& is_last) {
        std::vector<ReadBlock> batch;
        const Load limit = most_ready().at_most(kBatch);
        for (Load load; batch.empty() || load.is_below(limit); load.add(batch.back().load)) {
            std::optional<OrderedBlock> block = source_->next();
            if (!block.has_value()) {
                is_last = true;
                break;
            }
            const Load its = load_of(*block);
            batch.push_back({*std::move(block), its, source_->progress().bytes_done});
        }
        return batch;
    }

    /// @return false when nobody wants more.
    bool wait_for_room() {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return is_cancelled_ || has_room(); });
        return !is_cancelled_;
    }

    /// Waits for room. @return false when nobody wants more.
    bool deliver(std::vector<ReadBlock> batch) {
        for (ReadBlock& read : batch) {
            std::unique_lock lock{mutex_};
            changed_.wait(lock, [this] { return is_cancelled_ || has_room(); });
            if (is_cancelled_) return false;
            load_.add(read.load);
            ready_.push_back(std::move(read));
            lock.unlock();
            changed_.notify_all();
        }
        return true;
    }

    Load most_ready() const noexcept {
        return {options_.max_blocks, options_.max_transactions, options_.max_bytes};
    }
    bool has_room() const noexcept { return ready_.empty() || load_.is_below(most_ready()); }

    // Immutable after construction; the source itself is the reader thread's.
    const std::unique_ptr<BlockSource> source_;
    const PrefetchOptions options_;
    std::atomic<std::uint64_t> recovery_ns_ = 0;
    std::atomic<std::uint64_t> bytes_done_ = 0;  // a figure to show: nothing hangs on it

    // Protected by mutex_.
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<ReadBlock> ready_;
    Load load_;  // of ready_
    bool is_finished_ = false;
    bool is_cancelled_ = false;
    std::optional<SourceError> error_;

    std::thread reader_;  // last: it uses everything above
};

}  // namespace

std::unique_ptr<BlockSource> make_prefetching_source(std::unique_ptr<BlockSource> source,
                                                     PrefetchOptions options) {
    return std::make_unique<PrefetchingSource>(std::move(source), options);
}

}  // namespace heddle::consensus_adapter
