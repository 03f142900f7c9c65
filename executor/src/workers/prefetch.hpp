// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Asks for all lines of an object ahead. Worth it for what is walked through in order but is larger
// than what the processor foresees, above all for new memory: the next locked operation waits until
// every store before it has found its line.
#pragma once

#include <cstddef>

namespace heddle::executor {

inline constexpr std::size_t kCacheLine = 64;

/// Whether most of what one of so many threads goes on with has been left by another one, and is
/// worth asking for ahead. Of two, half has, and to ask takes as long as it saves.
[[nodiscard]] constexpr bool is_mostly_elsewhere(std::size_t workers) noexcept {
    return workers > 2;
}

/// `object` need not be there yet, nor its address be valid.
template <typename T>
void prefetch_for_write(const T* object) noexcept {
    for (std::size_t offset = 0; offset < sizeof(T); offset += kCacheLine)
        __builtin_prefetch(reinterpret_cast<const char*>(object) + offset, 1);
}
template <typename T>
void prefetch_for_read(const T* object) noexcept {
    for (std::size_t offset = 0; offset < sizeof(T); offset += kCacheLine)
        __builtin_prefetch(reinterpret_cast<const char*>(object) + offset, 0);
}

/// The same of so many bytes.
inline void prefetch_lines_for_read(const void* begin, std::size_t size) noexcept {
    const auto* const bytes = static_cast<const char*>(begin);
    for (std::size_t offset = 0; offset < size; offset += kCacheLine)
        __builtin_prefetch(bytes + offset, 0);
}

}  // namespace heddle::executor
