// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory for records of any size up to 64 KiB or so, named by 32-bit indexes. Says nothing about
// what is in them; node_pool.hpp does.
//
// Several threads use it by lanes: arenas that share the chunks of a whole one, so that an index
// means the same record to all of them, and have free records and unused space of their own. The
// protocol:
//
//   - The whole arena is used by one thread at a time, its lanes by nobody: as if there were none.
//   - Between two moments at which all threads meet (WorkerCrew::for_each), each lane is used by
//     one thread and the whole one by nobody. A lane takes what it lacks from the whole one, under
//     its mutex: free records 64 at a time, new space 64 KiB at a time. Whatever it hands out it
//     hands out without a lock.
//   - Any lane may release any record that no other thread uses: memory belongs to nobody.
//   - Afterwards give_back() of each lane returns all but a few dozen free records of each size,
//     so that what one lane releases every other can have.
//   - The table of chunks never moves. An entry is written under the mutex before any index that
//     needs it is handed out, and reaches other threads with the index: by the mutex within a
//     meeting, by the next meeting otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace heddle::ledger {

/// Records never move, and freed ones are used again for records of the same size (in units of 16
/// bytes). Memory goes back to the system only with the arena.
///
/// Thread safety: none, but for lanes as above.
/// Limits: 64 GiB; a record is smaller than a chunk.
class RecordArena {
public:
    RecordArena();
    /// A lane of `whole`, which is no lane and outlives it.
    explicit RecordArena(RecordArena* whole);
    RecordArena(const RecordArena&) = delete;
    RecordArena& operator=(const RecordArena&) = delete;
    ~RecordArena() = default;

    /// Uninitialised, aligned to 16 bytes.
    [[nodiscard]] std::uint32_t allocate(std::size_t size);
    /// `size` as given to allocate().
    void release(std::uint32_t index, std::size_t size) noexcept;
    /// Of a lane: what it does not need to keep goes to the whole arena.
    void give_back();

    [[nodiscard]] std::byte* at(std::uint32_t index) const noexcept {
        return chunks_[index >> kChunkBits] + std::size_t{index & kChunkMask} * kUnit;
    }
    /// Of all records that are allocated now, by lanes until they gave back last.
    [[nodiscard]] std::size_t live_bytes() const noexcept {
        return static_cast<std::size_t>(live_units_) * kUnit;
    }
    /// Taken from the system.
    [[nodiscard]] std::size_t reserved_bytes() const noexcept {
        return memory_.size() * kChunkUnits * kUnit;
    }

private:
    static constexpr std::size_t kUnit = 16;
    static constexpr std::uint32_t kChunkBits = 17;
    static constexpr std::uint32_t kChunkUnits = 1U << kChunkBits;  // 2 MiB: one huge page
    static constexpr std::uint32_t kChunkMask = kChunkUnits - 1;
    static constexpr std::size_t kMostChunks = (std::size_t{1} << (32 - kChunkBits)) - 1;
    static constexpr std::uint32_t kNone = UINT32_MAX;
    /// Free records that change hands together.
    static constexpr std::uint32_t kBatch = 64;
    /// New space that a lane takes at a time: 64 KiB.
    static constexpr std::uint32_t kLaneUnits = 4'096;

    struct Free {
        void operator()(std::byte* chunk) const noexcept;
    };
    /// Free records of one size. Each names the next in its first word. Those above a batch are in
    /// batches, whose first record names the next batch in its second word.
    struct FreeList {
        std::uint32_t first = kNone;
        std::uint32_t count = 0;
        std::uint32_t batches = kNone;
        std::uint32_t last_batch = kNone;
        /// Of a lane: the whole arena had no batch, and is not asked again before the next meeting.
        bool is_exhausted = false;
    };

    static std::size_t units(std::size_t size) noexcept { return (size + kUnit - 1) / kUnit; }
    [[nodiscard]] std::uint32_t word(std::uint32_t index, std::size_t place) const noexcept;
    void set_word(std::uint32_t index, std::size_t place, std::uint32_t value) const noexcept;
    void add_chunk();
    void push_free(std::uint32_t index, std::size_t unit_count);
    void push_batch(FreeList& list, std::uint32_t batch) const noexcept;
    [[nodiscard]] bool take_batch(FreeList& list, FreeList& from) const noexcept;
    [[nodiscard]] std::uint32_t pop_free(std::size_t unit_count);
    void take_space(std::uint32_t unit_count);

    // Of a whole arena only; lanes change them under the mutex, within a meeting.
    std::mutex mutex_;
    std::vector<std::unique_ptr<std::byte, Free>> memory_;
    std::unique_ptr<std::byte*[]> table_;

    RecordArena* const whole_;    // null: this is one
    std::byte** const chunks_;    // the table of the whole arena
    std::vector<FreeList> free_;  // by size in units
    std::uint32_t next_ = 0;      // first unit never used of the last chunk, or of the lane's space
    std::uint32_t end_ = 0;       // behind it
    std::int64_t live_units_ = 0;  // of a lane: since it gave back
};

}  // namespace heddle::ledger
