// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the places of the window keep from one transaction to the next. There are thousands of
// places: what large transactions needed of each would add up for ever.
#pragma once

#include <cstddef>
#include <vector>

namespace heddle::executor {

/// Lets lists, one a place, keep their memory while all of them together have little.
/// Thread safety: none: it belongs to the thread that fills the lists.
class PlaceMemory {
public:
    /// Beyond it, a place gives back what it has before it is filled again.
    static constexpr std::size_t kMostBytes = std::size_t{8} << 20;

    /// Empties a list, to be filled and then handed to note().
    template <typename T>
    void clear(std::vector<T>& entries) noexcept {
        const bool is_too_much = kept_bytes_ > kMostBytes;
        kept_bytes_ -= bytes_of(entries);
        if (is_too_much)
            std::vector<T>{}.swap(entries);
        else
            entries.clear();
    }
    /// It is filled, and takes no more memory before it is cleared.
    template <typename T>
    void note(const std::vector<T>& entries) noexcept {
        kept_bytes_ += bytes_of(entries);
    }
    [[nodiscard]] std::size_t kept_bytes() const noexcept { return kept_bytes_; }

private:
    template <typename T>
    static std::size_t bytes_of(const std::vector<T>& entries) noexcept {
        return entries.capacity() * sizeof(T);
    }

    std::size_t kept_bytes_ = 0;  // of all lists
};

}  // namespace heddle::executor
