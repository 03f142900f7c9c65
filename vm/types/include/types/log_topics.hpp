// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The topics of a log, in place: they would be one allocation more of what a token's transfer
// leaves, and mostly another thread gives that back.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include <types/assert.hpp>
#include <types/hash.hpp>

namespace heddle {

/// At most four (YP 9.4.2, LOG0 to LOG4).
class LogTopics {
public:
    static constexpr std::size_t kMost = 4;

    LogTopics() noexcept = default;
    LogTopics(std::initializer_list<Hash> topics) noexcept {
        for (const Hash& topic : topics)
            push_back(topic);
    }

    /// Requires: size() < kMost.
    void push_back(const Hash& topic) noexcept {
        HEDDLE_ASSERT(size_ < kMost);
        topics_[size_++] = topic;
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] const Hash* begin() const noexcept { return topics_.data(); }
    [[nodiscard]] const Hash* end() const noexcept { return topics_.data() + size_; }
    [[nodiscard]] const Hash& front() const noexcept { return topics_.front(); }
    [[nodiscard]] const Hash& operator[](std::size_t place) const noexcept {
        return topics_[place];
    }

    friend bool operator==(const LogTopics& a, const LogTopics& b) noexcept {
        return std::ranges::equal(a, b);
    }

private:
    std::array<Hash, kMost> topics_;
    std::uint8_t size_ = 0;
};

}  // namespace heddle
