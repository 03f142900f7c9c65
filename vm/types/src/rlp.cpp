// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include <types/rlp.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <types/expected.hpp>

namespace heddle::rlp {

namespace {

// Prefixes (YP App. B): [0x00, 0x7f] is its own payload; strings from 0x80 and lists from 0xc0 with
// up to 55 payload bytes carry the size in the prefix, longer ones the size of the size.
constexpr std::uint8_t kStringPrefix = 0x80;
constexpr std::uint8_t kListPrefix = 0xc0;
constexpr std::size_t kMaxShortSize = 55;

struct Item {
    bool is_list = false;
    std::size_t prefix_size = 0;
    std::size_t payload_size = 0;
};

std::expected<Item, ErrorCode> parse_long_item(BytesView input, bool is_list,
                                               std::size_t size_of_size) noexcept {
    if (input.size() - 1 < size_of_size) return std::unexpected(ErrorCode::truncated);
    if (input[1] == 0) return std::unexpected(ErrorCode::non_canonical_size);
    // At most eight bytes without leading zeros: the size fits and the comparison cannot wrap.
    std::uint64_t size = 0;
    for (std::size_t i = 1; i <= size_of_size; ++i)
        size = size << 8 | input[i];
    if (size <= kMaxShortSize) return std::unexpected(ErrorCode::non_canonical_size);
    if (size > input.size() - 1 - size_of_size) return std::unexpected(ErrorCode::truncated);
    return Item{is_list, 1 + size_of_size, static_cast<std::size_t>(size)};
}

std::expected<Item, ErrorCode> parse_item(BytesView input) noexcept {
    const std::uint8_t prefix = input[0];
    if (prefix < kStringPrefix) return Item{false, 0, 1};
    const bool is_list = prefix >= kListPrefix;
    const std::size_t size = std::size_t{prefix} - (is_list ? kListPrefix : kStringPrefix);
    if (size > kMaxShortSize) return parse_long_item(input, is_list, size - kMaxShortSize);
    if (size > input.size() - 1) return std::unexpected(ErrorCode::truncated);
    if (!is_list && size == 1 && input[1] < kStringPrefix)
        return std::unexpected(ErrorCode::non_canonical_size);
    return Item{is_list, 1, size};
}

struct Prefix {
    std::uint8_t bytes[9];
    std::uint8_t size = 1;
    [[nodiscard]] BytesView view() const noexcept { return {bytes, size}; }
};

Prefix make_prefix(std::uint8_t base, std::size_t payload_size) noexcept {
    Prefix prefix;
    if (payload_size <= kMaxShortSize) {
        prefix.bytes[0] = static_cast<std::uint8_t>(base + payload_size);
        return prefix;
    }
    const auto width = static_cast<unsigned>((std::bit_width(payload_size) + 7) / 8);
    prefix.bytes[0] = static_cast<std::uint8_t>(base + kMaxShortSize + width);
    for (unsigned i = 0; i < width; ++i)
        prefix.bytes[1 + i] = static_cast<std::uint8_t>(payload_size >> (8 * (width - 1 - i)));
    prefix.size = static_cast<std::uint8_t>(1 + width);
    return prefix;
}

void encode_prefix(std::uint8_t base, std::size_t size, Bytes& out) {
    const Prefix prefix = make_prefix(base, size);
    out.insert(out.end(), prefix.bytes, prefix.bytes + prefix.size);
}

}  // namespace

std::string_view to_string(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::truncated:
            return "input ends inside an item";
        case ErrorCode::non_canonical_size:
            return "size is not encoded in its shortest form";
        case ErrorCode::non_canonical_integer:
            return "integer has leading zeros";
        case ErrorCode::overflow:
            return "integer or size too large";
        case ErrorCode::unexpected_list:
            return "list where a string is required";
        case ErrorCode::unexpected_string:
            return "string where a list is required";
        case ErrorCode::wrong_size:
            return "string of a wrong size";
        case ErrorCode::trailing_bytes:
            return "more bytes or items than allowed";
        case ErrorCode::too_few_items:
            return "fewer items than required";
    }
    return "unknown RLP error";
}

std::string to_string(const Error& error) {
    return fmt::format("RLP at byte {}: {}", error.offset, to_string(error.code));
}

bool Reader::next_is_list() const noexcept {
    return position_ < input_.size() && input_[position_] >= kListPrefix;
}

// The end of the outermost input and the end of a list read the same to a cursor; only an empty
// outermost input is certainly cut off.
std::unexpected<Error> Reader::end_error() const noexcept {
    return error(input_.empty() && base_ == 0 ? ErrorCode::truncated : ErrorCode::too_few_items);
}

Result<BytesView> Reader::read_string() {
    if (at_end()) [[unlikely]]
        return end_error();
    const auto item = parse_item(input_.subspan(position_));
    if (!item.has_value()) [[unlikely]]
        return error(item.error());
    if (item->is_list) [[unlikely]]
        return error(ErrorCode::unexpected_list);
    const BytesView payload = input_.subspan(position_ + item->prefix_size, item->payload_size);
    position_ += item->prefix_size + item->payload_size;
    return payload;
}

Result<Reader> Reader::read_list() {
    if (at_end()) [[unlikely]]
        return end_error();
    const auto item = parse_item(input_.subspan(position_));
    if (!item.has_value()) [[unlikely]]
        return error(item.error());
    if (!item->is_list) [[unlikely]]
        return error(ErrorCode::unexpected_string);
    const std::size_t begin = position_ + item->prefix_size;
    position_ = begin + item->payload_size;
    return Reader(input_.subspan(begin, item->payload_size), base_ + begin);
}

Result<BytesView> Reader::read_raw() {
    if (at_end()) [[unlikely]]
        return end_error();
    const auto item = parse_item(input_.subspan(position_));
    if (!item.has_value()) [[unlikely]]
        return error(item.error());
    const std::size_t size = item->prefix_size + item->payload_size;
    const BytesView raw = input_.subspan(position_, size);
    position_ += size;
    return raw;
}

Result<BytesView> Reader::read_integer(std::size_t max_size) {
    const std::size_t begin = position_;
    HEDDLE_TRY(const BytesView digits, read_string());
    if (digits.empty() || (digits[0] != 0 && digits.size() <= max_size)) [[likely]]
        return digits;
    position_ = begin;
    return error(digits[0] == 0 ? ErrorCode::non_canonical_integer : ErrorCode::overflow);
}

Result<std::uint64_t> Reader::read_uint64() {
    HEDDLE_TRY(const BytesView digits, read_integer(8));
    std::uint64_t value = 0;
    for (const std::uint8_t digit : digits)
        value = value << 8 | digit;
    return value;
}

Result<Uint256> Reader::read_uint256() {
    HEDDLE_TRY(const BytesView digits, read_integer(32));
    return load_be_partial(digits);
}

Result<void> Reader::read_fixed(std::span<std::uint8_t> out) {
    const std::size_t begin = position_;
    HEDDLE_TRY(const BytesView bytes, read_string());
    if (bytes.size() != out.size()) [[unlikely]] {
        position_ = begin;
        return error(ErrorCode::wrong_size);
    }
    if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
    return {};
}

Result<Hash> Reader::read_hash() {
    Hash hash;
    HEDDLE_CHECK(read_fixed(hash.bytes));
    return hash;
}

Result<Address> Reader::read_address() {
    Address address;
    HEDDLE_CHECK(read_fixed(address.bytes));
    return address;
}

Result<void> Reader::expect_end() const {
    if (!at_end()) [[unlikely]]
        return error(ErrorCode::trailing_bytes);
    return {};
}

void encode_string(BytesView bytes, Bytes& out) {
    if (bytes.size() == 1 && bytes[0] < kStringPrefix) {
        out.push_back(bytes[0]);
        return;
    }
    encode_prefix(kStringPrefix, bytes.size(), out);
    out.insert(out.end(), bytes.begin(), bytes.end());
}

void encode_uint64(std::uint64_t value, Bytes& out) {
    if (value != 0 && value < kStringPrefix) {
        out.push_back(static_cast<std::uint8_t>(value));
        return;
    }
    std::uint8_t encoded[1 + 8];
    const auto width = static_cast<unsigned>((std::bit_width(value) + 7) / 8);
    encoded[0] = static_cast<std::uint8_t>(kStringPrefix + width);
    for (unsigned i = 0; i < width; ++i)
        encoded[1 + i] = static_cast<std::uint8_t>(value >> (8 * (width - 1 - i)));
    out.insert(out.end(), encoded, encoded + 1 + width);
}

void encode_uint256(const Uint256& value, Bytes& out) {
    if (value.fits_uint64()) return encode_uint64(value.low64(), out);
    // The prefix goes where the leading zeros are, or in front of the full width.
    std::uint8_t encoded[1 + 32];
    store_be(value, encoded + 1);
    const unsigned width = byte_width(value);
    std::uint8_t* const begin = encoded + 32 - width;
    *begin = static_cast<std::uint8_t>(kStringPrefix + width);
    out.insert(out.end(), begin, encoded + 1 + 32);
}

void encode_list_header(std::size_t payload_size, Bytes& out) {
    encode_prefix(kListPrefix, payload_size, out);
}

void encode_string_header(std::size_t size, Bytes& out) {
    encode_prefix(kStringPrefix, size, out);
}

namespace {

void wrap(std::uint8_t base, std::size_t payload_begin, Bytes& out) {
    const std::size_t payload_size = out.size() - payload_begin;
    encode_prefix(base, payload_size, out);
    // The prefix was appended behind the payload; bring it to the front without a second buffer.
    const std::size_t prefix_size = out.size() - payload_begin - payload_size;
    std::uint8_t prefix[9];
    std::memcpy(prefix, out.data() + payload_begin + payload_size, prefix_size);
    std::memmove(out.data() + payload_begin + prefix_size, out.data() + payload_begin,
                 payload_size);
    std::memcpy(out.data() + payload_begin, prefix, prefix_size);
}

}  // namespace

void wrap_list(std::size_t payload_begin, Bytes& out) {
    wrap(kListPrefix, payload_begin, out);
}

void wrap_string(std::size_t payload_begin, Bytes& out) {
    if (out.size() - payload_begin != 1 || out[payload_begin] >= kStringPrefix)
        wrap(kStringPrefix, payload_begin, out);
}

// --- Backwards -----------------------------------------------------------------------------------

void BackwardWriter::enlarge(std::size_t size) {
    constexpr std::size_t kLeast = 4096;
    const std::size_t used = this->size();
    Bytes larger(std::max(kLeast, 2 * (used + size)));
    std::ranges::copy(bytes(), larger.end() - static_cast<std::ptrdiff_t>(used));
    begin_ = larger.size() - used;
    buffer_ = std::move(larger);
}

void BackwardWriter::add(BytesView string) {
    std::ranges::copy(string, make_room(string.size()));
    begin_ -= string.size();
    if (string.size() == 1 && string[0] < kString) return;
    if (string.size() > kMaxShort) return add_long_prefix(kString, string.size());
    (void)make_room(1);
    put(static_cast<std::uint8_t>(kString + string.size()));
}

void BackwardWriter::add_long_prefix(std::uint8_t base, std::size_t payload_size) {
    const Prefix prefix = make_prefix(base, payload_size);
    std::ranges::copy(prefix.view(), make_room(prefix.size));
    begin_ -= prefix.size;
}

}  // namespace heddle::rlp
