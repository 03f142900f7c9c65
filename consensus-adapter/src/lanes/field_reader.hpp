// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Fields of the lanes' encodings, read from bytes that may be anything. Integers are little-endian.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <types/bytes.hpp>
#include <types/uint256.hpp>

namespace heddle::consensus_adapter::lanes {

template <typename Integer>
void put(Integer value, Bytes& out) {
    for (std::size_t i = 0; i < sizeof value; ++i)
        out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}
/// A length byte, then so many bytes, big-endian, without leading zeros.
void put_word(const Uint256& word, Bytes& out);

/// After a field that is not there or not canonical every other one is zero, and is_good() false.
class FieldReader {
public:
    explicit FieldReader(BytesView bytes) noexcept : left_(bytes) {}

    [[nodiscard]] bool is_good() const noexcept { return !is_truncated_ && !is_malformed_; }
    [[nodiscard]] bool is_truncated() const noexcept { return is_truncated_; }
    [[nodiscard]] std::size_t left() const noexcept { return left_.size(); }
    [[nodiscard]] BytesView rest() const noexcept { return left_; }

    [[nodiscard]] BytesView bytes(std::size_t size) noexcept {
        if (size > left_.size() || !is_good()) {
            is_truncated_ |= is_good();
            return {};
        }
        const BytesView result = left_.first(size);
        left_ = left_.subspan(size);
        return result;
    }
    template <typename Integer>
    [[nodiscard]] Integer integer() noexcept {
        const BytesView field = bytes(sizeof(Integer));
        Integer value = 0;
        for (std::size_t i = field.size(); i-- > 0;)
            value = static_cast<Integer>(static_cast<std::uint64_t>(value) << 8 | field[i]);
        return value;
    }
    template <typename Array>
    [[nodiscard]] Array array() noexcept {
        Array result;
        const BytesView field = bytes(result.bytes.size());
        std::ranges::copy(field, result.bytes.begin());
        return result;
    }
    /// As put_word() wrote it.
    [[nodiscard]] Uint256 word() noexcept;
    /// false, and nothing is good any more, unless `is_right`.
    bool expect(bool is_right) noexcept {
        if (!is_right && is_good()) is_malformed_ = true;
        return is_good();
    }

private:
    BytesView left_;
    bool is_truncated_ = false;
    bool is_malformed_ = false;
};

}  // namespace heddle::consensus_adapter::lanes
