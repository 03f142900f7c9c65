// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The accounts of a block's senders and recipients, read from the committed state by whoever has
// nothing else to do, while one thread executes the block from its front. Where transactions are
// light, finding accounts is most of what executing them takes, and it is known before which they
// are. What has not been read in time is read by who needs it; only the end of a block waits, until
// each helper is through with the transaction at which it is.
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

#include <types/account.hpp>
#include <types/assert.hpp>
#include <types/object.hpp>
#include <types/state_view.hpp>
#include <types/transaction.hpp>

#include "workers/atomics.hpp"
#include "workers/parking_lot.hpp"
#include "workers/worker_parking.hpp"

namespace heddle::executor {

/// Of one transaction, as the committed state has them; nullopt: there is no such account, or the
/// transaction does not name one.
struct AccountsOfTransaction {
    std::optional<Account> sender;
    std::optional<Account> recipient;
};

/// Thread safety: begin(), want(), find() and end() are the executing thread's; the rest any.
template <typename Atomics>
class BasicAccountsAhead {
public:
    /// @param helpers  Told when there is something to read, outlives it. Null: nobody else reads.
    explicit BasicAccountsAhead(WorkerParking* helpers) noexcept : helpers_(helpers) {}

    /// From here on others may read for these transactions. Until end(), the committed state and
    /// the transactions stay as and where they are.
    void begin(const StateView& committed, std::span<const Transaction> block) {
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
    [[nodiscard]] const AccountsOfTransaction* find(std::size_t index) noexcept {
        const std::size_t at = index / kBatch;
        if (!is_open_ || at >= capacity_) return nullptr;
        if (at != passed_.load(std::memory_order_relaxed))
            passed_.store(static_cast<std::uint32_t>(at), std::memory_order_relaxed);
        const Batch& batch = batches_[at];
        if (batch.read_of.load(std::memory_order_acquire) != number_) return nullptr;
        return &batch.accounts[index % kBatch];
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
    bool run_once() noexcept {
        if (!has_work()) return false;
        busy_.fetch_add(1, std::memory_order_relaxed);
        const std::uint32_t at = next_.fetch_add(1, std::memory_order_acq_rel);
        const bool is_claimed = at < count_.load(std::memory_order_relaxed);
        if (is_claimed && !is_late(at)) read(at);
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
    /// More than the transactions that a block of 80 Mgas has, and less than a megabyte; what comes
    /// behind is read by who executes it.
    static constexpr std::size_t kMostBatches = 256;
    /// Looks at who is at work before its processor is offered: it may have lost its own.
    static constexpr unsigned kSpins = 100;
    /// Above all numbers of batches, and far from the end of its type: helpers count on from here.
    static constexpr std::uint32_t kOver = 1U << 30;

    struct alignas(64) Batch {
        typename Atomics::template Atomic<std::uint64_t> read_of{0};  // number of the block
        std::array<AccountsOfTransaction, kBatch> accounts;
    };

    /// Whether the executing thread has come to the batch, or is waiting in end().
    [[nodiscard]] bool is_late(std::uint32_t at) const noexcept {
        return at <= passed_.load(std::memory_order_relaxed) ||
               next_.load(std::memory_order_relaxed) >= kOver;
    }
    void read(std::uint32_t at) noexcept {
        Batch& batch = batches_[at];
        const auto block = block_.subspan(at * kBatch, kBatch);
        std::array<ObjectId, 2 * kBatch> wanted;
        std::size_t count = 0;
        for (const Transaction& tx : block)
            for (const std::optional<Address>& address : {tx.sender, tx.to})
                if (address.has_value()) wanted[count++] = {*address, ObjectKind::balance, {}};
        (void)committed_->expect(std::span{wanted}.first(count));
        for (std::size_t i = 0; i < kBatch; ++i) {
            if (is_late(at)) return;  // each of them may be read from a disk
            batch.accounts[i].sender = account(block[i].sender);
            batch.accounts[i].recipient = account(block[i].to);
        }
        batch.read_of.store(number_, std::memory_order_release);
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

using AccountsAhead = BasicAccountsAhead<StreamAtomics>;

}  // namespace heddle::executor
