// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists of vertices in chunks of one cache line, all lists out of one pool: edges and readers come
// and go by the million, and most lists are empty or short.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <types/assert.hpp>

namespace heddle::consensus_adapter::lanes {

inline constexpr std::uint32_t kNone = 0xffff'ffff;

/// A vertex as others refer to it: its slot, and the low half of its serial number, by which it is
/// told from a later one in the same slot. References live as long as something waits, while far
/// fewer than 2^32 vertices come.
struct VertexLink {
    std::uint32_t slot = kNone;
    std::uint32_t stamp = 0;
};

/// In the order in which they were appended; the first ones without a chunk.
struct LinkList {
    static constexpr std::uint32_t kInline = 2;

    std::array<VertexLink, kInline> first;
    std::uint32_t head = kNone;
    std::uint32_t tail = kNone;
    std::uint32_t count = 0;
};

/// Where a walk through a list stands.
struct LinkCursor {
    std::uint32_t chunk = kNone;  // kNone: in LinkList::first
    std::uint32_t place = 0;
};

/// Thread safety: none.
class LinkPool {
public:
    void append(LinkList& list, VertexLink link) {
        if (list.count < LinkList::kInline) {
            list.first[list.count++] = link;
            return;
        }
        if (list.tail == kNone || chunks_[list.tail].size == kChunkLinks) extend(list);
        Chunk& chunk = chunks_[list.tail];
        chunk.links[chunk.size++] = link;
        ++list.count;
    }
    void release(LinkList& list) {
        list.count = 0;
        if (list.head == kNone) return;
        chunks_[list.tail].next = free_;
        free_ = list.head;
        list.head = list.tail = kNone;
    }
    /// The link at the cursor, which moves on; false at the end.
    [[nodiscard]] bool next(const LinkList& list, LinkCursor& cursor,
                            VertexLink& link) const noexcept {
        if (cursor.chunk == kNone) {
            if (cursor.place < std::min(list.count, LinkList::kInline)) {
                link = list.first[cursor.place++];
                return true;
            }
            if (list.head == kNone) return false;
            cursor = {list.head, 0};
        }
        // Only the last chunk of a list may have room left, and none is empty.
        if (cursor.place == chunks_[cursor.chunk].size) {
            if (chunks_[cursor.chunk].next == kNone) return false;
            cursor = {chunks_[cursor.chunk].next, 0};
        }
        link = chunks_[cursor.chunk].links[cursor.place++];
        return true;
    }
    [[nodiscard]] std::size_t chunk_count() const noexcept { return chunks_.size(); }

private:
    static constexpr std::uint32_t kChunkLinks = 7;
    struct alignas(64) Chunk {
        std::array<VertexLink, kChunkLinks> links;
        std::uint32_t size = 0;
        std::uint32_t next = kNone;
    };
    static_assert(sizeof(Chunk) == 64);

    void extend(LinkList& list) {
        std::uint32_t taken = free_;
        if (taken == kNone) {
            HEDDLE_ASSERT(chunks_.size() < kNone);
            taken = static_cast<std::uint32_t>(chunks_.size());
            chunks_.emplace_back();
        } else {
            free_ = chunks_[taken].next;
        }
        chunks_[taken].size = 0;
        chunks_[taken].next = kNone;
        if (list.tail == kNone)
            list.head = taken;
        else
            chunks_[list.tail].next = taken;
        list.tail = taken;
    }

    std::vector<Chunk> chunks_;
    std::uint32_t free_ = kNone;
};

}  // namespace heddle::consensus_adapter::lanes
