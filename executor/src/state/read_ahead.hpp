// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the transactions of a block are going to need, fetched by whoever has nothing else to do,
// while one thread executes the block from its front: the accounts of senders and recipients, and
// by the access patterns of what they call the hashes of keys, and the slots. Where transactions
// are light, that is most of what executing them takes. What has not been fetched in time is
// fetched by who needs it; only the end of a block waits, until each helper is through with what it
// has begun: the hashes of a batch, some microseconds, or one read.
//
// A batch of transactions:
//
//   state       event                                             next       who
//   unclaimed   next_ is counted up to it (acquire, release)      claimed    a helper
//   claimed     it has not been passed, and is read: `read_of`    read       the helper
//               says which block it is read for (release)
//   claimed     the executing thread has come to it, or is in     claimed    the helper
//               end(): what of it is not read yet stays so
//   read        found by `read_of` (acquire)                      read       the executing thread
//   any         end()                                             over       the executing thread
//
// end() moves next_ beyond all batches, and then waits until nobody is at work (busy_). Who counts
// next_ up has counted busy_ up before. Both changes of next_ are read-modify-writes, so the later
// one reads from the earlier, or from one that continues its release sequence: either the helper's
// comes first, and end() sees that it is at work, or the helper's finds that there is nothing more,
// and touches nothing of the block. passed_ and is_wanted_ are hints, which may come late.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include <types/account.hpp>
#include <types/assert.hpp>
#include <types/object.hpp>
#include <types/state_view.hpp>
#include <types/transaction.hpp>

#include <vm/hash_notes.hpp>

#include "state/access_forecaster.hpp"
#include "state/access_patterns.hpp"
#include "workers/atomics.hpp"
#include "workers/parking_lot.hpp"
#include "workers/prefetch.hpp"
#include "workers/worker_parking.hpp"

namespace heddle::executor {

/// Of one transaction, as the committed state has them; nullopt: there is no such account, or the
/// transaction does not name one.
struct TransactionAhead {
    std::optional<Account> sender;
    std::optional<Account> recipient;
    // What it is expected to need; it may be something else. Valid until end().
    std::span<const SlotValue> slots;
    std::span<const vm::KnownHash> hashes;
};

/// Thread safety: begin(), want(), find() and end() are the executing thread's; the rest any.
template <typename Atomics>
class BasicReadAhead {
public:
    /// @param helpers  Told when there is something to read, outlives it. Null: nobody else reads.
    explicit BasicReadAhead(WorkerParking* helpers) noexcept : helpers_(helpers) {}

    /// From here on others may read for these transactions. Until end(), the committed state, the
    /// transactions and the patterns stay as and where they are.
    /// @param patterns  Null: nothing is known of what is called.
    void begin(const StateView& committed, std::span<const Transaction> block,
               const AccessPatterns* patterns = nullptr) {
        HEDDLE_ASSERT(!is_open_);
        const std::size_t batches =
            helpers_ == nullptr ? 0 : std::min(block.size() / kBatch, kMostBatches);
        if (batches == 0) return;
        if (batches > capacity_) {
            batches_ = std::make_unique<Batch[]>(batches);
            capacity_ = batches;
        }
        is_open_ = true;
        committed_ = &committed;
        block_ = block;
        patterns_ = patterns;
        ++number_;
        passed_.store(0, std::memory_order_relaxed);
        count_.store(static_cast<std::uint32_t>(batches), std::memory_order_relaxed);
        // Sequentially consistent, see ParkingLot; releases all of the above.
        next_.store(0, std::memory_order_seq_cst);
        if (is_wanted_.load(std::memory_order_relaxed)) helpers_->notify_any();
    }

    /// Whether what is read is of use; so it stays for the blocks that follow.
    void want(bool is_wanted) noexcept {
        if (is_wanted == is_wanted_.load(std::memory_order_relaxed)) return;
        is_wanted_.store(is_wanted, std::memory_order_seq_cst);
        if (is_wanted && has_work()) helpers_->notify_any();
    }

    /// What the block's transaction `index` needs. Ascending from call to call: what lies before is
    /// not read any more.
    /// @return null: nobody has read it yet.
    [[nodiscard]] const TransactionAhead* find(std::size_t index) noexcept {
        const std::size_t at = index / kBatch;
        if (!is_open_ || at >= capacity_) return nullptr;
        if (at != passed_.load(std::memory_order_relaxed))
            passed_.store(static_cast<std::uint32_t>(at), std::memory_order_relaxed);
        const Batch* const batch = batch_of(index);
        return batch == nullptr ? nullptr : &batch->transactions[index % kBatch];
    }
    /// What find() will be asked for later, as far as it has been read: it lies in the caches of
    /// whoever has, which may be far. fetch() has the lines come in which it is told where the rest
    /// is, fetch_rest() those, and slots_of_later() waits for none of them if both were called
    /// before.
    void fetch(std::size_t index) const noexcept {
        const Batch* const batch = batch_of(index);
        if (batch == nullptr) return;
        const TransactionAhead& ahead = batch->transactions[index % kBatch];
        prefetch_for_read(&ahead);
    }
    void fetch_rest(std::size_t index) const noexcept {
        const Batch* const batch = batch_of(index);
        if (batch == nullptr || !batch->has_calls) return;
        const TransactionAhead& ahead = batch->transactions[index % kBatch];
        prefetch_lines_for_read(ahead.slots.data(), ahead.slots.size_bytes());
        prefetch_lines_for_read(ahead.hashes.data(), ahead.hashes.size_bytes());
    }
    [[nodiscard]] std::span<const SlotValue> slots_of_later(std::size_t index) const noexcept {
        const Batch* const batch = batch_of(index);
        if (batch == nullptr || !batch->has_calls) return {};
        return batch->transactions[index % kBatch].slots;
    }

    /// Nobody reads for the block any more.
    void end() noexcept {
        if (!is_open_) return;
        is_open_ = false;
        next_.exchange(kOver, std::memory_order_acq_rel);
        // Acquire: whoever was at work is through with the state and the block.
        for (unsigned i = 0; busy_.load(std::memory_order_acquire) != 0; ++i) {
            if (i < kSpins)
                pause_briefly();
            else
                std::this_thread::yield();
        }
    }

    /// Reads one batch. @return whether there was anything to do.
    /// @param forecaster  The calling thread's.
    bool run_once(AccessForecaster& forecaster) noexcept {
        if (!has_work()) return false;
        busy_.fetch_add(1, std::memory_order_relaxed);
        const std::uint32_t at = next_.fetch_add(1, std::memory_order_acq_rel);
        const bool is_claimed = at < count_.load(std::memory_order_relaxed);
        if (is_claimed && !is_late(at)) read(at, forecaster);
        busy_.fetch_sub(1, std::memory_order_release);
        return is_claimed;
    }

    /// Sequentially consistent, see ParkingLot.
    [[nodiscard]] bool has_work() const noexcept {
        return next_.load(std::memory_order_seq_cst) < count_.load(std::memory_order_relaxed) &&
               is_wanted_.load(std::memory_order_seq_cst);
    }

private:
    static constexpr std::size_t kBatch = 16;  // transactions
    /// As many plain transfers as 86 Mgas pay for, 49 from Amsterdam on, and 4 MiB at most; what
    /// comes behind is read by who executes it.
    static constexpr std::size_t kMostBatches = 256;
    static constexpr std::size_t kMostSlots = 3 * kBatch;  // of a batch
    /// Looks at who is at work before its processor is offered: it may have lost its own.
    static constexpr unsigned kSpins = 100;
    /// Above all numbers of batches, and far from the end of its type: helpers count on from here.
    static constexpr std::uint32_t kOver = 1U << 30;

    struct alignas(64) Batch {
        typename Atomics::template Atomic<std::uint64_t> read_of{0};  // number of the block
        bool has_calls = false;                                       // of which something is known
        std::array<TransactionAhead, kBatch> transactions;
        std::vector<SlotValue> slots;
        std::vector<vm::KnownHash> hashes;
    };

    /// Null: it has not been read.
    [[nodiscard]] const Batch* batch_of(std::size_t index) const noexcept {
        const std::size_t at = index / kBatch;
        if (!is_open_ || at >= capacity_) return nullptr;
        const Batch& batch = batches_[at];
        return batch.read_of.load(std::memory_order_acquire) == number_ ? &batch : nullptr;
    }
    /// Whether the executing thread has come to the batch, or is waiting in end().
    [[nodiscard]] bool is_late(std::uint32_t at) const noexcept {
        return at <= passed_.load(std::memory_order_relaxed) ||
               next_.load(std::memory_order_relaxed) >= kOver;
    }
    void read(std::uint32_t at, AccessForecaster& forecaster) noexcept {
        Batch& batch = batches_[at];
        const auto block = block_.subspan(at * kBatch, kBatch);
        forecast(batch, block, forecaster);
        if (is_late(at)) return;
        expect(batch, block);
        for (std::size_t i = 0; i < kBatch; ++i) {
            if (is_late(at)) return;  // each of them may be read from a disk
            batch.transactions[i].sender = account(block[i].sender);
            batch.transactions[i].recipient = account(block[i].to);
        }
        for (SlotValue& slot : batch.slots) {
            if (is_late(at)) return;
            slot.value = committed_->storage(slot.address, slot.slot);
        }
        batch.read_of.store(number_, std::memory_order_release);
    }
    void forecast(Batch& batch, std::span<const Transaction> block,
                  AccessForecaster& forecaster) noexcept {
        batch.slots.clear();
        batch.hashes.clear();
        if (patterns_ != nullptr) forecaster.begin(block, *patterns_);
        batch.has_calls = patterns_ != nullptr && !forecaster.is_empty();
        if (batch.has_calls) {
            batch.slots.reserve(kMostSlots);  // spans of it stay valid
            batch.hashes.reserve(AccessForecaster::kMostHashes);
        }
        for (std::size_t i = 0; i < kBatch; ++i) {
            TransactionAhead& ahead = batch.transactions[i];
            const std::size_t first_slot = batch.slots.size();
            const std::size_t first_hash = batch.hashes.size();
            if (batch.has_calls) {
                forecaster.tell_slots(i, batch.slots, kMostSlots);
                forecaster.tell_hashes(i, batch.hashes);
            }
            ahead.slots = std::span(batch.slots).subspan(first_slot);
            ahead.hashes = std::span(batch.hashes).subspan(first_hash);
        }
    }
    /// All lines of a batch are on their way before the first one is waited for.
    void expect(const Batch& batch, std::span<const Transaction> block) noexcept {
        std::array<ObjectId, 2 * kBatch + kMostSlots> wanted;
        std::size_t count = 0;
        for (const Transaction& tx : block)
            for (const std::optional<Address>& address : {tx.sender, tx.to})
                if (address.has_value()) wanted[count++] = {*address, ObjectKind::balance, {}};
        for (const SlotValue& slot : batch.slots)
            wanted[count++] = {slot.address, ObjectKind::storage, slot.slot};
        (void)committed_->expect(std::span{wanted}.first(count));
    }
    [[nodiscard]] std::optional<Account> account(
        const std::optional<Address>& address) const noexcept {
        return address.has_value() ? committed_->account(*address) : std::nullopt;
    }

    WorkerParking* const helpers_;

    bool is_open_ = false;  // the executing thread's own: between begin() and end()

    // Of the block; written by the executing thread while nobody is at work.
    const StateView* committed_ = nullptr;
    std::span<const Transaction> block_;
    const AccessPatterns* patterns_ = nullptr;
    std::uint64_t number_ = 0;
    std::unique_ptr<Batch[]> batches_;
    std::size_t capacity_ = 0;

    alignas(64) typename Atomics::template Atomic<std::uint32_t> next_{kOver};
    typename Atomics::template Atomic<std::uint32_t> count_{0};
    typename Atomics::template Atomic<std::uint32_t> busy_{0};
    /// Where the executing thread looks: what lies there or before comes too late.
    alignas(64) typename Atomics::template Atomic<std::uint32_t> passed_{0};
    typename Atomics::template Atomic<bool> is_wanted_{true};
};

using ReadAhead = BasicReadAhead<StreamAtomics>;

}  // namespace heddle::executor
