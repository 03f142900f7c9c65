// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory for what several threads make of the same thing and nobody gives back before all of it
// goes. Not a general allocator.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>

#include <types/publication.hpp>

namespace heddle {

/// Memory in chunks, each taken from its front by any thread; what is taken one after the other
/// lies so, and each chunk is freed by one call. Nothing in it is destroyed: for trivial types.
///
/// States of a chunk: newest (taken from), older (full for somebody, never taken from again). Who
/// finds the newest one full makes another one, behind which it stands; if some other thread was
/// faster, it frees its own and takes from that thread's. The compare-exchange that puts a chunk
/// there (release) pairs with the load of those who take from it (acquire), who see its header.
/// What is taken belongs to who took it, and is seen by others when it is published elsewhere.
class SharedArena {
public:
    SharedArena() = default;
    ~SharedArena() {
        for (Chunk* chunk = newest_; chunk != nullptr;) {
            Chunk* const older = chunk->older;
            ::operator delete(chunk);
            chunk = older;
        }
    }
    SharedArena(const SharedArena&) = delete;
    SharedArena& operator=(const SharedArena&) = delete;

    /// Memory aligned to kAlignment. Ends the process where there is none.
    /// Thread safety: any number of threads at a time.
    [[nodiscard]] void* take(std::size_t bytes) noexcept {
        bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
        const std::atomic_ref newest(newest_);
        Chunk* chunk = newest.load(std::memory_order_acquire);
        for (;;) {
            if (chunk != nullptr) {
                // Relaxed: nothing is read because of it.
                const std::size_t begin =
                    std::atomic_ref(chunk->taken).fetch_add(bytes, std::memory_order_relaxed);
                if (begin + bytes <= chunk->size)
                    return reinterpret_cast<std::byte*>(chunk) + begin;
            }
            Chunk* const made = make_chunk(chunk, bytes);
            if (newest.compare_exchange_strong(chunk, made, std::memory_order_acq_rel)) {
                size_bytes_.add(made->size);
                return made + 1;
            }
            ::operator delete(made);
        }
    }

    /// Of all chunks.
    /// Thread safety: any number of threads at a time.
    [[nodiscard]] std::size_t size_bytes() const noexcept { return size_bytes_.get(); }

    static constexpr std::size_t kAlignment = 16;

private:
    static constexpr std::size_t kFirstChunk = 1'024;  // bytes, with the header
    static constexpr std::size_t kLargestChunk = 32'768;

    struct alignas(kAlignment) Chunk {
        Chunk* older;
        std::size_t size;   // with this header
        std::size_t taken;  // the same; beyond `size` once somebody has found it full
    };

    /// A chunk of which the first `bytes` are taken.
    [[nodiscard]] static Chunk* make_chunk(Chunk* older, std::size_t bytes) noexcept {
        const std::size_t wanted =
            older == nullptr ? kFirstChunk : std::min(2 * older->size, kLargestChunk);
        const std::size_t size = std::max(wanted, sizeof(Chunk) + bytes);
        return new (::operator new(size))
            Chunk{.older = older, .size = size, .taken = sizeof(Chunk) + bytes};
    }

    Chunk* newest_ = nullptr;
    SharedTotal size_bytes_;
};

}  // namespace heddle
