// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the dispatcher remembers of each object: who wrote it last, who moved it last. Private to
// the dispatcher, so that ordering a transaction by an object that nobody else is using touches no
// memory but the record itself, and no atomic (DORADD §3.2).
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include <types/assert.hpp>
#include <types/object.hpp>
#include <types/out_of_memory.hpp>

namespace heddle::executor {

/// Positions in the stream; 0 stands for "nobody", as the stream starts at 1.
struct ObjectRecord {
    std::uint64_t last_writer = 0;
    std::uint64_t last_mover = 0;  // Add or Debit since the last writer
};

/// Whom a new transaction has to wait for because of one object. Positions below the watermark have
/// been left out: they are done.
struct Predecessors {
    std::uint64_t complete = 0;  // wait until this one is complete; 0: nobody
    std::uint64_t commit = 0;    // wait until this one is committed; 0: nobody
};

/// Notes the access of the transaction at `position` and tells whom it waits for.
///
/// Values are kept by stream position, so a writer need not wait for earlier readers, nor for an
/// earlier writer whose value it does not read, and deltas wait for nobody. What reads waits for
/// the last writer, and, as deltas are added up at commit, for the commit of the last delta.
/// @param watermark  All positions below are committed.
[[nodiscard]] inline Predecessors order(ObjectRecord& record, AccessMode mode,
                                        std::uint64_t position, std::uint64_t watermark) noexcept {
    Predecessors result;
    if (mode == AccessMode::add || mode == AccessMode::debit) {
        record.last_mover = position;
        return result;
    }
    if (record.last_writer >= watermark) result.complete = record.last_writer;
    if (record.last_mover >= watermark && record.last_mover > record.last_writer)
        result.commit = record.last_mover;
    if (mode == AccessMode::write) record.last_writer = position;
    return result;
}

/// Records by dense number. They grow with the numbers that are in use, which are as many as there
/// are cells, and shrink when the cells are forgotten.
/// Thread safety: none, the dispatcher's; memory_bytes() any.
template <typename Record>
class NumberedRecords {
public:
    [[nodiscard]] Record& operator[](std::uint32_t number) {
        const std::size_t chunk = number / kChunk;
        if (chunk >= chunks_.size()) [[unlikely]]
            grow(chunk);
        return chunks_[chunk][number % kChunk];
    }
    void prefetch(std::uint32_t number) { __builtin_prefetch(&(*this)[number], 1); }

    /// Nobody in flight is known by any number: gives back what lies beyond `kept` of them. What
    /// stays speaks of positions that are committed, and so of nobody.
    void shrink(std::size_t kept) {
        const std::size_t chunks = (kept + kChunk - 1) / kChunk;
        if (chunks_.size() <= chunks) return;
        chunks_.resize(chunks);
        chunk_count_.store(chunks, std::memory_order_relaxed);
    }
    /// Memory held, used or not.
    [[nodiscard]] std::size_t memory_bytes() const noexcept {
        return chunk_count_.load(std::memory_order_relaxed) * kChunkBytes;
    }

    /// A chunk is a huge page.
    static constexpr std::size_t kChunkBytes = std::size_t{1} << 21;
    static constexpr std::size_t kChunk = kChunkBytes / sizeof(Record);

private:
    static_assert(kChunk * sizeof(Record) == kChunkBytes, "nothing is wasted");

    struct FreeDeleter {
        void operator()(Record* records) const noexcept { std::free(records); }
    };

    void grow(std::size_t chunk) {
        while (chunks_.size() <= chunk) {
            void* const memory = std::aligned_alloc(kChunkBytes, kChunkBytes);
            if (memory == nullptr) fail_allocation();
#if defined(__linux__)
            // Records are met at random: with small pages the translation misses as often as the
            // record. Where there are no huge pages, nothing is lost.
            madvise(memory, kChunkBytes, MADV_HUGEPAGE);
#endif
            chunks_.emplace_back(static_cast<Record*>(memory));
            std::uninitialized_default_construct_n(chunks_.back().get(), kChunk);
        }
        chunk_count_.store(chunks_.size(), std::memory_order_relaxed);
    }

    std::vector<std::unique_ptr<Record[], FreeDeleter>> chunks_;
    std::atomic<std::size_t> chunk_count_{0};
};
using ObjectRecords = NumberedRecords<ObjectRecord>;

}  // namespace heddle::executor
