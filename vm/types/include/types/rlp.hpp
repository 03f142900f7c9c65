// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Recursive Length Prefix (YP App. B): strict, bounded, allocation-free decoding and appending
// encoders.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include <types/address.hpp>
#include <types/bytes.hpp>
#include <types/hash.hpp>
#include <types/uint256.hpp>

namespace heddle::rlp {

enum class ErrorCode : std::uint8_t {
    truncated,              // the input ends inside an item
    non_canonical_size,     // a shorter prefix would do, or a length with leading zeros
    non_canonical_integer,  // an integer with leading zeros
    overflow,               // a length beyond 64 bits or an integer beyond its type
    unexpected_list,        // a list where a string is required
    unexpected_string,      // a string where a list is required
    wrong_size,             // a fixed-size string of another size
    trailing_bytes,         // more input after the item or more items in the list
    too_few_items,          // a list with fewer items than required
};
[[nodiscard]] std::string_view to_string(ErrorCode code) noexcept;

struct Error {
    ErrorCode code = ErrorCode::truncated;
    std::size_t offset = 0;  // in bytes from the start of the outermost input
    friend bool operator==(const Error&, const Error&) = default;
};
[[nodiscard]] std::string to_string(const Error& error);

template <typename T>
using Result = std::expected<T, Error>;

/// A cursor over the items of one list (or of the top level). Never owns, never allocates.
/// Nested readers keep counting offsets from the outermost input.
class Reader {
public:
    explicit Reader(BytesView input, std::size_t base_offset = 0) noexcept
        : input_(input), base_(base_offset) {}

    [[nodiscard]] bool at_end() const noexcept { return position_ == input_.size(); }
    /// Bytes from the start of the outermost input.
    [[nodiscard]] std::size_t offset() const noexcept { return base_ + position_; }
    /// Whether the next item is a list; false at the end.
    [[nodiscard]] bool next_is_list() const noexcept;

    [[nodiscard]] Result<BytesView> read_string();
    [[nodiscard]] Result<std::uint64_t> read_uint64();
    [[nodiscard]] Result<Uint256> read_uint256();
    [[nodiscard]] Result<Hash> read_hash();
    [[nodiscard]] Result<Address> read_address();
    /// Copies exactly `out.size()` bytes.
    [[nodiscard]] Result<void> read_fixed(std::span<std::uint8_t> out);
    /// Enters a list; the returned reader covers its payload.
    [[nodiscard]] Result<Reader> read_list();
    /// The next item whole, prefix included, only its own extent checked.
    [[nodiscard]] Result<BytesView> read_raw();
    /// Fails with trailing_bytes unless at the end.
    [[nodiscard]] Result<void> expect_end() const;

    [[nodiscard]] std::unexpected<Error> error(ErrorCode code) const noexcept {
        return std::unexpected(Error{code, offset()});
    }

private:
    [[nodiscard]] std::unexpected<Error> end_error() const noexcept;
    [[nodiscard]] Result<BytesView> read_integer(std::size_t max_size);

    BytesView input_;
    std::size_t base_ = 0;
    std::size_t position_ = 0;
};

/// Appending encoders.
void encode_string(BytesView bytes, Bytes& out);
void encode_uint64(std::uint64_t value, Bytes& out);
void encode_uint256(const Uint256& value, Bytes& out);
inline void encode_hash(const Hash& hash, Bytes& out) {
    encode_string(hash.view(), out);
}
inline void encode_address(const Address& address, Bytes& out) {
    encode_string(address.view(), out);
}
/// Appends a list prefix for a payload of `payload_size` bytes.
void encode_list_header(std::size_t payload_size, Bytes& out);
/// Appends a string's prefix for `size` bytes; not for a single byte, which may stand for itself.
void encode_string_header(std::size_t size, Bytes& out);
/// Turns what was appended to `out` since `payload_begin` into a list by inserting its prefix.
void wrap_list(std::size_t payload_begin, Bytes& out);
/// Turns what was appended to `out` since `payload_begin` into a string in the same way.
void wrap_string(std::size_t payload_begin, Bytes& out);

/// Encodes items from the last to the first: when a list's prefix is due, its size is known, and
/// nothing has to be moved or measured beforehand, however deeply lists are nested.
class BackwardWriter {
public:
    /// Forgets everything, keeps the memory.
    void clear() noexcept { begin_ = buffer_.size(); }

    void add(BytesView string);
    void add(const Address& address) {
        std::memcpy(make_room(sizeof(address.bytes) + 1) + 1, address.bytes.data(),
                    sizeof(address.bytes));
        begin_ -= sizeof(address.bytes);
        put(static_cast<std::uint8_t>(kString + sizeof(address.bytes)));
    }
    void add(std::uint64_t value) {
        const std::uint64_t bytes = std::byteswap(value);
        std::memcpy(make_room(sizeof(bytes) + 1) + 1, &bytes, sizeof(bytes));
        finish_integer((static_cast<unsigned>(std::bit_width(value)) + 7) / 8);
    }
    void add(const Uint256& value) {
        store_be(value, make_room(32 + 1) + 1);
        finish_integer(byte_width(value));
    }
    /// Bytes so far.
    [[nodiscard]] std::size_t size() const noexcept { return buffer_.size() - begin_; }
    /// Makes a list of everything that was added since size() was `size_behind`.
    void wrap_list(std::size_t size_behind) {
        const std::size_t payload = size() - size_behind;
        if (payload > kMaxShort) return add_long_prefix(kList, payload);
        (void)make_room(1);
        put(static_cast<std::uint8_t>(kList + payload));
    }

    /// Until the next call of anything else.
    [[nodiscard]] BytesView bytes() const noexcept { return BytesView{buffer_}.subspan(begin_); }

private:
    // YP App. B.
    static constexpr std::uint8_t kString = 0x80;
    static constexpr std::uint8_t kList = 0xc0;
    static constexpr std::size_t kMaxShort = 55;

    /// @return where so many bytes in front of what is there begin; they are not added yet.
    [[nodiscard]] std::uint8_t* make_room(std::size_t size) {
        if (size > begin_) [[unlikely]]
            enlarge(size);
        return buffer_.data() + (begin_ - size);
    }
    void enlarge(std::size_t size);
    /// Where there is room.
    void put(std::uint8_t byte) noexcept { buffer_[--begin_] = byte; }
    /// An integer has been written in front of what is there, wider than necessary: `width` bytes
    /// of it count.
    void finish_integer(unsigned width) noexcept {
        begin_ -= width;
        if (width != 1 || buffer_[begin_] >= kString)
            put(static_cast<std::uint8_t>(kString + width));
    }
    void add_long_prefix(std::uint8_t base, std::size_t payload_size);

    Bytes buffer_;  // filled from its end
    std::size_t begin_ = 0;
};

}  // namespace heddle::rlp
