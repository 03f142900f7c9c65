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

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include <types/assert.hpp>
#include <types/object.hpp>

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

/// Records by dense number. Thread safety: none, the dispatcher's.
class ObjectRecords {
public:
    [[nodiscard]] ObjectRecord& operator[](std::uint32_t object) {
        const std::size_t chunk = object / kChunk;
        if (chunk >= chunks_.size()) [[unlikely]]
            grow(chunk);
        return chunks_[chunk][object % kChunk];
    }
    void prefetch(std::uint32_t object) { __builtin_prefetch(&(*this)[object], 1); }

private:
    static constexpr std::size_t kChunk = std::size_t{1} << 17;
    static constexpr std::size_t kChunkBytes = kChunk * sizeof(ObjectRecord);
    static_assert(kChunkBytes == std::size_t{1} << 21, "a chunk is a huge page");

    struct FreeDeleter {
        void operator()(ObjectRecord* records) const noexcept { std::free(records); }
    };

    void grow(std::size_t chunk) {
        while (chunks_.size() <= chunk) {
            void* const memory = std::aligned_alloc(kChunkBytes, kChunkBytes);
            HEDDLE_ASSERT(memory != nullptr);
#if defined(__linux__)
            // Records are met at random: with small pages the translation misses as often as the
            // record. Where there are no huge pages, nothing is lost.
            madvise(memory, kChunkBytes, MADV_HUGEPAGE);
#endif
            chunks_.emplace_back(static_cast<ObjectRecord*>(memory));
            std::uninitialized_default_construct_n(chunks_.back().get(), kChunk);
        }
    }

    std::vector<std::unique_ptr<ObjectRecord[], FreeDeleter>> chunks_;
};

}  // namespace heddle::executor
