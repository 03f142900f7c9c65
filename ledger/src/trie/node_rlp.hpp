// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// RLP of trie nodes (YP App. D) written straight into a buffer: the inner loop of hashing. Also the
// reference that stands for a node in the one above.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <types/bytes.hpp>
#include <types/hash.hpp>

#include "trie/nibbles.hpp"

namespace heddle::ledger {

inline constexpr std::size_t kKeyNibbles = 64;
inline constexpr std::size_t kReferenceSize = 32;
/// A full branch of hashes: 16 × 33, an empty value and the list's prefix.
inline constexpr std::size_t kMaxBranchRlp = 16 * 33 + 1 + 3;
/// 33 bytes of path with their prefix, a hash with its prefix and the list's prefix.
inline constexpr std::size_t kMaxExtensionRlp = 34 + 33 + 3;

/// The hash of a node's RLP, or the RLP itself if that is shorter than a hash ("embedded").
struct Reference {
    std::array<std::uint8_t, kReferenceSize> bytes{};
    bool is_embedded = false;
    friend bool operator==(const Reference&, const Reference&) = default;
};

/// `rlp` is of a whole node.
[[nodiscard]] inline Reference make_reference(BytesView rlp) noexcept {
    Reference reference;
    reference.is_embedded = rlp.size() < kReferenceSize;
    if (reference.is_embedded)
        std::memcpy(reference.bytes.data(), rlp.data(), rlp.size());
    else
        reference.bytes = keccak256(rlp).bytes;
    return reference;
}

/// Size of an embedded node, which is always a list with a short payload.
[[nodiscard]] inline std::size_t embedded_size(const std::uint8_t* reference) noexcept {
    return std::size_t{1} + reference[0] - 0xc0;
}

/// A path of up to 64 nibbles without memory of its own elsewhere.
struct NibblePath {
    std::array<std::uint8_t, kKeyNibbles> nibbles{};
    std::size_t size = 0;

    NibblePath() = default;
    explicit NibblePath(NibblesView view) noexcept { append(view); }
    [[nodiscard]] NibblesView view() const noexcept { return {nibbles.data(), size}; }
    void push_back(std::uint8_t nibble) noexcept { nibbles[size++] = nibble; }
    void append(NibblesView view) noexcept {
        if (view.empty()) return;  // it may point nowhere
        std::memcpy(nibbles.data() + size, view.data(), view.size());
        size += view.size();
    }
};

[[nodiscard]] inline std::uint8_t nibble_at(const std::uint8_t* key, std::size_t depth) noexcept {
    return depth % 2 == 0 ? key[depth / 2] >> 4 : key[depth / 2] & 0x0f;
}

/// Nibbles [begin, end) of a key.
[[nodiscard]] inline NibblePath path_of(const std::uint8_t* key, std::size_t begin,
                                        std::size_t end) noexcept {
    NibblePath path;
    for (std::size_t i = begin; i < end; ++i)
        path.push_back(nibble_at(key, i));
    return path;
}

/// How many nibbles two keys of 32 bytes share.
[[nodiscard]] inline std::size_t shared_nibbles(const std::uint8_t* a,
                                                const std::uint8_t* b) noexcept {
    for (std::size_t i = 0; i < 32; ++i)
        if (a[i] != b[i]) return 2 * i + ((a[i] ^ b[i]) < 16 ? 1 : 0);
    return kKeyNibbles;
}

namespace detail {

/// Writes a list's prefix. @return behind it.
inline std::uint8_t* write_list_header(std::size_t payload, std::uint8_t* out) noexcept {
    if (payload < 56) {
        *out++ = static_cast<std::uint8_t>(0xc0 + payload);
    } else if (payload < 256) {
        *out++ = 0xf8;
        *out++ = static_cast<std::uint8_t>(payload);
    } else {
        *out++ = 0xf9;
        *out++ = static_cast<std::uint8_t>(payload >> 8);
        *out++ = static_cast<std::uint8_t>(payload);
    }
    return out;
}

/// A string in two pieces, so that a value can lie in two places. @return behind it.
inline std::uint8_t* write_string(BytesView head, BytesView tail, std::uint8_t* out) noexcept {
    const std::size_t size = head.size() + tail.size();
    if (size != 1 || head[0] >= 0x80) {
        if (size < 56) {
            *out++ = static_cast<std::uint8_t>(0x80 + size);
        } else if (size < 256) {
            *out++ = 0xb8;
            *out++ = static_cast<std::uint8_t>(size);
        } else {
            *out++ = 0xb9;
            *out++ = static_cast<std::uint8_t>(size >> 8);
            *out++ = static_cast<std::uint8_t>(size);
        }
    }
    std::memcpy(out, head.data(), head.size());
    out += head.size();
    if (!tail.empty()) std::memcpy(out, tail.data(), tail.size());
    return out + tail.size();
}

inline std::size_t string_rlp_size(BytesView head, std::size_t size) noexcept {
    if (size == 1 && head[0] < 0x80) return 1;
    return size + (size < 56 ? 1U : size < 256 ? 2U : 3U);
}

}  // namespace detail

[[nodiscard]] inline std::size_t max_leaf_rlp(std::size_t value_size) noexcept {
    return 3 + 34 + 3 + value_size;
}

/// A leaf whose path is what follows the first `depth` nibbles of `key`. Its value, `head` and then
/// `tail`, is below 64 KiB; `head` is not empty. @return the size.
inline std::size_t write_leaf(const std::uint8_t* key, std::size_t depth, BytesView head,
                              BytesView tail, std::uint8_t* out) noexcept {
    const std::size_t path_size = (kKeyNibbles - depth) / 2 + 1;
    const std::size_t payload = path_size + (path_size > 1 ? 1 : 0) +
                                detail::string_rlp_size(head, head.size() + tail.size());
    std::uint8_t* to = detail::write_list_header(payload, out);
    if (path_size > 1) *to++ = static_cast<std::uint8_t>(0x80 + path_size);
    *to++ = depth % 2 == 0 ? 0x20 : static_cast<std::uint8_t>(0x30 | nibble_at(key, depth));
    const std::size_t from = (depth + 1) / 2;
    std::memcpy(to, key + from, 32 - from);
    to = detail::write_string(head, tail, to + (32 - from));
    return static_cast<std::size_t>(to - out);
}

/// `reference` is of the branch below. @return the size.
inline std::size_t write_extension(NibblesView path, const Reference& reference,
                                   std::uint8_t* out) noexcept {
    const std::size_t path_size = path.size() / 2 + 1;
    const std::size_t below =
        reference.is_embedded ? embedded_size(reference.bytes.data()) : 1 + kReferenceSize;
    std::uint8_t* to = detail::write_list_header(path_size + (path_size > 1 ? 1 : 0) + below, out);
    if (path_size > 1) *to++ = static_cast<std::uint8_t>(0x80 + path_size);
    const bool is_odd = path.size() % 2 != 0;
    *to++ = is_odd ? static_cast<std::uint8_t>(0x10 | path[0]) : std::uint8_t{0};
    for (std::size_t i = is_odd ? 1 : 0; i < path.size(); i += 2)
        *to++ = static_cast<std::uint8_t>(path[i] << 4 | path[i + 1]);
    if (reference.is_embedded) {
        std::memcpy(to, reference.bytes.data(), below);
        return static_cast<std::size_t>(to - out) + below;
    }
    *to++ = 0xa0;
    std::memcpy(to, reference.bytes.data(), kReferenceSize);
    return static_cast<std::size_t>(to - out) + kReferenceSize;
}

/// A branch without a value. `references` holds one reference of 32 bytes per child, in the order
/// of the nibbles; `embedded` says which of them are RLP. @return the size.
inline std::size_t write_branch(std::uint16_t children, std::uint16_t embedded,
                                const std::uint8_t* references, std::uint8_t* out) noexcept {
    const auto count = static_cast<std::size_t>(std::popcount(children));
    std::size_t payload = 17 - count + (1 + kReferenceSize) * count;
    if (embedded != 0) {
        const std::uint8_t* reference = references;
        for (std::uint32_t bits = children; bits != 0; bits &= bits - 1) {
            if ((embedded & bits & -bits) != 0)
                payload -= 1 + kReferenceSize - embedded_size(reference);
            reference += kReferenceSize;
        }
    }
    std::uint8_t* to = detail::write_list_header(payload, out);
    for (std::uint32_t bit = 1; bit <= 0x8000; bit <<= 1) {
        if ((children & bit) == 0) {
            *to++ = 0x80;
            continue;
        }
        if ((embedded & bit) != 0) {
            const std::size_t size = embedded_size(references);
            std::memcpy(to, references, size);
            to += size;
        } else {
            *to++ = 0xa0;
            std::memcpy(to, references, kReferenceSize);
            to += kReferenceSize;
        }
        references += kReferenceSize;
    }
    *to++ = 0x80;
    return static_cast<std::size_t>(to - out);
}

}  // namespace heddle::ledger
