// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Short inputs that contracts hash, with their hashes: what one machine has noted, or somebody else
// has computed, another one need not hash again. Keys of mappings are such (64 bytes: key and
// position).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include <types/bytes.hpp>
#include <types/hash.hpp>

namespace heddle::vm {

/// Up to 64 bytes.
struct ShortInput {
    static constexpr std::size_t kMaxSize = 64;

    ShortInput() = default;
    /// @param data  At most kMaxSize bytes.
    explicit ShortInput(BytesView data) noexcept : size(data.size()) {
        std::memcpy(words.data(), data.data(), data.size());
    }
    [[nodiscard]] BytesView bytes() const noexcept {
        return {reinterpret_cast<const std::uint8_t*>(words.data()), size};
    }
    [[nodiscard]] bool operator==(const ShortInput& other) const noexcept {
        std::uint64_t difference = size ^ other.size;
        for (std::size_t i = 0; i < words.size(); ++i)
            difference |= words[i] ^ other.words[i];
        return difference == 0;
    }

    std::array<std::uint64_t, kMaxSize / 8> words{};  // as they lie in memory; zeros behind `size`
    std::uint64_t size = 0;                           // bytes
};

/// Invariant: the hash is the Keccak-256 of the input. Whoever makes one answers for it.
struct KnownHash {
    ShortInput input;
    Hash hash;
};

/// What contracts have hashed, in order, inputs of 1 to 64 bytes, the first ones up to a limit.
/// Thread safety: none.
class HashNotes {
public:
    explicit HashNotes(std::size_t limit) : limit_(limit) { notes_.reserve(limit); }

    void add(const ShortInput& input, const Hash& hash) {
        if (notes_.size() < limit_) notes_.push_back({input, hash});
    }
    void clear() noexcept { notes_.clear(); }
    [[nodiscard]] const std::vector<KnownHash>& all() const noexcept { return notes_; }

private:
    const std::size_t limit_;
    std::vector<KnownHash> notes_;
};

}  // namespace heddle::vm
