// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A sequence with room for a fixed number of values, which are not initialised before they are
// there: what a short-lived worker writes down as it goes, without allocation. Not a container for
// anything that needs a destructor.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include <types/assert.hpp>

namespace heddle::vm {

template <typename T, std::size_t Capacity>
class FixedBuffer {
    static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);

public:
    /// There must be room.
    T& push_back(const T& value) noexcept {
        HEDDLE_ASSERT(size_ < Capacity);
        return *std::construct_at(data() + size_++, value);
    }
    void pop_back() noexcept { --size_; }
    /// Removes the first `count`.
    void drop_front(std::size_t count) noexcept {
        for (std::size_t i = count; i < size_; ++i)
            data()[i - count] = data()[i];
        size_ -= count;
    }
    void clear() noexcept { size_ = 0; }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] T& operator[](std::size_t index) noexcept { return data()[index]; }
    [[nodiscard]] T& back() noexcept { return data()[size_ - 1]; }
    [[nodiscard]] std::span<T> values() noexcept { return {data(), size_}; }

private:
    [[nodiscard]] T* data() noexcept { return reinterpret_cast<T*>(storage_); }

    alignas(T) std::byte storage_[Capacity * sizeof(T)];
    std::size_t size_ = 0;
};

}  // namespace heddle::vm
