// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The table behind a transaction's working set: entries with stable addresses, found by hash, all
// forgotten at once. Not a general container: nothing is erased singly, and iteration is in order
// of insertion so that no hash reaches a result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <types/assert.hpp>

namespace heddle::vm {

/// Invariants: (1) an entry's address is stable until clear(); (2) a slot belongs to the present
/// generation or is free; (3) at most half of the slots are used.
/// \tparam Generation  An unsigned integer; a narrow one wraps around sooner.
template <typename Entry, typename Generation = std::uint32_t>
class EntryTable {
public:
    EntryTable() : slots_(kInitialSlots) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] Entry& operator[](std::size_t index) noexcept {
        return chunks_[index / kChunk][index % kChunk];
    }

    /// The entry for which `matches(entry)` holds among those with this hash, or null.
    template <typename Matches>
    [[nodiscard]] Entry* find(std::size_t hash, Matches&& matches) noexcept {
        for (std::size_t i = hash & mask();; i = (i + 1) & mask()) {
            const Slot& slot = slots_[i];
            if (slot.generation != generation_) return nullptr;
            if (slot.tag == tag(hash)) {
                Entry& entry = (*this)[slot.index];
                if (matches(entry)) return &entry;
            }
        }
    }

    /// Adds an entry that find() did not find. It is returned as the last transaction left it, or
    /// default-constructed: the caller resets it.
    [[nodiscard]] Entry& insert(std::size_t hash) {
        if (2 * (size_ + 1) > slots_.size()) grow();
        place(hash, static_cast<std::uint32_t>(size_));
        if (size_ == hashes_.size())
            hashes_.push_back(hash);
        else
            hashes_[size_] = hash;
        if (size_ / kChunk == chunks_.size()) chunks_.push_back(std::make_unique<Entry[]>(kChunk));
        return (*this)[size_++];
    }

    /// Forgets everything, keeps the memory. Constant time.
    void clear() noexcept {
        size_ = 0;
        if (++generation_ == 0) {  // wrapped around: old slots could look current
            for (Slot& slot : slots_)
                slot.generation = 0;
            generation_ = 1;
        }
    }

private:
    static constexpr std::size_t kChunk = 64;
    static constexpr std::size_t kInitialSlots = 256;

    struct Slot {
        Generation generation = 0;
        std::uint32_t index = 0;
        std::uint32_t tag = 0;
    };

    [[nodiscard]] std::size_t mask() const noexcept { return slots_.size() - 1; }
    [[nodiscard]] static std::uint32_t tag(std::size_t hash) noexcept {
        return static_cast<std::uint32_t>(hash >> 32);
    }
    void place(std::size_t hash, std::uint32_t index) noexcept {
        std::size_t i = hash & mask();
        while (slots_[i].generation == generation_)
            i = (i + 1) & mask();
        slots_[i] = {generation_, index, tag(hash)};
    }
    void grow() {
        HEDDLE_ASSERT(size_ < (std::size_t{1} << 31));
        std::vector<Slot>(slots_.size() * 2).swap(slots_);
        generation_ = 1;
        for (std::size_t i = 0; i < size_; ++i)
            place(hashes_[i], static_cast<std::uint32_t>(i));
    }

    std::vector<Slot> slots_;
    std::vector<std::size_t> hashes_;
    std::vector<std::unique_ptr<Entry[]>> chunks_;
    std::size_t size_ = 0;
    Generation generation_ = 1;
};

}  // namespace heddle::vm
