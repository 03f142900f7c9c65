// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries that many threads fill in, as many as are asked for at once: kept from use to use, since
// fresh memory costs more than what is written there.
#pragma once

#include <cstddef>
#include <memory>

namespace heddle::executor {

/// \tparam Entry  Made anew in place by a constructor without arguments.
/// Thread safety: reset() while nobody looks; entries are their own business.
template <typename Entry>
class MemoTable {
public:
    /// So many entries, as if made anew. Memory that is much more than is needed is given back.
    void reset(std::size_t count) {
        if (count > capacity_ || capacity_ > 4 * count + kKept) {
            entries_ = std::make_unique<Entry[]>(count);
            capacity_ = count;
        } else {
            for (std::size_t i = 0; i < count; ++i) {
                std::destroy_at(&entries_[i]);
                std::construct_at(&entries_[i]);
            }
        }
        count_ = count;
    }
    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    [[nodiscard]] std::size_t memory_bytes() const noexcept { return capacity_ * sizeof(Entry); }
    [[nodiscard]] Entry& operator[](std::size_t number) const noexcept { return entries_[number]; }

private:
    static constexpr std::size_t kKept = 1024;

    std::unique_ptr<Entry[]> entries_;
    std::size_t count_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace heddle::executor
