// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory for records of any size up to 64 KiB or so, named by 32-bit indexes. Says nothing about
// what is in them; node_pool.hpp does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::ledger {

/// Records never move, and freed ones are used again for records of the same size (in units of 16
/// bytes). Memory goes back to the system only with the arena.
///
/// Thread safety: none.
/// Limits: 64 GiB; a record is smaller than a chunk.
class RecordArena {
public:
    /// Uninitialised, aligned to 16 bytes.
    [[nodiscard]] std::uint32_t allocate(std::size_t size);
    /// `size` as given to allocate().
    void release(std::uint32_t index, std::size_t size) noexcept;

    [[nodiscard]] std::byte* at(std::uint32_t index) const noexcept {
        return chunks_[index >> kChunkBits].get() + std::size_t{index & kChunkMask} * kUnit;
    }
    /// Of all records that are allocated now.
    [[nodiscard]] std::size_t live_bytes() const noexcept { return live_units_ * kUnit; }
    /// Taken from the system.
    [[nodiscard]] std::size_t reserved_bytes() const noexcept {
        return chunks_.size() * kChunkUnits * kUnit;
    }

private:
    static constexpr std::size_t kUnit = 16;
    static constexpr std::uint32_t kChunkBits = 17;
    static constexpr std::uint32_t kChunkUnits = 1U << kChunkBits;  // 2 MiB: one huge page
    static constexpr std::uint32_t kChunkMask = kChunkUnits - 1;
    static constexpr std::uint32_t kNone = UINT32_MAX;

    struct Free {
        void operator()(std::byte* chunk) const noexcept;
    };

    static std::size_t units(std::size_t size) noexcept { return (size + kUnit - 1) / kUnit; }
    void add_chunk();
    void push_free(std::uint32_t index, std::size_t unit_count);

    std::vector<std::unique_ptr<std::byte, Free>> chunks_;
    std::vector<std::uint32_t> free_;  // by size in units; each record names the next
    std::uint32_t next_ = 0;           // first unit never used of the last chunk
    std::uint32_t end_ = 0;            // behind the last chunk
    std::size_t live_units_ = 0;
};

}  // namespace heddle::ledger
