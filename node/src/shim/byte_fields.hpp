// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers and bytes in records. A varint has seven bits a byte, the lowest first, and the top bit
// set in every byte but the last (LEB128).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <types/bytes.hpp>

namespace heddle::node {

inline constexpr std::size_t kMostNumberBytes = 10;
/// @param to  Has room for kMostNumberBytes. @return behind the number.
inline std::uint8_t* write_number(std::uint64_t value, std::uint8_t* to) noexcept {
    for (; value >= 0x80; value >>= 7)
        *to++ = static_cast<std::uint8_t>(value | 0x80);
    *to++ = static_cast<std::uint8_t>(value);
    return to;
}
/// Small ones of either sign become small.
constexpr std::uint64_t folded(std::int64_t value) noexcept {
    return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
inline void put_number(std::uint64_t value, Bytes& out) {
    std::array<std::uint8_t, kMostNumberBytes> bytes;
    out.insert(out.end(), bytes.data(), write_number(value, bytes.data()));
}
inline void put_signed(std::int64_t value, Bytes& out) {
    put_number(folded(value), out);
}
inline void put_raw(BytesView bytes, Bytes& out) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}
inline void put_bytes(BytesView bytes, Bytes& out) {
    put_number(bytes.size(), out);
    put_raw(bytes, out);
}
inline void put_text(std::string_view text, Bytes& out) {
    put_number(text.size(), out);
    out.insert(out.end(), text.begin(), text.end());
}

/// Takes fields from bytes. What does not fit gives zeros and fails for good: whoever reads looks
/// at the end. Memory: never more than the bytes have. Thread safety: none.
class FieldReader {
public:
    explicit FieldReader(BytesView bytes) noexcept : left_(bytes) {}

    [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }
    [[nodiscard]] bool is_empty() const noexcept { return left_.empty(); }
    [[nodiscard]] BytesView left() const noexcept { return left_; }

    std::uint64_t number() noexcept {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint8_t byte = this->byte();
            value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if ((byte & 0x80) == 0) return value;
        }
        has_failed_ = true;
        return 0;
    }
    std::int64_t signed_number() noexcept {
        const std::uint64_t value = number();
        return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
    }
    std::uint8_t byte() noexcept {
        const BytesView one = raw(1);
        return one.empty() ? std::uint8_t{0} : one.front();
    }
    /// Empty where there are fewer.
    BytesView raw(std::size_t count) noexcept {
        if (has_failed_ || count > left_.size()) {
            has_failed_ = true;
            return {};
        }
        const BytesView taken = left_.first(count);
        left_ = left_.subspan(count);
        return taken;
    }
    BytesView bytes() noexcept { return raw(static_cast<std::size_t>(number())); }
    std::string text() {
        const BytesView taken = bytes();
        return {taken.begin(), taken.end()};
    }
    /// Into a value of fixed size.
    template <typename Array>
    void fill(Array& out) noexcept {
        const BytesView taken = raw(out.size());
        for (std::size_t i = 0; i < taken.size(); ++i)
            out[i] = taken[i];
    }
    /// How many of something follow, each at least `least_bytes` long.
    std::size_t count(std::size_t least_bytes) noexcept {
        const std::uint64_t wanted = number();
        if (wanted > left_.size() / least_bytes) has_failed_ = true;
        return has_failed_ ? 0 : static_cast<std::size_t>(wanted);
    }
    void fail() noexcept { has_failed_ = true; }

private:
    BytesView left_;
    bool has_failed_ = false;
};

}  // namespace heddle::node
