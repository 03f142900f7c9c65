// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The few ways in which schema.cpp writes numbers and hashes, and reads them back without trust.
#pragma once

#include <algorithm>
#include <cstdint>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

namespace heddle::ledger {

inline void append(BytesView bytes, Bytes& out) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}

/// Big-endian, so that numbers are in order as keys.
inline void append_uint64(std::uint64_t value, Bytes& out) {
    for (int shift = 56; shift >= 0; shift -= 8)
        out.push_back(static_cast<std::uint8_t>(value >> shift));
}

/// LEB128: seven bits a byte, the lowest first.
inline void append_varint(std::uint64_t value, Bytes& out) {
    for (; value >= 0x80; value >>= 7)
        out.push_back(static_cast<std::uint8_t>(value | 0x80));
    out.push_back(static_cast<std::uint8_t>(value));
}

/// A length byte, then so many bytes, big-endian, without leading zeros.
inline void append_word(const Uint256& value, Bytes& out) {
    const unsigned width = byte_width(value);
    out.push_back(static_cast<std::uint8_t>(width));
    append(to_hash(value).view().last(width), out);
}

/// Reads what the functions above wrote, and nothing that they could not have written. The first
/// thing that does not fit makes everything after it zero: ask is_good() at the end.
class ByteReader {
public:
    explicit ByteReader(BytesView bytes) noexcept : bytes_(bytes) {}

    [[nodiscard]] bool at_end() const noexcept { return bytes_.empty(); }
    [[nodiscard]] bool is_good() const noexcept { return is_good_; }
    /// Whether everything was read and nothing is left.
    [[nodiscard]] bool is_done() const noexcept { return is_good_ && bytes_.empty(); }

    [[nodiscard]] BytesView take(std::size_t size) noexcept {
        if (size > bytes_.size()) {
            (void)fail();
            return {};
        }
        const BytesView taken = bytes_.first(size);
        bytes_ = bytes_.subspan(size);
        return taken;
    }
    [[nodiscard]] BytesView rest() noexcept { return take(bytes_.size()); }

    [[nodiscard]] std::uint8_t byte() noexcept {
        const BytesView one = take(1);
        return one.empty() ? std::uint8_t{0} : one[0];
    }
    [[nodiscard]] std::uint64_t uint64() noexcept {
        std::uint64_t value = 0;
        for (const std::uint8_t byte : take(8))
            value = value << 8 | byte;
        return value;
    }
    [[nodiscard]] std::uint64_t varint() noexcept {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint8_t next = byte();
            value |= std::uint64_t{next & 0x7fu} << shift;
            if ((next & 0x80) != 0) continue;
            // A last byte without bits could have been left out; the tenth has room for one bit.
            if ((next == 0 && shift != 0) || (shift == 63 && next > 1)) break;
            return value;
        }
        return fail();
    }
    [[nodiscard]] Uint256 word() noexcept {
        const std::size_t width = byte();
        if (width > 32) return fail();
        const BytesView bytes = take(width);
        if (bytes.empty()) return {};
        if (bytes[0] == 0) return fail();
        return load_be_partial(bytes);
    }
    [[nodiscard]] Hash hash() noexcept { return fixed<Hash>(); }
    [[nodiscard]] Address address() noexcept { return fixed<Address>(); }

private:
    std::uint64_t fail() noexcept {
        is_good_ = false;
        bytes_ = {};
        return 0;
    }
    template <typename Fixed>
    [[nodiscard]] Fixed fixed() noexcept {
        Fixed value;
        const BytesView bytes = take(value.bytes.size());
        std::ranges::copy(bytes, value.bytes.begin());
        return value;
    }

    BytesView bytes_;
    bool is_good_ = true;
};

}  // namespace heddle::ledger
