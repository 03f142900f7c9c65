// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <consensus_adapter/prefetching_source.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

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

/// @param spent_ns  Grows by the processor time that it took.
void recover_signers(std::vector<OrderedBlock>& batch, std::atomic<std::uint64_t>& spent_ns) {
    UnknownSigners unknown;
    for (OrderedBlock& block : batch)
        for (Transaction& tx : block.transactions)
            unknown.add(tx);
    parallel_for(unknown.pieces(), 1, [&](std::size_t piece) {
        const std::uint64_t begin = thread_time_ns();
        unknown.recover(piece);
        spent_ns.fetch_add(thread_time_ns() - begin, std::memory_order_relaxed);
    });
}

/// What is counted of blocks read ahead.
struct Load {
    std::size_t blocks = 0;
    std::size_t transactions = 0;
    std::size_t bytes = 0;

    void add(const OrderedBlock& block) noexcept {
        ++blocks;
        transactions += block.transactions.size();
        bytes += block.start.encoded_size_bytes;
    }
    void remove(const OrderedBlock& block) noexcept {
        --blocks;
        transactions -= block.transactions.size();
        bytes -= block.start.encoded_size_bytes;
    }
    [[nodiscard]] bool is_below(const Load& limit) const noexcept {
        return blocks < limit.blocks && transactions < limit.transactions && bytes < limit.bytes;
    }
};

// Blocks are taken in batches, so that small blocks give the cores enough to do as well.
constexpr Load kBatch{.blocks = 64, .transactions = 512, .bytes = std::size_t{8} << 20};

/// Two threads: the reader, which alone calls the source behind, and the consumer of next().
///
///   state      event                              next state   who
///   reading    a batch is delivered, room left    reading      reader
///   reading    no room                            waiting      reader, until next() takes a block
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
        if (ready_.empty()) return std::nullopt;
        OrderedBlock block = std::move(ready_.front());
        ready_.pop_front();
        load_.remove(block);
        lock.unlock();
        changed_.notify_all();
        return block;
    }

    // After next() has given nullopt the reader has ended: nobody writes it any more.
    const std::optional<SourceError>& error() const noexcept override { return error_; }

    SourceProgress progress() const noexcept override {
        SourceProgress progress = source_->progress();
        progress.recovery_ns += recovery_ns_.load(std::memory_order_relaxed);
        return progress;
    }

private:
    /// The reader thread.
    void read() {
        bool is_last = false;
        while (!is_last) {
            std::vector<OrderedBlock> batch = read_batch(is_last);
            if (options_.recover_senders) recover_signers(batch, recovery_ns_);
            if (!deliver(std::move(batch))) break;
        }
        const std::lock_guard lock{mutex_};
        error_ = source_->error();
        is_finished_ = true;
        changed_.notify_all();
    }

    std::vector<OrderedBlock> read_batch(bool& is_last) {
        std::vector<OrderedBlock> batch;
        for (Load load; load.is_below(kBatch); load.add(batch.back())) {
            std::optional<OrderedBlock> block = source_->next();
            if (!block.has_value()) {
                is_last = true;
                break;
            }
            batch.push_back(*std::move(block));
        }
        return batch;
    }

    /// Waits for room. @return false when nobody wants more.
    bool deliver(std::vector<OrderedBlock> batch) {
        for (OrderedBlock& block : batch) {
            std::unique_lock lock{mutex_};
            changed_.wait(lock, [this] { return is_cancelled_ || has_room(); });
            if (is_cancelled_) return false;
            load_.add(block);
            ready_.push_back(std::move(block));
            lock.unlock();
            changed_.notify_all();
        }
        return true;
    }

    bool has_room() const noexcept {
        return ready_.empty() ||
               load_.is_below({options_.max_blocks, options_.max_transactions, options_.max_bytes});
    }

    // Immutable after construction; the source itself is the reader thread's.
    const std::unique_ptr<BlockSource> source_;
    const PrefetchOptions options_;
    std::atomic<std::uint64_t> recovery_ns_ = 0;

    // Protected by mutex_.
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<OrderedBlock> ready_;
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
