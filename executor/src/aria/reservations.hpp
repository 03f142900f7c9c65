// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Who of a batch reads or writes an object first (Aria §4.1): for each object, by its dense number,
// the smallest index that has reserved it. Nothing is cleared between two batches, as an entry says
// which batch it is of.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "workers/atomics.hpp"

namespace heddle::executor {

/// An entry is one word, `epoch << 32 | ~index`. A later batch has a greater epoch, and within one
/// a smaller index makes a greater word, so reserving is taking the maximum: what an earlier batch
/// has left loses against anything. Epochs count from 1 and around; then, and only then, all is
/// cleared.
///
/// Numbers come up while others reserve. Entries are in segments, each as long as all before it
/// together, which are made when first needed and do not move.
///
///   entry of this batch   event                           next      who
///   (older)               reserve(i)                      i         any worker
///   i                     reserve(j), j < i               j         any worker
///   i                     reserve(j), j >= i              i         any worker
///   any                   begin_batch()                   (older)   one, while nobody reserves
///
/// Orders are relaxed: whoever asks has been told by other means (BatchBarrier) that all have
/// reserved.
///
/// Thread safety: reserve() any; the rest while nobody reserves; first() by any number of threads,
/// memory_bytes() by any at any time.
template <typename Atomics, unsigned kFirstBits = 12>
class BasicReservations {
public:
    static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

    /// @param epoch  Of the last batch, as if there had been so many.
    explicit BasicReservations(std::uint32_t epoch = 0) noexcept : epoch_(epoch) {}
    ~BasicReservations() { shrink(0); }
    BasicReservations(const BasicReservations&) = delete;
    BasicReservations& operator=(const BasicReservations&) = delete;

    /// Nothing is reserved any more.
    void begin_batch() noexcept {
        if (++epoch_ != 0) return;
        clear();
        epoch_ = 1;
    }
    /// @param index  In the batch; below kNobody.
    void reserve(std::uint32_t object, std::uint32_t index) {
        Word& word = entry(object);
        const std::uint64_t mine = std::uint64_t{epoch_} << 32 | (kNobody - index);
        std::uint64_t current = word.load(std::memory_order_relaxed);
        while (current < mine &&
               !word.compare_exchange_weak(current, mine, std::memory_order_relaxed))
            ;
    }
    /// The smallest index that has reserved the object; kNobody: none has.
    [[nodiscard]] std::uint32_t first(std::uint32_t object) const noexcept {
        const Place place = place_of(object);
        const Word* const segment = segments_[place.segment].load(std::memory_order_acquire);
        if (segment == nullptr) return kNobody;
        const std::uint64_t word = segment[place.offset].load(std::memory_order_relaxed);
        return word >> 32 == epoch_ ? kNobody - static_cast<std::uint32_t>(word) : kNobody;
    }

    /// Gives back memory for what lies beyond so many objects, as far as segments go.
    void shrink(std::size_t kept) noexcept {
        for (unsigned i = 0; i < kSegments; ++i) {
            if (begin_of(i) < kept) continue;
            if (const Word* const old = segments_[i].exchange(nullptr, std::memory_order_acq_rel)) {
                delete[] old;
                bytes_.fetch_sub(size_of(i) * sizeof(Word), std::memory_order_relaxed);
            }
        }
    }
    [[nodiscard]] std::size_t memory_bytes() const noexcept {
        return bytes_.load(std::memory_order_relaxed);
    }

private:
    using Word = typename Atomics::template Atomic<std::uint64_t>;
    static constexpr unsigned kSegments = 33 - kFirstBits;

    struct Place {
        unsigned segment = 0;
        std::size_t offset = 0;
    };
    [[nodiscard]] static constexpr std::size_t begin_of(unsigned segment) noexcept {
        return segment == 0 ? 0 : std::size_t{1} << (kFirstBits + segment - 1);
    }
    [[nodiscard]] static constexpr std::size_t size_of(unsigned segment) noexcept {
        return segment == 0 ? std::size_t{1} << kFirstBits : begin_of(segment);
    }
    [[nodiscard]] static constexpr Place place_of(std::uint32_t object) noexcept {
        const auto segment = static_cast<unsigned>(std::bit_width(object >> kFirstBits));
        return {segment, object - begin_of(segment)};
    }

    [[nodiscard]] Word& entry(std::uint32_t object) {
        const Place place = place_of(object);
        Word* segment = segments_[place.segment].load(std::memory_order_acquire);
        if (segment == nullptr) [[unlikely]]
            segment = make(place.segment);
        return segment[place.offset];
    }
    /// Acquire and release pair with each other: who finds a segment finds zeros in it.
    [[nodiscard]] Word* make(unsigned number) {
        Word* const made = new Word[size_of(number)]();
        Word* found = nullptr;
        while (!segments_[number].compare_exchange_weak(found, made, std::memory_order_acq_rel,
                                                        std::memory_order_acquire)) {
            if (found == nullptr) continue;
            delete[] made;
            return found;
        }
        bytes_.fetch_add(size_of(number) * sizeof(Word), std::memory_order_relaxed);
        return made;
    }
    void clear() noexcept {
        for (unsigned i = 0; i < kSegments; ++i)
            if (Word* const segment = segments_[i].load(std::memory_order_acquire))
                for (std::size_t at = 0; at < size_of(i); ++at)
                    segment[at].store(0, std::memory_order_relaxed);
    }

    std::uint32_t epoch_;  // written while nobody reserves
    std::array<typename Atomics::template Atomic<Word*>, kSegments> segments_{};
    std::atomic<std::size_t> bytes_{0};
};

/// Not what the stream meets over, and much is reserved: of these the explorer looks at small ones.
using Reservations = BasicReservations<StandardAtomics>;

}  // namespace heddle::executor
